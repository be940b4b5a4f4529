"""BLEU, chrF and TER; scores are equal to sacreBLEU's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Optional

from . import _check, _core
from ._typing import References, Unpack
from .options import MetricOptions
from .results import Comparison, MetricScore
from .stop import Stop

__all__ = ["Evaluator", "evaluate"]


def _flag(stop: object) -> Optional[_core.Stop]:
    if stop is not None and not isinstance(stop, Stop):
        raise _check.wrong_type("stop", stop, "a Stop")
    return None if stop is None else stop._core


class Evaluator:
    """Metrics with their settings. Text is detokenized; references are one list or several lists, each with one line
    per hypothesis. stop ends a call with Canceled."""

    def __init__(self, metrics: Sequence[str] = ("bleu", "chrf"), *, tokenize: Optional[str] = "13a",
                 lowercase: Optional[bool] = False, chrf_lowercase: Optional[bool] = False,
                 ter_case_sensitive: Optional[bool] = False, ter_normalized: Optional[bool] = False,
                 ter_no_punct: Optional[bool] = False, ter_asian_support: Optional[bool] = False,
                 resamples: Optional[int] = 0, resample_seed: Optional[int] = 12345) -> None:
        """Choose metrics: any of bleu, chrf, chrf++, ter.

        tokenize (BLEU): 13a, none, intl, char, zh, ja-mecab, ko-mecab; auto: by the references' script. lowercase:
        for BLEU. resamples: bootstrap resamples for intervals and p-values, 2 to 1,000,000; 0: none, except for
        1,000 in compare(). None: the default.
        """
        options = _core.EvaluatorOptions()
        options.metrics = _check.lines("metrics", metrics)
        if tokenize is not None:
            options.tokenize = _check.text("tokenize", tokenize)
        flags = {"lowercase": lowercase, "chrf_lowercase": chrf_lowercase, "ter_case_sensitive": ter_case_sensitive,
                 "ter_normalized": ter_normalized, "ter_no_punct": ter_no_punct, "ter_asian_support": ter_asian_support}
        for name, value in flags.items():
            if value is not None:
                setattr(options, name, _check.flag(name, value))
        if resamples is not None:
            options.resamples = _check.integer("resamples", resamples, 0, 1_000_000)
        if resample_seed is not None:
            options.resample_seed = _check.integer("resample_seed", resample_seed, 0, 2**64 - 1)
        self._core = _core.Evaluator(options)
        self._names = options.metrics

    def score(self, hypotheses: Iterable[str], references: References, *,
              stop: Optional[Stop] = None) -> dict[str, MetricScore]:
        """Return the score of the corpus by each metric."""
        found = self._core.score(_check.lines("hypotheses", hypotheses), _check.references(references), _flag(stop))
        return {name: MetricScore(*one) for name, one in zip(self._names, found)}

    def score_sentences(self, hypotheses: Iterable[str], references: References, *,
                        stop: Optional[Stop] = None) -> dict[str, list[float]]:
        """Return the score of each sentence by each metric."""
        found = self._core.score_sentences(_check.lines("hypotheses", hypotheses), _check.references(references), _flag(stop))
        return dict(zip(self._names, found))

    def compare(self, baseline: Iterable[str], system: Iterable[str], references: References, *,
                stop: Optional[Stop] = None) -> dict[str, Comparison]:
        """Return the scores of two systems by each metric, and the p-value of their difference."""
        found = self._core.compare(_check.lines("baseline", baseline), _check.lines("system", system),
                                   _check.references(references), _flag(stop))
        return {name: Comparison(*one) for name, one in zip(self._names, found)}

    @staticmethod
    def p_value(baseline: MetricScore, system: MetricScore) -> float:
        """Return the p-value of the difference of two systems by one metric, from their resamples."""
        return _core.p_value(baseline.score, baseline.resamples, system.score, system.resamples)

    @staticmethod
    def of_runs(runs: Iterable[MetricScore]) -> MetricScore:
        """Return the score of several runs of one system, such as trainings with different seeds, as one.

        Scores are means. Resamples draw runs as well as sentences, so that a p-value knows both chances. details has
        the standard deviation. UsageError: no run, or runs of different metrics, sentences or resamples.
        """
        if not isinstance(runs, Iterable):
            raise _check.wrong_type("runs", runs, "an iterable of MetricScore")
        rows = []
        for run in runs:
            if not isinstance(run, MetricScore):
                raise _check.wrong_type("runs", run, "an iterable of MetricScore")
            rows.append((run.metric, run.score, run.signature, run.details, run.mean, run.half_width, run.sentences,
                         run.resamples, run.higher_is_better))
        return MetricScore(*_core.of_runs(rows))

    def notes(self, hypotheses: Iterable[str], references: References) -> list[str]:
        """Return notes for people: which tokenizer "auto" chooses, then whether the hypotheses, which may be none, look
        tokenized or are too short for BLEU."""
        return self._core.notes(_check.lines("hypotheses", hypotheses), _check.references(references))


def evaluate(hypotheses: Iterable[str], references: References, metrics: Sequence[str] = ("bleu", "chrf"),
             **options: Unpack[MetricOptions]) -> dict[str, MetricScore]:
    """Return the score of the corpus by each metric. Options are those of Evaluator."""
    return Evaluator(metrics, **options).score(hypotheses, references)
