"""Results of the library's functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Optional

from . import _check, _core
from ._check import numpy_is_there
from ._typing import Doubles

__all__ = [
    "Alignment",
    "AugmentCounts",
    "Comparison",
    "Constraints",
    "DocumentFormat",
    "Example",
    "ImportedModel",
    "MetricScore",
    "NextToken",
    "SampledFrom",
    "Score",
    "SearchCandidate",
    "SearchHypothesis",
    "SearchStep",
    "SearchTrace",
    "ShortlistSize",
    "TokenShare",
    "TrainingReport",
    "TrainingResult",
    "TrainingStart",
    "Translation",
    "UnknownTokens",
    "ValidationReport",
]


@dataclass(frozen=True)
class DocumentFormat:
    """The format of a document, as the ending of its name tells."""

    ending: str
    """".html"; "": a document of this name is not translated."""
    type: str
    """Its media type."""
    text: bool
    """Whether it is text, not an archive."""
    advice: str
    """What to do with a document that is not translated."""


@dataclass(frozen=True)
class ShortlistSize:
    """The size of a shortlist."""

    source_pieces: int
    """The number of source pieces that have a list."""
    vocabulary: int
    """The number of all source pieces."""
    average: float
    """The average length of a list."""


@dataclass(frozen=True)
class AugmentCounts:
    """What augment() has written."""

    pairs: int
    """All pairs that were written."""
    made: int
    """The new pairs among them."""
    without: int
    """Lines left out, for which the model has no translation."""
    unknown: int
    """Lines of mostly unknown letters, whose translations are meaningless."""
    notes: list[str]
    """What was dropped from the input."""


@dataclass(frozen=True)
class Constraints:
    """Text that a translation must or must not contain."""

    prefix: str = ""
    """The beginning of the translation; may end inside a word."""
    require: Sequence[str] = ()
    """Phrases that it must contain."""
    forbid: Sequence[str] = ()
    """Phrases that it must not contain."""


@dataclass(frozen=True)
class Alignment:
    """Links between source words and a translation's words, from the decoder's attention over the encoder."""

    source_words: list[str]
    target_words: list[str]
    links: list[tuple[int, int]]
    """For each target word, the source word with the most attention: (source, target), from 0."""
    attention: list[list[float]] = field(repr=False)
    """[target word][source word], both followed by </s>: the attention of the target word to the source word."""

    @cached_property
    def weights(self) -> Doubles:
        """The attention as a NumPy array [target words + 1, source words + 1], read-only."""
        numpy_is_there()
        import numpy

        array = numpy.array(self.attention)
        array.flags.writeable = False
        return array

    def text(self, kind: str = "hard") -> str:
        """Return the links ("hard", "0-0 1-2"), all weights ("soft"), or the links with at least a weight ("0.3")."""
        return _core.alignment_text(self.links, self.attention, _check.text("kind", kind))

    def __getstate__(self) -> dict[str, Any]:
        """Return only the fields: NumPy may be missing where they are unpickled."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True)
class Translation:
    """A translation of a line."""

    text: str
    score: float
    """Log-probability of the tokens, including the end of the sentence."""
    normalized: float
    """The score with all penalties, divided by the length penalty, largest for the best translation. -inf: nothing
    satisfies the constraints."""
    tokens: list[str]
    """Pieces of the vocabulary, without the end of the sentence."""
    ids: list[int]
    """The ids of the tokens in the vocabulary."""
    token_scores: list[float]
    """Log-probability of each token, and of the end of the sentence."""
    alignment: Optional[Alignment] = None
    """Present if the option `alignment` requests it."""
    coverage: float = 0.0
    """At most 0, for source tokens left untranslated; 0 without coverage_penalty."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Score:
    """The probability of a given translation."""

    score: float
    """Log-probability of the translation, including the end of the sentence."""
    normalized: float
    """The same with the usual penalties of the model, divided by the length penalty."""
    tokens: list[str]
    token_scores: list[float]
    """Log-probability of each token, and of the end of the sentence."""
    words: list[str]
    """The words of the translation; in scripts without spaces, its characters."""
    word_scores: list[float]
    """Log-probability of each word, and of the end of the sentence; 0 for words that were cut off."""
    words_read: int
    """The number of words that were not cut off, and the end of the sentence."""


@dataclass(frozen=True)
class SearchHypothesis:
    """A partial or finished translation in a beam search."""

    tokens: list[str]
    """Without <s> and </s>."""
    text: str
    score: float
    normalized: float
    """The score divided by the length penalty; 0 if unfinished."""


@dataclass(frozen=True)
class SearchCandidate:
    """A continuation considered by a step of beam search."""

    beam: int
    """The index, from 0, of the hypothesis that it extends."""
    token: str
    """</s> ends the hypothesis."""
    log_probability: float
    """The log-probability of the token alone."""
    score: float
    """The score of the hypothesis including this token."""
    normalized: float
    """The score divided by the length penalty, by which finished hypotheses are compared."""
    fate: str
    """"goes on", "finished", "too low" (ends, but ranks below the first beam_size), "beaten" (beam_size better ones
    continue) or "left" (would continue, but the search ends)."""
    why: str
    """The same in words."""


@dataclass(frozen=True)
class SearchStep:
    """A step of beam search."""

    beams: list[SearchHypothesis]
    """The hypotheses before the step, best first."""
    candidates: list[SearchCandidate]
    """Best first."""


@dataclass(frozen=True)
class SearchTrace:
    """A beam search step by step."""

    source_tokens: list[str]
    """Including </s>."""
    steps: list[SearchStep]
    ending: str
    """"enough" (beam_size hypotheses are finished), "passed" (no live one can still pass the n_best finished ones) or
    "longest" (the longest length)."""
    why: str
    """The same in words."""
    finished: list[SearchHypothesis]
    """The translations that a Translator returns, best first."""
    warnings: list[str]
    """About the text: invalid UTF-8, letters missing from the vocabulary."""
    table: str = field(repr=False)
    """All of it in words, line by line."""
    picture: str = field(repr=False)
    """All of it as an SVG document."""


@dataclass(frozen=True)
class NextToken:
    """A token that may follow."""

    id: int
    token: str
    logit: float
    log_probability: float


@dataclass(frozen=True)
class TokenShare:
    """A token in a distribution to sample from."""

    id: int
    token: str
    probability: float


@dataclass(frozen=True)
class SampledFrom:
    """A distribution to sample from."""

    size: int
    """The number of tokens with a probability."""
    tokens: list[TokenShare]
    """Best first, at most top_tokens."""


@dataclass(frozen=True)
class ImportedModel:
    """A model that was imported."""

    kind: str
    """The value of the argument `kind`, such as "hf-marian" or "ctranslate2"."""
    origin: str
    """The same as text, as recorded in the model's history."""
    notes: list[str]
    """Differences from the original system."""


@dataclass(frozen=True)
class UnknownTokens:
    """The shares of unknown tokens in a training or validation set, 0 to 1."""

    set: str
    source: float
    target: float


@dataclass(frozen=True)
class TrainingStart:
    """The start of a training."""

    parameters: int
    pairs: int
    """Pairs per epoch, like batches."""
    batches: int
    validation_pairs: int
    resumed_at: int
    """The update at which it was resumed; 0: a new run."""
    backend: str
    unknown: list[UnknownTokens]
    """Shares of each training and validation set."""


@dataclass(frozen=True)
class TrainingReport:
    """The progress of a training."""

    update: int
    epoch: int
    loss: float
    """Label-smoothed, per target token, since the last report."""
    learning_rate: float
    gradient_norm: float
    target_tokens: int
    """Since the beginning of the run."""
    tokens_per_second: float
    progress: float
    """Progress towards the nearest limit, 0 to 1."""
    seconds_left: float
    """-1 if unknown."""


@dataclass(frozen=True)
class Example:
    """A validation pair and the translation of its source."""

    source: str
    reference: str
    hypothesis: str


@dataclass(frozen=True)
class ValidationReport:
    """A validation during training."""

    update: int
    epoch: int
    loss: float
    perplexity: float
    bleu: Optional[float]
    chrf: Optional[float]
    signature: str
    """The signature of the BLEU score."""
    best: bool
    """Whether it is the best so far, by the score that decides (best_by)."""
    stalled: int
    """Validations since the best one that were worse by more than noise."""
    examples: list[Example]
    """The same pairs in every validation."""


@dataclass(frozen=True)
class TrainingResult:
    """The result of a training."""

    finished: bool
    """False if it was stopped; train() resumes it."""
    updates: int
    epochs: int
    best_score: Optional[float]
    """The best validation score, by the metric that decides (best_by)."""
    model: str
    """The model's file; empty if the training is not finished."""
    missing: list[str]
    """Files that could not be written (for example, because the disk is full), although there is a model."""


@dataclass(frozen=True)
class MetricScore:
    """The score of a corpus by one metric."""

    metric: str
    """Its name with its settings: "BLEU", "chrF2"."""
    score: float
    signature: str
    """The same as sacreBLEU's, for papers."""
    details: str
    """The parts of the score: precisions, lengths."""
    mean: float
    """The mean of the resamples, 95 % of which lie in mean +- half_width; 0 without resamples."""
    half_width: float
    sentences: list[float] = field(repr=False)
    """The score of each sentence."""
    resamples: list[float] = field(repr=False)
    """The score of each resample."""
    higher_is_better: bool
    """False for TER."""

    def __str__(self) -> str:
        interval = f" (mean {self.mean:.1f} ± {self.half_width:.1f})" if self.half_width else ""
        return f"{self.signature} = {self.score:.1f}{interval}"


@dataclass(frozen=True)
class Comparison:
    """A comparison of two systems by one metric."""

    metric: str
    baseline: float
    system: float
    p_value: float
    """From paired bootstrap resampling, two-sided."""
