"""Reads the lines of a stream in portions."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Optional

from . import _check, _core

_CHARACTERS = 16 << 20  # enough for a portion


class Portions:
    """Lines with the constraints of each, as many at a time as are translated together."""

    def __init__(self, lines: Iterable[object], constraints: Optional[Iterator[_core._ConstraintsTuple]],
                 read_ahead: int) -> None:
        """Read nothing yet. constraints: of each line, or None. read_ahead: most lines of a portion."""
        self._lines = self._checked(lines)
        self._constraints = constraints
        self._read_ahead = read_ahead
        self._error: Optional[Exception] = None
        self.ended = False

    def read(self) -> tuple[list[str], list[_core._ConstraintsTuple]]:
        """Return the next portion, up to an error if there is one, which close() raises."""
        lines: list[str] = []
        asked: list[_core._ConstraintsTuple] = []
        size = 0
        try:
            while len(lines) < self._read_ahead and size < _CHARACTERS and not self.ended:
                line, of_line = next(self._lines, (None, None))
                self.ended = line is None
                if line is not None:
                    lines.append(line)
                    size += len(line)
                if of_line is not None:
                    asked.append(of_line)
        except Exception as error:
            self._error = error
            self.ended = True
        return lines, asked

    def close(self) -> None:
        """Raise what ended the lines, if it was an error."""
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # its traceback refers to this object

    def _checked(self, lines: Iterable[object]) -> Iterator[tuple[str, Optional[_core._ConstraintsTuple]]]:
        n = 0
        for n, line in enumerate(lines, 1):
            checked = _check.text(f"lines[{n - 1}]", line)
            of_line = None if self._constraints is None else next(self._constraints, None)
            if self._constraints is not None and of_line is None:
                raise _wrong_number(n - 1, f"there are more lines than the {n - 1} constraints")
            yield checked, of_line
        if self._constraints is None or isinstance(self._constraints, itertools.repeat):
            return
        if next(self._constraints, None) is not None:
            raise _wrong_number(n + 1, f"there are more constraints than the {n} lines")


def _wrong_number(constraints: int, what: str) -> Exception:
    return _check.wrong(f"{what}; give one per line, or none", "constraints", constraints)
