"""Translating and scoring text with one trained model, or with several together."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Optional, Union, overload

from . import _check, _core
from .errors import LineWarning
from .pending import Pending, Stream
from .results import Alignment, Constraints, Score, Translation

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import SearchOptions

__all__ = ["Translator"]

Warn = Callable[[int, str], object]
AnyConstraints = Union[Constraints, Sequence[Constraints]]


def _warn(line: int, what: str) -> None:
    warnings.warn(f"line {line}: {what}", LineWarning, stacklevel=3)


def _warner(given: Optional[Warn]) -> Warn:
    return _warn if given is None else _check.function("warn", given)


def _constraints(given: object, lines: int) -> list[_core._ConstraintsTuple]:
    if given is None:
        return []
    if isinstance(given, Constraints):
        return [_constraint("constraints", given)] * lines
    if not isinstance(given, (list, tuple)):
        raise _check.wrong_type("constraints", given, "Constraints, or a list of them, one per line")
    return [_constraint(f"constraints[{i}]", one) for i, one in enumerate(given)]


def _constraint(name: str, given: object) -> _core._ConstraintsTuple:
    if not isinstance(given, Constraints):
        raise _check.wrong_type(name, given, "Constraints")
    return (_check.text(f"{name}.prefix", given.prefix), _check.lines(f"{name}.require", given.require),
            _check.lines(f"{name}.forbid", given.forbid))


def _translations(found: _core._TranslationTuples) -> list[list[Translation]]:
    return [[_translation(one) for one in of_line] for of_line in found]


def _translation(found: _core._TranslationTuple) -> Translation:
    text, score, normalized, tokens, ids, token_scores, alignment = found
    return Translation(text, score, normalized, tokens, ids, token_scores,
                       None if alignment is None else _alignment(alignment))


def _alignment(found: _core._AlignmentTuple) -> Alignment:
    return Alignment(*found)


def _of_only_line(found: _core._TranslationTuples) -> list[Translation]:
    return _translations(found)[0]


class Translator:
    """A trained model with its vocabularies, or several models as an ensemble.

    Its methods may be called from any number of threads at once. A translation depends on its line, the model and the
    options, never on other lines or threads. Options are keywords: see SearchOptions, and docs/commands.md for more of
    each.
    """

    def __init__(self, model: Union[_check.Path, Sequence[_check.Path]], *, precision: str = "f32",
                 ensemble: str = "linear", weights: Sequence[float] = ()) -> None:
        """Load a model file, or the folder of a training; a list of them is an ensemble.

        precision: of products with weights: "f32", "bf16" or "int8". ensemble: the mean of probabilities ("linear"),
        or "log-linear", with one weight per model, or none. Raises DataError naming the file.
        """
        options = _core.ModelOptions()
        options.precision = _check.text("precision", precision)
        options.ensemble = _check.text("ensemble", ensemble)
        options.weights = _check.numbers("weights", weights)
        self._core = _core.Translator(_check.paths("model", model), options)

    @overload
    def translate(  # type: ignore[overload-overlap]
            self, lines: str, *, constraints: Optional[AnyConstraints] = None, warn: Optional[Warn] = None,
            **options: Unpack[SearchOptions]) -> str: ...
    @overload
    def translate(self, lines: Iterable[str], *, constraints: Optional[AnyConstraints] = None,
                  warn: Optional[Warn] = None, **options: Unpack[SearchOptions]) -> list[str]: ...

    def translate(self, lines: Union[str, Iterable[str]], *, constraints: Optional[AnyConstraints] = None,
                  warn: Optional[Warn] = None, **options: Unpack[SearchOptions]) -> Union[str, list[str]]:
        """Return the best translation of a line, or those of many lines.

        constraints: for all lines, or one per line. warn: called with the index of each line that was split or
        truncated at max_length or was not valid Unicode, and with what was done; by default a LineWarning.
        Ctrl-C ends the call.
        """
        single, given = _check.one_or_many("lines", lines)
        found = self._core.translate(given, _check.options(options), _constraints(constraints, len(given)),
                                     _warner(warn))
        return found[0] if single else found

    @overload
    def translate_n_best(  # type: ignore[overload-overlap]
            self, lines: str, *, constraints: Optional[AnyConstraints] = None,
            warn: Optional[Warn] = None, **options: Unpack[SearchOptions]) -> list[Translation]: ...
    @overload
    def translate_n_best(self, lines: Iterable[str], *, constraints: Optional[AnyConstraints] = None,
                         warn: Optional[Warn] = None,
                         **options: Unpack[SearchOptions]) -> list[list[Translation]]: ...

    def translate_n_best(self, lines: Union[str, Iterable[str]], *, constraints: Optional[AnyConstraints] = None,
                         warn: Optional[Warn] = None, **options: Unpack[SearchOptions]
                         ) -> Union[list[Translation], list[list[Translation]]]:
        """Return one to n_best translations of a line, or of each of many lines, best first.

        With alignment="words" (or "blanks", "pieces") each has its word alignment. The rest is as in translate().
        """
        single, given = _check.one_or_many("lines", lines)
        found = self._core.translate_n_best(given, _check.options(options), _constraints(constraints, len(given)),
                                            _warner(warn))
        return _of_only_line(found) if single else _translations(found)

    @overload
    def submit(  # type: ignore[overload-overlap]
            self, lines: str, *, constraints: Optional[AnyConstraints] = None, timeout: Optional[float] = None,
            warn: Optional[Warn] = None, **options: Unpack[SearchOptions]) -> Pending[list[Translation]]: ...
    @overload
    def submit(self, lines: Iterable[str], *, constraints: Optional[AnyConstraints] = None,
               timeout: Optional[float] = None, warn: Optional[Warn] = None,
               **options: Unpack[SearchOptions]) -> Pending[list[list[Translation]]]: ...

    def submit(self, lines: Union[str, Iterable[str]], *, constraints: Optional[AnyConstraints] = None,
               timeout: Optional[float] = None, warn: Optional[Warn] = None, **options: Unpack[SearchOptions]
               ) -> Union[Pending[list[Translation]], Pending[list[list[Translation]]]]:
        """Begin to translate and return at once: await what is returned, or ask for its result().

        Requests are translated together, and each gives what translate_n_best() gives. timeout: in seconds, from now
        on; then the request ends with Canceled. Raises RunError if too many wait.
        """
        single, given = _check.one_or_many("lines", lines)
        begun = self._begin(given, constraints, timeout, False, options)
        if single:
            return Pending(self, begun, _of_only_line, _warner(warn))
        return Pending(self, begun, _translations, _warner(warn))

    def stream(self, line: str, *, constraints: Optional[AnyConstraints] = None, timeout: Optional[float] = None,
               warn: Optional[Warn] = None, **options: Unpack[SearchOptions]) -> Stream:
        """Translate one line and iterate, with for or async for, over what it reads as so far.

        The last text is the translation. A step may be skipped, and a beam search may change its mind.
        """
        given = [_check.text("line", line)]
        begun = self._begin(given, constraints, timeout, True, options)
        return Stream(Pending(self, begun, _of_only_line, _warner(warn)))

    def _begin(self, lines: list[str], constraints: Optional[AnyConstraints], timeout: Optional[float],
               follow: bool, options: Mapping[str, object]) -> _core.Pending:
        limit = 0.0 if timeout is None else _check.seconds("timeout", timeout)
        return _core.submit(self._core, lines, _check.options(options), _constraints(constraints, len(lines)), limit,
                            follow)

    @overload
    def score(  # type: ignore[overload-overlap]
            self, lines: str, translations: str, *, warn: Optional[Warn] = None,
            **options: Unpack[SearchOptions]) -> Score: ...
    @overload
    def score(self, lines: Iterable[str], translations: Iterable[str], *, warn: Optional[Warn] = None,
              **options: Unpack[SearchOptions]) -> list[Score]: ...

    def score(self, lines: Union[str, Iterable[str]], translations: Union[str, Iterable[str]], *,
              warn: Optional[Warn] = None, **options: Unpack[SearchOptions]) -> Union[Score, list[Score]]:
        """Return how probable translations[i] is, given lines[i].

        A pair is never split: of a longer line only the first max_length tokens are scored, and warn is called.
        """
        single, sources, targets = _pair("score", lines, translations)
        found = self._core.score(sources, targets, _check.options(options), _warner(warn))
        scores = [Score(*one) for one in found]
        return scores[0] if single else scores

    @overload
    def align(  # type: ignore[overload-overlap]
            self, lines: str, translations: str, *, units: str = "words", warn: Optional[Warn] = None,
            **options: Unpack[SearchOptions]) -> Alignment: ...
    @overload
    def align(self, lines: Iterable[str], translations: Iterable[str], *, units: str = "words",
              warn: Optional[Warn] = None, **options: Unpack[SearchOptions]) -> list[Alignment]: ...

    def align(self, lines: Union[str, Iterable[str]], translations: Union[str, Iterable[str]], *,
              units: str = "words", warn: Optional[Warn] = None,
              **options: Unpack[SearchOptions]) -> Union[Alignment, list[Alignment]]:
        """Return which words of lines[i] those of translations[i] come from.

        units: "words" (in scripts without spaces, characters), "blanks" (whitespace-separated words) or "pieces".
        """
        single, sources, targets = _pair("align", lines, translations)
        found = self._core.align((sources, targets), _check.text("units", units), _check.options(options),
                                 _warner(warn))
        alignments = [_alignment(one) for one in found]
        return alignments[0] if single else alignments


def _pair(what: str, lines: object, translations: object) -> tuple[bool, list[str], list[str]]:
    """Two lines, or two lists of them."""
    single, sources = _check.one_or_many("lines", lines)
    single_too, targets = _check.one_or_many("translations", translations)
    if single != single_too:
        raise _check.wrong_type("translations", translations, f"a str to {what} one line, a list of str for many")
    return single, sources, targets
