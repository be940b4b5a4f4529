"""BLEU, chrF and TER; scores are equal to sacreBLEU's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import _check, _core
from ._typing import References, Unpack
from .options import MetricOptions
from .results import Comparison, MetricScore

__all__ = ["Evaluator", "evaluate"]


class Evaluator:
    """Metrics with their settings. Text is detokenized; references are one list or several lists, each with one line
    per hypothesis."""

    def __init__(self, metrics: Sequence[str] = ("bleu", "chrf"), *, tokenize: str = "13a", lowercase: bool = False,
                 chrf_lowercase: bool = False, ter_case_sensitive: bool = False, ter_normalized: bool = False,
                 ter_no_punct: bool = False, ter_asian_support: bool = False, resamples: int = 0,
                 resample_seed: int = 12345) -> None:
        """Choose metrics: any of bleu, chrf, chrf++, ter.

        tokenize (BLEU): 13a, none, intl, char, zh, ja-mecab, ko-mecab; auto: by the references' script. lowercase:
        for BLEU. resamples: bootstrap resamples for intervals and p-values, 2 to 1,000,000; 0: none, except for
        1,000 in compare().
        """
        options = _core.EvaluatorOptions()
        options.metrics = _check.lines("metrics", metrics)
        options.tokenize = _check.text("tokenize", tokenize)
        options.lowercase = _check.flag("lowercase", lowercase)
        options.chrf_lowercase = _check.flag("chrf_lowercase", chrf_lowercase)
        options.ter_case_sensitive = _check.flag("ter_case_sensitive", ter_case_sensitive)
        options.ter_normalized = _check.flag("ter_normalized", ter_normalized)
        options.ter_no_punct = _check.flag("ter_no_punct", ter_no_punct)
        options.ter_asian_support = _check.flag("ter_asian_support", ter_asian_support)
        options.resamples = _check.integer("resamples", resamples, 0, 1_000_000)
        options.resample_seed = _check.integer("resample_seed", resample_seed, 0, 2**64 - 1)
        self._core = _core.Evaluator(options)
        self._names = options.metrics

    def score(self, hypotheses: Iterable[str], references: References) -> dict[str, MetricScore]:
        """Return the score of the corpus by each metric."""
        found = self._core.score(_check.lines("hypotheses", hypotheses), _check.references(references))
        return {name: MetricScore(*one) for name, one in zip(self._names, found)}

    def score_sentences(self, hypotheses: Iterable[str], references: References) -> dict[str, list[float]]:
        """Return the score of each sentence by each metric."""
        found = self._core.score_sentences(_check.lines("hypotheses", hypotheses), _check.references(references))
        return dict(zip(self._names, found))

    def compare(self, baseline: Iterable[str], system: Iterable[str], references: References) -> dict[str, Comparison]:
        """Return the scores of two systems by each metric, and the p-value of their difference."""
        found = self._core.compare(_check.lines("baseline", baseline), _check.lines("system", system),
                                   _check.references(references))
        return {name: Comparison(*one) for name, one in zip(self._names, found)}


def evaluate(hypotheses: Iterable[str], references: References, metrics: Sequence[str] = ("bleu", "chrf"),
             **options: Unpack[MetricOptions]) -> dict[str, MetricScore]:
    """Return the score of the corpus by each metric. Options are those of Evaluator."""
    return Evaluator(metrics, **options).score(hypotheses, references)
