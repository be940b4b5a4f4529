"""Values as Python programs have them: None, paths, generators; and what is missing is a FileNotFoundError."""

from __future__ import annotations

import errno
import pathlib
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from conftest import made_up_lines

import hexapla
from hexapla._load import _core

LINES = made_up_lines(5, 3)
ALL_OPTIONS = [name for name, *_ in _core.search_options()]


@pytest.mark.parametrize("option", ALL_OPTIONS)
def test_none_is_not_given(translator: hexapla.Translator, option: str) -> None:
    none: Any = {option: None}
    assert translator.complete(**none) == translator.complete()
    assert translator.translate_n_best(LINES, **none) == translator.translate_n_best(LINES)
    assert translator.submit(LINES, **none).result() == translator.translate_n_best(LINES)
    assert translator.score(LINES, LINES, **none) == translator.score(LINES, LINES)


def test_none_is_not_given_anywhere(translator: hexapla.Translator, model: str, tmp_path: pathlib.Path) -> None:
    run: Any = {"model": tmp_path / "run", "preset": "tiny"}
    given: Any = {name: None for name, *_ in _core.training_options()}
    assert hexapla.Trainer(**{**given, **run}).options() == hexapla.Trainer(**run).options()
    metrics: Any = dict.fromkeys(("tokenize", "lowercase", "resamples", "resample_seed"))
    assert hexapla.evaluate(LINES, LINES, **metrics) == hexapla.evaluate(LINES, LINES)
    assert hexapla.Translator(model, search=None).translate(LINES) == translator.translate(LINES)
    assert hexapla.Translator(model, search={"beam_size": None}).translate(LINES) == translator.translate(LINES)
    assert hexapla.export_model(model, tmp_path / "safe", "safetensors", precision=None) is not None


def test_any_iterable_is_a_list(translator: hexapla.Translator, tmp_path: pathlib.Path) -> None:
    constraints = [hexapla.Constraints(forbid=["der"]) for _ in LINES]
    expected = translator.translate(LINES, constraints=constraints)
    for given in ((one for one in constraints), iter(constraints), tuple(constraints), dict.fromkeys(range(5), 1).__class__):
        if isinstance(given, type):
            continue
        assert translator.translate(LINES, constraints=given) == expected
    submitted = translator.submit(LINES, constraints=iter(constraints))
    assert [one[0].text for one in submitted.result()] == expected
    patterns = ["d.g", "c.t"]
    for listed in (iter(patterns), (p for p in patterns), numpy.array(patterns), set(patterns)):
        assert translator.translate(LINES, protect_pattern=listed) == translator.translate(LINES, protect_pattern=patterns)
    for name in ("x", "y"):
        (tmp_path / name).write_text("\n".join(LINES) + "\n")
    files = (tmp_path / name for name in ("x", "y"))
    options = hexapla.Trainer(model=tmp_path / "run", train_sets=files).options()
    assert str(tmp_path / "x") in options


def test_documents_are_named_by_paths(translator: hexapla.Translator) -> None:
    expected = translator.translate_document("the dog", "a.txt")
    assert translator.translate_document("the dog", pathlib.Path("there/a.txt")) == expected
    with pytest.raises(hexapla.UsageError, match=re.escape("a.xyz")):
        translator.translate_document("the dog", pathlib.Path("a.xyz"))
    for wrong in (3, None, b"a.txt"):
        with pytest.raises(hexapla.ArgumentTypeError, match="name"):
            translator.translate_document("the dog", wrong)  # type: ignore[call-overload]


MISSING: dict[str, Callable[[pathlib.Path], object]] = {
    "Translator": hexapla.Translator,
    "ensemble": lambda path: hexapla.Translator([path, path]),
    "Inspector": hexapla.Inspector,
    "Model": hexapla.Model.load,
    "Glossary": hexapla.Glossary.read,
    "import": lambda path: hexapla.import_model(path, path.parent / "out"),
    "export": lambda path: hexapla.export_model(path, path.parent / "out", "marian"),
    "training": lambda path: hexapla.Trainer(model=path.parent / "run", preset="tiny", train_sets=[path, path]).train(),
    "init": lambda path: hexapla.Trainer(model=path.parent / "run", preset="tiny", init_from=path).train([("a", "b")] * 50),
}


@pytest.mark.parametrize("kind", MISSING)
def test_what_is_missing_is_not_found(kind: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "nothing"
    with pytest.raises(FileNotFoundError, match="nothing") as raised:
        MISSING[kind](path)
    assert isinstance(raised.value, hexapla.DataError)
    assert raised.value.errno == errno.ENOENT
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)
    damaged = tmp_path / "damaged"
    damaged.write_bytes(b"\xff\t\n")
    with pytest.raises(hexapla.Error) as other:
        MISSING[kind](damaged)
    assert not isinstance(other.value, FileNotFoundError), "it is there"


def test_messages_name_no_command(tmp_path: pathlib.Path) -> None:
    text = tmp_path / "text"
    text.write_text("a dog\n" * 100)
    pickled = tmp_path / "model.pt"
    pickled.write_bytes(b"\x80\x02" + b"x" * 100)
    zipped = tmp_path / "model.zip"
    zipped.write_bytes(b"PK\x03\x04" + b"x" * 100)
    (tmp_path / "marian").mkdir()
    (tmp_path / "marian/decoder.yml").write_text("a: b\n")
    for path in (text, pickled, zipped, tmp_path / "marian", tmp_path):
        for call in (hexapla.Translator, hexapla.Inspector, hexapla.Model.load):
            with pytest.raises(hexapla.DataError) as raised:
                call(path)
            assert not re.search(r"hexapla [a-z]+ [-/.]|stdin| --?[a-z]\b|`", str(raised.value)), str(raised.value)


def test_all_options_of_a_search_are_complete(translator: hexapla.Translator, model: str) -> None:
    usual = translator.complete()
    assert list(usual) == ALL_OPTIONS
    types = {"integer": int, "number": float, "boolean": bool, "text": str, "list of text": list}
    assert {name: type(value) for name, value in usual.items()} == {
        name: types[kind] for name, kind, _, _ in _core.search_options()}
    assert usual["beam_size"] == 4
    given = translator.complete(beam_size=7, protect_pattern=["a+"], alignment="words", length_penalty=0.25)
    assert (given["beam_size"], given["protect_pattern"], given["alignment"], given["length_penalty"]) == (
        7, ["a+"], "words", 0.25)
    assert translator.complete(sample=True, seed=5)["seed"] == 5
    wide = hexapla.Translator(model, search={"beam_size": 6, "n_best": 2})
    assert wide.complete()["beam_size"] == 6
    assert len(wide.translate_n_best(LINES[0])) == 2
    assert wide.complete(beam_size=3)["beam_size"] == 3
    assert pickle.loads(pickle.dumps(wide)).complete()["beam_size"] == 6
    for wrong in ({"beam": 6}, {"beam_size": 0}):
        with pytest.raises(hexapla.UsageError, match="beam_size"):
            hexapla.Translator(model, search=wrong)  # type: ignore[arg-type]
    with pytest.raises(hexapla.ArgumentTypeError, match="search"):
        hexapla.Translator(model, search=[3])  # type: ignore[arg-type]


def test_glossaries_are_checked(translator: hexapla.Translator) -> None:
    translator.check(hexapla.Glossary({"dog": "Hund"}))
    with pytest.raises(hexapla.UsageError, match="cat"):
        translator.check(hexapla.Glossary({"dog": "Hund", "cat": "狗"}))
    with pytest.raises(hexapla.ArgumentTypeError, match="glossary"):
        translator.check({"dog": "Hund"})  # type: ignore[arg-type]


@pytest.mark.parametrize("call", ["Translator", "translate", "Trainer", "import_model", "export_model"])
def test_unknown_options_get_the_nearest(translator: hexapla.Translator, model: str, tmp_path: pathlib.Path, call: str) -> None:
    calls: dict[str, tuple[str, Callable[[], object]]] = {
        "Translator": ("beam_size", lambda: hexapla.Translator(model, search={"beam": 2})),  # type: ignore[arg-type]
        "translate": ("beam_size", lambda: translator.translate("a", beamsize=2)),  # type: ignore[call-overload]
        "Trainer": ("batch_tokens", lambda: hexapla.Trainer(model=tmp_path, batch_token=2)),  # type: ignore[call-arg]
        "import_model": ("norm_position", lambda: hexapla.import_model(model, tmp_path / "m", norm_positon="pre")),  # type: ignore[call-arg]
        "export_model": ("precision", lambda: hexapla.export_model(model, tmp_path / "m", "marian", precisio="x")),  # type: ignore[call-arg]
    }
    expected, function = calls[call]
    with pytest.raises(hexapla.UsageError, match=f"did you mean '{expected}'"):
        function()


def test_inspections_have_limits(model: str) -> None:
    inspector = hexapla.Inspector(model)
    whole = inspector.inspect(LINES[0], LINES[1])
    some = inspector.inspect(LINES[0], LINES[1], tensors="*.weights")
    assert set(some) == {name for name in whole if name.endswith(".weights")}
    assert set(some.shapes) == set(whole) == set(whole.shapes)
    assert tuple(some.shapes["encoder.layers.0.self_attention.weights"]) == (
        whole["encoder.layers.0.self_attention.weights"].shape)
    with pytest.raises(KeyError):
        some["generator.log_probabilities"]
    assert not set(inspector.inspect(LINES[0], LINES[1], tensors=()))
    for limit in ({"longest": 1}, {"most_values": 10}, {"longest": 513}, {"top_tokens": 101}, {"temperature": 0}, {"top_p": 2}):
        with pytest.raises(hexapla.UsageError):
            inspector.inspect(LINES[0], LINES[1], **limit)  # type: ignore[arg-type]
    top = inspector.inspect(LINES[0], LINES[1], top_tokens=3, top_p=0.9)
    assert {len(tokens) for tokens in top.top} == {3}
    assert len(top.top) == len(top.sampled) == len(top.predicted)
    best = top.top[0][0]
    assert best.log_probability == pytest.approx(whole["generator.log_probabilities"][0][best.id], abs=1e-5)
    assert sum(token.probability for token in top.sampled[0].tokens) <= 1 + 1e-6
    assert whole.top == [[]] * len(whole.predicted) or not whole.top
    assert inspector.inspect(LINES[0], target_tokens=whole.predicted[:-1]).predicted == whole.predicted
    assert inspector.inspect("", LINES[1], source_tokens=whole.source_tokens).source_tokens == whole.source_tokens
    found = inspector.translation(LINES[0])
    assert found.text == hexapla.Translator(model).translate(LINES[0])
    assert inspector.changed(positions=False).translation(LINES[0]).tokens != [] or found.tokens
    assert inspector.formula("encoder.layers.0.self_attention.weights")
    assert inspector.formula("nothing") == ""
    assert inspector.trace(LINES[0]).warnings == []
    assert hexapla.instruction_set() in {"generic", "avx2", "avx512", "amx", "neon", "dotprod", "i8mm"}
