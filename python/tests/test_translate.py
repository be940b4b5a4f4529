"""The package's output is byte-identical to the program's."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pathlib
import pickle
import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from conftest import Program, made_up_lines

import hexapla

LINES = [*made_up_lines(97, 2), "", "zebra ☃ Ω", "a dog. " * 40, "THE DOG RUNS"]

# Every search option, with a value that changes something.
CASES: list[dict[str, Any]] = [
    {},
    {"beam_size": 1},
    {"beam_size": 7, "length_penalty": 1.5},
    {"length_normalization": "power", "length_penalty": 1},
    {"extra_length": 1},
    {"max_length": 12},
    {"batch_sentences": 3},
    {"batch_tokens": 20},
    {"word_penalty": 0.7},
    {"coverage_penalty": 0.4},
    {"longest": 5},
    {"longest_ratio": 0.6},
    {"min_length": 12},
    {"no_repeat_ngram": 2},
    {"max_repetition": 1},
    {"unk": "forbid"},
    {"unk": "copy"},
    {"repetition_penalty": 1.5},
    {"sentences": "split"},
    {"sentences": "keep"},
    {"stop_when": "outscored"},
    {"stop_when": "shrinking"},
    {"letter_case": "keep"},
    {"long_input": "truncate", "max_length": 8},
    {"protect": "none"},
    {"protect_pattern": ["do.", "big|red"]},
    {"sample": True, "seed": 7},
    {"sample": True, "temperature": 1.4, "top_k": 9, "top_p": 0.8},
]


def flags(options: dict[str, Any]) -> list[str]:
    """The options as flags of the program."""
    all_flags = []
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            all_flags.append("--" + name.replace("_", "-"))
            if one is not True:
                all_flags.append(str(one))
    return all_flags


def test_every_option_is_tried() -> None:
    tried = {name for case in CASES for name in case}
    assert tried | {"n_best", "distinct", "alignment"} == set(hexapla.SearchOptions.__annotations__)


@pytest.mark.filterwarnings("ignore::hexapla.LineWarning")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_bytes_of_the_program(program: Program, translator: hexapla.Translator, model: str,
                              case: dict[str, Any]) -> None:
    text = "".join(line + "\n" for line in LINES)
    expected = program("translate", "-q", "-m", model, *flags(case), text=text)
    assert "".join(line + "\n" for line in translator.translate(LINES, **case)) == expected


def test_options_change_something(translator: hexapla.Translator) -> None:
    lines = LINES[:97]
    usual = translator.translate(lines)
    for case in CASES:
        if set(case) & {"beam_size", "longest", "longest_ratio", "min_length", "sample"}:
            assert translator.translate(lines, **case) != usual, case


def test_n_best_of_the_program(program: Program, translator: hexapla.Translator, model: str) -> None:
    text = "".join(line + "\n" for line in LINES[:97])
    expected = program("translate", "-m", model, "--n-best", 3, text=text)
    given = ""
    for number, found in enumerate(translator.translate_n_best(LINES[:97], n_best=3)):
        for t in found:
            given += f"{number} ||| {t.text} ||| F0= {t.score:.6f} ||| {t.normalized:.6f}\n"
    digits = re.compile(r"-?\d+\.\d+")
    assert digits.sub("", given) == digits.sub("", expected)
    assert [float(x) for x in digits.findall(given)] == pytest.approx([float(x) for x in digits.findall(expected)],
                                                                      abs=1e-4)


def test_constraints_of_the_program(program: Program, translator: hexapla.Translator, model: str,
                                    tmp_path: pathlib.Path) -> None:
    lines = LINES[:97]
    prefixes = tmp_path / "prefixes"
    prefixes.write_text("".join(f"{'der' if i % 2 else ''}\n" for i in range(97)))
    expected = program("translate", "-m", model, "--prefix", prefixes, "--require", "Hund", "--forbid", "rot",
                       text="".join(line + "\n" for line in lines))
    constraints = [hexapla.Constraints("der" if i % 2 else "", ["Hund"], ["rot"]) for i in range(97)]
    assert translator.translate(lines, constraints=constraints) == expected.splitlines()
    assert all("Hund" in line for line in translator.translate(lines, constraints=constraints[0]))


def test_glossaries_of_the_program(program: Program, translator: hexapla.Translator, model: str,
                                   tmp_path: pathlib.Path) -> None:
    lines = LINES[:20]
    file = tmp_path / "terms.tsv"
    file.write_text("dog\tHund|Hunde\nthe\trot\n")
    expected = program("translate", "-m", model, "--glossary", file, text="".join(line + "\n" for line in lines))
    for glossary in (hexapla.Glossary.read(file), hexapla.Glossary({"dog": ["Hund", "Hunde"], "the": "rot"}),
                     hexapla.Glossary([("dog", "Hund|Hunde"), ("the", "rot")])):
        assert len(glossary) == 2
        assert translator.translate(lines, glossary=glossary) == expected.splitlines()
    assert translator.submit(lines, glossary=glossary).result()[3][0].text == expected.splitlines()[3]
    assert translator.translate_n_best(lines[3], glossary=glossary)[0].text == expected.splitlines()[3]
    assert list(translator.stream(lines[3], glossary=glossary))[-1] == expected.splitlines()[3]


def test_ensembles_of_the_program(program: Program, model: str) -> None:
    lines = LINES[:20]
    expected = program("translate", "-m", model, model, "--weights", "2,1", "--ensemble", "log-linear",
                       text="".join(line + "\n" for line in lines))
    both = hexapla.Translator([model, model], ensemble="log-linear", weights=[2, 1])
    assert both.translate(lines) == expected.splitlines()


def test_one_line_and_many_agree(translator: hexapla.Translator) -> None:
    found = translator.translate_n_best(LINES[:5], n_best=2)
    for line, of_line in zip(LINES, found):
        assert translator.translate_n_best(line, n_best=2) == of_line
        assert translator.translate(line) == of_line[0].text == str(of_line[0])
    assert translator.translate(iter(LINES[:5])) == [of_line[0].text for of_line in found]
    assert translator.translate([]) == []
    assert translator.translate("") == ""


def test_documents_keep_their_bytes(translator: hexapla.Translator) -> None:
    dog, cat = translator.translate(["the dog", "the big cat"])
    assert translator.translate_document("<p id=1>the dog</p>\n<hr>the big cat", "a.html") == (
        f"<p id=1>{dog}</p>\n<hr>{cat}")
    assert translator.translate_document("<hr title='the dog'>", "a.html", attributes=True) == f"<hr title='{dog}'>"
    assert translator.translate_document(b"the dog\r\n\r\n", "A.TXT") == dog.encode() + b"\r\n\r\n"
    assert ".html" in hexapla.document_formats()
    terms = hexapla.Glossary({"dog": "rot"})
    assert translator.translate_document("<p>the dog</p>", "a.html", glossary=terms) == (
        f"<p>{translator.translate('the dog', glossary=terms)}</p>")


def test_tokens_and_their_scores(translator: hexapla.Translator) -> None:
    best = translator.translate_n_best("the big dog runs")[0]
    assert "".join(best.tokens).replace("▁", " ").strip() == best.text
    assert len(best.ids) == len(best.tokens) == len(best.token_scores) - 1
    assert sum(best.token_scores) == pytest.approx(best.score, abs=1e-4)
    again = translator.score("the big dog runs", best.text)
    assert again.tokens == best.tokens
    assert again.score == pytest.approx(best.score, abs=1e-4)
    assert again.normalized == pytest.approx(best.normalized, abs=1e-4)
    assert translator.score(["the big dog runs"], [best.text]) == [again]


def test_tokens_in_and_out(translator: hexapla.Translator) -> None:
    tokens = [translator.tokens(line) for line in LINES]
    assert translator.tokens("the dog") == ["▁the", "▁dog"] or "".join(translator.tokens("the dog")) == "▁the▁dog"
    expected = translator.translate_n_best(LINES, n_best=2, protect="none", sentences="keep", letter_case="keep")
    found = translator.translate_tokens(tokens, n_best=2)
    assert found == expected
    assert translator.translate_tokens((iter(one) for one in tokens[:3]), n_best=2) == expected[:3]
    asked = hexapla.Constraints(prefix="der")
    assert translator.translate_tokens(tokens[:5], constraints=asked)[0][0].text.startswith("der")
    assert translator.translate_tokens([]) == []


def test_threads_of_a_translator_change_no_translation(model: str, translator: hexapla.Translator) -> None:
    for threads in (1, 2, 3):
        own = hexapla.Translator(model, threads=threads)
        assert own.translate(LINES[:97]) == translator.translate(LINES[:97])
        assert own.submit(LINES[:9]).result() == translator.translate_n_best(LINES[:9])


def test_alignments(translator: hexapla.Translator) -> None:
    best = translator.translate_n_best("the big dog runs", alignment="words")[0]
    assert best.alignment is not None
    assert best.alignment.source_words == ["the", "big", "dog", "runs"]
    assert best.alignment.target_words == best.text.split()
    weights = best.alignment.weights
    assert weights.shape == (len(best.alignment.target_words) + 1, 5)
    assert weights.sum(1) == pytest.approx(1, abs=1e-5)
    assert not weights.flags.writeable
    assert weights.__array_interface__["data"] == best.alignment.weights.__array_interface__["data"], "a copy"
    assert pickle.loads(pickle.dumps(best)) == best
    given = translator.align("the big dog runs", best.text)
    assert given.links == best.alignment.links
    assert translator.align(["the big dog runs"], [best.text], units="blanks")[0].links == given.links


def test_lines_that_were_cut_are_told(translator: hexapla.Translator) -> None:
    told: list[tuple[int, str]] = []
    long = " ".join(["dog"] * 30)
    translator.translate(["a", long], max_length=5, warn=lambda line, what: told.append((line, what)))
    assert [line for line, _ in told] == [2]
    assert "more than 5" in told[0][1]
    with pytest.warns(hexapla.LineWarning, match="line 2: .*more than 5"):
        translator.translate(["a", long], max_length=5)
    with pytest.warns(hexapla.LineWarning, match="line 1: .*more than 5"):
        translator.submit(long, max_length=5).result()


LONG = " ".join(["dog"] * 30)
SOURCE = pathlib.Path(__file__).read_text().splitlines()


async def awaited(translator: hexapla.Translator) -> None:
    await translator.submit(LONG, max_length=5)


async def iterated(translator: hexapla.Translator) -> None:
    async for _ in translator.stream(LONG, max_length=5):
        pass


@pytest.mark.parametrize("call", [
    lambda t: t.translate(LONG, max_length=5),
    lambda t: t.translate_n_best(LONG, max_length=5),
    lambda t: t.score(LONG, "Hund", max_length=5),
    lambda t: t.align(LONG, "Hund", max_length=5),
    lambda t: t.submit(LONG, max_length=5).result(),
    lambda t: list(t.stream(LONG, max_length=5)),
    lambda t: t.stream(LONG, max_length=5).result(),
    lambda t: asyncio.run(awaited(t)),
    lambda t: asyncio.run(iterated(t))])
def test_warnings_point_at_the_line_of_the_caller(translator: hexapla.Translator,
                                                  call: Callable[[hexapla.Translator], object]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(translator)
    assert caught
    for warning in caught:
        assert warning.filename == __file__
        assert "max_length=5" in SOURCE[warning.lineno - 1]


def test_every_message_counts_lines_from_one(translator: hexapla.Translator) -> None:
    """Every warning and error calls the third line "line 3"."""
    with pytest.warns(hexapla.LineWarning, match="^line 3: "):
        translator.translate(["a", "a", LONG], max_length=5)
    with pytest.warns(hexapla.LineWarning, match="^line 3: "):
        translator.submit(["a", "a", LONG], max_length=5).result()
    with pytest.warns(hexapla.LineWarning, match="^line 3: "):
        translator.score(["a", "a", LONG], ["a"] * 3, max_length=5)
    for call in (translator.translate, translator.translate_n_best, translator.submit):
        with pytest.raises(hexapla.DataError, match="^line 3 "):
            call(["a", "a", LONG], max_length=5, long_input="refuse")
        with pytest.raises(hexapla.DataError, match="^line 3: "):
            call(["a"] * 3, constraints=[hexapla.Constraints()] * 2 + [hexapla.Constraints(forbid=[""])])


def test_a_translator_is_closed_by_with(model: str) -> None:
    with hexapla.Translator(model) as translator:
        expected = translator.translate_n_best("the dog")
        pending = translator.submit("the dog")
    assert pending.result() == expected, "what was begun still ends"
    for call in (translator.translate, translator.translate_n_best, translator.submit, translator.stream):
        with pytest.raises(hexapla.UsageError, match="is closed"):
            call("the dog")
    translator.close()


def test_a_translator_says_what_it_is(model: str) -> None:
    assert repr(hexapla.Translator(model)).startswith(f"hexapla.Translator(model={model!r}, precision=")
    both = hexapla.Translator([model, model], weights=[2, 1])
    assert eval(repr(both)).translate("the dog") == both.translate("the dog")


def _translated(translator: hexapla.Translator) -> list[str]:
    return translator.translate(LINES[:20])


def test_a_pickled_translator_opens_its_files_again(model: str, tmp_path: pathlib.Path,
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(os.path.dirname(model))
    given = hexapla.Translator([os.path.basename(model), model], ensemble="log-linear", weights=[2, 1])
    monkeypatch.chdir(tmp_path)
    again = pickle.loads(pickle.dumps(given))
    assert repr(again) == repr(given)
    assert _translated(again) == _translated(given)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(_translated, [given]) == [_translated(given)]
