"""Pending requests."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotThere
from contextvars import Context
from typing import TYPE_CHECKING, Any, Optional, TypeVar

from . import _check, _core
from ._typing import Warn
from .errors import Canceled, Error, RunError, UsageError
from .results import Translation

if TYPE_CHECKING:
    import asyncio

__all__ = ["Pending", "Stream"]

T = TypeVar("T")
Progress = Callable[[int, str], object]


class _Deliveries:
    """The requests that have not ended, and the thread that delivers what the translators tell of them."""

    def __init__(self) -> None:
        self.requests: dict[int, Pending[Any]] = {}
        self.names = itertools.count()
        self._lock = threading.Lock()
        self.thread: Optional[threading.Thread] = None

    def start(self) -> None:
        """Start the thread, if it is not running."""
        with self._lock:
            if self.thread is not None:
                return
            thread = threading.Thread(target=self._deliver, name="hexapla requests", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                raise RunError(f"the thread that delivers translations cannot be started: {error}; let this process "
                               "have more threads (ulimit -u, the limit of its container)") from None
            self.thread = thread

    def _deliver(self) -> None:
        while True:
            name = _core.next_news()
            request = self.requests.get(name)
            if request is not None and request._deliver():
                del self.requests[name]
            del request


_deliveries = _Deliveries()


def _begin_again() -> None:
    """In a forked child, which has neither the thread nor the requests."""
    global _deliveries
    _deliveries = _Deliveries()


os.register_at_fork(after_in_child=_begin_again)


def _wake(woken: asyncio.Future[None]) -> None:
    if not woken.done():
        woken.set_result(None)


async def _news(core: _core.Pending, seen: int) -> None:
    """Wait for more than `seen` news. The event loop watches an eventfd, so no thread is needed."""
    import asyncio

    loop = asyncio.get_running_loop()
    woken: asyncio.Future[None] = loop.create_future()
    file = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
    try:
        loop.add_reader(file, _wake, woken)
        core.listen(file, seen)
        await woken
    finally:
        core.unlisten(file)
        loop.remove_reader(file)
        os.close(file)


def _running_loop() -> Optional[asyncio.AbstractEventLoop]:
    from asyncio import get_running_loop

    try:
        return get_running_loop()
    except RuntimeError:
        return None


class _InLoop:
    """A callback that an event loop runs."""

    def __init__(self, loop: asyncio.AbstractEventLoop, callback: Callable[[Any], object],
                 context: Optional[Context]) -> None:
        self.loop = loop
        self.callback: Optional[Callable[[Any], object]] = callback  # None: removed
        self.context = context

    def __call__(self, future: Future[Any]) -> None:
        if self.callback is None:
            return
        try:
            self.loop.call_soon_threadsafe(self.callback, future, context=self.context)
        except RuntimeError:  # the loop is closed, and nobody waits in it
            pass


class Pending(Future[T]):
    """A pending request: await it, or call result(). Dropping it does not cancel it.

    It is a concurrent.futures.Future, for as_completed() and wait() there, asyncio.wrap_future(), and, because it can be
    awaited, for asyncio.wait(), gather(), wait_for(), shield(), as_completed() and ensure_future(). As other futures, it
    is no coroutine: in place of create_task(), use ensure_future(), which makes a task of it.
    """

    def __init__(self, translator: _core.Translator, convert: Callable[[Any], T], warn: Warn,
                 on_progress: Optional[Progress] = None, follow: bool = False) -> None:
        """Created by Translator.submit() only."""
        super().__init__()
        self._translator = translator  # keeps it alive: its end would cancel the request
        self._convert = convert
        self._warn = warn
        self._on_progress = on_progress
        self._failed: Optional[BaseException] = None  # what on_progress raised
        self._warnings: list[tuple[int, str]] = []
        self._in_loops: list[_InLoop] = []
        self._name = next(_deliveries.names)
        self._core = _core.Pending(self._name, follow or on_progress is not None, on_progress is not None)

    def _begin(self, lines: list[str], options: dict[str, Any], constraints: list[Any],
               timeout: float, client: int) -> None:
        """Submit the request. Its end may be delivered before this returns."""
        _deliveries.start()
        _deliveries.requests[self._name] = self
        try:
            self._core.begin(self._translator, lines, options, constraints, timeout, client)
        except BaseException:
            del _deliveries.requests[self._name]
            raise

    def _deliver(self) -> bool:
        """Tell what is new. -> whether the request has ended."""
        ended = self._core.ended()
        if self._on_progress is not None and self._failed is None and not self.cancelled():
            try:
                for line, so_far in self._core.progress():
                    self._on_progress(line, so_far)
            except BaseException as error:
                self._failed = error.with_traceback(None)
                self._core.cancel()
        if ended:
            self._settle()
        return ended

    def _settle(self) -> None:
        self._warnings = self._core.warnings()
        found = failed = None
        try:
            found = self._convert(self._core.get())
        except BaseException as error:
            failed = error.with_traceback(None)
        failed = self._failed or failed
        if not self.set_running_or_notify_cancel():
            return
        if failed is not None:
            self.set_exception(failed)
        else:
            self.set_result(found)  # type: ignore[arg-type]
        del failed  # it may refer to this frame

    def cancel(self) -> bool:
        """End the request with Canceled unless it is done. -> whether it is canceled."""
        if not super().cancel():
            return False
        self._core.cancel()
        return True

    def result(self, timeout: Optional[float] = None) -> T:
        """Wait for the result and return it; may be called again.

        Raises TimeoutError after `timeout` seconds, Canceled after cancel(), and TimedOut after the request's own timeout.
        """
        self._wait_for_end(timeout)
        warnings, self._warnings = self._warnings, []
        for line, what in warnings:
            self._warn(line, what)
        return super().result()

    def exception(self, timeout: Optional[float] = None) -> Optional[BaseException]:
        """Wait for the end and return the error, or None. Raises TimeoutError, and Canceled after cancel()."""
        self._wait_for_end(timeout)
        return super().exception()

    def _wait_for_end(self, timeout: Optional[float]) -> None:
        limit = None if timeout is None else _check.seconds("timeout", timeout, zero=True)
        if threading.current_thread() is _deliveries.thread and not self.done():
            raise UsageError("a callback of a request cannot wait for another one, which the same thread delivers: wait "
                             "for it in another thread, or give it a callback of its own")
        try:
            super().exception(limit)
        except CancelledError:
            raise Canceled("the request was canceled") from None
        except NotThere:
            raise TimeoutError(f"the translation is not there after {timeout} seconds") from None

    def add_done_callback(self, fn: Callable[[Future[T]], object], *, context: Optional[Context] = None) -> None:
        """Call fn(self) at the end, or now if it is done: in the running event loop if there is one, soon, as those of
        asyncio's futures; otherwise in another thread."""
        loop = _running_loop()
        if loop is None:
            super().add_done_callback(fn)
            return
        in_loop = _InLoop(loop, fn, context)
        self._in_loops.append(in_loop)
        super().add_done_callback(in_loop)

    def remove_done_callback(self, fn: Callable[[Future[T]], object], /) -> int:
        """Remove a callback that was added in an event loop. -> how many there were"""
        removed = [one for one in self._in_loops if one.callback == fn]
        for one in removed:
            one.callback = None
        return len(removed)

    async def _wait(self) -> T:
        import asyncio

        loop = asyncio.get_running_loop()
        woken: asyncio.Future[None] = loop.create_future()
        super().add_done_callback(_InLoop(loop, lambda _: _wake(woken), None))
        try:
            await woken
        except BaseException:
            self.cancel()
            raise
        return self.result()

    def __await__(self) -> Generator[Any, None, T]:
        """Wait for the result in a coroutine. Canceling the task cancels the request."""
        return self._wait().__await__()


class Stream:
    """The growing translation of one line: iterate over it with for or async for.

    Dropping it before its end cancels the request.
    """

    def __init__(self, pending: Pending[list[Translation]]) -> None:
        """Created by Translator.stream() only."""
        self._pending = pending
        self._core = pending._core
        self._seen = 0
        self._last: Optional[str] = None
        self._finished = False

    def cancel(self) -> None:
        """Cancel the request: the iteration raises Canceled."""
        self._pending.cancel()

    def result(self, timeout: Optional[float] = None) -> list[Translation]:
        """Wait for the end, like Pending.result(), and return the translations, best first."""
        return self._pending.result(timeout)

    def _next(self) -> Optional[str]:
        """The text so far, or None at the end."""
        if self._core.ended():
            self._finished = True
            text = self._pending.result()[0].text
            return None if text == self._last else text
        return self._core.text(0)

    def __iter__(self) -> Iterator[str]:
        """Return itself."""
        return self

    def __next__(self) -> str:
        """Wait for the next text."""
        while not self._finished:
            self._seen = self._core.wait(-1, self._seen)
            text = self._next()
            if text is not None and text != self._last:
                self._last = text
                return text
        raise StopIteration

    def __aiter__(self) -> AsyncIterator[str]:
        """Return itself."""
        return self

    async def __anext__(self) -> str:
        """Wait for the next text in a coroutine. Canceling the task cancels the request."""
        while not self._finished:
            try:
                await _news(self._core, self._seen)
            except BaseException:  # the task was canceled
                self.cancel()
                raise
            self._seen = self._core.wait(0, self._seen)
            text = self._next()
            if text is not None and text != self._last:
                self._last = text
                return text
        raise StopAsyncIteration

    def __del__(self) -> None:
        """Cancel the request, which nobody waits for."""
        if not self._finished:
            try:
                self.cancel()
            except Error:
                pass
