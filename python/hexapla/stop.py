"""Ends calls from another thread."""

from __future__ import annotations

from . import _core

__all__ = ["Stop"]


class Stop:
    """A flag for any number of calls: set() ends those that were given it, and later ones, with Canceled."""

    def __init__(self) -> None:
        """Create it, not set."""
        self._core = _core.Stop()

    def set(self) -> None:
        """Make the calls end soon. Any thread, callback or signal handler may call it."""
        self._core.set()

    def is_set(self) -> bool:
        """Return whether set() was called."""
        return self._core.is_set()
