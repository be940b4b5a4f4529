"""The errors of hexapla. Every message says what is wrong (option, file, line, value) and how to fix it.

Exceptions of your own functions and iterators, called by the library, pass unchanged.
"""

from __future__ import annotations

__all__ = [
    "ArgumentTypeError",
    "Canceled",
    "DataError",
    "Error",
    "InternalError",
    "LineWarning",
    "OutOfMemory",
    "RunError",
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


class RunError(Error):
    """A failure at run time: a full disk, a file that cannot be written, a full queue, a non-finite loss."""


class OutOfMemory(RunError, MemoryError):
    """Not enough memory; the message says how to use less."""


class Canceled(Error):
    """The request was canceled or timed out."""


class InternalError(Error):
    """A bug in hexapla: please report it."""


class LineWarning(UserWarning):
    """A line was split or truncated at max_length, or was not valid Unicode."""
