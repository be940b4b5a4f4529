"""Translates and scores text with one trained model or an ensemble."""

from __future__ import annotations

import itertools
import os
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union, overload

from . import _check, _core, _describe
from ._portions import Portions
from ._trace import traced
from ._typing import Path, Unpack, Warn
from .errors import LineWarning, UsageError
from .glossary import Glossary
from .options import SearchOptions
from .pending import Pending, Progress, Stream
from .results import Alignment, Constraints, Score, SearchTrace, Translation
from .stop import Stop

__all__ = ["Translator"]

AnyConstraints = Union[Constraints, Iterable[Constraints]]
LinesDone = Callable[[int], object]
_KINDS: dict[str, Callable[[str], Any]] = {"integer": int, "number": float, "boolean": lambda word: word == "true",
                                           "text": str}
_PACKAGE = os.path.dirname(__file__) + os.sep


def _warn(line: int, what: str) -> None:
    """Warn about a line, at the program's call of this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(f"line {line}: {what}", LineWarning, stacklevel=level)


def _warner(given: Optional[Warn]) -> Warn:
    return _warn if given is None else _check.function("warn", given)


def _constraints(given: object, lines: int) -> list[_core._ConstraintsTuple]:
    if given is None:
        return []
    of_lines = _constraints_of_lines(given)
    return list(itertools.islice(of_lines, lines) if isinstance(given, Constraints) else of_lines)


def _constraints_of_lines(given: object) -> Iterator[_core._ConstraintsTuple]:
    """One after the other; without end if they are for all lines."""
    if isinstance(given, Constraints):
        return itertools.repeat(_constraint("constraints", given))
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise _check.wrong_type("constraints", given, "Constraints, or a list, or another iterable, of them, one per line")
    return (_constraint(f"constraints[{i}]", one) for i, one in enumerate(given))


def _constraint(name: str, given: object) -> _core._ConstraintsTuple:
    if not isinstance(given, Constraints):
        raise _check.wrong_type(name, given, "Constraints")
    return (_check.text(f"{name}.prefix", given.prefix), _check.lines(f"{name}.require", given.require),
            _check.lines(f"{name}.forbid", given.forbid))


def _options(given: Mapping[str, object], glossary: object = None, stop: object = None,
             on_progress: object = None) -> dict[str, Any]:
    options: dict[str, Any] = {**_check.options(given)}
    if stop is not None:
        if not isinstance(stop, Stop):
            raise _check.wrong_type("stop", stop, "a Stop")
        options["stop"] = stop._core
    if on_progress is not None:
        options["on_progress"] = _check.function("on_progress", on_progress)
    if glossary is not None:
        if not isinstance(glossary, Glossary):
            raise _check.wrong_type("glossary", glossary, "a Glossary")
        options["glossary"] = glossary._terms
    return options


def _translations(found: _core._TranslationTuples) -> list[list[Translation]]:
    return [[_translation(one) for one in of_line] for of_line in found]


def _translation(found: _core._TranslationTuple) -> Translation:
    text, score, normalized, tokens, ids, token_scores, alignment, coverage = found
    return Translation(text, score, normalized, tokens, ids, token_scores,
                       None if alignment is None else _alignment(alignment), coverage)


def _alignment(found: _core._AlignmentTuple) -> Alignment:
    return Alignment(*found)


def _streamed(stream: _core.LineStream, portions: Portions) -> Generator[list[Translation], None, None]:
    """Translate portions; what ends the lines comes after those before it."""
    while not portions.ended:
        stream.feed(*portions.read())
        while (found := stream.next()) is not None:
            yield [_translation(one) for one in found]
    portions.close()


def _of_only_line(found: _core._TranslationTuples) -> list[Translation]:
    return _translations(found)[0]


def _made_again(how: dict[str, Any]) -> Translator:
    return Translator(**how)


def _model_options(*, precision: Optional[str] = None, device: Optional[str] = "cpu", ensemble: Optional[str] = "linear",
                   weights: Optional[Iterable[float]] = (), threads: Optional[int] = 0,
                   source_language: Optional[str] = "", target_language: Optional[str] = "",
                   alignment_layer: Optional[int] = None, alignment_head: Optional[Union[int, str]] = None,
                   shortlist: Optional[Path] = None, search: Optional[SearchOptions] = None) -> _core.ModelOptions:
    options = _core.ModelOptions()
    if precision is not None:
        options.precision = _check.text("precision", precision)
    if device is not None:
        options.device = _check.text("device", device)
    if ensemble is not None:
        options.ensemble = _check.text("ensemble", ensemble)
    if weights is not None:
        options.weights = _check.numbers("weights", weights)
    if threads is not None:
        options.threads = _check.integer("threads", threads, 0, 4096)
    if source_language is not None:
        options.source_language = _check.text("source_language", source_language)
    if target_language is not None:
        options.target_language = _check.text("target_language", target_language)
    if alignment_layer is not None:
        options.alignment_layer = str(_check.integer("alignment_layer", alignment_layer, 0, 1 << 20))
    if alignment_head is not None:
        options.alignment_head = (alignment_head if isinstance(alignment_head, str)
                                  else str(_check.integer("alignment_head", alignment_head, 0, 1 << 20)))
    if shortlist is not None:
        options.set_shortlist(_check.path("shortlist", shortlist))
    if search is not None:
        options.set_search(_check.options(_check.mapping("search", search)))
    return options


class Translator:
    """A trained model with its vocabularies, or several models as an ensemble.

    Its methods may be called from any number of threads at once. A translation depends only on its line, the model and
    the options, not on other lines or threads. Options are keywords of its methods (SearchOptions);
    docs/reference/translate.md describes them. It can be used in a with statement, which closes it. Pickling stores
    only the names of its files and its arguments.
    """

    def __init__(self, model: Union[Path, Sequence[Path]], *, precision: Optional[str] = None,
                 device: Optional[str] = "cpu", ensemble: Optional[str] = "linear",
                 weights: Optional[Iterable[float]] = (), threads: Optional[int] = 0,
                 source_language: Optional[str] = "", target_language: Optional[str] = "",
                 alignment_layer: Optional[int] = None, alignment_head: Optional[Union[int, str]] = None,
                 shortlist: Optional[Path] = None, search: Optional[SearchOptions] = None) -> None:
        """Load a model file or the model of a training folder; a list of them is an ensemble.

        precision of products with weights: "f32" (the default), "bf16" or "int8"; a quantized model computes with its
        8-bit integers and accepts no other. device: where to compute, "cpu", "opencl" (the first GPU) or "opencl:N".
        ensemble: the mean of probabilities ("linear") or of log-probabilities ("log-linear"); weights: one per model,
        or none. threads: for each call, and for all requests of submit() together; 0: as set by set_threads().
        source_language and target_language of a multilingual model, by its own names ("de", "deu_Latn"); "": as it was
        imported. alignment_layer and alignment_head, numbers from 0, or "mean" of the heads: the attention that gives word
        alignments; by default the one guided in training, or else the mean of the last layer but one. shortlist: a file, of
        `hexapla shortlist` or Marian, with the pieces that translations may have; not for submit(), prefixes, required
        phrases and glossaries. search: options of all calls that do not give them, instead of those recorded in the model's
        file. None: the default. Raises DataError naming the file, MissingFile if there is none.
        """
        options = _model_options(
            precision=precision, device=device, ensemble=ensemble, weights=weights, threads=threads,
            source_language=source_language, target_language=target_language, alignment_layer=alignment_layer,
            alignment_head=alignment_head, shortlist=shortlist, search=search)
        files = _check.paths("model", model)
        self._open: Optional[_core.Translator] = _core.Translator(files, options)
        names = [os.path.abspath(os.fsdecode(file)) for file in files]
        self._made: dict[str, Any] = {
            "model": names[0] if len(names) == 1 else names, "precision": precision, "device": options.device,
            "ensemble": options.ensemble, "weights": options.weights,
            "threads": options.threads}
        languages = {"source_language": source_language, "target_language": target_language}
        self._made.update({name: code for name, code in languages.items() if code})
        attention = {"alignment_layer": alignment_layer, "alignment_head": alignment_head}
        self._made.update({name: number for name, number in attention.items() if number is not None})
        if shortlist is not None:
            self._made["shortlist"] = os.path.abspath(os.fsdecode(shortlist))
        if search:
            self._made["search"] = {name: value for name, value in search.items() if value is not None}

    @property
    def _model(self) -> _core.Translator:
        if self._open is None:
            raise UsageError(f"{self!r} is closed: open another one")
        return self._open

    def close(self) -> None:
        """Release the model's memory once pending requests have ended. The translator cannot be used afterwards."""
        self._open = None

    def __enter__(self) -> Translator:
        """Return itself."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Close it."""
        self.close()

    def __repr__(self) -> str:
        return "hexapla.Translator(" + ", ".join(f"{name}={value!r}" for name, value in self._made.items()) + ")"

    def __reduce__(self) -> tuple[Callable[..., Translator], tuple[dict[str, Any]]]:
        """Pickle its arguments; unpickling loads the files again."""
        return _made_again, (self._made,)

    @overload
    def translate(  # type: ignore[overload-overlap]
            self, lines: str, *, constraints: Optional[AnyConstraints] = None,
            glossary: Optional[Glossary] = None, warn: Optional[Warn] = None,
            stop: Optional[Stop] = None, on_progress: Optional[LinesDone] = None,
            **options: Unpack[SearchOptions]) -> str: ...
    @overload
    def translate(self, lines: Iterable[str], *, constraints: Optional[AnyConstraints] = None,
                  glossary: Optional[Glossary] = None,
                  warn: Optional[Warn] = None, stop: Optional[Stop] = None, on_progress: Optional[LinesDone] = None,
                  **options: Unpack[SearchOptions]) -> list[str]: ...

    def translate(self, lines: Union[str, Iterable[str]], *, constraints: Optional[AnyConstraints] = None,
                  glossary: Optional[Glossary] = None,
                  warn: Optional[Warn] = None, stop: Optional[Stop] = None, on_progress: Optional[LinesDone] = None,
                  **options: Unpack[SearchOptions]) -> Union[str, list[str]]:
        """Return the best translation of a line, or of each of many lines.

        constraints: for all lines, or one per line. glossary: required translations of terms. warn: called with the
        number, from 1, of each line that was split or truncated at max_length or was not valid Unicode, and with a
        message; by default issues a LineWarning. stop: ends the call with Canceled when another thread sets it, as Ctrl-C
        ends it. on_progress: called with the number of lines done, after every few hundred; what it raises ends the call.
        """
        single, given = _check.one_or_many("lines", lines)
        found = self._model.translate(given, _options(options, glossary, stop, on_progress), _constraints(constraints, len(given)),
                                     _warner(warn))
        return found[0] if single else found

    @overload
    def translate_n_best(  # type: ignore[overload-overlap]
            self, lines: str, *, constraints: Optional[AnyConstraints] = None, glossary: Optional[Glossary] = None,
            warn: Optional[Warn] = None, stop: Optional[Stop] = None, on_progress: Optional[LinesDone] = None,
            **options: Unpack[SearchOptions]) -> list[Translation]: ...
    @overload
    def translate_n_best(self, lines: Iterable[str], *, constraints: Optional[AnyConstraints] = None,
                         glossary: Optional[Glossary] = None,
                         warn: Optional[Warn] = None,
                         stop: Optional[Stop] = None, on_progress: Optional[LinesDone] = None,
                         **options: Unpack[SearchOptions]) -> list[list[Translation]]: ...

    def translate_n_best(self, lines: Union[str, Iterable[str]], *, constraints: Optional[AnyConstraints] = None,
                         glossary: Optional[Glossary] = None,
                         warn: Optional[Warn] = None, stop: Optional[Stop] = None, on_progress: Optional[LinesDone] = None,
                         **options: Unpack[SearchOptions]
                         ) -> Union[list[Translation], list[list[Translation]]]:
        """Return up to n_best translations of a line, or of each of many lines, best first.

        With alignment="words" (or "blanks", "pieces"), each has its word alignment. Otherwise like translate().
        """
        single, given = _check.one_or_many("lines", lines)
        found = self._model.translate_n_best(given, _options(options, glossary, stop, on_progress), _constraints(constraints, len(given)),
                                            _warner(warn))
        return _of_only_line(found) if single else _translations(found)

    def translate_stream(self, lines: Iterable[str], *, constraints: Optional[AnyConstraints] = None,
                         glossary: Optional[Glossary] = None, warn: Optional[Warn] = None,
                         stop: Optional[Stop] = None, on_progress: Optional[LinesDone] = None, read_ahead: int = 2000,
                         **options: Unpack[SearchOptions]) -> Generator[list[Translation], None, None]:
        """Translate lines while they are read; yields the translations of each line, in order, best first.

        They are those of translate_n_best(), and memory is bounded: at most read_ahead lines (or 16 million characters)
        are read, and translated together; fewer come sooner, more are faster. constraints: for all lines, or an iterable
        with those of each. The numbers of lines that warn and on_progress get count from the first line. An error, also
        one that lines raises, comes after the translations of the lines before. Nothing is read before the first next();
        close() of the generator ends it, and so does stop, with Canceled.
        """
        if isinstance(lines, (str, bytes, Mapping)) or not isinstance(lines, Iterable):
            raise _check.wrong_type("lines", lines, "an iterable of str")
        asked = None if constraints is None else _constraints_of_lines(constraints)
        portions = Portions(lines, asked, _check.integer("read_ahead", read_ahead, 1, 1_000_000))
        return _streamed(_core.LineStream(self._model, _options(options, glossary, stop, on_progress), _warner(warn)), portions)

    @overload
    def translate_document(self, content: str, name: Path, *, attributes: bool = False,
                           glossary: Optional[Glossary] = None, warn: Optional[Warn] = None,
                           stop: Optional[Stop] = None, on_progress: Optional[LinesDone] = None,
                           **options: Unpack[SearchOptions]) -> str: ...
    @overload
    def translate_document(self, content: bytes, name: Path, *, attributes: bool = False,
                           glossary: Optional[Glossary] = None, warn: Optional[Warn] = None,
                           stop: Optional[Stop] = None, on_progress: Optional[LinesDone] = None,
                           **options: Unpack[SearchOptions]) -> bytes: ...

    def translate_document(self, content: Union[str, bytes], name: Path, *, attributes: bool = False,
                           glossary: Optional[Glossary] = None, warn: Optional[Warn] = None,
                           stop: Optional[Stop] = None, on_progress: Optional[LinesDone] = None,
                           **options: Unpack[SearchOptions]) -> Union[str, bytes]:
        """Return a document with its text translated; everything else stays byte-identical.

        The extension of name determines the format, one of document_formats(): "page.html". attributes: translate the
        alt, title, placeholder and description of an HTML page, too. glossary: required translations of terms. warn is
        called with numbers of lines of the document's text, from 1. Raises UsageError for an unknown extension, or if
        attributes is set for another format than HTML, and DataError if the content does not match the format.
        """
        if not isinstance(content, (str, bytes)):
            raise _check.wrong_type("content", content, "a str or bytes")
        given = content if isinstance(content, bytes) else _check.text("content", content).encode()
        found = self._model.translate_document(given, _check.path("name", name), _check.flag("attributes", attributes),
                                               _options(options, glossary, stop, on_progress), _warner(warn))
        return found if isinstance(content, bytes) else found.decode()

    def complete(self, *, glossary: Optional[Glossary] = None, **options: Unpack[SearchOptions]) -> SearchOptions:
        """Return all options with their values in a search with these: given, recorded in the model's file, or usual."""
        words = self._model.complete(_options(options, glossary))
        complete: Any = {}
        for name, kind, _, _ in _core.search_options():
            value = [_KINDS[kind.removeprefix("list of ")](word) for word in words.get(name, [])]
            complete[name] = value if kind.startswith("list of ") else value[0] if value else ""
        found: SearchOptions = complete
        return found

    def check(self, glossary: Glossary) -> None:
        """Raise UsageError naming the first term of which the model's vocabulary can write no form."""
        if not isinstance(glossary, Glossary):
            raise _check.wrong_type("glossary", glossary, "a Glossary")
        self._model.check(glossary._terms)

    def tokens(self, line: str) -> list[str]:
        """Return the tokens of a line as the encoder reads them, without </s>: pieces of the source vocabulary."""
        return self._model.tokens(_check.text("line", line))

    def trace(self, line: str, **options: Unpack[SearchOptions]) -> SearchTrace:
        """Trace the beam search for the translation of one line step by step: its steps, a table and a picture.

        Raises UsageError for several models, a shortlist, and options that Inspector.trace() refuses.
        """
        return traced(self._model.trace(_check.text("line", line), _options(options)))

    def translate_tokens(self, sentences: Iterable[Iterable[str]], /, *,
                         constraints: Optional[AnyConstraints] = None,
                         glossary: Optional[Glossary] = None, warn: Optional[Warn] = None,
                         stop: Optional[Stop] = None, on_progress: Optional[LinesDone] = None,
                         **options: Unpack[SearchOptions]) -> list[list[Translation]]:
        """Translate sentences given as source tokens; returns the same as translate_n_best().

        Translation.tokens are those of the translation. Raises UsageError for a piece outside of the vocabulary, and
        for alignment and unk="copy", which refer to words of a line.
        """
        if isinstance(sentences, (str, bytes, Mapping)) or not isinstance(sentences, Iterable):
            raise _check.wrong_type("sentences", sentences, "a list of lists of str")
        given = [_check.lines(f"sentences[{i}]", tokens) for i, tokens in enumerate(sentences)]
        return _translations(self._model.translate_tokens(
            given, _options(options, glossary, stop, on_progress), _constraints(constraints, len(given)), _warner(warn)))

    @overload
    def submit(  # type: ignore[overload-overlap]
            self, lines: str, *, constraints: Optional[AnyConstraints] = None,
            glossary: Optional[Glossary] = None, timeout: Optional[float] = None,
            warn: Optional[Warn] = None, client: int = 0, on_progress: Optional[Progress] = None,
            **options: Unpack[SearchOptions]) -> Pending[list[Translation]]: ...
    @overload
    def submit(self, lines: Iterable[str], *, constraints: Optional[AnyConstraints] = None,
               glossary: Optional[Glossary] = None,
               timeout: Optional[float] = None, warn: Optional[Warn] = None,
               client: int = 0, on_progress: Optional[Progress] = None,
               **options: Unpack[SearchOptions]) -> Pending[list[list[Translation]]]: ...

    def submit(self, lines: Union[str, Iterable[str]], *, constraints: Optional[AnyConstraints] = None,
               glossary: Optional[Glossary] = None,
               timeout: Optional[float] = None, warn: Optional[Warn] = None, client: int = 0, on_progress: Optional[Progress] = None,
               **options: Unpack[SearchOptions]
               ) -> Union[Pending[list[Translation]], Pending[list[list[Translation]]]]:
        """Start a translation and return at once: await the returned object, or call its result().

        Requests share batches; results are those of translate_n_best(). timeout: in seconds from now; then the request
        ends with TimedOut. client: any number; clients take turns, so that one line of one does not wait for thousands of
        another. on_progress: called with the number of a line, from 1, and its text so far, by the thread that delivers
        results, so it must not wait for requests; steps may be skipped, and what it raises ends the request and is
        raised by result(). Raises RunError if too many requests are waiting.
        """
        single, given = _check.one_or_many("lines", lines)
        follow = None if on_progress is None else _check.function("on_progress", on_progress)
        pending: Pending[Any] = Pending(self._model, _of_only_line if single else _translations, _warner(warn), follow)
        self._begin(pending, given, constraints, timeout, client, _options(options, glossary))
        return pending

    def stream(self, line: str, *, constraints: Optional[AnyConstraints] = None,
               glossary: Optional[Glossary] = None, timeout: Optional[float] = None,
               warn: Optional[Warn] = None, client: int = 0, **options: Unpack[SearchOptions]) -> Stream:
        """Translate one line; iterate with for or async for over the partial translations.

        The last one is the translation. Steps may be skipped, and a beam search may revise earlier text.
        """
        given = [_check.text("line", line)]
        pending = Pending(self._model, _of_only_line, _warner(warn), follow=True)
        self._begin(pending, given, constraints, timeout, client, _options(options, glossary))
        return Stream(pending)

    @staticmethod
    def _begin(pending: Pending[Any], lines: list[str], constraints: Optional[AnyConstraints],
               timeout: Optional[float], client: int, options: dict[str, Any]) -> None:
        limit = 0.0 if timeout is None else _check.seconds("timeout", timeout)
        pending._begin(lines, options, _constraints(constraints, len(lines)), limit,
                       _check.integer("client", client, 0, 2**64 - 1))

    @overload
    def score(  # type: ignore[overload-overlap]
            self, lines: str, translations: str, *, warn: Optional[Warn] = None,
            stop: Optional[Stop] = None, **options: Unpack[SearchOptions]) -> Score: ...
    @overload
    def score(self, lines: Iterable[str], translations: Iterable[str], *, warn: Optional[Warn] = None,
              stop: Optional[Stop] = None, **options: Unpack[SearchOptions]) -> list[Score]: ...

    def score(self, lines: Union[str, Iterable[str]], translations: Union[str, Iterable[str]], *,
              warn: Optional[Warn] = None, stop: Optional[Stop] = None,
              **options: Unpack[SearchOptions]) -> Union[Score, list[Score]]:
        """Return the score (log-probability) of translations[i] given lines[i].

        Pairs are never split: only the first max_length tokens of a longer line are scored, and warn is called.
        """
        single, sources, targets = _pair("score", lines, translations)
        found = self._model.score(sources, targets, _options(options, stop=stop), _warner(warn))
        scores = [Score(*one) for one in found]
        return scores[0] if single else scores

    @overload
    def align(  # type: ignore[overload-overlap]
            self, lines: str, translations: str, *, units: str = "words", warn: Optional[Warn] = None,
            stop: Optional[Stop] = None, **options: Unpack[SearchOptions]) -> Alignment: ...
    @overload
    def align(self, lines: Iterable[str], translations: Iterable[str], *, units: str = "words",
              warn: Optional[Warn] = None, stop: Optional[Stop] = None,
              **options: Unpack[SearchOptions]) -> list[Alignment]: ...

    def align(self, lines: Union[str, Iterable[str]], translations: Union[str, Iterable[str]], *,
              units: str = "words", warn: Optional[Warn] = None,
              stop: Optional[Stop] = None, **options: Unpack[SearchOptions]) -> Union[Alignment, list[Alignment]]:
        """Return the alignment between the words of lines[i] and of translations[i].

        units: "words" (in scripts without spaces, characters), "blanks" (whitespace-separated words) or "pieces".
        """
        single, sources, targets = _pair("align", lines, translations)
        found = self._model.align((sources, targets), _check.text("units", units), _options(options, stop=stop),
                                 _warner(warn))
        alignments = [_alignment(one) for one in found]
        return alignments[0] if single else alignments


def _pair(what: str, lines: object, translations: object) -> tuple[bool, list[str], list[str]]:
    """Check two lines, or two lists of lines."""
    single, sources = _check.one_or_many("lines", lines)
    single_too, targets = _check.one_or_many("translations", translations)
    if single != single_too:
        raise _check.wrong_type("translations", translations, f"a str to {what} one line, a list of str for many")
    return single, sources, targets


_describe.add_options(Translator, _core.search_options())
