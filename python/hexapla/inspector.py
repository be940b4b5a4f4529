"""All intermediate results of a model for one pair of sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Optional

from . import _check, _core
from ._typing import Doubles, Path, Unpack
from .options import SearchOptions
from .results import SearchCandidate, SearchHypothesis, SearchStep, SearchTrace

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

    def __getitem__(self, name: str) -> Doubles:
        """Return the intermediate of this name. Raises KeyError if there is none."""
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


def _hypotheses(found: list[_core._Hypothesis]) -> list[SearchHypothesis]:
    return [SearchHypothesis(*one) for one in found]


class Inspector:
    """A model for inspection. Its methods may be called from several threads at once."""

    def __init__(self, model: Path) -> None:
        """Load a model file or the model of a training folder. Raises DataError naming the file."""
        self._core = _core.Inspector(_check.path("model", model))

    def inspect(self, source: str, target: Optional[str] = None) -> Inspection:
        """Return all intermediates of the model for source and, with teacher forcing, target.

        Without a target, translates the source first. Limit: 512 tokens per side.
        """
        given = "" if target is None else _check.text("target", target)
        return Inspection(self._core.inspect(_check.text("source", source), given))

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
        tokens, steps, ending, why, finished = self._core.trace(_check.text("source", source), _check.options(options))
        return SearchTrace(tokens, [SearchStep(_hypotheses(beams), [SearchCandidate(*one) for one in candidates])
                                    for beams, candidates in steps], ending, why, _hypotheses(finished))
