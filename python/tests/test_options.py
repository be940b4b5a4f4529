"""The keywords are exactly the library's options."""

from __future__ import annotations

import inspect
import pathlib
import re
from collections.abc import Iterable
from typing import Any, Optional, Union, get_type_hints

import pytest
from conftest import ROOT, Program

import hexapla
from hexapla._load import _core
from hexapla._typing import Path


def source(path: str) -> str:
    file = ROOT / path
    if not file.exists():
        pytest.skip(f"{file} is not there: the sources are needed")
    return pathlib.Path(file).read_text()


def fields(text: str, struct: str) -> dict[str, str]:
    """{name: type} of the members of a struct in the public headers."""
    body = re.search(rf"struct {struct} \{{\n(.*?)\n\}};", text, re.DOTALL)
    assert body, struct
    plain = re.sub(r"//[^\n]*", "", body[1])
    found = {}
    for declared in re.findall(r"^ {2}((?:const )?[\w:]+(?:<.*>)?\*?) ([^;()]*(?:\{[^}]*\})?);", plain, re.MULTILINE):
        for name in re.findall(r"(\w+)(?: =[^,]*|\{[^}]*\})?(?:,|$)", declared[1]):
            found[name] = declared[0]
    return found


def type_of(kind: str) -> object:
    return Optional[TYPES[re.sub(r"std::optional<(.*)>", r"\1", kind)]]  # None: not given


TYPES: dict[str, Any] = {"int": int, "double": float, "bool": bool, "std::string": str, "std::uint64_t": int,
                         "std::vector<std::string>": Iterable[str]}


def test_search_options_are_those_of_the_translator() -> None:
    declared = fields(source("include/hexapla/translator.h"), "TranslatorOptions")
    assert len(declared) > 20
    for of_a_call in ("glossary", "require", "forbid", "warn", "stop", "on_progress"):
        del declared[of_a_call]
    assert {name: type_of(kind) for name, kind in declared.items()} == get_type_hints(hexapla.SearchOptions)


def test_metric_options_are_those_of_the_evaluator() -> None:
    declared = fields(source("include/hexapla/evaluator.h"), "EvaluatorOptions")
    for of_a_call in ("metrics", "stop"):
        del declared[of_a_call]
    assert {name: type_of(kind) for name, kind in declared.items()} == get_type_hints(hexapla.MetricOptions)
    assert set(inspect.signature(hexapla.Evaluator).parameters) == {"metrics", *declared}


# The allowed types of a keyword, for each declared type.
KEYWORDS: dict[str, tuple[object, ...]] = {
    "integer": (int, Union[int, str]), "number": (float,), "boolean": (bool,), "text": (str, Path, Union[int, str]),
    "list of text": (Iterable[str], Iterable[Path]), "list of number": (Iterable[float],)}


@pytest.mark.parametrize(("keywords", "declared"), [
    (hexapla.SearchOptions, _core.search_options()), (hexapla.TrainingOptions, _core.training_options()),
    (hexapla.ImportOptions, _core.import_options()[1:]), (hexapla.ExportOptions, _core.export_options())])
def test_keywords_are_the_options_that_are_declared(keywords: type, declared: list[tuple[str, str, str, str]]) -> None:
    hints = get_type_hints(keywords)
    assert [name for name, *_ in declared] == list(hints)
    for name, kind, _, what in declared:
        assert hints[name] in [Optional[one] for one in KEYWORDS[kind]], name
        assert what, name


def test_training_options_are_those_of_the_program(program: Program) -> None:
    of_the_program = set(re.findall(r"^ +(?:-\w, ?)?--([\w-]+)", program("train", "--help"), re.MULTILINE))
    assert len(of_the_program) > 50
    own = {"help", "config", "dump-config", "quiet", "color"}  # not options of a training
    missing = {name.replace("-", "_") for name in of_the_program - own} - set(get_type_hints(hexapla.TrainingOptions))
    assert not missing


def test_every_training_option_is_taken(tmp_path: pathlib.Path) -> None:
    for name, kind, usual, _ in _core.training_options():
        given: Any = {"model": tmp_path / "run", name: usual or ["1", "2"][:1 + ("list" in kind)]}
        try:
            hexapla.Trainer(**given)
        except hexapla.UsageError as error:  # not with the other options, or not this value
            assert "unknown option" not in str(error)
        except hexapla.DataError:  # a model that does not exist
            assert name == "init_from"


def test_training_options_are_known(tmp_path: pathlib.Path) -> None:
    options = hexapla.Trainer(model=tmp_path / "run", preset="tiny").options()
    written = {line.split(":")[0] for line in options.splitlines() if re.match(r"[\w-]+:", line)}
    assert len(written) > 50
    assert {name.replace("-", "_") for name in written} <= set(hexapla.TrainingOptions.__annotations__)


def test_options_of_a_file_lose_to_keywords(tmp_path: pathlib.Path) -> None:
    config = tmp_path / "config.yml"
    config.write_text("preset: tiny\nseed: 5\nwarmup: 77\n")
    options = hexapla.Trainer(config, model=tmp_path / "run", seed=6).options()
    assert "\nseed: 6\n" in options
    assert "\nwarmup: 77\n" in options
