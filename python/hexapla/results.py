"""What the library's functions return."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Optional

from ._check import numpy_is_there
from ._typing import Doubles

__all__ = [
    "Alignment",
    "Comparison",
    "Constraints",
    "Example",
    "MetricScore",
    "Score",
    "SearchCandidate",
    "SearchHypothesis",
    "SearchStep",
    "SearchTrace",
    "TrainingReport",
    "TrainingResult",
    "TrainingStart",
    "Translation",
    "ValidationReport",
]


@dataclass(frozen=True)
class Constraints:
    """What translations of a line must and must not be."""

    prefix: str = ""
    """The translation begins so; it may end inside a word."""
    require: Sequence[str] = ()
    """Phrases that it contains."""
    forbid: Sequence[str] = ()
    """Phrases that it does not contain."""


@dataclass(frozen=True)
class Alignment:
    """Which source words a translation's words came from: the decoder's attention over the encoder."""

    source_words: list[str]
    target_words: list[str]
    links: list[tuple[int, int]]
    """For each target word the source word with most of its attention: (source, target), from 0."""
    attention: list[list[float]] = field(repr=False)
    """What each target word, and </s> after them, pays each source word, and </s> after them."""

    @cached_property
    def weights(self) -> Doubles:
        """The attention as a NumPy array [target words + 1, source words + 1], read-only."""
        numpy_is_there()
        import numpy

        array = numpy.array(self.attention)
        array.flags.writeable = False
        return array

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: who unpickles them may have no NumPy."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True)
class Translation:
    """A translation of a line."""

    text: str
    score: float
    """Log-probability of the tokens, the end of the sentence included."""
    normalized: float
    """The score divided by the length penalty: the best translation has the largest. -inf: nothing satisfies the
    constraints."""
    tokens: list[str]
    """As the vocabulary writes them, without the end of the sentence."""
    ids: list[int]
    """Of the tokens, in the vocabulary."""
    token_scores: list[float]
    """Log-probability of each token, and of the end of the sentence."""
    alignment: Optional[Alignment] = None
    """Where the option `alignment` asks for it."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Score:
    """How probable a given translation is."""

    score: float
    """Log-probability of the translation, the end of the sentence included."""
    normalized: float
    """Divided by the length penalty."""
    tokens: list[str]
    token_scores: list[float]
    """Log-probability of each token, and of the end of the sentence."""


@dataclass(frozen=True)
class SearchHypothesis:
    """A translation that a beam search has begun or finished."""

    tokens: list[str]
    """Without <s> and </s>."""
    text: str
    score: float
    normalized: float
    """Divided by the length penalty; 0 of one that is not finished."""


@dataclass(frozen=True)
class SearchCandidate:
    """A continuation that a step of beam search weighs."""

    beam: int
    """The hypothesis of the step that it extends, from 0."""
    token: str
    """</s> ends it."""
    log_probability: float
    """Of the token alone."""
    score: float
    """Of the hypothesis with this token."""
    normalized: float
    """The score divided by the length penalty, as finished hypotheses are compared."""
    fate: str
    """"goes on", "finished", "too low" (ends, below the first beam_size), "beaten" (as many better ones go on) or "left"
    (would go on, but the search ends)."""
    why: str
    """The same in words."""


@dataclass(frozen=True)
class SearchStep:
    """A step of beam search."""

    beams: list[SearchHypothesis]
    """The hypotheses before it, best first."""
    candidates: list[SearchCandidate]
    """Best first."""


@dataclass(frozen=True)
class SearchTrace:
    """A beam search step by step."""

    source_tokens: list[str]
    """</s> last."""
    steps: list[SearchStep]
    ending: str
    """"enough" (beam_size hypotheses are finished), "passed" (no live one can still pass the n_best finished ones) or
    "longest" (the longest length)."""
    why: str
    """The same in words."""
    finished: list[SearchHypothesis]
    """What a Translator finds, best first."""


@dataclass(frozen=True)
class TrainingStart:
    """A training as it begins."""

    parameters: int
    pairs: int
    """Of an epoch, as the batches."""
    batches: int
    validation_pairs: int
    resumed_at: int
    """The update; 0: from the beginning."""
    backend: str


@dataclass(frozen=True)
class TrainingReport:
    """How a training goes."""

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
    """Towards the nearest limit, 0 to 1."""
    seconds_left: float
    """-1: not known."""


@dataclass(frozen=True)
class Example:
    """A pair of the validation set with its translation."""

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
    """Of the BLEU."""
    best: bool
    """The best so far by best_by."""
    stalled: int
    """Validations since the best one."""
    examples: list[Example]
    """The same pairs every time."""


@dataclass(frozen=True)
class TrainingResult:
    """How a training ended."""

    finished: bool
    """False: it was stopped, and train() goes on where it was."""
    updates: int
    epochs: int
    best_score: Optional[float]
    """By best_by."""
    model: str
    """The model's file; empty while the training is not finished."""
    missing: list[str]
    """What could not be written (a full disk), though there is a model."""


@dataclass(frozen=True)
class MetricScore:
    """The score of a corpus by one metric."""

    metric: str
    """Its name with its settings: "BLEU", "chrF2"."""
    score: float
    signature: str
    """As sacreBLEU's, for papers."""
    details: str
    """The parts of the score: precisions, lengths."""
    mean: float
    """Of the resamples, 95 % of which lie in mean +- half_width; 0 without resamples."""
    half_width: float

    def __str__(self) -> str:
        interval = f" (mean {self.mean:.1f} ± {self.half_width:.1f})" if self.half_width else ""
        return f"{self.signature} = {self.score:.1f}{interval}"


@dataclass(frozen=True)
class Comparison:
    """Two systems by one metric."""

    metric: str
    baseline: float
    system: float
    p_value: float
    """Of paired bootstrap resampling, two-sided."""
