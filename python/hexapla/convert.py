"""Models of other systems: import and export."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional

from . import _check, _core, _describe
from ._typing import Path, Unpack
from .options import ExportOptions, ImportOptions
from .results import ImportedModel

__all__ = ["export_model", "import_model"]


def import_model(path: Path, output: Path, *, kind: Optional[str] = None,
                 on_progress: Optional[Callable[[float], object]] = None,
                 **options: Unpack[ImportOptions]) -> ImportedModel:
    """Convert a model of another system to a hexapla model file, like `hexapla import`.

        hexapla.import_model("opus-mt-en-de", "en-de.safetensors")
        hexapla.Translator("en-de.safetensors")

    path is a file or a folder; kind is detected if it is not given. output is replaced only if it is a hexapla model.
    on_progress is called with the fraction done, 0 to 1. Ctrl-C stops the import and leaves output unchanged.
    """
    given: dict[str, Any] = dict(options)
    if kind is not None:
        given["from"] = _check.text("kind", kind)
    if on_progress is not None:
        _check.function("on_progress", on_progress)
    return ImportedModel(*_core.import_model(_check.path("path", path), _check.path("output", output),
                                             _check.options(given), on_progress))


def export_model(model: Path, folder: Path, to: str, **options: Unpack[ExportOptions]) -> list[str]:
    """Write a model file, or the model of a training folder, for another system, like `hexapla export`.

        hexapla.export_model("run", "run-ct2", to="ctranslate2", precision="int8")

    to is ctranslate2, argos, hf-marian, hf-multilingual, marian or safetensors; folder must be new or empty.
    Returns notes on differences in the other system. Raises DataError if that system cannot represent the model.
    """
    return _core.export_model(_check.path("model", model), _check.path("folder", folder), _check.text("to", to),
                              _check.options(options))


_describe.add_options(import_model, [o for o in _core.import_options() if o[0] != "from"])
_describe.add_options(export_model, _core.export_options())
