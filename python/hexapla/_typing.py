"""Names of types for annotations: typing.get_type_hints() and what asks it, such as pydantic, find all of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from typing import TypedDict

    import numpy
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    Doubles = NDArray[numpy.float64]
    Floats = NDArray[numpy.float32]
else:
    Doubles = Floats = Any  # NumPy is imported only when an array is requested
    if sys.version_info >= (3, 12):
        from typing import TypedDict, Unpack
    else:
        try:  # for pydantic, which requires this TypedDict
            from typing_extensions import TypedDict, Unpack
        except ImportError:
            from typing import TypedDict

            class Unpack:
                """Unpack[Options], of keywords: Any."""

                def __class_getitem__(cls, options):
                    """Return Any."""
                    return Any

__all__ = ["Doubles", "Floats", "Pairs", "Path", "References", "TypedDict", "Unpack", "Warn"]

Path = Union[str, os.PathLike[str]]
Pairs = Union[Iterable[tuple[str, str]], Callable[[], Iterable[tuple[str, str]]]]
References = Union[Sequence[str], Sequence[Sequence[str]]]
Warn = Callable[[int, str], object]
