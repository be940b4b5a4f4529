"""Training from Python gives the same model as the program; callbacks, stopping, resuming."""

from __future__ import annotations

import os
import pathlib
import sqlite3
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import TRAINING, Program, made_up_pairs

import hexapla

PAIRS = made_up_pairs(300, 5)
VALIDATION = made_up_pairs(20, 6)
OPTIONS: dict[str, Any] = {**TRAINING, "max_updates": 24, "save_every": 8, "report_every": 8}
VALIDATING: dict[str, Any] = {**OPTIONS, "valid_every": 12, "best_by": "bleu"}


def tensors(model: str | os.PathLike[str]) -> dict[str, bytes]:
    """The parameters and vocabularies of a model, as bytes."""
    loaded = hexapla.Model.load(model)
    all_bytes = {name: array.tobytes() for name, array in loaded.parameters.items()}
    return {**all_bytes, "source": loaded.source_vocabulary, "target": loaded.target_vocabulary}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The result of an uninterrupted training."""
    run = tmp_path_factory.mktemp("whole") / "run"
    return tensors(hexapla.Trainer(model=run, **OPTIONS).train(PAIRS).model)


def test_an_iterator_gives_the_bytes_of_the_program(program: Program, whole: dict[str, bytes],
                                                    tmp_path: pathlib.Path) -> None:
    source, target = tmp_path / "x", tmp_path / "y"
    source.write_text("".join(f"{x}\n" for x, _ in PAIRS))
    target.write_text("".join(f"{y}\n" for _, y in PAIRS))
    flags = [word for name, value in OPTIONS.items() for word in ("--" + name.replace("_", "-"), str(value))]
    program("train", "-q", "--model", tmp_path / "program", "--train-sets", source, target, *flags)
    assert tensors(tmp_path / "program") == whole
    files = hexapla.Trainer(model=tmp_path / "files", train_sets=[source, target], **OPTIONS)
    assert tensors(files.train().model) == whole
    generator = ((x, y) for x, y in PAIRS)
    assert tensors(hexapla.Trainer(model=tmp_path / "generator", **OPTIONS).train(generator).model) == whole
    function = hexapla.Trainer(model=tmp_path / "function", **OPTIONS)
    assert tensors(function.train(lambda: iter(PAIRS)).model) == whole


def test_callbacks_are_told(tmp_path: pathlib.Path) -> None:
    told: list[object] = []
    here: set[int] = set()
    starts: list[hexapla.TrainingStart] = []
    reports: list[hexapla.TrainingReport] = []
    validations: list[hexapla.ValidationReport] = []
    checkpoints: list[tuple[int, str]] = []

    def note(*what: object) -> None:
        here.add(threading.get_ident())
        told.append(what)

    result = hexapla.Trainer(model=tmp_path / "run", **VALIDATING).train(
        PAIRS, VALIDATION, on_start=starts.append, on_report=reports.append, on_validation=validations.append,
        on_checkpoint=lambda update, path: checkpoints.append((update, path)), on_note=note, on_reading=note,
        on_progress=note)
    assert result.finished
    assert result.updates == 24
    assert result.best_score == max(v.bleu or 0 for v in validations)
    assert os.path.exists(result.model)
    assert [(s.pairs, s.validation_pairs, s.resumed_at) for s in starts] == [(300, 20, 0)]
    assert [(u.source, u.target) for u in starts[0].unknown] == [(0, 0), (0, 0)]
    assert [r.update for r in reports] == [8, 16, 24]
    assert reports[0].loss > reports[-1].loss
    assert [update for update, _ in checkpoints] == [8, 16, 24]
    assert checkpoints[0][1].startswith(str(tmp_path))
    assert [v.update for v in validations] == [12, 24]
    example = validations[0].examples[0]
    assert (example.source, example.reference) in VALIDATION
    assert ("encoding", 300) in told
    assert here == {threading.get_ident()}


def test_pairs_are_read_in_the_thread_that_calls(tmp_path: pathlib.Path) -> None:
    database = sqlite3.connect(":memory:")  # refuses reads from other threads
    database.execute("CREATE TABLE pairs (x TEXT, y TEXT)")
    database.executemany("INSERT INTO pairs VALUES (?, ?)", PAIRS)
    trainer = hexapla.Trainer(model=tmp_path / "run", **OPTIONS)
    assert trainer.train(lambda: database.execute("SELECT x, y FROM pairs")).finished


def test_stopped_and_resumed_is_whole(whole: dict[str, bytes], tmp_path: pathlib.Path) -> None:
    trainer = hexapla.Trainer(model=tmp_path / "run", **OPTIONS)
    first = trainer.train(PAIRS, on_report=lambda report: trainer.stop() if report.update == 8 else None)
    assert not first.finished
    assert first.model == ""
    assert tensors(trainer.train(PAIRS).model) == whole


def test_ctrl_c_saves_a_checkpoint(whole: dict[str, bytes], tmp_path: pathlib.Path) -> None:
    trainer = hexapla.Trainer(model=tmp_path / "run", **{**OPTIONS, "save_every": 1000})
    pressed: list[int] = []

    def press(report: hexapla.TrainingReport) -> None:
        if not pressed:
            pressed.append(report.update)
            os.kill(os.getpid(), 2)
            for _ in range(1000):  # Python handles the signal somewhere here
                pass

    with pytest.raises(KeyboardInterrupt):
        trainer.train(PAIRS, on_report=press)
    starts: list[hexapla.TrainingStart] = []
    result = trainer.train(PAIRS, on_start=starts.append)
    assert starts[0].resumed_at >= 8, "there was no checkpoint"
    assert tensors(result.model) == whole


class Own(Exception):
    pass


@pytest.mark.parametrize("name", ["on_start", "on_progress", "on_report", "on_validation", "on_checkpoint", "on_note",
                                  "on_reading"])
@pytest.mark.parametrize("elsewhere", [False, True], ids=["main", "thread"])
def test_what_a_callback_raises_comes_out(tmp_path: pathlib.Path, name: str, elsewhere: bool) -> None:
    def fail(*_: object) -> None:
        raise Own(name)

    raised: list[BaseException] = []

    def train() -> None:
        updates = 10**6 if name == "on_progress" else 24  # it is called by the clock
        trainer = hexapla.Trainer(model=tmp_path / "run",
                                  **{**VALIDATING, "vocab_size": 200, "max_updates": updates})  # 200 is too many: noted
        try:
            trainer.train(PAIRS, VALIDATION, **{name: fail})
        except BaseException as error:
            raised.append(error)

    if elsewhere:
        thread = threading.Thread(target=train)
        thread.start()
        thread.join()
    else:
        train()
    assert [(type(error), error.args) for error in raised] == [(Own, (name,))]


@pytest.mark.parametrize("error", [Own, KeyboardInterrupt, MemoryError, StopIteration])
def test_what_an_iterator_raises_comes_out(tmp_path: pathlib.Path, error: type[BaseException]) -> None:
    class Pairs:
        def __iter__(self) -> Pairs:
            self.left = iter(PAIRS[:100])
            return self

        def __next__(self) -> tuple[str, str]:
            try:
                return next(self.left)
            except StopIteration:
                raise error from None

    trainer = hexapla.Trainer(model=tmp_path / "run", **OPTIONS)
    if error is StopIteration:
        assert trainer.train(Pairs()).finished
        return
    with pytest.raises(error):
        trainer.train(Pairs())
    assert trainer.train(PAIRS).finished, "it can be tried again"


def test_one_training_at_a_time(tmp_path: pathlib.Path) -> None:
    trainer = hexapla.Trainer(model=tmp_path / "run", **OPTIONS)
    refused: list[str] = []

    def again(report: hexapla.TrainingReport) -> None:
        try:
            trainer.train(PAIRS)
        except hexapla.UsageError as error:
            refused.append(str(error))

    assert trainer.train(PAIRS, on_report=again).finished
    assert refused == ["this trainer is training: one train() at a time"] * 3


def test_translating_within_a_callback(tmp_path: pathlib.Path, translator: hexapla.Translator) -> None:
    expected = translator.translate("the big dog runs")
    found: list[str] = []
    hexapla.Trainer(model=tmp_path / "run", **OPTIONS).train(
        PAIRS, on_report=lambda report: found.append(translator.translate("the big dog runs")))
    assert found == [expected] * 3


def test_pairs_of_a_set_are_no_longer_held(tmp_path: pathlib.Path) -> None:
    import gc
    import weakref

    class Pairs:
        def __iter__(self) -> Iterator[tuple[str, str]]:
            return iter(PAIRS)

    pairs = Pairs()
    gone = weakref.ref(pairs)
    trainer = hexapla.Trainer(model=tmp_path / "run", **OPTIONS)
    trainer.train(pairs)
    del pairs
    gc.collect()
    assert gone() is None
