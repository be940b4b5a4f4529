"""Training a model on parallel text, from files or from Python."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Optional

from . import _check, _core, _describe
from ._typing import Pairs, Path, Unpack
from .errors import UsageError
from .options import TrainingOptions
from .results import Example, TrainingReport, TrainingResult, TrainingStart, UnknownTokens, ValidationReport

__all__ = ["Trainer"]


def _validation(*fields: Any) -> ValidationReport:
    report = ValidationReport(*fields)
    return replace(report, examples=[Example(*one) for one in fields[-1]])


def _start(*fields: Any) -> TrainingStart:
    start = TrainingStart(*fields)
    return replace(start, unknown=[UnknownTokens(*one) for one in fields[-1]])


_REPORTS: dict[str, Callable[..., object]] = {
    "on_start": _start,
    "on_progress": TrainingReport,
    "on_report": TrainingReport,
    "on_validation": _validation,
}


def _callbacks(given: dict[str, Optional[Callable[..., object]]]) -> dict[str, Callable[..., object]]:
    return {name: _callback(name, f) for name, f in given.items() if f is not None}


def _callback(name: str, given: Callable[..., object]) -> Callable[..., object]:
    function = _check.function(name, given)
    report = _REPORTS.get(name)
    return function if report is None else lambda *fields: function(report(*fields))


class Trainer:
    """One run in one folder. The same options and data in the same folder resume it, with byte-identical results.

        trainer = hexapla.Trainer(model="run", preset="tiny", max_updates=1000)
        trainer.train(list(zip(sources, targets)))

    Options are those of `hexapla train`, as keywords (TrainingOptions); docs/reference/train.md describes them. The
    defaults below are those without a preset.
    """

    def __init__(self, config: Optional[Path] = None, **options: Unpack[TrainingOptions]) -> None:
        """Check the options; keywords override those in the YAML file `config`."""
        file = b"" if config is None else _check.path("config", config)
        self._core = _core.Trainer(file, _check.options(options))
        self._training = threading.Lock()

    def train(self, pairs: Optional[Pairs] = None, validation: Optional[Pairs] = None, *,
              on_start: Optional[Callable[[TrainingStart], object]] = None,
              on_progress: Optional[Callable[[TrainingReport], object]] = None,
              on_report: Optional[Callable[[TrainingReport], object]] = None,
              on_validation: Optional[Callable[[ValidationReport], object]] = None,
              on_checkpoint: Optional[Callable[[int, str], object]] = None,
              on_note: Optional[Callable[[str], object]] = None,
              on_reading: Optional[Callable[[str, int], object]] = None) -> TrainingResult:
        """Train until a limit, or resume the run.

        pairs, validation: iterables of (source, target), or functions that return one, instead of the options
        train_sets and valid_sets. They are read once, completely, before training; give the same pairs to resume.

        on_progress is called a few times a second, on_report at intervals of report_every, on_note with warnings,
        on_checkpoint with the update and the file, and on_reading with a description and the number of pairs read. An
        exception in a callback ends the training, which can be resumed from its last checkpoint. Ctrl-C and stop() save
        a checkpoint first.
        """
        callbacks = _callbacks({
            "on_start": on_start, "on_progress": on_progress, "on_report": on_report, "on_validation": on_validation,
            "on_checkpoint": on_checkpoint, "on_note": on_note, "on_reading": on_reading})
        training = None if pairs is None else _check.pairs("pairs", pairs)
        validating = None if validation is None else _check.pairs("validation", validation)
        if not self._training.acquire(blocking=False):
            raise UsageError("this trainer is training: one train() at a time")
        try:
            return TrainingResult(*self._core.train(training, validating, callbacks))
        finally:
            self._training.release()

    def stop(self) -> None:
        """Make train() save a checkpoint and return. Call it from a callback or another thread; train() may follow.

        If called before train(), the next train() returns at once and writes nothing.
        """
        self._core.stop()

    def options(self) -> str:
        """Return all options as YAML that reproduces the run."""
        return self._core.options()


_describe.add_options(Trainer, _core.training_options())
