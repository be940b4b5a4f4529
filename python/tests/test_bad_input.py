"""Bad input to every public function raises the right exception, with the field and its value; never a crash."""

from __future__ import annotations

import math
import os
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
import pytest
from conftest import TRAINING, made_up_pairs

import hexapla
from hexapla import ArgumentTypeError, Constraints, DataError, RunError, UsageError

NAN, SURROGATE, HUGE = math.nan, "a\ud800b", 10**6000


@dataclass
class Doors:
    """The objects that the cases call."""

    translator: hexapla.Translator
    model: str
    folder: pathlib.Path

    @property
    def inspection(self) -> hexapla.Inspection:
        return hexapla.Inspector(self.model).inspect("the dog", "der Hund")

    def trainer(self, **options: Any) -> hexapla.Trainer:
        return hexapla.Trainer(**{**TRAINING, "model": self.folder / "run", **options})

    def train(self, *arguments: Any, **callbacks: Any) -> Any:
        return self.trainer().train(*arguments, **callbacks)

    def damaged(self, change: Callable[[bytes], bytes]) -> str:
        path = self.folder / "damaged"
        path.write_bytes(change(pathlib.Path(self.model).read_bytes()))
        return str(path)

    def nan_model(self) -> str:
        """A model file with one NaN, as none is ever saved."""
        return self.damaged(lambda data: data[:-4] + numpy.float32(NAN).tobytes())

    def saved_nan(self) -> None:
        model = hexapla.Model.load(self.model)
        next(iter(model.parameters.values()))[0, 0] = NAN
        model.save(self.folder / "nan")

    def deleted(self) -> str:
        path = self.folder / "deleted"
        path.write_bytes(pathlib.Path(self.model).read_bytes())
        path.unlink()
        return str(path)


# (call, exception, its option, a part of its value)
Case = tuple[Callable[[Doors], object], type[Exception], str, str]


def translate(*arguments: Any, **options: Any) -> Callable[[Doors], object]:
    return lambda d: d.translator.translate(*arguments, **options)


def each(method: str, *arguments: Any, **options: Any) -> Callable[[Doors], object]:
    return lambda d: getattr(d.translator, method)(*arguments, **options)


LINES: list[Case] = [
    *((each(method, bad), ArgumentTypeError, "line" if method == "stream" else "lines", value)
      for method in ("translate", "translate_n_best", "submit", "stream")
      for bad, value in ((None, "None"), (5, "5"), (b"a", "b'a'"), ({"a": 1}, "{'a': 1}"), (numpy.nan, "nan"))),
    *((each(method, ["a", bad]), ArgumentTypeError, "lines[1]", value)
      for method in ("translate", "translate_n_best", "submit")
      for bad, value in ((None, "None"), (b"b", "b'b'"), (["b"], "['b']"), (NAN, "nan"))),
    (translate(SURROGATE), UsageError, "lines", r"\ud800"),
    (translate(["a", SURROGATE]), UsageError, "lines[1]", r"\ud800"),
    (each("stream", ["a"]), ArgumentTypeError, "line", "['a']"),
    (each("stream", SURROGATE), UsageError, "line", r"\ud800"),
    (each("score", ["a"], []), UsageError, "", ""),
    (each("score", "a", ["a"]), ArgumentTypeError, "translations", "['a']"),
    (each("score", "a", None), ArgumentTypeError, "translations", "None"),
    (each("score", ["a"], [SURROGATE]), UsageError, "translations[0]", r"\ud800"),
    (each("align", ["a"], ["b", "c"]), UsageError, "", ""),
    (each("align", "a", "b", units="letters"), UsageError, "units", "letters"),
    (each("align", "a", "b", units=None), ArgumentTypeError, "units", "None"),
]

OPTIONS: list[Case] = [
    *((each(method, "a", **{name: bad}), UsageError, name, value)
      for method in ("translate", "translate_n_best", "submit", "stream")
      for name, bad, value in (
          ("beam_size", 0, "0"), ("beam_size", 2.5, "2.5"), ("beam_size", NAN, "nan"), ("beam_size", True, "true"),
          ("beam_size", "many", "many"), ("beam_size", HUGE, "very many digits"), ("beam_size", 2**64, "18446744073709551616"),
          ("beam_size", [], ""), ("beam_size", SURROGATE, r"\ud800"), ("beam_size", "4\0", r"\x00"),
          ("n_best", 5, "5"), ("n_best", 0, "0"), ("length_penalty", 101, "101"), ("length_penalty", NAN, "nan"),
          ("length_penalty", math.inf, "inf"), ("length_normalization", "mean", "mean"), ("extra_length", -1, "-1"),
          ("max_length", 1, "1"), ("batch_sentences", 0, "0"), ("batch_tokens", 2**24 + 1, "16777217"),
          ("word_penalty", 1e7, "1"), ("coverage_penalty", -1, "-1"), ("longest", -1, "-1"),
          ("longest_ratio", NAN, "nan"), ("min_length", -1, "-1"), ("no_repeat_ngram", -1, "-1"),
          ("repetition_penalty", 0, "0"),
          ("max_repetition", -1, "-1"), ("unk", "drop", "drop"), ("long_input", "eat", "eat"), ("sample", "maybe", "maybe"),
          ("alignment", "letters", "letters"), ("beam", 4, ""))),
    *((translate("a", sample=True, **{name: bad}), UsageError, name, value)
      for name, bad, value in (("temperature", 0, "0"), ("temperature", NAN, "nan"), ("top_k", -1, "-1"),
                               ("top_p", 0, "0"), ("top_p", NAN, "nan"), ("seed", -1, "-1"))),
    *((translate("a", beam_size=bad), ArgumentTypeError, "beam_size", value)
      for bad, value in ((b"4", "b'4'"), ({}, "{}"), (4j, "4j"), (object, "object"), ([None], "None"))),
    *((each(method, "a", **{name: bad}), UsageError, name, value)
      for method in ("translate", "translate_n_best", "submit", "stream")
      for name, bad, value in (("beam_size", [2, 9], "2 9"), ("beam_size", [4], "4"),
                               ("beam_size", numpy.zeros(3), "0.0 0.0 0.0"), ("unk", ("keep", "copy"), "keep copy"))),
    (translate("a", n_best=2), UsageError, "n_best", "2"),
    (translate("a", alignment="words"), UsageError, "alignment", "words"),
    (each("submit", "a", batch_tokens=100), UsageError, "batch_tokens", "100"),
    *((each(method, "a", "b", beam_size=2), UsageError, "beam_size", "2") for method in ("score", "align")),
    (translate("a", top_k=3), UsageError, "top_k", "3"),
    (translate("a", temperature=2.0), UsageError, "temperature", "2"),
    (translate("a", warn=5), ArgumentTypeError, "warn", "5"),
    (translate(["a b c " * 50], max_length=8, long_input="refuse"), DataError, "", ""),
]

TOKENS: list[Case] = [
    (each("translate_document", 5, "a.txt"), ArgumentTypeError, "content", "5"),
    (each("translate_document", "a", None), ArgumentTypeError, "name", "None"),
    (each("translate_document", "a", "a.xyz"), UsageError, "name", "a.xyz"),
    (each("translate_document", "a", "a.txt", attributes=True), UsageError, "attributes", "true"),
    (each("translate_document", "a", "a.html", attributes=1), ArgumentTypeError, "attributes", "1"),
    (each("translate_document", b"\xff", "a.txt"), DataError, "", ""),
    (each("translate_document", "a", "a.txt", alignment="words"), UsageError, "alignment", "words"),
    (each("tokens", None), ArgumentTypeError, "line", "None"),
    (each("tokens", SURROGATE), UsageError, "line", r"\ud800"),
    *((each("translate_tokens", bad), ArgumentTypeError, name, value)
      for bad, name, value in (("a", "sentences", "'a'"), (None, "sentences", "None"), (["▁a"], "sentences[0]", "'▁a'"),
                               ([["▁the"], [None]], "sentences[1][0]", "None"))),
    (each("translate_tokens", [["no such piece"]]), UsageError, "sentences", "no such piece"),
    (each("translate_tokens", [[]], alignment="words"), UsageError, "alignment", "words"),
    (each("translate_tokens", [[]], unk="copy"), UsageError, "unk", "copy"),
    (each("translate_tokens", [["▁the"] * 8], max_length=8), DataError, "", ""),
    (lambda d: hexapla.Translator(d.model, threads=-1), UsageError, "threads", "-1"),
    (lambda d: hexapla.Translator(d.model, threads=1.5), ArgumentTypeError, "threads", "1.5"),  # type: ignore[arg-type]
    (lambda d: hexapla.Translator(d.model, target_language="de"), UsageError, "target_language", "de"),
    (lambda d: hexapla.Translator(d.model, source_language=5), ArgumentTypeError,  # type: ignore[arg-type]
     "source_language", "5"),
    (lambda d: hexapla.Inspector(d.model).trace(""), UsageError, "source", ""),
    (lambda d: hexapla.Inspector(d.model).trace(5), ArgumentTypeError, "source", "5"),  # type: ignore[arg-type]
    (lambda d: hexapla.Inspector(d.model).trace("dog", beam_size=0), UsageError, "beam_size", "0"),
    (lambda d: hexapla.Inspector(d.model).trace("dog", coverage_penalty=1.0), UsageError, "coverage_penalty", "1"),
]

CONSTRAINTS: list[Case] = [
    *((each(method, "a", constraints=bad), ArgumentTypeError, name, value)
      for method in ("translate", "translate_n_best", "submit", "stream")
      for bad, name, value in (
          ("der", "constraints", "der"), (5, "constraints", "5"), ([None], "constraints[0]", "None"),
          ([{"prefix": "der"}], "constraints[0]", "prefix"),
          (Constraints(prefix=None), "constraints.prefix", "None"),  # type: ignore[arg-type]
          (Constraints(require="der"), "constraints.require", "der"),
          (Constraints(forbid=[5]), "constraints.forbid[0]", "5"))),  # type: ignore[list-item]
    (translate("a", glossary={"a": "b"}), ArgumentTypeError, "glossary", "'b'"),
    (lambda _: hexapla.Glossary("terms.tsv"), ArgumentTypeError, "terms", "terms.tsv"),  # type: ignore[arg-type]
    (lambda _: hexapla.Glossary([("a",)]), ArgumentTypeError, "terms[0]", "a"),  # type: ignore[list-item]
    (lambda _: hexapla.Glossary({"a": 5}), ArgumentTypeError, "terms[0][1]", "5"),  # type: ignore[arg-type]
    (lambda _: hexapla.Glossary({"a": "b", "A": "c"}), UsageError, "glossary", "A"),
    (lambda _: hexapla.Glossary({"a": []}), UsageError, "glossary", "a"),
    (translate("a", constraints=Constraints(SURROGATE)), UsageError, "constraints.prefix", r"\ud800"),
    (translate(["a", "b"], constraints=[Constraints()]), UsageError, "constraints", "1"),
    (translate(["a"], constraints=[Constraints()] * 3), UsageError, "constraints", "3"),
]

REQUESTS: list[Case] = [
    *((each(method, "a", timeout=bad), UsageError, "timeout", value)
      for method in ("submit", "stream")
      for bad, value in ((0, "0"), (-1, "-1"), (NAN, "nan"), (math.inf, "inf"), ("soon", "soon"), (1e300, "1e+300"))),
    (lambda d: d.translator.submit("a").result(NAN), UsageError, "timeout", "nan"),
    (lambda d: d.translator.submit("a").result("soon"), ArgumentTypeError, "timeout", "soon"),  # type: ignore[arg-type]
    (lambda d: d.translator.submit(["a"] * 20_000), UsageError, "", ""),
]

MODELS: list[Case] = [
    *((lambda d, load=load: load(d.deleted()), DataError, "", "")
      for load in (hexapla.Translator, hexapla.Inspector, hexapla.Model.load)),
    *((lambda d, load=load, change=change: load(d.damaged(change)), DataError, "", "")
      for load in (hexapla.Translator, hexapla.Inspector, hexapla.Model.load)
      for change in (lambda data: b"", lambda data: data[:1000], lambda data: data[:-1], lambda data: b"\0" * len(data),
                     lambda data: b"\xff" * 8 + data[8:], lambda data: b"hello\n")),
    *((lambda d, load=load: load(d.nan_model()), DataError, "", "")
      for load in (hexapla.Translator, hexapla.Inspector, hexapla.Model.load)),
    (lambda d: d.saved_nan(), RunError, "", ""),
    *((lambda d, load=load, bad=bad: load(bad), ArgumentTypeError, name, value)
      for load, name in ((hexapla.Translator, "model"), (hexapla.Inspector, "model"), (hexapla.Model.load, "path"))
      for bad, value in ((None, "None"), (5, "5"), (b"run", "b'run'"))),
    *((lambda d, load=load, bad=bad: load(bad), UsageError, name, value)
      for load, name in ((hexapla.Translator, "model"), (hexapla.Inspector, "model"), (hexapla.Model.load, "path"))
      for bad, value in (("run\0", r"\x00"), (SURROGATE, r"\ud800"))),
    (lambda d: hexapla.Translator([]), UsageError, "", ""),
    (lambda d: hexapla.Translator([d.model, None]), ArgumentTypeError, "model[1]", "None"),  # type: ignore[list-item]
    (lambda d: hexapla.Translator(d.model, precision="f64"), UsageError, "precision", "f64"),
    (lambda d: hexapla.Translator(d.model, precision=8), ArgumentTypeError, "precision", "8"),  # type: ignore[arg-type]
    (lambda d: hexapla.Translator(d.model, device="gpu"), UsageError, "device", "gpu"),
    (lambda d: hexapla.Translator(d.model, device=1), ArgumentTypeError, "device", "1"),  # type: ignore[arg-type]
    (lambda d: hexapla.Translator(d.model, ensemble="vote"), UsageError, "ensemble", "vote"),
    (lambda d: hexapla.Translator([d.model] * 2, weights=[1, NAN]), UsageError, "weights", "nan"),
    (lambda d: hexapla.Translator([d.model] * 2, weights=[1, "2"]), ArgumentTypeError, "weights[1]", "'2'"),  # type: ignore[list-item]
    (lambda d: hexapla.Translator([d.model] * 2, weights=5), ArgumentTypeError, "weights", "5"),  # type: ignore[arg-type]
    (lambda d: hexapla.Translator([d.model] * 2, weights=[1]), UsageError, "", ""),
    (lambda d: hexapla.Translator([d.model] * 2, weights=[1, HUGE]), UsageError, "weights[1]", "very many digits"),
    (lambda d: hexapla.Model.average([]), UsageError, "paths", ""),
    (lambda d: hexapla.Model.average([d.model, d.deleted()]), DataError, "", ""),
    (lambda d: hexapla.Model.average(None), ArgumentTypeError, "paths", "None"),  # type: ignore[arg-type]
    (lambda d: hexapla.Model.load(d.model).save(d.folder / "no" / "where"), RunError, "", ""),
    (lambda d: hexapla.Model.load(d.model).save(None), ArgumentTypeError, "path", "None"),  # type: ignore[arg-type]
    (lambda d: hexapla.Model.load(d.model).save_quantized(d.folder / "q", ["encoder.layers.9."]), UsageError, "keep",
     "encoder.layers.9."),
    (lambda d: hexapla.Model.load(d.model).save_quantized(d.folder / "q", "encoder"), ArgumentTypeError, "keep", "encoder"),
    (lambda d: hexapla.Model(None), ArgumentTypeError, "core", "None"),  # type: ignore[arg-type]
]

INSPECTOR: list[Case] = [
    (lambda d: hexapla.Inspector(d.model).inspect(""), UsageError, "source", ""),
    (lambda d: hexapla.Inspector(d.model).inspect(None), ArgumentTypeError, "source", "None"),  # type: ignore[arg-type]
    (lambda d: hexapla.Inspector(d.model).inspect("a", 5), ArgumentTypeError, "target", "5"),  # type: ignore[arg-type]
    (lambda d: hexapla.Inspector(d.model).inspect(SURROGATE), UsageError, "source", r"\ud800"),
    (lambda d: hexapla.Inspector(d.model).inspect("dog " * 5000), UsageError, "", ""),
    (lambda d: d.inspection.attention("encoder"), UsageError, "sublayer", "encoder"),
    (lambda d: d.inspection.attention(SURROGATE), UsageError, "sublayer", r"\ud800"),
    (lambda d: d.inspection["nothing"], KeyError, "", ""),
    (lambda d: d.inspection[5], ArgumentTypeError, "name", "5"),  # type: ignore[index]
]

EVALUATOR: list[Case] = [
    (lambda d: hexapla.evaluate([], []), UsageError, "hypotheses", ""),
    (lambda d: hexapla.evaluate(["a"], []), UsageError, "references", ""),
    (lambda d: hexapla.evaluate(["a"], ["a", "b"]), UsageError, "references", "2"),
    (lambda d: hexapla.evaluate(["a"], [["a"], ["a", "b"]]), UsageError, "references", "2"),
    (lambda d: hexapla.evaluate("a", ["a"]), ArgumentTypeError, "hypotheses", "a"),
    (lambda d: hexapla.evaluate(None, ["a"]), ArgumentTypeError, "hypotheses", "None"),  # type: ignore[arg-type]
    (lambda d: hexapla.evaluate(["a"], None), ArgumentTypeError, "references", "None"),  # type: ignore[arg-type]
    (lambda d: hexapla.evaluate(["a"], [["a"], None]), ArgumentTypeError, "references[1]", "None"),  # type: ignore[list-item]
    (lambda d: hexapla.evaluate(["a"], [NAN]), ArgumentTypeError, "references[0]", "nan"),  # type: ignore[list-item]
    (lambda d: hexapla.evaluate([SURROGATE], ["a"]), UsageError, "hypotheses[0]", r"\ud800"),
    (lambda d: hexapla.evaluate(["a"], ["a"], []), UsageError, "metrics", ""),
    (lambda d: hexapla.evaluate(["a"], ["a"], ["meteor"]), UsageError, "metrics", "meteor"),
    (lambda d: hexapla.evaluate(["a"], ["a"], "bleu"), ArgumentTypeError, "metrics", "bleu"),
    (lambda d: hexapla.evaluate(["a"], ["a"], tokenize="words"), UsageError, "tokenize", "words"),
    (lambda d: hexapla.evaluate(["a"], ["a"], lowercase=1), ArgumentTypeError, "lowercase", "1"),  # type: ignore[arg-type]
    (lambda d: hexapla.evaluate(["a"], ["a"], resamples=1), UsageError, "resamples", "1"),
    (lambda d: hexapla.evaluate(["a"], ["a"], resamples=-1), UsageError, "resamples", "-1"),
    (lambda d: hexapla.evaluate(["a"], ["a"], resamples=HUGE), UsageError, "resamples", "very many digits"),
    (lambda d: hexapla.evaluate(["a"], ["a"], resamples=2.5), ArgumentTypeError, "resamples", "2.5"),  # type: ignore[arg-type]
    (lambda d: hexapla.evaluate(["a"], ["a"], resample_seed=-1), UsageError, "resample_seed", "-1"),
    (lambda d: hexapla.Evaluator().compare(["a"], ["a", "b"], ["a"]), UsageError, "references", "1"),
]

PAIRS = made_up_pairs(30, 1)
TRAINER: list[Case] = [
    *((lambda d, name=name, bad=bad: d.trainer(**{name: bad}), UsageError, name, value)
      for name, bad, value in (
          ("batch_tokens", -1, "-1"), ("dropout", 1.5, "1.5"), ("dropout", NAN, "nan"), ("lr", math.inf, "inf"),
          ("seed", -1, "-1"), ("vocab_size", "big", "big"), ("preset", "huge", "huge"), ("tied", "some", "some"),
          ("max_minutes", HUGE, "very many digits"), ("beam", 4, ""),
          ("model", "run\0", r"\x00"), ("train_sets", [SURROGATE], r"\ud800"), ("ema", 1, "1"))),
    *((lambda d, name=name, bad=bad: d.trainer(**{name: bad}), ArgumentTypeError, name, value)
      for name, bad, value in (("model", b"run", "b'run'"), ("train_sets", [None], "None"),
                               ("heads", object(), "object"))),
    (lambda d: d.trainer(valid_every="often").train(PAIRS), UsageError, "valid_every", "often"),
    (lambda d: d.train(), UsageError, "train_sets", ""),
    (lambda d: hexapla.Trainer(preset="tiny").train(PAIRS), UsageError, "model", ""),
    (lambda d: d.trainer(train_sets=["x", "y"]).train(PAIRS), UsageError, "train_sets", "x"),
    (lambda d: d.trainer(train_sets=[d.folder / "x", d.folder / "y"]).train(), DataError, "", ""),
    (lambda d: hexapla.Trainer(d.folder / "none.yml"), UsageError, "", ""),
    (lambda d: hexapla.Trainer(5), ArgumentTypeError, "config", "5"),  # type: ignore[arg-type]
    (lambda d: d.train([]), DataError, "", ""),
    (lambda d: d.train(5), ArgumentTypeError, "pairs", "5"),
    (lambda d: d.train("ab"), ArgumentTypeError, "pairs", "ab"),
    (lambda d: d.train(lambda: 5), ArgumentTypeError, "pairs", "5"),
    (lambda d: d.train(["ab"]), ArgumentTypeError, "pairs[0]", "ab"),
    (lambda d: d.train([("a", "b"), None]), ArgumentTypeError, "pairs[1]", "None"),
    (lambda d: d.train([("a", "b", "c")]), ArgumentTypeError, "pairs[0]", "('a', 'b', 'c')"),
    (lambda d: d.train([("a", None)]), ArgumentTypeError, "pairs[0][1]", "None"),
    (lambda d: d.train([(NAN, "b")]), ArgumentTypeError, "pairs[0][0]", "nan"),
    (lambda d: d.train([("a", SURROGATE)]), UsageError, "pairs[0][1]", r"\ud800"),
    (lambda d: d.train([("a\nb", "c")]), DataError, "", ""),
    (lambda d: d.train([("a\0b", "c")]), DataError, "", ""),
    (lambda d: d.train(PAIRS, [("a", b"b")]), ArgumentTypeError, "validation[0][1]", "b'b'"),
    (lambda d: d.train(PAIRS, []), DataError, "", ""),
    (lambda d: d.train(PAIRS, on_report=5), ArgumentTypeError, "on_report", "5"),
    (lambda d: d.trainer(model=d.model + "/run").train(PAIRS), RunError, "", ""),
]

THREADS: list[Case] = [
    (lambda d: hexapla.set_threads(-1), UsageError, "n", "-1"),
    (lambda d: hexapla.set_threads(5000), UsageError, "n", "5000"),
    (lambda d: hexapla.set_threads(HUGE), UsageError, "n", "very many digits"),
    (lambda d: hexapla.set_threads(1.5), ArgumentTypeError, "n", "1.5"),  # type: ignore[arg-type]
    (lambda d: hexapla.set_threads(None), ArgumentTypeError, "n", "None"),  # type: ignore[arg-type]
]

TABLE = {"lines": LINES, "options": OPTIONS, "tokens": TOKENS, "constraints": CONSTRAINTS, "requests": REQUESTS, "models": MODELS,
         "inspector": INSPECTOR, "evaluator": EVALUATOR, "trainer": TRAINER, "threads": THREADS}


def check(doors: Doors, case: Case) -> None:
    """Checks that the case's call raises the case's exception."""
    call, expected, option, value = case
    with pytest.raises(Exception) as raised:
        found = call(doors)
        list(found) if isinstance(found, hexapla.Stream) else None
    error = raised.value
    assert isinstance(error, expected), f"{type(error).__name__}: {error}"
    assert str(error)
    if isinstance(error, UsageError):
        assert (error.option, value in error.value) == (option, True), f"{error.option!r}, {error.value!r}: {error}"
    assert not isinstance(error, hexapla.InternalError), error


@pytest.fixture
def doors(translator: hexapla.Translator, model: str, tmp_path: pathlib.Path) -> Doors:
    return Doors(translator, model, tmp_path)


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{name}{i}") for name, cases in TABLE.items()
                                  for i, case in enumerate(cases)])
def test_bad_input(doors: Doors, case: Case) -> None:
    check(doors, case)
    assert doors.translator.translate("the dog"), "the translator is as before"


@pytest.mark.parametrize("wrong", [
    (translate("the dog"), UsageError, "beam_size", "0"),
    (translate("the dog", beam_size=0), DataError, "beam_size", "0"),
    (translate("the dog", beam_size=0), UsageError, "n_best", "0"),
    (translate("the dog", beam_size=0), UsageError, "beam_size", "1"),
    (lambda d: 1 / 0, UsageError, "", ""),
], ids=["no exception", "another exception", "another field", "another value", "a bug"])
def test_the_table_can_fail(doors: Doors, wrong: Case) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check(doors, wrong)


def test_a_read_only_folder_and_a_full_disk(doors: Doors) -> None:
    with pytest.raises(RunError, match="/dev/full"):
        hexapla.Model.load(doors.model).save("/dev/full/x")
    assert os.path.exists(doors.model)
