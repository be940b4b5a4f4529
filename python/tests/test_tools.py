"""Evaluator, inspector, model, and the package itself."""

from __future__ import annotations

import html.parser
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy
import pytest
from conftest import Program, made_up_lines, made_up_pairs

import hexapla


def test_scores_of_the_program(program: Program, tmp_path: pathlib.Path) -> None:
    hypotheses, references = made_up_lines(30, 1), made_up_lines(30, 2)
    for name, lines in (("hypotheses", hypotheses), ("references", references)):
        (tmp_path / name).write_text("".join(line + "\n" for line in lines))
    told = program("evaluate", tmp_path / "hypotheses", tmp_path / "references", "--metrics", "bleu", "chrf", "ter")
    scores = hexapla.evaluate(hypotheses, references, ["bleu", "chrf", "ter"])
    assert list(scores) == ["bleu", "chrf", "ter"]
    for score in scores.values():
        assert f"{score.signature} = {score.score:.1f}"[:-2] in told, told
    assert str(scores["bleu"]).startswith("BLEU|nrefs:1|")


def test_evaluator(program: Program) -> None:
    lines, others = made_up_lines(30, 1), made_up_lines(30, 2)
    evaluator = hexapla.Evaluator(["bleu", "ter"], resamples=50)
    assert evaluator.score(lines, lines)["bleu"].score == pytest.approx(100)
    assert evaluator.score(others, lines)["bleu"].half_width > 0
    two = evaluator.score(others, [lines, others])["bleu"]
    assert two.score == pytest.approx(100)
    assert "nrefs:2" in two.signature
    sentences = evaluator.score_sentences(others, lines)
    assert {name: len(scores) for name, scores in sentences.items()} == {"bleu": 30, "ter": 30}
    compared = evaluator.compare(lines, others, [lines])["bleu"]
    assert compared.baseline == pytest.approx(100)
    assert compared.system < 100
    assert compared.p_value < 0.05
    loud, quiet = ["THE dog runs fast"], ["the dog runs fast"]
    assert hexapla.evaluate(loud, quiet, ["bleu"], lowercase=True)["bleu"].score == pytest.approx(100)
    assert hexapla.evaluate(loud, quiet, ["bleu"])["bleu"].score < 100


def test_runs_of_one_system_are_scored_together() -> None:
    lines = made_up_lines(30, 1)
    evaluator = hexapla.Evaluator(["chrf"], resamples=50)

    def score(every: int) -> hexapla.MetricScore:
        return evaluator.score([x if i % every else "no" for i, x in enumerate(lines)], lines)["chrf"]

    runs = [score(5), score(7)]
    both = hexapla.Evaluator.of_runs(iter(runs))
    assert both.metric == runs[0].metric
    assert both.score == pytest.approx((runs[0].score + runs[1].score) / 2)
    assert both.sentences == pytest.approx([(x + y) / 2 for x, y in zip(runs[0].sentences, runs[1].sentences)])
    assert hexapla.Evaluator.p_value(score(2), both) < 0.05 < hexapla.Evaluator.p_value(runs[0], both)
    assert hexapla.Evaluator.of_runs(runs[:1]) == runs[0]
    with pytest.raises(hexapla.UsageError):
        hexapla.Evaluator.of_runs([])
    with pytest.raises(hexapla.UsageError):
        hexapla.Evaluator.of_runs([runs[0], hexapla.evaluate(lines, lines, ["chrf"])["chrf"]])
    for wrong in (None, [1], runs[0]):
        with pytest.raises(hexapla.ArgumentTypeError):
            hexapla.Evaluator.of_runs(wrong)  # type: ignore[arg-type]


def test_intermediates_are_arrays_without_a_copy(model: str, translator: hexapla.Translator) -> None:
    seen = hexapla.Inspector(model).inspect("the big dog", "der groß Hund")
    weights = seen["decoder.layers.0.cross_attention.weights"]
    assert weights.shape == (2, len(seen.target_tokens), len(seen.source_tokens))
    assert weights.dtype == numpy.float64
    assert weights.sum(2) == pytest.approx(1)
    again = seen["decoder.layers.0.cross_attention.weights"]
    assert weights.__array_interface__["data"] == again.__array_interface__["data"]
    with pytest.raises(ValueError, match="read-only"):
        weights[0, 0, 0] = 1
    assert seen.predicted[-1] == "</s>"
    assert len(seen) == len(list(seen)) > 20
    assert seen.score == pytest.approx(sum(seen.log_probabilities))
    assert seen.score == pytest.approx(translator.score("the big dog", "der groß Hund").score, abs=1e-4)
    with pytest.raises(KeyError):
        seen["encoder"]
    before = weights.copy()
    del seen, again
    assert (weights == before).all(), "the array keeps its memory"


def test_a_translator_traces_its_search(model: str, translator: hexapla.Translator) -> None:
    trace = translator.trace("the big dog", beam_size=3, n_best=2)
    found = translator.translate_n_best("the big dog", beam_size=3, n_best=2)
    assert [one.tokens for one in trace.finished][:2] == [one.tokens for one in found]
    assert trace.picture.startswith("<svg")
    assert trace.table == hexapla.Inspector(model).trace("the big dog", beam_size=3, n_best=2).table
    with pytest.raises(hexapla.UsageError, match="one model"):
        hexapla.Translator([model, model]).trace("a dog")
    with pytest.raises(hexapla.UsageError, match="coverage_penalty"):
        translator.trace("a dog", coverage_penalty=1.0)


def test_alignments_have_a_text_and_come_from_a_head(model: str, translator: hexapla.Translator, program: Program,
                                                     tmp_path: pathlib.Path) -> None:
    line = "the big dog sleeps here"
    cases: list[dict[str, Any]] = [{}, {"alignment_layer": 0, "alignment_head": 1}, {"alignment_head": "mean"}]
    for options in cases:
        opened = hexapla.Translator(model, **options)
        flags = [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), str(value))]
        found = opened.translate_n_best(line, alignment="words")[0]
        assert found.alignment is not None
        for kind in ("hard", "soft", "0.2"):
            assert program("translate", "-m", model, "--alignment", kind, *flags, text=line + "\n") == (
                f"{found.text} ||| {found.alignment.text(kind)}\n")
    assert "alignment_head=1" in repr(hexapla.Translator(model, alignment_head=1))
    with pytest.raises(hexapla.UsageError):
        hexapla.Translator(model, alignment_layer=9)
    with pytest.raises(hexapla.UsageError, match="hard, soft"):
        hexapla.Alignment([], [], [], []).text("harder")


def test_a_shortlist_limits_the_pieces(model: str, program: Program, tmp_path: pathlib.Path) -> None:
    for side in ("source", "target"):
        (tmp_path / side).write_text("a dog\nthe cat\n" * 20)
    lex = tmp_path / "lex.bin"
    program("shortlist", "-m", model, str(tmp_path / "source"), str(tmp_path / "target"), "-o", str(lex), "--first", "5", "--best", "2")
    opened = hexapla.Translator(model, shortlist=lex)
    lines = ["a dog", "the big cat sleeps"]
    assert "".join(text + "\n" for text in opened.translate(lines)) == program(
        "translate", "-m", model, "--shortlist", str(lex), text="".join(line + "\n" for line in lines))
    with pytest.raises(hexapla.UsageError, match="shortlist"):
        opened.translate("a dog", constraints=hexapla.Constraints(prefix="ein"))
    with pytest.raises(hexapla.UsageError, match="shortlist"):
        opened.submit("a dog")
    assert "shortlist=" in repr(opened)


def test_a_trace_is_the_search(model: str, translator: hexapla.Translator) -> None:
    trace = hexapla.Inspector(model).trace("the big dog", beam_size=3, n_best=3)
    found = translator.translate_n_best("the big dog", beam_size=3, n_best=3)
    assert [one.text for one in trace.finished] == [one.text for one in found]
    assert [one.score for one in trace.finished] == pytest.approx([one.score for one in found], abs=1e-4)
    assert trace.source_tokens[-1] == "</s>"
    assert trace.ending in ("enough", "passed", "longest")
    assert trace.why
    assert len(trace.steps) >= len(found[0].tokens)
    for step in trace.steps:
        assert 1 <= len(step.beams) <= 3
        assert {one.fate for one in step.candidates} <= {"goes on", "finished", "too low", "beaten", "left"}
        assert all(one.beam < len(step.beams) for one in step.candidates)
        assert all(one.why for one in step.candidates)


def test_a_part_of_the_model_is_taken_away(model: str) -> None:
    inspector = hexapla.Inspector(model)
    name = "encoder.layers.0.self_attention"
    own, unscaled = (one.inspect("the big dog", "der groß Hund") for one in (inspector, inspector.changed(scale=False)))
    heads, width = unscaled[f"{name}.weights"].shape[0], unscaled[f"{name}.q"].shape[1]
    root = (width / heads) ** 0.5
    assert unscaled[f"{name}.scores"] == pytest.approx(own[f"{name}.scores"] * root, rel=1e-4, abs=1e-4)
    removed = inspector.changed(heads=[("encoder", 1, head + 1) for head in range(heads)], positions=False)
    output = removed.inspect("the big dog", "der groß Hund")[f"{name}.output"]
    assert (output == output[0]).all(), "nothing but a bias is left of the output"
    with pytest.raises(hexapla.UsageError, match="no head 99"):
        inspector.changed(heads=[("encoder", 1, 99)])
    with pytest.raises(hexapla.ArgumentTypeError):
        inspector.changed(heads=["encoder"])  # type: ignore[list-item]


def test_attention_is_drawn(model: str, tmp_path: pathlib.Path) -> None:
    inspector = hexapla.Inspector(model)
    seen = inspector.inspect("the big dog & <b>")
    picture = seen.attention()
    assert ElementTree.fromstring(picture.svg).tag.endswith("svg")
    assert picture._repr_svg_() == seen.attention("decoder.layers.0.cross_attention").svg
    picture.save(tmp_path / "attention.svg")
    assert (tmp_path / "attention.svg").read_text() == picture.svg
    notebook = seen._repr_html_()
    assert picture.svg in notebook
    assert inspector.inspect("dog", "<script>")._repr_html_().count("<script") == 0
    html.parser.HTMLParser().feed(notebook)


def test_parameters_are_the_models_own(model: str, tmp_path: pathlib.Path) -> None:
    loaded = hexapla.Model.load(model)
    loaded.save(tmp_path / "same")
    assert (tmp_path / "same").read_bytes() == pathlib.Path(model).read_bytes()
    parameters = loaded.parameters
    assert sum(array.size for array in parameters.values()) == loaded.parameter_count
    name = next(iter(parameters))
    parameters[name][0] = 0
    assert (loaded.parameters[name][0] == 0).all()
    loaded.save(tmp_path / "changed")
    del loaded
    changed = hexapla.Model.load(tmp_path / "changed").parameters[name]
    assert (changed == parameters[name]).all(), "the arrays keep the model"
    assert (changed[0] == 0).all()


def test_model(model: str, tmp_path: pathlib.Path) -> None:
    loaded = hexapla.Model.load(model)
    assert loaded.configuration["dim-model"] == 32
    assert "seed" in str(loaded.history)
    assert b"Hund" in loaded.target_vocabulary
    assert loaded.source_vocabulary
    loaded.save_quantized(tmp_path / "small", keep=["decoder.layers.0."])
    assert os.path.getsize(tmp_path / "small") < os.path.getsize(model)
    lines = made_up_lines(20, 4)
    assert len(hexapla.Translator(tmp_path / "small").translate(lines)) == 20
    mean = hexapla.Model.average([model, model])
    assert all((mean.parameters[name] == array).all() for name, array in loaded.parameters.items())


def test_names_of_files_are_bytes(model: str, tmp_path: pathlib.Path) -> None:
    strange = os.fsdecode(os.fsencode(tmp_path / "m") + b"\xff")
    hexapla.Model.load(model).save(strange)
    assert hexapla.Translator(strange).translate("the dog") != ""
    with pytest.raises(hexapla.DataError, match="no such|cannot|not"):
        hexapla.Translator(strange + "\udcfe")


def test_import_needs_no_numpy(model: str) -> None:
    script = f"""
import sys
import hexapla
late = {{"numpy", "asyncio", "json", "subprocess"}} & set(sys.modules)
assert not late, late
sys.modules["numpy"] = None
t = hexapla.Translator({model!r})
assert t.translate("the dog") and t.translate_n_best("the dog", alignment="words")[0].alignment.links
try:
    t.align("the dog", "der Hund").weights
except ImportError as error:
    assert "pip install numpy" in str(error)
else:
    raise AssertionError("an array without NumPy?")
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_environment_is_left_alone() -> None:
    script = "import os; before = dict(os.environ); import hexapla; assert dict(os.environ) == before"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_everything_is_described() -> None:
    for name in hexapla.__all__:
        described = getattr(hexapla, name)
        assert described.__doc__, name
        if isinstance(described, type) and not name.endswith("Options"):
            for member, value in vars(described).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert value.__doc__, f"{name}.{member}"
    assert hexapla.__version__.count(".") == 2
    assert made_up_pairs(1, 1)


def test_the_plugin_beside_the_module_is_found(model: str) -> None:
    if not pathlib.Path(hexapla.__file__).with_name("hexapla_opencl.so").exists():
        pytest.skip("this package was built without OpenCL")
    with pytest.raises(hexapla.UsageError) as refused:
        hexapla.Translator(model, device="opencl:1000")
    assert "is not installed" not in str(refused.value)
