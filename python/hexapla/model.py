"""A model file: its configuration and parameters, averaging and quantization."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _check, _core
from ._typing import Floats, Path

__all__ = ["Model"]


class Model:
    """A model in f32, even if its file is quantized."""

    def __init__(self, core: _core.Model) -> None:
        """Use Model.load() or Model.average()."""
        if not isinstance(core, _core.Model):
            raise _check.wrong_type("core", core, "made by Model.load() or Model.average()")
        self._core = core

    @staticmethod
    def load(path: Path) -> Model:
        """Read a model file or the model of a training folder. Raises DataError naming the file."""
        return Model(_core.Model.load(_check.path("path", path)))

    @staticmethod
    def average(paths: Sequence[Path]) -> Model:
        """Return the mean of models with the same configuration and vocabularies: files, folders or checkpoints."""
        return Model(_core.Model.average(_check.paths("paths", paths)))

    def save(self, path: Path) -> None:
        """Write the model to a file, atomically."""
        self._core.save(_check.path("path", path))

    def save_quantized(self, path: Path, keep: Sequence[str] = ()) -> None:
        """Write it in 8-bit integers, except for the parts whose names begin with one of keep ("encoder.layers.0.")."""
        self._core.save_quantized(_check.path("path", path), _check.lines("keep", keep))

    @property
    def configuration(self) -> dict[str, Any]:
        """The dimensions and variants of the architecture."""
        import json

        configuration: dict[str, Any] = json.loads(self._core.configuration())
        return configuration

    @property
    def history(self) -> dict[str, str]:
        """Its provenance: options, data, build."""
        return self._core.history()

    @property
    def parameter_count(self) -> int:
        """The number of parameters."""
        return self._core.parameter_count()

    @property
    def parameters(self) -> dict[str, Floats]:
        """The parameters by name, as NumPy arrays in the model's own memory: save() includes changes."""
        _check.numpy_is_there()
        return dict(self._core.parameters())

    @property
    def source_vocabulary(self) -> bytes:
        """The vocabulary as a serialized SentencePiece model."""
        return self._core.vocabularies()[0]

    @property
    def target_vocabulary(self) -> bytes:
        """The vocabulary as a serialized SentencePiece model."""
        return self._core.vocabularies()[1]
