"""What hexapla raises. Every message names what was wrong (option, file, line, value) and says what to do next.

What your own function or iterator raises, when the library calls it, comes out as it is.
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
    """All errors of hexapla."""


class UsageError(Error, ValueError):
    """A wrong call: an option or argument out of its range, an unknown option, arguments that do not go together.

    option: which one is wrong, value: what it was; empty where it is no single one.
    """

    option: str = ""
    value: str = ""


class ArgumentTypeError(UsageError, TypeError):
    """An option or argument of the wrong type."""


class DataError(Error):
    """A file, or text, that cannot be used: missing, damaged, of another format, not parallel."""


class RunError(Error):
    """The run time: a disk is full, a file may not be written, a queue is full, a loss is not finite."""


class OutOfMemory(RunError, MemoryError):
    """There is not enough memory; the message says what needs less of it."""


class Canceled(Error):
    """The request was canceled, or its time was up."""


class InternalError(Error):
    """A defect of hexapla: please report it."""


class LineWarning(UserWarning):
    """A line was split or truncated at max_length, or was not valid Unicode."""
