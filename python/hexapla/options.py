"""Names and types of the options given as keywords. Defaults, descriptions and ranges come from the library;
docs/reference describes each option, with "-" for "_"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

from . import _core, _describe
from ._typing import Path, TypedDict

__all__ = ["ExportOptions", "ImportOptions", "MetricOptions", "SearchOptions", "TrainingOptions"]


class SearchOptions(TypedDict, total=False):
    """Options of the search for translations."""

    beam_size: int
    n_best: int
    length_penalty: float
    length_normalization: str
    extra_length: int
    max_length: int
    batch_sentences: int
    batch_tokens: int
    word_penalty: float
    coverage_penalty: float
    longest: int
    longest_ratio: float
    min_length: int
    repetition_penalty: float
    no_repeat_ngram: int
    max_repetition: int
    unk: str
    stop_when: str
    sentences: str
    long_input: str
    letter_case: str
    protect: str
    protect_pattern: Sequence[str]
    sample: bool
    temperature: float
    top_k: int
    top_p: float
    seed: int
    alignment: str


class MetricOptions(TypedDict, total=False):
    """The settings of Evaluator, other than the metrics."""

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
    """The options of `hexapla train`, in the order of its help text."""

    train_sets: Sequence[Path]
    valid_sets: Sequence[Path]
    model: Path
    preset: str
    vocab: Path
    vocab_size: int
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
    join_sentences: float
    shuffle_memory: int
    temp_dir: Path
    seed: int
    threads: int
    precision: str
    device: str
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
    layers: int
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


class ImportOptions(TypedDict, total=False):
    """Options of import_model(): facts that a model's files do not contain."""

    positions: str
    map: Path
    source_vocab: Path
    target_vocab: Path
    source_spm: Path
    target_spm: Path
    bpe: Path
    heads: int
    norm_position: str
    activation: str
    norm_eps: float
    embedding_scale: str
    source_embedding: str
    target_embedding: str
    generator: str
    source_language: str
    target_language: str


class ExportOptions(TypedDict, total=False):
    """Options of export_model()."""

    precision: str
    languages: str
    like: Path
    beam_size: int
    length_penalty: float
    length_normalization: str


_describe.add_options(SearchOptions, _core.search_options())
_describe.add_options(TrainingOptions, _core.training_options())
_describe.add_options(ImportOptions, [o for o in _core.import_options() if o[0] != "from"])
_describe.add_options(ExportOptions, _core.export_options())
