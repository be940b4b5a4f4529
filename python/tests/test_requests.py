"""A pending request is a future: what takes futures or awaits, takes it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from conftest import made_up_lines

import hexapla

LINES = made_up_lines(20, 3)
SLOW: Any = {"beam_size": 16, "min_length": 500, "extra_length": 600}  # takes a while


@pytest.fixture
def expected(translator: hexapla.Translator) -> list[str]:
    return translator.translate(LINES)


def text(future: Any) -> str:
    found = future.result()[0].text
    assert isinstance(found, str)
    return found


def test_it_is_a_future(translator: hexapla.Translator, expected: list[str]) -> None:
    pending = [translator.submit(line) for line in LINES]
    assert all(isinstance(one, concurrent.futures.Future) for one in pending)
    assert {text(one) for one in concurrent.futures.as_completed(pending, timeout=60)} == set(expected)
    done, others = concurrent.futures.wait([translator.submit(line) for line in LINES], timeout=60)
    assert {text(one) for one in done} == set(expected)
    assert not others
    first = concurrent.futures.wait([translator.submit(LINES[0], **SLOW), translator.submit(LINES[0])],
                                    return_when=concurrent.futures.FIRST_COMPLETED, timeout=60)
    assert text(first.done.pop()) in {expected[0]} or not first.not_done
    for one in first.not_done:
        one.cancel()
    assert pending[0].done() and not pending[0].cancelled() and not pending[0].running()
    assert pending[0].exception() is None
    assert not pending[0].cancel(), "it has ended"
    told: list[object] = []
    pending[0].add_done_callback(told.append)
    assert told == pending[:1]


def test_callbacks_are_called_at_the_end(translator: hexapla.Translator) -> None:
    ended = threading.Event()
    found: list[Any] = []

    def add(future: Any) -> None:
        found.append(future.result())
        ended.set()

    pending = translator.submit(LINES[0])
    pending.add_done_callback(add)
    assert ended.wait(60)
    assert found == [pending.result()]


def test_errors_are_those_of_futures_too(translator: hexapla.Translator) -> None:
    canceled = translator.submit(LINES[0], **SLOW)
    assert canceled.cancel()
    assert canceled.cancelled()
    for error in (hexapla.Canceled, concurrent.futures.CancelledError):
        with pytest.raises(error):
            canceled.result()
        with pytest.raises(error):
            canceled.exception()
    assert list(concurrent.futures.as_completed([canceled], timeout=60)) == [canceled]
    late = translator.submit(LINES[0], timeout=1e-3, **SLOW)
    for kind in (hexapla.TimedOut, hexapla.Canceled, TimeoutError):
        with pytest.raises(kind, match="timeout"):
            late.result()
    assert isinstance(late.exception(), hexapla.TimedOut)
    assert not late.cancelled()
    with pytest.raises(hexapla.Canceled) as raised:
        canceled.result()
    assert not isinstance(raised.value, hexapla.TimedOut)


# Asyncio's functions for awaitables and futures.
WAYS: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "await": lambda pending: pending,
    "wrap_future": asyncio.wrap_future,
    "ensure_future": asyncio.ensure_future,
    "shield": asyncio.shield,
    "wait_for": lambda pending: asyncio.wait_for(pending, 60),
}


@pytest.mark.parametrize("way", WAYS)
def test_asyncio_takes_it(translator: hexapla.Translator, expected: list[str], way: str) -> None:
    async def main() -> None:
        assert (await WAYS[way](translator.submit(LINES[0])))[0].text == expected[0]
        over = translator.submit(LINES[0])
        await over
        assert (await WAYS[way](over))[0].text == expected[0], "it has ended before"

    asyncio.run(main())


def test_asyncio_waits_for_several(translator: hexapla.Translator, expected: list[str]) -> None:
    async def main() -> None:
        waited: Any = asyncio.wait  # typed for asyncio's own futures
        done, others = await waited([translator.submit(line) for line in LINES], timeout=60)
        assert {text(one) for one in done} == set(expected)
        assert not others
        slow, fast = translator.submit(LINES[0], **SLOW), translator.submit(LINES[0])
        done, others = await waited([slow, fast], return_when=asyncio.FIRST_COMPLETED)
        assert expected[0] in {text(one) for one in done}
        for one in others:
            one.cancel()
        done, others = await waited([fast])
        assert len(done) == 1, "it has ended before"
        done, others = await waited([translator.submit(LINES[0], **SLOW)], timeout=0)
        assert (len(done), len(others)) == (0, 1)
        others.pop().cancel()
        assert {(await one)[0].text for one in asyncio.as_completed([translator.submit(line) for line in LINES])} == set(expected)
        together = await asyncio.gather(*map(translator.submit, LINES))
        assert [found[0].text for found in together] == expected

    asyncio.run(main())


def test_tasks_are_made_by_ensure_future(translator: hexapla.Translator) -> None:
    async def main() -> None:
        with pytest.raises(TypeError, match="coroutine"):  # as for every future
            asyncio.create_task(translator.submit(LINES[0]))  # type: ignore[arg-type]
        task = asyncio.ensure_future(translator.submit(LINES[0], **SLOW))
        assert isinstance(task, asyncio.Task)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_a_canceled_wrapper_cancels_the_request(translator: hexapla.Translator) -> None:
    async def main() -> None:
        pending = translator.submit(LINES[0], **SLOW)
        wrapped = asyncio.wrap_future(pending)
        wrapped.cancel()
        with pytest.raises(asyncio.CancelledError):
            await wrapped
        await asyncio.sleep(0)
        assert pending.cancelled()

    asyncio.run(main())


def test_a_batch_tells_its_progress(translator: hexapla.Translator) -> None:
    lines = made_up_lines(600, 5)
    told: list[tuple[int, int]] = []
    expected = translator.translate(lines)
    found = translator.translate(lines, on_progress=lambda done: told.append((done, threading.get_ident())))
    assert found == expected
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert len(told) > 1 and told[-1][0] == len(lines)
    assert {thread for _, thread in told} == {threading.get_ident()}
    assert translator.translate(lines, sample=True, on_progress=lambda _: None) == translator.translate(lines, sample=True)
    assert len(translator.translate_n_best(lines, on_progress=told.append)) == 600  # type: ignore[arg-type]
    document = "\n".join(lines)
    assert translator.translate_document(document, "a.txt", on_progress=lambda _: None) == "\n".join(expected)

    def fail(done: int) -> None:
        raise KeyError(done)

    with pytest.raises(KeyError):
        translator.translate(lines, on_progress=fail)
    with pytest.raises(hexapla.UsageError, match="on_progress"):
        translator.translate(lines, on_progress=3)  # type: ignore[call-overload]


@pytest.mark.parametrize("call", ["translate", "translate_n_best", "translate_document", "translate_tokens", "score", "align",
                                  "evaluate"])
def test_a_batch_can_be_stopped(translator: hexapla.Translator, call: str) -> None:
    long = LINES * 5000
    calls: dict[str, Callable[[hexapla.Stop], object]] = {
        "translate": lambda stop: translator.translate(long, stop=stop),
        "translate_n_best": lambda stop: translator.translate_n_best(long, stop=stop),
        "translate_document": lambda stop: translator.translate_document("\n".join(long), "a.txt", stop=stop),
        "translate_tokens": lambda stop: translator.translate_tokens([["▁"]] * 100_000, stop=stop),
        "score": lambda stop: translator.score(long, long, stop=stop),
        "align": lambda stop: translator.align(long, long, stop=stop),
        "evaluate": lambda stop: hexapla.Evaluator(["ter"], resamples=1_000_000).score(long, long[1:] + long[:1], stop=stop),
    }
    if call == "translate_tokens":
        tokens = translator.tokens(LINES[0])
        calls[call] = lambda stop: translator.translate_tokens([tokens] * 100_000, stop=stop)
    stop = hexapla.Stop()
    threading.Timer(0.1, stop.set).start()
    with pytest.raises(hexapla.Canceled):
        calls[call](stop)
    assert stop.is_set()
    with pytest.raises(hexapla.Canceled):
        calls[call](stop)  # it stays set


def test_a_request_tells_its_progress(translator: hexapla.Translator, expected: list[str]) -> None:
    told: dict[int, str] = {}
    pending = translator.submit(LINES, on_progress=told.__setitem__)
    assert [one[0].text for one in pending.result()] == expected
    assert told, "something was told"
    assert set(told) <= set(range(1, len(LINES) + 1))

    class Own(Exception):
        pass

    def fail(line: int, so_far: str) -> None:
        raise Own(line)

    with pytest.raises(Own):
        translator.submit(LINES, on_progress=fail, **SLOW).result()
    refused: list[BaseException] = []

    def wait_for_another(line: int, so_far: str) -> None:
        try:
            translator.submit(LINES[0]).result()
        except hexapla.UsageError as error:
            refused.append(error)

    translator.submit(LINES, on_progress=wait_for_another).result()
    assert refused, "it would wait for itself"


def test_clients_have_numbers(translator: hexapla.Translator, expected: list[str]) -> None:
    assert text(translator.submit(LINES[0], client=2**64 - 1)) == expected[0]
    assert list(translator.stream(LINES[0], client=3))[-1] == expected[0]
    for wrong in (-1, 2**64, "a", 1.5):
        with pytest.raises(hexapla.UsageError, match="client"):
            translator.submit(LINES[0], client=wrong)  # type: ignore[arg-type]
