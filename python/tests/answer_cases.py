"""Answers requests in JSON lines, for the test that compares the interfaces (tests/interfaces_test.cpp)."""

from __future__ import annotations

import json
import math
import sys
from typing import Any, Optional

import hexapla


def number(value: float) -> Optional[float]:
    """None for infinity, which JSON lacks."""
    return value if math.isfinite(value) else None


def with_alignment(found: dict[str, Any], alignment: Optional[hexapla.Alignment]) -> dict[str, Any]:
    if alignment is not None:
        found["alignment"] = [alignment.source_words, alignment.target_words, alignment.links,
                              alignment.weights.tolist()]
    return found


def translation(t: hexapla.Translation) -> dict[str, Any]:
    return with_alignment({"text": t.text, "score": number(t.score), "normalized": number(t.normalized), "ids": t.ids,
                           "tokens": t.tokens, "token_scores": t.token_scores}, t.alignment)


def answer(translator: hexapla.Translator, case: dict[str, Any]) -> dict[str, Any]:
    warnings: list[list[Any]] = []
    options: dict[str, Any] = dict(case["options"])

    def warn(line: int, what: str) -> None:
        warnings.append([line, what])

    if case["task"] == "translate":
        constraints = None
        if case["constraints"] is not None:
            constraints = [hexapla.Constraints(**one) for one in case["constraints"]]
        if case["units"]:
            options["alignment"] = case["units"]
        found = translator.translate_n_best(case["lines"], constraints=constraints, warn=warn, **options)
        return {"lines": [[translation(t) for t in line] for line in found], "warnings": warnings}
    lines, translations = case["lines"], case["translations"]
    scores = translator.score(lines, translations, warn=warn, **options)
    alignments: list[Any] = [None] * len(scores)
    if case["task"] == "align":
        looking = {name: value for name, value in options.items() if not name.startswith("length_")}
        alignments = translator.align(lines, translations, units=case["units"], warn=lambda line, what: None, **looking)
    return {"lines": [[with_alignment({"score": s.score, "normalized": s.normalized, "tokens": s.tokens,
                                       "token_scores": s.token_scores}, a)] for s, a in zip(scores, alignments)],
            "warnings": warnings}


def main() -> None:
    translators: dict[str, hexapla.Translator] = {}
    for line in sys.stdin:
        case = json.loads(line)
        name = json.dumps(case["models"])
        try:
            if name not in translators:
                translators[name] = hexapla.Translator(case["models"])
            found = answer(translators[name], case)
        except hexapla.Error as e:
            found = {"error": str(e)}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
