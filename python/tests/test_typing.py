"""The package for tools: types, descriptions, results as plain data."""

from __future__ import annotations

import dataclasses
import inspect
import json
import pydoc
import subprocess
import sys
import typing
from collections.abc import Iterator
from typing import Any

import pytest

import hexapla
from hexapla._load import _core

PUBLIC = [getattr(hexapla, name) for name in hexapla.__all__]
CLASSES = [one for one in PUBLIC if isinstance(one, type)]
RESULTS = [one for one in CLASSES if dataclasses.is_dataclass(one)]
OPTIONS = [hexapla.SearchOptions, hexapla.TrainingOptions, hexapla.MetricOptions, hexapla.ImportOptions,
           hexapla.ExportOptions]


def annotated() -> Iterator[tuple[str, Any]]:
    """Every public class and function, and every function of a public class."""
    for one in PUBLIC:
        yield one.__name__, one
        for name, member in vars(one).items() if isinstance(one, type) and one not in OPTIONS else ():
            found = member.fget if isinstance(member, property) else getattr(member, "func", member)
            found = getattr(found, "__func__", found)
            if inspect.isfunction(found):
                yield f"{one.__name__}.{name}", found


EVERYTHING = dict(annotated())


@pytest.mark.parametrize("name", EVERYTHING)
def test_types_are_found_at_run_time(name: str) -> None:
    typing.get_type_hints(EVERYTHING[name])


def test_types_are_found_without_other_packages() -> None:
    script = f"""
import sys
for name in ("numpy", "typing_extensions", "pydantic"):
    sys.modules[name] = None
sys.path.insert(0, {__file__.rsplit('/', 1)[0]!r})
import typing, types
pytest = sys.modules["pytest"] = types.ModuleType("pytest")
pytest.mark = types.SimpleNamespace(parametrize=lambda *_: lambda f: f)
pytest.FixtureRequest = object
import test_typing
for one in test_typing.EVERYTHING.values():
    typing.get_type_hints(one)
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def made(kind: Any) -> Any:
    """A value of a result type."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{field.name: made(hints[field.name]) for field in dataclasses.fields(kind)})  # type: ignore[operator]
    if origin is tuple:
        return tuple(made(one) for one in arguments)
    if origin is typing.Union:
        return made(arguments[0])
    if origin is not None:  # a list
        return [made(arguments[0])]
    return {str: "ä", int: 3, float: 0.5, bool: True}[kind]


@pytest.mark.parametrize("kind", RESULTS)
def test_results_are_plain_data(kind: Any) -> None:
    one = made(kind)
    data = dataclasses.asdict(one)
    assert json.loads(json.dumps(data)).keys() == {field.name for field in dataclasses.fields(kind)}


@pytest.mark.parametrize("kind", [*RESULTS, *OPTIONS])
def test_pydantic_takes_them(kind: Any) -> None:
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    adapter = pydantic.TypeAdapter(kind)
    assert adapter.json_schema()["properties"]
    if kind in OPTIONS:
        with pytest.raises(pydantic.ValidationError):
            adapter.validate_python({next(iter(kind.__annotations__)): object()})
    else:
        one = made(kind)
        assert adapter.validate_json(adapter.dump_json(one)) == one


def test_real_results_are_plain_data(translator: hexapla.Translator, model: str) -> None:
    best = translator.translate_n_best("the big dog", alignment="words")[0]
    data = json.loads(json.dumps(dataclasses.asdict(best)))
    assert data["text"] == best.text
    assert data["alignment"]["attention"] == best.alignment.weights.tolist()  # type: ignore[union-attr]
    assert json.dumps(dataclasses.asdict(translator.score("the dog", "der Hund")))
    assert json.dumps([dataclasses.asdict(one) for one in hexapla.evaluate(["a"], ["a"]).values()])


@pytest.mark.parametrize(("of", "described"), [
    (hexapla.Translator, _core.search_options), (hexapla.SearchOptions, _core.search_options),
    (hexapla.Trainer, _core.training_options), (hexapla.TrainingOptions, _core.training_options),
    (hexapla.import_model, lambda: _core.import_options()[1:]), (hexapla.ImportOptions, lambda: _core.import_options()[1:]),
    (hexapla.export_model, _core.export_options), (hexapla.ExportOptions, _core.export_options)])
def test_help_shows_every_option(of: type, described: Any) -> None:
    shown = " ".join(pydoc.plain(pydoc.render_doc(of)).replace("|", " ").split())
    for name, _, usual, what in described():
        assert f" {name}: " in shown
        assert " ".join(what.replace("|", " ").split()) in shown
        assert usual in shown or usual in ("true", "false")
