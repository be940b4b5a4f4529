"""The errors of hexapla. Every message says what is wrong (option, file, line, value) and how to fix it.

Exceptions of your own functions and iterators, called by the library, pass unchanged.
"""

from __future__ import annotations

import errno
from concurrent.futures import CancelledError

__all__ = [
    "ArgumentTypeError",
    "Canceled",
    "DataError",
    "Error",
    "InternalError",
    "LineWarning",
    "MissingFile",
    "OutOfMemory",
    "RunError",
    "TimedOut",
    "UsageError",
]


class Error(Exception):
    """The base class of all errors of hexapla."""


class UsageError(Error, ValueError):
    """A wrong call: an option or argument out of range, an unknown option, conflicting arguments.

    option: the wrong option, value: its value; both are empty if no single option is wrong.
    """

    option: str = ""
    value: str = ""


class ArgumentTypeError(UsageError, TypeError):
    """An option or argument of the wrong type."""


class DataError(Error):
    """A file or text that cannot be used: missing, damaged, in the wrong format, not parallel."""


class MissingFile(DataError, FileNotFoundError):
    """A file or folder to read does not exist."""

    def __init__(self, *message: object) -> None:
        """Set errno as open() does."""
        super().__init__(*message)
        self.errno = errno.ENOENT


class RunError(Error):
    """A failure at run time: a full disk, a file that cannot be written, a full queue, a non-finite loss."""


class OutOfMemory(RunError, MemoryError):
    """Not enough memory; the message says how to use less."""


class Canceled(Error, CancelledError):
    """The call or request was canceled; a TimedOut if its time was up."""


class TimedOut(Canceled, TimeoutError):
    """The request's own time limit was reached."""


class InternalError(Error):
    """A bug in hexapla: please report it."""


class LineWarning(UserWarning):
    """A line was split or truncated at max_length, or was not valid Unicode."""
