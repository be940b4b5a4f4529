"""Terms with the translations that they must have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Union

from . import _check, _core
from ._typing import Path

__all__ = ["Glossary"]

_Target = Union[str, Sequence[str]]


class Glossary:
    """What certain source terms are translated by, for Translator.translate(..., glossary=...).

    Wherever a line contains a source term (as whole words, in scripts without spaces anywhere; in any case; of terms
    that overlap the longest), its translation contains the target, once for each time. Of a target with several forms
    any will do. A term that the model's vocabulary cannot write is left out and warned of.
    """

    def __init__(self, terms: Union[Mapping[str, _Target], Iterable[tuple[str, _Target]]]) -> None:
        """Take a target for each source term: a str ("Hund", or "Hund|Hunde"), or a list of forms.

        Raises UsageError naming the term: it is empty, or there twice, whatever its case.
        """
        pairs = terms.items() if isinstance(terms, Mapping) else terms
        self._terms = _core.Glossary([_pair(i, pair) for i, pair in enumerate(_iterable(pairs))])

    @classmethod
    def read(cls, file: Path) -> Glossary:
        """Read a file with a line for each term: source, a tab, target. Raises DataError naming file and line."""
        glossary = cls.__new__(cls)
        glossary._terms = _core.read_glossary(_check.path("file", file))
        return glossary

    def __len__(self) -> int:
        """Return how many terms it has."""
        return self._terms.size()


def _iterable(given: object) -> Iterable[object]:
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise _check.wrong_type("terms", given, "a dict of source terms and targets, or an iterable of such pairs")
    return given


def _pair(i: int, given: object) -> tuple[str, str]:
    if not (isinstance(given, (tuple, list)) and len(given) == 2):
        raise _check.wrong_type(f"terms[{i}]", given, "a pair: source term and target")
    source, target = given
    forms = [_check.text(f"terms[{i}][1]", target)] if isinstance(target, str) else _check.lines(f"terms[{i}][1]", target)
    return _check.text(f"terms[{i}][0]", source), "|".join(forms)
