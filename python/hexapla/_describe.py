"""Adds the options to help(), from the library's own declarations."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable

_TYPES = {"integer": "int", "number": "float", "boolean": "bool", "text": "str", "list of number": "list[float]",
          "list of text": "list[str]"}
_INDENT = " " * 8


def _value(kind: str, usual: str) -> str:
    return f" = {usual.title() if kind == 'boolean' else repr(usual) if kind == 'text' else usual}" if usual else ""


def add_options(to: Callable[..., object], options: Iterable[tuple[str, str, str, str]]) -> None:
    """Append the options (name, type, default, help) to the docstring of a class or a function."""
    lines = [(to.__doc__ or "").rstrip(), "", "    Options:", ""]
    for name, kind, usual, what in options:
        lines.append(f"{_INDENT}{name}: {_TYPES[kind]}{_value(kind, usual)}")
        lines += textwrap.wrap(what, 112, initial_indent=_INDENT + "    ", subsequent_indent=_INDENT + "    ",
                               break_on_hyphens=False)
    to.__doc__ = "\n".join(lines) + "\n"
