"""Names and types of the options given as keywords. Defaults, descriptions and ranges come from the library;
docs/reference describes each option, with "-" for "_". None: not given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional, Union

from . import _core, _describe
from ._typing import Path, TypedDict

__all__ = ["ExportOptions", "ImportOptions", "MetricOptions", "SearchOptions", "TrainingOptions"]


class SearchOptions(TypedDict, total=False):
    """Options of the search for translations."""

    beam_size: Optional[int]
    n_best: Optional[int]
    distinct: Optional[bool]
    length_penalty: Optional[float]
    length_normalization: Optional[str]
    extra_length: Optional[int]
    max_length: Optional[int]
    batch_sentences: Optional[int]
    batch_tokens: Optional[int]
    word_penalty: Optional[float]
    coverage_penalty: Optional[float]
    longest: Optional[int]
    longest_ratio: Optional[float]
    min_length: Optional[int]
    repetition_penalty: Optional[float]
    no_repeat_ngram: Optional[int]
    max_repetition: Optional[int]
    unk: Optional[str]
    stop_when: Optional[str]
    sentences: Optional[str]
    long_input: Optional[str]
    letter_case: Optional[str]
    protect: Optional[str]
    protect_pattern: Optional[Iterable[str]]
    sample: Optional[bool]
    temperature: Optional[float]
    top_k: Optional[int]
    top_p: Optional[float]
    seed: Optional[int]
    alignment: Optional[str]


class MetricOptions(TypedDict, total=False):
    """The settings of Evaluator, other than the metrics."""

    tokenize: Optional[str]
    lowercase: Optional[bool]
    chrf_lowercase: Optional[bool]
    ter_case_sensitive: Optional[bool]
    ter_normalized: Optional[bool]
    ter_no_punct: Optional[bool]
    ter_asian_support: Optional[bool]
    resamples: Optional[int]
    resample_seed: Optional[int]


class TrainingOptions(TypedDict, total=False):
    """The options of `hexapla train`, in the order of its help text."""

    train_sets: Optional[Iterable[Path]]
    valid_sets: Optional[Iterable[Path]]
    model: Optional[Path]
    preset: Optional[str]
    vocab: Optional[Path]
    vocab_size: Optional[int]
    train_weights: Optional[Iterable[float]]
    tsv: Optional[bool]
    vocab_type: Optional[str]
    vocabs: Optional[Iterable[Path]]
    separate_vocabs: Optional[bool]
    character_coverage: Optional[float]
    byte_fallback: Optional[bool]
    user_symbols: Optional[Iterable[str]]
    source_normalization: Optional[str]
    target_normalization: Optional[str]
    vocab_lines: Optional[int]
    subword_alpha: Optional[float]
    join_sentences: Optional[float]
    shuffle_memory: Optional[int]
    temp_dir: Optional[Path]
    seed: Optional[int]
    threads: Optional[int]
    precision: Optional[str]
    device: Optional[str]
    batch_tokens: Optional[Union[int, str]]
    memory: Optional[int]
    accumulate: Optional[int]
    shards: Optional[int]
    overlap: Optional[str]
    max_length: Optional[int]
    max_updates: Optional[int]
    max_epochs: Optional[int]
    max_minutes: Optional[float]
    valid_every: Optional[Union[int, str]]
    save_every: Optional[Union[int, str]]
    save_minutes: Optional[float]
    report_every: Optional[Union[int, str]]
    valid_beam: Optional[int]
    valid_tokenize: Optional[str]
    valid_script: Optional[Path]
    valid_script_minutes: Optional[float]
    best_by: Optional[str]
    patience: Optional[int]
    schedule: Optional[str]
    lr: Optional[float]
    lr_factor: Optional[float]
    warmup: Optional[int]
    decay_updates: Optional[int]
    cooldown: Optional[Union[int, str]]
    min_lr: Optional[float]
    plateau_factor: Optional[float]
    plateau_patience: Optional[int]
    init_gain: Optional[float]
    label_smoothing: Optional[float]
    adam_beta1: Optional[float]
    adam_beta2: Optional[float]
    adam_eps: Optional[float]
    clip_norm: Optional[float]
    guided_alignment: Optional[Path]
    guided_alignment_units: Optional[str]
    guided_alignment_weight: Optional[float]
    guided_alignment_layer: Optional[int]
    guided_alignment_head: Optional[int]
    max_loss_jump: Optional[float]
    weight_decay: Optional[float]
    ema: Optional[float]
    average_last: Optional[int]
    average_best: Optional[int]
    final_model: Optional[str]
    keep: Optional[int]
    init_from: Optional[Path]
    freeze: Optional[str]
    layers: Optional[int]
    enc_layers: Optional[int]
    dec_layers: Optional[int]
    dim_model: Optional[int]
    dim_ff: Optional[int]
    heads: Optional[int]
    dim_key: Optional[int]
    dim_value: Optional[int]
    dropout: Optional[float]
    attention_dropout: Optional[float]
    activation_dropout: Optional[float]
    tied: Optional[str]
    norm_position: Optional[str]
    norm: Optional[str]
    positions: Optional[str]
    max_positions: Optional[int]
    first_position: Optional[int]
    score: Optional[str]
    activation: Optional[str]
    gated: Optional[bool]
    attention_bias: Optional[bool]
    generator_bias: Optional[bool]
    embedding_norm: Optional[bool]
    embedding_scale: Optional[str]
    norm_eps: Optional[float]
    encoder_mixing: Optional[str]
    kernel_width: Optional[int]
    decoder_mask: Optional[str]
    decoder_mixing: Optional[str]
    experts: Optional[int]
    experts_per_token: Optional[int]
    dim_expert: Optional[int]
    expert_capacity: Optional[float]
    load_balancing: Optional[float]


class ImportOptions(TypedDict, total=False):
    """Options of import_model(): facts that a model's files do not contain."""

    positions: Optional[str]
    map: Optional[Path]
    source_vocab: Optional[Path]
    target_vocab: Optional[Path]
    source_spm: Optional[Path]
    target_spm: Optional[Path]
    source_start: Optional[str]
    bpe: Optional[Path]
    heads: Optional[int]
    norm_position: Optional[str]
    activation: Optional[str]
    norm_eps: Optional[float]
    embedding_scale: Optional[str]
    source_embedding: Optional[str]
    target_embedding: Optional[str]
    generator: Optional[str]
    source_language: Optional[str]
    target_language: Optional[str]


class ExportOptions(TypedDict, total=False):
    """Options of export_model()."""

    precision: Optional[str]
    languages: Optional[str]
    like: Optional[Path]
    beam_size: Optional[int]
    length_penalty: Optional[float]
    length_normalization: Optional[str]


_describe.add_options(SearchOptions, _core.search_options())
_describe.add_options(TrainingOptions, _core.training_options())
_describe.add_options(ImportOptions, [o for o in _core.import_options() if o[0] != "from"])
_describe.add_options(ExportOptions, _core.export_options())
