"""Keywords are the library's options: no more, no fewer."""

from __future__ import annotations

import inspect
import pathlib
import re
from typing import get_type_hints

import pytest
from conftest import ROOT

import hexapla


def source(path: str) -> str:
    file = ROOT / path
    if not file.exists():
        pytest.skip(f"{file} is not there: the sources are needed")
    return pathlib.Path(file).read_text()


def fields(text: str, struct: str) -> dict[str, str]:
    """{name: type} of the members of a struct of the public headers."""
    body = re.search(rf"struct {struct} \{{\n(.*?)\n\}};", text, re.DOTALL)
    assert body, struct
    plain = re.sub(r"//[^\n]*", "", body[1])
    found = {}
    for declared in re.findall(r"^ {2}((?:const )?[\w:]+(?:<.*>)?\*?) ([^;()]*(?:\{[^}]*\})?);", plain, re.MULTILINE):
        for name in re.findall(r"(\w+)(?: =[^,]*|\{[^}]*\})?(?:,|$)", declared[1]):
            found[name] = declared[0]
    return found


TYPES = {"int": int, "double": float, "bool": bool, "std::string": str, "std::uint64_t": int}


def test_search_options_are_those_of_the_translator() -> None:
    declared = fields(source("include/hexapla/translator.h"), "TranslatorOptions")
    assert len(declared) > 20
    for of_a_call in ("warn", "stop"):
        del declared[of_a_call]
    assert {name: TYPES[kind] for name, kind in declared.items()} == get_type_hints(hexapla.SearchOptions)


def test_metric_options_are_those_of_the_evaluator() -> None:
    declared = fields(source("include/hexapla/evaluator.h"), "EvaluatorOptions")
    del declared["metrics"]
    assert {name: TYPES[kind] for name, kind in declared.items()} == get_type_hints(hexapla.MetricOptions)
    assert set(inspect.signature(hexapla.Evaluator).parameters) == {"metrics", *declared}


def test_training_options_are_those_of_the_trainer() -> None:
    declared = []
    for file in ("src/train/options/options.h", "src/train/options/text_options.h", "src/model/config.h"):
        declared += re.findall(r'\bf\("([\w-]+)",', source(file))
    assert [name.replace("-", "_") for name in declared] == list(hexapla.TrainingOptions.__annotations__)


def test_training_options_are_known(tmp_path: pathlib.Path) -> None:
    written = {line.split(":")[0] for line in hexapla.Trainer(model=tmp_path / "run").options().splitlines()
               if re.match(r"[\w-]+:", line)}
    assert len(written) > 50
    assert {name.replace("-", "_") for name in written} <= set(hexapla.TrainingOptions.__annotations__)


def test_options_of_a_file_lose_to_keywords(tmp_path: pathlib.Path) -> None:
    config = tmp_path / "config.yml"
    config.write_text("preset: tiny\nseed: 5\nwarmup: 77\n")
    options = hexapla.Trainer(config, model=tmp_path / "run", seed=6).options()
    assert "\nseed: 6\n" in options
    assert "\nwarmup: 77\n" in options
