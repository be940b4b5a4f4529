"""Threads, coroutines, cancellation, Ctrl-C."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import made_up_lines

import hexapla

LINES = made_up_lines(50, 3)
LONG_WORK = LINES * 2000  # takes minutes with a wide beam


def test_a_thousand_threads_with_mixed_requests(translator: hexapla.Translator) -> None:
    best = translator.translate(LINES)
    sampled = translator.translate(LINES, sample=True, seed=3)
    n_best = translator.translate_n_best(LINES, n_best=3)
    scores = [one[0].score for one in n_best]

    def one(i: int) -> bool:
        line = i % len(LINES)
        kind = i % 6
        if kind == 0:
            return translator.translate(LINES[line]) == best[line]
        if kind == 1:
            return translator.translate(LINES[:line + 1], sample=True, seed=3) == sampled[:line + 1]
        if kind == 2:
            return translator.submit(LINES[line], n_best=3).result() == n_best[line]
        if kind == 3:
            return list(translator.stream(LINES[line]))[-1] == best[line]
        if kind == 4:
            return translator.score(LINES[line], best[line]).score == pytest.approx(scores[line], abs=1e-4)
        pending = translator.submit(LINES)  # all threads together submit fewer lines than may wait
        pending.cancel()
        try:
            return [found[0].text for found in pending.result()] == best
        except hexapla.Canceled:
            return True

    right: list[bool] = []
    threads = [threading.Thread(target=lambda i=i: right.append(one(i))) for i in range(1000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 1000


def test_set_threads_is_for_the_thread_that_calls(translator: hexapla.Translator) -> None:
    expected = translator.translate(LINES)
    for n in (1, 2, 0):
        hexapla.set_threads(n)
        assert translator.translate(LINES) == expected


def test_python_goes_on_while_a_thread_translates(translator: hexapla.Translator) -> None:
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(translator.translate, LINES * 20)
        counted = 0
        while not found.done():
            counted += 1
        assert counted > 0
        assert len(found.result()) == len(LINES) * 20


class Interrupted(Exception):
    pass


@pytest.fixture
def interrupts() -> Iterator[Callable[[], None]]:
    """Starts sending signals, which raise Interrupted once."""
    over = threading.Event()

    def handler(*_: object) -> None:
        if not over.is_set():
            over.set()
            raise Interrupted

    def send() -> None:
        while not over.wait(0.2):
            os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handler)
    sender = threading.Thread(target=send)
    yield sender.start
    over.set()
    sender.join()
    signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("call", ["translate", "score", "align", "result"])
def test_a_signal_ends_the_call(translator: hexapla.Translator, call: str, interrupts: Callable[[], None]) -> None:
    before = translator.translate(LINES)
    interrupts()
    with pytest.raises(Interrupted):
        if call == "translate":
            translator.translate(LONG_WORK, beam_size=100)
        elif call == "result":
            translator.submit(LONG_WORK[:5000], beam_size=16).result()
        else:
            long = [" ".join(LINES)] * 20000
            getattr(translator, call)(long, long)
    assert translator.translate(LINES) == before, "nothing is left of it"


@pytest.mark.parametrize("call", ["score", "score_sentences", "compare"])
def test_a_signal_ends_an_evaluation(call: str, interrupts: Callable[[], None]) -> None:
    evaluator = hexapla.Evaluator(["bleu", "ter"], resamples=1_000_000)
    lines = [" ".join(LINES)] * 5000 if call == "score_sentences" else LINES * 20
    others = [line[::-1] for line in lines]
    interrupts()
    with pytest.raises(Interrupted):
        if call == "compare":
            evaluator.compare(lines, others, lines)
        else:
            getattr(evaluator, call)(lines, others)
    assert hexapla.evaluate(LINES, LINES)["bleu"].score == pytest.approx(100), "nothing is left of it"


def test_ctrl_c_is_a_keyboard_interrupt(translator: hexapla.Translator) -> None:
    pressed: list[int] = []

    def press(line: int, what: str) -> None:
        pressed.append(line)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        translator.translate([" ".join(LINES)] * 1000, warn=press, max_length=10)
    assert pressed == [1]


def test_a_handler_of_signals_may_translate(translator: hexapla.Translator) -> None:
    expected = translator.translate(LINES)
    found: list[list[str]] = []
    over = threading.Event()

    def handler(*_: object) -> None:
        if not over.is_set():  # the next signal may come while this one is handled
            over.set()
            found.append(translator.translate(LINES))

    def send() -> None:
        while not over.wait(0.1):
            os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handler)
    sender = threading.Thread(target=send)
    sender.start()
    while not found:
        assert translator.translate(LINES * 40) == expected * 40
    sender.join()
    signal.signal(signal.SIGUSR1, before)
    assert found == [expected]


def test_what_warn_raises_comes_out_and_nothing_leaks(translator: hexapla.Translator) -> None:
    class Own(Exception):
        pass

    class Listener:
        def __call__(self, line: int, what: str) -> None:
            raise Own(line)

    listener = Listener()
    gone = weakref.ref(listener)
    long = " ".join(LINES)
    for call in (lambda: translator.translate([long], max_length=5, warn=listener),
                 lambda: translator.translate_n_best([long], max_length=5, warn=listener),
                 lambda: translator.score([long], [long], max_length=5, warn=listener),
                 lambda: translator.align([long], [long], max_length=5, warn=listener),
                 lambda: translator.submit([long], max_length=5, warn=listener).result()):
        for _ in range(20):
            with pytest.raises(Own) as raised:
                call()
            assert raised.value.args == (1,)
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(Own):
            pool.submit(translator.translate, [long], max_length=5, warn=listener).result()
    del listener, call, raised
    gc.collect()
    assert gone() is None


def test_callbacks_run_in_the_thread_that_calls(translator: hexapla.Translator) -> None:
    seen: list[int] = []
    translator.translate(" ".join(LINES), max_length=5, warn=lambda line, what: seen.append(threading.get_ident()))
    assert seen == [threading.get_ident()]


def test_requests(translator: hexapla.Translator) -> None:
    expected = translator.translate_n_best(LINES)
    pending = translator.submit(LINES)
    with pytest.raises(TimeoutError):
        translator.submit(LINES * 100, beam_size=16).result(timeout=0)
    assert pending.result() == expected
    assert pending.done()
    assert pending.result(0) == expected, "asked again"
    late = translator.submit(LINES * 100, beam_size=16, timeout=1e-3)
    with pytest.raises(hexapla.Canceled, match="raise timeout"):
        late.result()
    canceled = translator.submit(LINES * 100, beam_size=16)
    canceled.cancel()
    with pytest.raises(hexapla.Canceled):
        canceled.result()


def test_requests_hold_their_translator(model: str) -> None:
    pending = hexapla.Translator(model).submit(LINES * 100, beam_size=16)  # only the request keeps it alive
    assert len(pending.result()) == len(LINES) * 100


def test_streams_grow_into_the_translation(translator: hexapla.Translator) -> None:
    line = "the big dog runs and the cat sleeps"
    stream = translator.stream(line)
    texts = list(stream)
    assert texts[-1] == translator.translate(line) == stream.result()[0].text
    # Steps that nobody waits for are skipped, on a busy machine perhaps all: then tries again.
    assert any(len(list(translator.stream(" ".join(LINES)[:400], beam_size=16))) > 1 for _ in range(100))
    assert list(translator.stream("")) == [""]
    stream = translator.stream(line)
    stream.cancel()
    try:
        list(stream)
    except hexapla.Canceled:
        pass


def test_coroutines(translator: hexapla.Translator) -> None:
    expected = translator.translate(LINES)

    async def stream(line: str) -> str:
        text = ""
        async for text in translator.stream(line):
            pass
        return text

    async def main() -> None:
        found = await asyncio.gather(*(translator.submit(line) for line in LINES))
        assert [one[0].text for one in found] == expected
        assert await asyncio.gather(*map(stream, LINES)) == expected
        done = translator.submit(LINES[0])
        assert await done == await done
        with pytest.raises(hexapla.Canceled):
            await translator.submit(LINES * 100, beam_size=16, timeout=1e-3)
        pending = translator.submit(LINES * 150, beam_size=16)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(pending, 0.05)
        with pytest.raises(hexapla.Canceled):
            pending.result()

    files = len(os.listdir("/proc/self/fd"))
    asyncio.run(main())
    assert len(os.listdir("/proc/self/fd")) <= files


def test_a_canceled_task_cancels_its_request(translator: hexapla.Translator) -> None:
    async def read(stream: hexapla.Stream, begun: asyncio.Event) -> None:
        async for _ in stream:
            begun.set()

    async def main() -> None:
        begun = asyncio.Event()
        stream = translator.stream("the dog", beam_size=16, min_length=500, extra_length=600)
        task = asyncio.create_task(read(stream, begun))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(hexapla.Canceled):
            stream.result()

    asyncio.run(main())


def test_nothing_leaks() -> None:
    """nanobind counts no leaked objects at exit, although callbacks raised."""
    script = f"""
import sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
import tempfile, hexapla
from conftest import TRAINING, made_up_pairs
hexapla._core.set_leak_warnings(True)
class Own(Exception): pass
def fail(*_): raise Own
def main():
    with tempfile.TemporaryDirectory() as folder:
        trainer = hexapla.Trainer(model=folder + "/run", **TRAINING)
        for callbacks in ({{"on_report": fail}}, {{"on_reading": fail}}):
            try: trainer.train(made_up_pairs(100, 1), **callbacks)
            except Own: pass
        t = hexapla.Translator(trainer.train(made_up_pairs(100, 1)).model)
        for _ in range(3):
            try: t.translate("a dog " * 50, max_length=5, warn=fail)
            except Own: pass
        t.submit("a dog").cancel()
        next(t.stream("a dog"))
        next(t.translate_stream(["a dog"] * 9, warn=fail))
        seen = hexapla.Inspector(folder + "/run").inspect("a dog")
        seen["generator.log_probabilities"], hexapla.Model.load(folder + "/run").parameters
        t.translate_n_best("a dog", alignment="words")[0].alignment.weights
    if sys.argv[1] == "kept":
        import ctypes
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(t))
main()
"""
    for how in ("gone", "kept"):  # the second proves that leaks are detected
        done = subprocess.run([sys.executable, "-c", script, how], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert ("leaked" in done.stderr) == (how == "kept"), done.stderr


def _translate(model: str, start: str, lines: list[str]) -> list[str]:
    return hexapla.Translator(model).translate(lines)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_processes(translator: hexapla.Translator, model: str, start: str) -> None:
    expected = translator.translate(LINES)
    context = multiprocessing.get_context(start)
    with context.Pool(2) as pool:
        assert pool.starmap(_translate, [(model, start, LINES)] * 4) == [expected] * 4


def test_an_end_in_the_middle_is_clean(model: str, tmp_path: os.PathLike[str]) -> None:
    """The interpreter exits while requests are pending and threads are inside the library."""
    script = f"""
import threading, hexapla
t = hexapla.Translator({model!r})
lines = {LINES!r}
kept = t.submit(lines * 100, beam_size=16)
stream = t.stream(lines[0]); next(stream)
threading.Thread(target=t.translate, args=(lines * 100000,), daemon=True).start()
class Own(Exception): pass
def fail(*_): raise Own
for _ in range(3):
    try: t.translate(" ".join(lines), max_length=5, warn=fail)
    except Own: pass
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
