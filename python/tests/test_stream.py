"""A stream of lines: the results of one call for all of them, lazily and in order."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import made_up_lines

import hexapla
from hexapla import Constraints

LINES = [*made_up_lines(40, 3), "", "THE DOG RUNS"]


class Counted:
    """Counts how many lines were read."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.read = 0

    def __iter__(self) -> Iterator[str]:
        for line in self.lines:
            self.read += 1
            yield line


@pytest.mark.parametrize("options", [{}, {"n_best": 3, "alignment": "words"}, {"sample": True, "n_best": 2, "seed": 7}])
@pytest.mark.parametrize("read_ahead", [1, 7, 2000])
def test_it_gives_what_one_call_gives(translator: hexapla.Translator, options: dict[str, Any], read_ahead: int) -> None:
    expected = translator.translate_n_best(LINES, **options)
    assert list(translator.translate_stream(LINES, read_ahead=read_ahead, **options)) == expected
    assert list(translator.translate_stream(iter(LINES), read_ahead=read_ahead, **options)) == expected


def test_lines_have_their_constraints(translator: hexapla.Translator) -> None:
    asked = [Constraints(prefix="der") if i % 3 == 0 else Constraints(require=["Hund"] if i % 3 == 1 else [])
             for i in range(len(LINES))]
    expected = translator.translate_n_best(LINES, constraints=asked)
    assert list(translator.translate_stream(LINES, constraints=iter(asked), read_ahead=5)) == expected
    one = Constraints(forbid=["Hund"])
    assert (list(translator.translate_stream(LINES, constraints=one, read_ahead=5))
            == translator.translate_n_best(LINES, constraints=one))
    for wrong, before, n in ((asked[:30], 30, "30"), ([*asked, Constraints()], len(LINES), str(len(LINES) + 1))):
        stream = translator.translate_stream(LINES, constraints=wrong)
        assert len([next(stream) for _ in range(before)]) == before
        with pytest.raises(hexapla.UsageError, match="give one per line") as raised:
            next(stream)
        assert (raised.value.option, raised.value.value) == ("constraints", n)


def test_it_reads_only_what_it_needs(translator: hexapla.Translator) -> None:
    counted = Counted(LINES)
    stream = translator.translate_stream(counted, read_ahead=4)
    assert counted.read == 0
    for i, found in enumerate(stream):
        assert found[0].text is not None
        assert counted.read == min(i // 4 * 4 + 4, len(LINES))
    endless = translator.translate_stream(iter(lambda: "a dog", ""))
    assert len([next(endless) for _ in range(3)]) == 3
    long = Counted([" " * (9 << 20)] * 5)
    next(translator.translate_stream(long))
    assert long.read == 2


def test_more_lines_than_a_step(translator: hexapla.Translator) -> None:
    lines = made_up_lines(600, 4)
    told: list[int] = []
    expected = translator.translate_n_best(lines, alignment="words")
    assert list(translator.translate_stream(lines, alignment="words", on_progress=told.append)) == expected
    assert told == [256, 512, 600]


def test_lines_before_an_error_come_first(translator: hexapla.Translator) -> None:
    def lines() -> Iterator[Any]:
        yield from LINES[:5]
        raise KeyError("mine")

    stream = translator.translate_stream(lines())
    assert [next(stream) for _ in range(5)] == translator.translate_n_best(LINES[:5])
    with pytest.raises(KeyError, match="mine"):
        next(stream)
    assert list(stream) == []
    mixed: Any = ["a dog", 5]
    stream = translator.translate_stream(mixed)
    next(stream)
    with pytest.raises(hexapla.UsageError, match=r"lines\[1\] is 5"):
        next(stream)
    stream = translator.translate_stream(["a dog", "a dog " * 50, "a cat"], max_length=20, long_input="refuse")
    next(stream)
    with pytest.raises(hexapla.DataError, match="line 2"):
        next(stream)
    assert list(stream) == []


def test_warnings_have_numbers_in_the_stream(translator: hexapla.Translator) -> None:
    told: list[int] = []
    lines = ["a dog", "a dog " * 50] * 5
    list(translator.translate_stream(lines, read_ahead=3, max_length=20, warn=lambda line, _: told.append(line)))
    assert told == [2, 4, 6, 8, 10]
    with pytest.warns(hexapla.LineWarning, match="line 2") as issued:
        next(translator.translate_stream(lines, read_ahead=2, max_length=20))
    assert issued[0].filename == __file__

    def fail(line: int, what: str) -> None:
        raise KeyError(line)

    with pytest.raises(KeyError):
        next(translator.translate_stream(lines, max_length=20, warn=fail))


def test_it_ends_early(translator: hexapla.Translator) -> None:
    counted = Counted(LINES)
    stream = translator.translate_stream(counted, read_ahead=4)
    next(stream)
    stream.close()
    assert list(stream) == []
    assert counted.read == 4
    stop = hexapla.Stop()
    stream = translator.translate_stream(LINES, stop=stop, read_ahead=1)
    next(stream)
    stop.set()
    with pytest.raises(hexapla.Canceled):
        next(stream)
    stop = hexapla.Stop()
    threading.Timer(0.1, stop.set).start()
    with pytest.raises(hexapla.Canceled):
        list(translator.translate_stream(iter(lambda: "a dog runs", ""), stop=stop))


def test_ctrl_c_ends_it(translator: hexapla.Translator) -> None:
    threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        for _ in translator.translate_stream(iter(lambda: "a dog runs", "")):
            pass


def test_wrong_arguments_are_told_at_once(translator: hexapla.Translator) -> None:
    wrong: list[dict[str, Any]] = [{"lines": "a dog"}, {"lines": 5}, {"lines": LINES, "read_ahead": 0},
                                   {"lines": LINES, "constraints": "der"}, {"lines": LINES, "beam_size": 0},
                                   {"lines": LINES, "stop": 3}, {"lines": LINES, "warn": 3}]
    for arguments in wrong:
        with pytest.raises(hexapla.UsageError):
            translator.translate_stream(**arguments)


def test_other_calls_go_between(translator: hexapla.Translator) -> None:
    expected = translator.translate(LINES)
    found = []
    for line, of_line in zip(LINES, translator.translate_stream(LINES, read_ahead=3)):
        assert translator.translate(line) == of_line[0].text
        found.append(of_line[0].text)
    assert found == expected
