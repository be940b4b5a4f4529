"""Requests on their way."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, Generic, Optional, TypeVar

from . import _check, _core
from ._typing import Warn
from .errors import Error
from .results import Translation

if TYPE_CHECKING:
    from asyncio import Future

__all__ = ["Pending", "Stream"]

T = TypeVar("T")
_ALL = 2**64 - 1  # more events than there can be: waits only for the end


def _wake(woken: Future[None]) -> None:
    if not woken.done():
        woken.set_result(None)


async def _news(core: _core.Pending, seen: int) -> None:
    """Wait until there is more than what was seen. The event loop watches a file for it, so it needs no thread."""
    import asyncio

    loop = asyncio.get_running_loop()
    woken: Future[None] = loop.create_future()
    file = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
    try:
        loop.add_reader(file, _wake, woken)
        core.listen(file, seen)
        await woken
    finally:
        core.unlisten(file)
        loop.remove_reader(file)
        os.close(file)


class Pending(Generic[T]):
    """A request on its way: await it, or ask for its result(). Dropping it does not cancel it."""

    def __init__(self, translator: _core.Translator, core: _core.Pending, convert: Callable[[Any], T],
                 warn: Warn) -> None:
        """Only Translator.submit() makes one."""
        self._translator = translator  # keeps it alive: its end would end the request
        self._core = core
        self._convert = convert
        self._warn = warn

    def done(self) -> bool:
        """Return whether the result is there, or an error."""
        return self._core.ended()

    def cancel(self) -> None:
        """End the request with Canceled, unless it is done."""
        self._core.cancel()

    def result(self, timeout: Optional[float] = None) -> T:
        """Wait for the result, at most timeout seconds (TimeoutError), and return it.

        Raises Canceled after cancel(), or when the request's own time was up. May be called again.
        """
        self._core.wait(-1.0 if timeout is None else _check.seconds("timeout", timeout, zero=True), _ALL)
        if not self._core.ended():
            raise TimeoutError(f"the translation is not there after {timeout} seconds")
        for line, what in self._core.warnings():
            self._warn(line, what)
        return self._convert(self._core.get())

    async def _wait(self) -> T:
        try:
            while not self._core.ended():
                await _news(self._core, _ALL)
        except BaseException:
            self.cancel()
            raise
        return self.result()

    def __await__(self) -> Generator[Any, None, T]:
        """Wait for the result in a coroutine; a task that is canceled meanwhile cancels the request."""
        return self._wait().__await__()


class Stream:
    """The translation of one line as it grows: iterate over it with for or async for.

    One that is dropped before its end cancels the request.
    """

    def __init__(self, pending: Pending[list[Translation]]) -> None:
        """Only Translator.stream() makes one."""
        self._pending = pending
        self._core = pending._core
        self._seen = 0
        self._last: Optional[str] = None
        self._finished = False

    def cancel(self) -> None:
        """End the request: the iteration ends with Canceled."""
        self._pending.cancel()

    def result(self, timeout: Optional[float] = None) -> list[Translation]:
        """Wait for the end, as Pending.result(), and return the translations, best first."""
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
        """Wait for the next text in a coroutine; a task that is canceled meanwhile cancels the request."""
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
        """Cancel what nobody waits for."""
        if not self._finished:
            try:
                self.cancel()
            except Error:
                pass
