"""Import and export of models of other systems."""

from __future__ import annotations

import json
import pathlib
import signal
from typing import Any

import pytest
from conftest import Program, made_up_lines

import hexapla


def test_there_and_back(model: str, tmp_path: pathlib.Path) -> None:
    there, back = tmp_path / "there", tmp_path / "zurück.safetensors"
    notes = hexapla.export_model(model, there, "hf-marian", beam_size=3, length_penalty=0.5)
    assert all(isinstance(note, str) for note in notes)
    settings = json.loads((there / "generation_config.json").read_text())
    assert settings["num_beams"] == 3
    seen: list[float] = []
    imported = hexapla.import_model(there, back, on_progress=seen.append)
    assert imported.kind == "hf-marian"
    assert imported.origin == hexapla.Model.load(back).history["origin"]
    assert seen == sorted(seen) and seen[-1] == 1
    lines = made_up_lines(20, 5)
    how: dict[str, Any] = {"beam_size": 2, "length_penalty": 0.6, "length_normalization": "paper"}
    assert hexapla.Translator(back).translate(lines, **how) == hexapla.Translator(model).translate(lines, **how)


def test_files_are_those_of_the_program(model: str, program: Program, tmp_path: pathlib.Path) -> None:
    for to in ("ctranslate2", "hf-marian", "safetensors"):
        hexapla.export_model(model, tmp_path / "ours", to)
        program("export", model, "--to", to, "-o", tmp_path / "programs")
        names = sorted(file.name for file in (tmp_path / "ours").iterdir())
        assert names == sorted(file.name for file in (tmp_path / "programs").iterdir())
        for name in names:
            assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "programs" / name).read_bytes(), (to, name)
        hexapla.import_model(tmp_path / "ours", tmp_path / "a")
        program("import", tmp_path / "programs", "-o", tmp_path / "b")
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
        for folder in ("ours", "programs"):
            (tmp_path / folder).rename(tmp_path / f"{to}-{folder}")


def test_what_is_wrong_is_named(model: str, tmp_path: pathlib.Path) -> None:
    there, back = tmp_path / "there", tmp_path / "back"
    with pytest.raises(hexapla.UsageError, match="to is 'onnx', but must be one of: ctranslate2"):
        hexapla.export_model(model, there, "onnx")
    with pytest.raises(hexapla.UsageError, match="did you mean 'beam_size'"):
        hexapla.export_model(model, there, "marian", beem_size=2)  # type: ignore[call-arg]
    with pytest.raises(hexapla.UsageError, match="languages en-de is for to argos"):
        hexapla.export_model(model, there, "marian", languages="en-de")
    with pytest.raises(hexapla.DataError, match="there is no such file"):
        hexapla.import_model(there, back)
    with pytest.raises(hexapla.ArgumentTypeError, match="on_progress"):
        hexapla.import_model(there, back, on_progress=3)  # type: ignore[arg-type]
    hexapla.export_model(model, there, "hf-marian")
    with pytest.raises(hexapla.UsageError, match="from 'onnx' is unknown; known are hf-marian"):
        hexapla.import_model(there, back, kind="onnx")
    with pytest.raises(hexapla.UsageError, match="heads 4 is for from torch, but"):
        hexapla.import_model(there, back, heads=4)
    back.write_text("mine")
    with pytest.raises(hexapla.UsageError, match="output .* already exists"):
        hexapla.import_model(there, back)
    assert back.read_text() == "mine"


def test_callbacks_and_ctrl_c_end_an_import(model: str, tmp_path: pathlib.Path) -> None:
    there, back = tmp_path / "there", tmp_path / "back"
    hexapla.export_model(model, there, "hf-marian")

    def fail(done: float) -> None:
        raise ZeroDivisionError(done)

    with pytest.raises(ZeroDivisionError):
        hexapla.import_model(there, back, on_progress=fail)
    with pytest.raises(KeyboardInterrupt):
        hexapla.import_model(there, back, on_progress=lambda done: signal.raise_signal(signal.SIGINT))
    assert not back.exists()
