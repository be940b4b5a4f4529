"""Traces of searches as results."""

from __future__ import annotations

from . import _core
from .results import SearchCandidate, SearchHypothesis, SearchStep, SearchTrace


def _hypotheses(found: list[_core._Hypothesis]) -> list[SearchHypothesis]:
    return [SearchHypothesis(*one) for one in found]


def traced(found: _core._TraceTuple) -> SearchTrace:
    """The trace that the C++ module gives."""
    tokens, steps, ending, why, finished, warnings, table, picture = found
    return SearchTrace(tokens, [SearchStep(_hypotheses(beams), [SearchCandidate(*one) for one in candidates])
                                for beams, candidates in steps],
                       ending, why, _hypotheses(finished), warnings, table, picture)
