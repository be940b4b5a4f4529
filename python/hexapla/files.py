"""Shortlists and more training pairs, which are made from files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Optional, Union

from . import _check, _core
from ._typing import Path, Warn
from .options import SearchOptions
from .results import AugmentCounts, ShortlistSize
from .translator import _model_options, _options

__all__ = ["augment", "make_shortlist"]


def _function(name: str, given: object) -> Optional[Callable[..., Any]]:
    return None if given is None else _check.function(name, given)


def make_shortlist(model: Path, source: Union[Path, Sequence[Path]], output: Path, *, first: int = 100, best: int = 100,
                   warn: Optional[Warn] = None, on_progress: Optional[Callable[[int], object]] = None) -> ShortlistSize:
    """Write the pieces that translations may have, for Translator(shortlist=..), in Marian's binary format.

        hexapla.make_shortlist("run", ["train.en", "train.de"], "lex.bin")

    source: two text files with matching lines, whose pieces the model aligns, or one table of probabilities, TARGET
    SOURCE PROBABILITY per line. first: the most frequent pieces, which every line may use; best: most pieces listed for a
    source piece, 0 to 100,000. on_progress is called with the number of pairs that are aligned so far.
    """
    return ShortlistSize(*_core.make_shortlist(
        _check.path("model", model), _check.paths("source", source), _check.path("output", output),
        (_check.integer("first", first, 0, 100_000), _check.integer("best", best, 0, 100_000)),
        _function("warn", warn), _function("on_progress", on_progress)))


def augment(source: Path, target: Path, *, kind: str = "distill", train_sets: Iterable[Path] = (), tsv: bool = False,
            text: Optional[Path] = None, tag: str = "<BT>", models: Union[Path, Sequence[Path]] = (),
            how: Optional[Mapping[str, Any]] = None, search: Optional[SearchOptions] = None,
            warn: Optional[Callable[[str, str], object]] = None,
            on_progress: Optional[Callable[[int, float], object]] = None) -> AugmentCounts:
    """Write more training pairs to two files, like `hexapla augment`; they appear when they are complete.

        hexapla.augment("kd.en", "kd.de", train_sets=["train.en", "train.de"], models="teacher")

    kind: "distill", the sources with the models' translations instead of the targets; "back-translate", the pairs and,
    for each line of the file text in the target language, its translation by models of the other direction, after the
    word tag, as the source; "both-directions", every pair, and the same pair with its sides exchanged. train_sets:
    source and target files in turn, or .tsv files; tsv: every set is one file of SOURCE<TAB>TARGET lines. how: keywords
    of Translator. warn is called with a place, "a.en + a.de, line 3", and what was done; on_progress with the lines that
    are done and the share of a text, 0 to 1. Ctrl-C stops it; nothing is written then.
    """
    options = _core.AugmentOptions()
    options.kind = _check.text("kind", kind)
    options.tsv = _check.flag("tsv", tsv)
    options.tag = _check.text("tag", tag)
    options.how = _model_options(**(how or {}))
    files: list[Any] = [
        _check.path("source", source), _check.path("target", target),
        [_check.path(f"train_sets[{i}]", one) for i, one in enumerate(train_sets)],
        b"" if text is None else _check.path("text", text), _check.paths("models", models) if models else []]
    return AugmentCounts(*_core.augment(options, files, _options(search or {}), _function("warn", warn),
                                        _function("on_progress", on_progress)))
