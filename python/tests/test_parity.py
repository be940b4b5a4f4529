"""What the public headers declare is in this package, too, or is named here with the reason."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

import pytest
from conftest import ROOT

import hexapla

HEADERS = ROOT / "include/hexapla"

# Structs of options: where their fields are.
OPTIONS: dict[str, list[Callable[..., Any]]] = {
    "TranslatorOptions": [hexapla.Translator.translate, hexapla.Translator.score],
    "ModelOptions": [hexapla.Translator.__init__],
    "RequestOptions": [hexapla.Translator.submit],
    "DocumentOptions": [hexapla.Translator.translate_document],
    "EvaluatorOptions": [hexapla.Evaluator.__init__, hexapla.Evaluator.score],
    "InspectionOptions": [hexapla.Inspector.inspect],
    "ShortlistOptions": [hexapla.make_shortlist],
    "AugmentOptions": [hexapla.augment],
    "SamplingShape": [hexapla.Inspector.inspect],
    "ModelChanges": [hexapla.Inspector.changed],
    "TrainingCallbacks": [hexapla.Trainer.train],
}
CLASSES = {"PendingTranslation": hexapla.Pending, "ScoreResult": hexapla.Score}
# Other names here.
RENAMED = {
    "Glossary.size": "Glossary.__len__", "PendingTranslation.get": "Pending.result", "PendingTranslation.ready": "Pending.done",
    "PendingTranslation.wait_for": "Pending.result", "Inspector.draw_attention": "Inspection.attention",
    "Inspection.tensors": "Inspection.__getitem__", "Trainer.set_training_pairs": "Trainer.train",
    "Trainer.set_validation_pairs": "Trainer.train", "version": "__version__", "Translator.score_tokens": "Translator.score",
    "Translator.stream": "Translator.translate_stream", "LineSource.read_ahead": "Translator.translate_stream",
    "TranslationStream.next": "Translator.translate_stream",
    "ModelChanges.removed_heads": "Inspector.changed", "InspectionOptions.sampling": "Inspector.inspect",
    "search_options": "SearchOptions", "training_options": "TrainingOptions", "import_options": "ImportOptions",
    "export_options": "ExportOptions",
}
# Not here, with the reason; a class: all of it.
LEFT_OUT = {
    "OptionDescription": "SearchOptions and the others have the names and types, help() the rest",
    "NamedArray": "arrays are NumPy's",
    "Matrix": "Alignment.attention and weights",
    "TextFile": "open(), gzip.open() and others are iterables of lines",
    "ShardFile": "parts of files are shared by processes of the program",
    "PairFile": "zip() of two open() files",
    "read_lines": "open()",
    "LineSource.next": "any iterable of lines, and one of constraints",
    "LineSource.ready": "an iterator cannot tell whether it waits: read_ahead=1 translates each line at once",
    "TranslationStream.ready": "a generator gives one line after the other",
    "TranslationStream.begin": "it is a generator",
    "TranslationStream.end": "it is a generator",
    "Iterator": "it is a generator",
    "Range": "private",
    "ParameterView": "Model.parameters has arrays by name",
    "RemovedHead": "a tuple",
    "OptionValue": "values are Python's",
    "Place": "private",
    "EndFunction": "add_done_callback()",
    "RequestSize": "RequestOptions.on_size",
    "RequestOptions.on_size": "for servers in C++, which account for memory: it may be called without the GIL",
    "RequestOptions.on_end": "Pending.add_done_callback()",
    "RequestOptions.aligned": "submit the lines that are aligned apart from the others",
    "TranslatorOptions.from": "options are keywords",
    "TranslatorOptions.require": "constraints may be one for all lines",
    "TranslatorOptions.forbid": "constraints may be one for all lines",
    "TranslatorOptions.named": "Translator.complete() returns names",
}


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Every class and struct with its public declarations; "" with those of the namespace."""
    pattern = re.compile(r"\b(?:class|struct) (?:HEXAPLA_\w+ )?(\w+)(?: final)?(?: : [^{;]*)? \{")
    while (found := pattern.search(text)) is not None:
        end, depth = found.end(), 1
        while depth > 0:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        body = text[found.end():end - 1]
        yield from ((name, inside) for name, inside in blocks(body) if name)
        plain = body
        for inside in re.finditer(pattern, body):  # of nested ones
            close, depth = inside.end(), 1
            while depth > 0:
                depth += {"{": 1, "}": -1}.get(body[close], 0)
                close += 1
            plain = plain.replace(body[inside.start():close], "")
        is_class = text[found.start():].startswith("class")
        parts = re.split(r"\b(public|private|protected):", plain)
        public = "" if is_class else parts[0]
        public += "".join(part for access, part in zip(parts[1::2], parts[2::2]) if access == "public")
        yield found[1], public
        text = text[:found.start()] + text[end:]
    yield "", text


def names(body: str) -> set[str]:
    """The functions and fields that a body declares."""
    body = re.sub(r"\boperator\W+\(", "operator_(", body)
    for pattern, instead in ((r"<[^<>]*>", ""), (r"\([^()]+\)", "()"), (r"\{[^{}]*\}", ";")):
        while re.search(pattern, body):
            body = re.sub(pattern, instead, body)
    found = set()
    for statement in body.split(";"):
        statement = re.sub(r"\[\[\w+\]\]|\bHEXAPLA_\w+(\([^()]*\))?", "", statement).strip()
        if re.match(r"(using|template|namespace|typedef|friend|class|struct|inline constexpr)\b", statement) or not statement:
            continue
        if "(" in statement:
            if name := re.search(r"([\w~]+) ?\(", statement):
                found.add(name[1])
        else:
            for declared in re.sub(r"=[^,]*", "", statement).split(","):
                if name := re.search(r"(\w+)\s*$", declared):
                    found.add(name[1])
    return found


def declared() -> dict[str, set[str]]:
    if not HEADERS.exists():
        pytest.skip(f"{HEADERS} is not there: the sources are needed")
    all_names: dict[str, set[str]] = {}
    for header in HEADERS.glob("*.h"):
        if header.name in {"nn.h", "owned.h", "visibility.h"}:  # layers are for C++; these have no functions
            continue
        text = re.sub(r"//[^\n]*|^#.*?(?<!\\)$", "", header.read_text(), flags=re.MULTILINE)
        text = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
        # The body of the namespace hexapla, without those in it, which are internal.
        text = re.sub(r"namespace (?:api|decode|detail) \{.*?\n\}", "", text, flags=re.DOTALL)
        text = re.sub(r"namespace hexapla \{|\}\s*$", "", text.strip())
        for name, body in blocks(text):
            all_names.setdefault(name, set()).update(names(body))
    return all_names


def is_there(path: str) -> bool:
    here: Any = hexapla
    for name in path.split("."):
        if not hasattr(here, name) and name not in getattr(here, "__annotations__", {}):
            return False
        here = getattr(here, name, None)
    return True


def missing(kind: str, name: str) -> bool:
    path = f"{kind}.{name}" if kind else name
    if path in LEFT_OUT or kind in LEFT_OUT:
        return False
    if path in RENAMED:
        return not is_there(RENAMED[path])
    if kind in OPTIONS:
        keywords = {parameter for f in OPTIONS[kind] for parameter in inspect.signature(f).parameters}
        return name not in keywords | (set(get_type_hints(hexapla.SearchOptions)) if kind == "TranslatorOptions" else set())
    if kind in CLASSES:
        return not is_there(f"{CLASSES[kind].__name__}.{name}")
    if kind == "Share":
        return name not in {field.name for field in dataclasses.fields(hexapla.TokenShare)}
    return not is_there(path)


def test_what_the_headers_declare_is_here() -> None:
    everything = declared()
    assert len(everything) > 30
    assert {"translate", "submit", "check", "complete"} <= everything["Translator"]
    assert {"set_threads", "instruction_set", "import_model", "document_formats"} <= everything[""]
    assert {"beam_size", "glossary", "stop"} <= everything["TranslatorOptions"]
    assert {"timeout", "client", "on_progress"} <= everything["RequestOptions"]
    special = {kind: {kind, f"~{kind}", "operator_"} for kind in everything}
    gone = [f"{kind}.{name}" for kind, of_kind in everything.items() for name in sorted(of_kind - special[kind])
            if missing(kind, name)]
    assert gone == []


def test_no_reason_is_stale() -> None:
    everything = declared()
    paths = set(everything) | everything[""] | {f"{kind}.{name}" for kind in everything for name in everything[kind]}
    assert set(RENAMED) - paths == set()
    assert set(LEFT_OUT) - paths == set()


def test_errors_are_those_of_the_headers() -> None:
    if not HEADERS.exists():
        pytest.skip(f"{HEADERS} is not there: the sources are needed")
    text = "".join(header.read_text() for header in HEADERS.glob("*.h"))
    bases = {name: base for name, base in re.findall(r"class (?:HEXAPLA_\w+ )?(\w+) : public (\w+)", text)
             if base == "std" or base.endswith("Error") or base == "Canceled"}
    assert {"TimedOut", "MissingFile", "UsageError"} <= set(bases)
    for name, base in bases.items():
        if name != "UserError" and base not in {"std", "UserError"}:
            assert issubclass(getattr(hexapla, name), getattr(hexapla, base)), name
    assert issubclass(hexapla.UsageError, hexapla.Error)
