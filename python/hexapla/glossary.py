"""Glossaries: terms and their required translations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Union

from . import _check, _core
from ._typing import Path

__all__ = ["Glossary"]

_Target = Union[str, Sequence[str]]


class Glossary:
    """Required translations of source terms, for Translator.translate(..., glossary=...).

    For every occurrence of a source term in a line, the target replaces the words of the translation that are aligned
    with it; where there are none, a warning names the term. Terms match whole words, or anywhere in scripts without
    spaces, in any case; the longest of overlapping terms wins. If a target has several forms, the one whose ending fits
    best is used. A term that the model's vocabulary cannot express is ignored with a warning.
    """

    def __init__(self, terms: Union[Mapping[str, _Target], Iterable[tuple[str, _Target]]]) -> None:
        """Create it from source terms and targets: a str ("Hund", or "Hund|Hunde"), or a list of forms.

        Raises UsageError naming the term if a term is empty or occurs twice, ignoring case.
        """
        pairs = terms.items() if isinstance(terms, Mapping) else terms
        self._terms = _core.Glossary([_pair(i, pair) for i, pair in enumerate(_iterable(pairs))])

    @classmethod
    def read(cls, file: Path) -> Glossary:
        """Read a file with one term per line: source, tab, target. Raises DataError naming file and line."""
        glossary = cls.__new__(cls)
        glossary._terms = _core.read_glossary(_check.path("file", file))
        return glossary

    def __len__(self) -> int:
        """Return the number of terms."""
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
