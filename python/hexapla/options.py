"""The options that are keywords, by name and type. Defaults and ranges are the library's; docs/commands.md says more of
each, with "-" for "_"."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypedDict, Union

__all__ = ["MetricOptions", "SearchOptions", "TrainingOptions"]

Path = Union[str, "os.PathLike[str]"]


class SearchOptions(TypedDict, total=False):
    """How the translator looks for translations."""

    beam_size: int
    """Hypotheses kept at every step; 1 is greedy decoding. Default 4."""
    n_best: int
    """Translations per line, at most beam_size."""
    length_penalty: float
    """The exponent of the length normalization, 0.6; 0: scores are not normalized."""
    length_normalization: str
    """"paper": score / ((5 + length) / 6)^alpha, or "power": score / length^alpha."""
    extra_length: int
    """A translation has at most this many tokens more than its source, 50."""
    max_length: int
    """Tokens at a time, 512; longer lines are split, in score() truncated."""
    batch_sentences: int
    """Lines that are translated at the same time, 64."""
    batch_tokens: int
    """And their tokens, 4096: working memory grows with both."""
    word_penalty: float
    """Subtracted from the score for each token, before normalization."""
    coverage_penalty: float
    """For source tokens left untranslated: reranks finished hypotheses."""
    longest: int
    """Maximum length in tokens; 0: no limit."""
    longest_ratio: float
    """Maximum length as a multiple of the source's tokens; 0: no limit."""
    min_length: int
    """Minimum length in tokens."""
    no_repeat_ngram: int
    """Never repeat a sequence of this many tokens; 0: off."""
    max_repetition: int
    """Repeat letters or words at most this many times in a row; 0: off."""
    unk: str
    """Unknown tokens: "keep", "forbid", or "copy" the source word they come from."""
    stop_when: str
    """A line is done when beam_size translations are finished ("full"), or only when no better one is under way
    ("outscored"); "shrinking": what is finished leaves its place in the beam empty."""
    long_input: str
    """Lines longer than max_length: "split", "refuse" or "truncate"."""
    sample: bool
    """Sample n_best translations instead of searching."""
    temperature: float
    """Above 1: flatter distribution, between 0 and 1: sharper."""
    top_k: int
    """Sample from this many most probable tokens; 0: all."""
    top_p: float
    """Sample from the fewest tokens whose probabilities sum to at least this; 1: all."""
    seed: int
    """Random seed; a line's samples depend on it and on the line's index."""
    alignment: str
    """Units of the word alignments of translate_n_best() and submit(): "words", "blanks" or "pieces"."""


class MetricOptions(TypedDict, total=False):
    """The settings of Evaluator beside the metrics."""

    tokenize: str
    lowercase: bool
    chrf_lowercase: bool
    ter_case_sensitive: bool
    ter_normalized: bool
    ter_no_punct: bool
    ter_asian_support: bool
    resamples: int
    resample_seed: int


class TrainingOptions(TypedDict, total=False):
    """The options of `hexapla train`, in the order of its help."""

    train_sets: Sequence[Path]
    valid_sets: Sequence[Path]
    model: Path
    preset: str
    vocab: Path
    vocab_size: int
    seed: int
    threads: int
    precision: str
    batch_tokens: Union[int, str]
    memory: int
    accumulate: int
    shards: int
    overlap: str
    max_length: int
    max_updates: int
    max_epochs: int
    max_minutes: float
    valid_every: Union[int, str]
    save_every: Union[int, str]
    report_every: Union[int, str]
    valid_beam: int
    valid_tokenize: str
    valid_script: Path
    valid_script_minutes: float
    best_by: str
    patience: int
    schedule: str
    lr: float
    lr_factor: float
    warmup: int
    decay_updates: int
    cooldown: Union[int, str]
    min_lr: float
    plateau_factor: float
    plateau_patience: int
    init_gain: float
    label_smoothing: float
    r_drop: float
    adam_beta1: float
    adam_beta2: float
    adam_eps: float
    clip_norm: float
    guided_alignment: Path
    guided_alignment_units: str
    guided_alignment_weight: float
    guided_alignment_layer: int
    guided_alignment_head: int
    max_loss_jump: float
    weight_decay: float
    ema: float
    average_last: int
    average_best: int
    final_model: str
    keep: int
    init_from: Path
    freeze: str
    train_weights: Sequence[float]
    tsv: bool
    vocab_type: str
    vocabs: Sequence[Path]
    separate_vocabs: bool
    character_coverage: float
    byte_fallback: bool
    user_symbols: Sequence[str]
    source_normalization: str
    target_normalization: str
    vocab_lines: int
    subword_alpha: float
    shuffle_memory: int
    temp_dir: Path
    enc_layers: int
    dec_layers: int
    dim_model: int
    dim_ff: int
    heads: int
    dim_key: int
    dim_value: int
    dropout: float
    attention_dropout: float
    activation_dropout: float
    tied: str
    norm_position: str
    norm: str
    positions: str
    max_positions: int
    first_position: int
    score: str
    activation: str
    gated: bool
    attention_bias: bool
    generator_bias: bool
    embedding_norm: bool
    embedding_scale: str
    norm_eps: float
    encoder_mixing: str
    kernel_width: int
    decoder_mask: str
    decoder_mixing: str
    experts: int
    experts_per_token: int
    dim_expert: int
    expert_capacity: float
    load_balancing: float
