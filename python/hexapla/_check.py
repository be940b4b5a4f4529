"""Checks arguments and converts them for the C++ module. Errors name the argument and its value."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from .errors import ArgumentTypeError, UsageError


def shown(value: object) -> str:
    """The value as messages show it."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def wrong(message: str, name: str, value: object) -> UsageError:
    """The error for an invalid value."""
    error = UsageError(message)
    error.option, error.value = name, shown(value)
    return error


def wrong_type(name: str, value: object, expected: str) -> ArgumentTypeError:
    """The error for a value of the wrong type."""
    what = "None" if value is None else f"{shown(value)}, of type {type(value).__name__}"
    error = ArgumentTypeError(f"{name} is {what}, but must be {expected}")
    error.option, error.value = name, shown(value)
    return error


def mapping(name: str, value: object) -> Mapping[str, object]:
    """A dict of options."""
    if not isinstance(value, Mapping):
        raise wrong_type(name, value, "a dict of options")
    return value


def text(name: str, value: object) -> str:
    """A string that can be written in UTF-8."""
    if not isinstance(value, str):
        raise wrong_type(name, value, "a str")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise wrong(f"{name} has a lone surrogate ({value[error.start]!a}) at position {error.start}, which is no "
                    "character: read the text as UTF-8, or replace what is not UTF-8 (errors=\"replace\")",
                    name, value) from None
    return value


def lines(name: str, value: object) -> list[str]:
    """A list of strings from any iterable."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise wrong_type(name, value, "a list, or another iterable, of str")
    return [text(f"{name}[{i}]", line) for i, line in enumerate(value)]


def one_or_many(name: str, value: object) -> tuple[bool, list[str]]:
    """Whether the value is a single line, and a list of the lines."""
    if isinstance(value, str):
        return True, [text(name, value)]
    if isinstance(value, (bytes, Mapping)) or not isinstance(value, Iterable):
        raise wrong_type(name, value, "a str, or an iterable of str")
    return False, lines(name, value)


def path(name: str, value: object) -> bytes:
    """The name of a file or folder, encoded for the file system."""
    if not isinstance(value, (str, os.PathLike)):
        raise wrong_type(name, value, "a path: a str or an os.PathLike")
    return _encoded(name, os.fspath(value))


def paths(name: str, value: object) -> list[bytes]:
    """One path, or several."""
    if isinstance(value, (str, os.PathLike)):
        return [path(name, value)]
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        raise wrong_type(name, value, "a path, or a list of paths")
    return [path(f"{name}[{i}]", one) for i, one in enumerate(value)]


def _encoded(name: str, value: str | bytes) -> bytes:
    try:
        encoded = os.fsencode(value)
    except UnicodeEncodeError:
        raise wrong(f"{name} is {shown(value)}, but a name or word has no lone surrogates", name, value) from None
    if b"\0" in encoded:
        raise wrong(f"{name} is {shown(value)}, but a name or word has no NUL character", name, value)
    return encoded


def _word(name: str, value: object) -> bytes:
    if isinstance(value, (str, os.PathLike)):
        return _encoded(name, os.fspath(value))
    try:
        if isinstance(value, bool):
            return b"true" if value else b"false"
        if isinstance(value, Integral):
            return str(int(value)).encode()
        if isinstance(value, Real):
            return repr(float(value)).encode()
    except (ValueError, OverflowError):  # more digits than Python converts
        raise wrong(f"{name} is far out of range", name, "a number of very many digits") from None
    raise wrong_type(name, value, "a number, True or False, a str, a path, or a list of them")


def options(given: Mapping[str, object]) -> dict[str, bytes | list[bytes]]:
    """Options by name, each a word or a list of words; None: not given. The library checks names and ranges."""
    return {text("the name of an option", name): _words(name, value)
            for name, value in given.items() if value is not None}


def _words(name: str, value: object) -> bytes | list[bytes]:
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike, Mapping)):
        return [_word(name, item) for item in value]
    return _word(name, value)


def integer(name: str, value: object, least: int, most: int) -> int:
    """An integer from least to most."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise wrong_type(name, value, "an int")
    result = int(value)
    if not least <= result <= most:
        digits = result if abs(result) < 10**30 else "a number of very many digits"
        raise wrong(f"{name} is {digits}, but must be a whole number from {least} to {most}", name, digits)
    return result


def flag(name: str, value: object) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise wrong_type(name, value, "True or False")
    return value


def numbers(name: str, value: object) -> list[float]:
    """A list of floats."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise wrong_type(name, value, "a list of numbers")
    return [number(f"{name}[{i}]", one) for i, one in enumerate(value)]


def heads(name: str, value: object) -> list[tuple[str, int, int]]:
    """Attention heads: tuples of a name, a layer and a head."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise wrong_type(name, value, "a list, or another iterable, of (attention, layer, head)")
    checked = []
    for i, head in enumerate(value):
        if not isinstance(head, (tuple, list)) or len(head) != 3:
            raise wrong_type(f"{name}[{i}]", head, "an (attention, layer, head)")
        layer, number_in_layer = (integer(f"{name}[{i}]", n, 1, 1 << 20) for n in head[1:])
        checked.append((text(f"{name}[{i}]", head[0]), layer, number_in_layer))
    return checked


def number(name: str, value: object) -> float:
    """A float. The library checks its range."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise wrong_type(name, value, "a number")
    try:
        return float(value)
    except OverflowError:
        raise wrong(f"{name} is far out of range", name, "a number of very many digits") from None


def seconds(name: str, value: object, zero: bool = False) -> float:
    """A finite time above 0; zero: 0 is allowed, too."""
    result = number(name, value)
    if not math.isfinite(result) or result < 0 or (result == 0 and not zero) or result > 1e9:
        allowed = "from 0" if zero else "above 0"
        raise wrong(f"{name} is {shown(value)}, but must be a number of seconds {allowed}, at most 1e9; None: no limit",
                    name, value)
    return result


def function(name: str, value: object) -> Callable[..., Any]:
    """A callable."""
    if not callable(value):
        raise wrong_type(name, value, "a function")
    return value


def numpy_is_there() -> None:
    """Raise ImportError if NumPy, which arrays need, is not installed."""
    try:
        import numpy  # noqa: F401
    except ImportError:
        raise ImportError("hexapla gives arrays as NumPy's, which is not installed: pip install numpy") from None


def pairs(name: str, given: object) -> Iterator[tuple[bytes, bytes]]:
    """Pairs of sentences from an iterable, or from a function that returns one."""
    source = given() if callable(given) else given
    if isinstance(source, (str, bytes, Mapping)) or not isinstance(source, Iterable):
        raise wrong_type(name, source, "an iterable of pairs of str, or a function that returns one")
    return _encoded_pairs(name, source)


def _encoded_pairs(name: str, source: Iterable[object]) -> Iterator[tuple[bytes, bytes]]:
    for i, pair in enumerate(source):
        if not (isinstance(pair, (tuple, list)) and len(pair) == 2):
            raise wrong_type(f"{name}[{i}]", pair, "a pair of str: source and target")
        yield text(f"{name}[{i}][0]", pair[0]).encode(), text(f"{name}[{i}][1]", pair[1]).encode()


def references(given: object) -> list[list[str]]:
    """One list of references, or several."""
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise wrong_type("references", given, "a list of str, or a list of such lists")
    sets: Sequence[object] = list(given)
    if not sets or all(isinstance(one, str) for one in sets):
        return [lines("references", sets)] if sets else []
    return [lines(f"references[{i}]", one) for i, one in enumerate(sets)]
