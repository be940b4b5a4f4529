"""All intermediate results of a model for one pair of sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Optional, Union

from . import _check, _core
from ._trace import traced
from ._typing import Doubles, Path, Unpack
from .options import SearchOptions
from .results import (NextToken, SampledFrom, SearchCandidate, SearchHypothesis, SearchStep, SearchTrace, TokenShare,
                      Translation)

__all__ = ["AttentionMap", "Inspection", "Inspector"]


class AttentionMap:
    """A picture of the attention of one sublayer, shown by notebooks."""

    def __init__(self, svg: str) -> None:
        """Created by Inspection.attention() only."""
        self.svg = svg

    def save(self, path: Path) -> None:
        """Write the picture to an SVG file."""
        with open(_check.path("path", path), "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg


class Inspection(Mapping[str, Doubles]):
    """All intermediates by their place in the model, as read-only NumPy arrays without a copy.

        seen["encoder.layers.0.self_attention.weights"]    # [heads, queries, keys]
        seen["decoder.layers.1.cross_attention.q"]         # [tokens, width]
        seen["generator.log_probabilities"]                # [tokens, vocabulary]
    """

    def __init__(self, core: _core.Inspection) -> None:
        """Created by Inspector.inspect() only."""
        self._core = core
        self._names = core.names()

    @property
    def source_tokens(self) -> list[str]:
        """The source, including </s>."""
        return self._core.source_tokens

    @property
    def target_tokens(self) -> list[str]:
        """The decoder's input: the target after <s>."""
        return self._core.target_tokens

    @property
    def predicted(self) -> list[str]:
        """The decoder's expected output: the target and </s>."""
        return self._core.predicted

    @property
    def log_probabilities(self) -> list[float]:
        """The log-probability of each predicted token."""
        return self._core.log_probabilities

    @property
    def score(self) -> float:
        """The sum of the log-probabilities."""
        return self._core.score

    @property
    def warnings(self) -> list[str]:
        """Warnings about the text: letters that the vocabulary lacks."""
        return self._core.warnings

    @property
    def top(self) -> list[list[NextToken]]:
        """The top_tokens most probable tokens at each position, best first."""
        return [[NextToken(*one) for one in tokens] for tokens in self._core.top()]

    @property
    def sampled(self) -> list[SampledFrom]:
        """The distribution to sample from at each position, if `temperature` or `top_p` was given."""
        return [SampledFrom(size, [TokenShare(*one) for one in tokens]) for size, tokens in self._core.sampled()]

    @property
    def shapes(self) -> dict[str, list[int]]:
        """The shapes of all intermediates, also of those whose values were not kept."""
        return self._core.shapes()

    def __getitem__(self, name: str) -> Doubles:
        """Return the intermediate of this name. Raises KeyError if there is none, or it was not kept."""
        _check.numpy_is_there()
        return self._core.tensor(_check.text("name", name))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return the number of intermediates."""
        return len(self._names)

    def attention(self, sublayer: Optional[str] = None) -> AttentionMap:
        """Draw the attention of a sublayer ("encoder.layers.0.self_attention"); by default the last cross-attention
        of the decoder."""
        name = self._last_cross_attention() if sublayer is None else _check.text("sublayer", sublayer)
        return AttentionMap(self._core.draw_attention(name))

    def _last_cross_attention(self) -> str:
        layers = sum(name.startswith("decoder.layers.") and name.endswith(".cross_attention.weights")
                     for name in self._names)
        return f"decoder.layers.{layers - 1}.cross_attention"

    def _repr_html_(self) -> str:
        from html import escape

        cells = "".join(f"<td style='text-align:center'>{escape(token)}<br><small>{value:.2f}</small></td>"
                        for token, value in zip(self.predicted, self.log_probabilities))
        return (f"<p>log-probability {self.score:.3f}</p><table><tr>{cells}</tr></table>"
                f"{self.attention().svg}")


def _options(source_tokens: Optional[Iterable[str]], longest: int) -> _core.InspectionOptions:
    options = _core.InspectionOptions()
    options.longest = _check.integer("longest", longest, 1, 512)
    if source_tokens is not None:
        options.source_tokens = _check.lines("source_tokens", source_tokens)
    return options


class Inspector:
    """A model for inspection. Its methods may be called from several threads at once."""

    def __init__(self, model: Path) -> None:
        """Load a model file or the model of a training folder. Raises DataError naming the file."""
        self._core = _core.Inspector(_check.path("model", model))

    def inspect(self, source: str, target: Optional[str] = None, *, tensors: Union[str, Iterable[str]] = ("*",),
                longest: int = 512, most_values: int = 0, source_tokens: Optional[Iterable[str]] = None,
                target_tokens: Optional[Iterable[str]] = None, top_tokens: int = 0,
                temperature: Optional[float] = None, top_p: Optional[float] = None) -> Inspection:
        """Return all intermediates of the model for source and, with teacher forcing, target.

        Without a target, translates the source first. tensors: names of those whose values are kept; * matches any text.
        longest: most tokens per side, at most 512; most_values: most numbers in the kept tensors together, 0: no limit.
        target_tokens: the translation by its tokens (Translation.tokens) instead of target; source_tokens: the source by
        its tokens, so that source only tells the languages. top_tokens: how many of the most probable tokens to give at
        each position, 0 to 100. temperature, top_p: give the distributions to sample from, too. Raises UsageError if a
        limit is exceeded.
        """
        given = "" if target is None else _check.text("target", target)
        options = _options(source_tokens, longest)
        options.tensors = [_check.text("tensors", tensors)] if isinstance(tensors, str) else _check.lines("tensors", tensors)
        options.most_values = _check.integer("most_values", most_values, 0, 2**63 - 1)
        options.top_tokens = _check.integer("top_tokens", top_tokens, 0, 100)
        if target_tokens is not None:
            options.target_tokens = _check.lines("target_tokens", target_tokens)
        if temperature is not None or top_p is not None:
            options.set_sampling(1.0 if temperature is None else _check.number("temperature", temperature),
                                 1.0 if top_p is None else _check.number("top_p", top_p))
        return Inspection(self._core.inspect(_check.text("source", source), given, options))

    def translation(self, source: str, *, source_tokens: Optional[Iterable[str]] = None, longest: int = 512) -> Translation:
        """Return the best translation by the search recorded in the model, in f32, also of a changed model.

        source_tokens and longest are those of inspect().
        """
        found = self._core.translation(_check.text("source", source), _options(source_tokens, longest))
        return Translation(*found[:6])

    def formula(self, tensor: str) -> str:
        """Return how the model computes a tensor of an inspection: "softmax(scores), by row"; "": unknown tensor."""
        return self._core.formula(_check.text("tensor", tensor))

    def changed(self, *, scale: bool = True, mask: bool = True, positions: bool = True,
                heads: Iterable[tuple[str, int, int]] = ()) -> Inspector:
        """Return an inspector of the same model without a part; it shares the other weights.

        False removes the division of scores by the root of d_k, the decoder's mask, or the positional encodings. heads
        are removed: ("encoder", layer, head), or "decoder" (self-attention) or "cross"; they count from 1. Raises
        UsageError if the model has no such part.
        """
        other = Inspector.__new__(Inspector)
        other._core = self._core.changed(_check.flag("scale", scale), _check.flag("mask", mask),
                                         _check.flag("positions", positions), _check.heads("heads", heads))
        return other

    def trace(self, source: str, **options: Unpack[SearchOptions]) -> SearchTrace:
        """Trace the beam search for the translation of source step by step, with weights in f32.

        Raises UsageError for options that cannot be traced: sampling, a minimum length, rules on repetitions and
        unknown tokens, and a coverage penalty.
        """
        return traced(self._core.trace(_check.text("source", source), _check.options(options)))
