"""Recomputes what docs/notes.md says of the notes themselves: the slips in their formulas, and figures of docs/lab.

usage: claims.py DOCS     the project's folder docs; exit code 1 where a statement does not hold, 77 where NumPy is missing
"""

import json
import os
import sys

try:
    import numpy as np
except ImportError:
    print("NumPy is missing")
    sys.exit(77)

from activations import softmax


def formulas():
    """The derivation of self-attention, element by element, on any numbers."""
    random = np.random.default_rng(1)
    q, k, v = random.normal(size=(3, 4, 5))
    alpha = q @ k.T
    weights, right = softmax(alpha), softmax(alpha) @ v
    columns = np.einsum("ij,id->jd", weights, v)
    yield "o_j = sum over i of alpha'_ij v_j sums to something else", not np.allclose(columns, right)
    yield "its weights do not sum to 1", not np.allclose(weights.sum(0), 1)
    yield "its last form has alpha, not alpha': another result again", not np.allclose(alpha.T @ v, columns)
    yield "and not the right one", not np.allclose(alpha @ v, right)
    masked = softmax(np.where(np.triu(np.ones((4, 4)), 1) == 1, -1e999, alpha))
    yield "with the mask alpha'_12 is 0", masked[0, 1] == 0
    written = masked[0, 1] * v[0] + masked[1, 1] * v[1]  # the second row of the output, as it is written
    yield "so the second output as written is alpha'_22 v'_2 alone", np.allclose(written, masked[1, 1] * v[1])
    yield "where the second word also looks at the first", not np.allclose(written, (masked @ v)[1])


def modules():
    """The build in PyTorch: `return encoder_y,` and `return dec_output,`; the argument that nothing reads."""
    def encoder(x):
        return x,

    yield "a comma behind what is returned makes a tuple of one", encoder(np.zeros(3)).__class__ is tuple
    dropped = softmax(np.zeros((1, 4))) * np.array([0, 1, 1, 1]) / 0.9
    yield "after dropout weights do not sum to 1", not np.isclose(dropped.sum(), 1)


def of(trained, key, **which):
    return [one[key] for one in trained if all(one[name] == value for name, value in which.items())]


def apart(low, high):
    return max(low) < min(high)


def figures(docs):
    with open(os.path.join(docs, "lab", "scale.json"), encoding="utf-8") as file:
        trained = json.load(file)["figures"]["trained"]

    def at(d_k, score, key="loss"):
        return of(trained, key, d_k=d_k, score=score)
    for other in ("dot", "scaled-dot"):
        yield f"at d_k = 4 additive is worse than {other} with every seed", apart(at(4, other), at(4, "additive"))
    yield "at d_k = 32 additive is not told apart from dot", not apart(at(32, "additive"), at(32, "dot"))
    yield "at d_k = 256 additive is better than dot with every seed", apart(at(256, "additive"), at(256, "dot"))
    scaled, additive = at(256, "scaled-dot"), at(256, "additive")
    yield "and not told apart from scaled-dot", not apart(additive, scaled) and not apart(scaled, additive)
    for other in ("dot", "scaled-dot"):
        slower = apart(at(256, other, "seconds"), at(256, "additive", "seconds"))
        yield f"at d_k = 256 a training with additive scores takes longer than with {other}, with every seed", slower
    middle = [np.median(at(256, score, "seconds")) for score in ("additive", "scaled-dot")]
    yield "2.7 times as long, by the medians", round(middle[0] / middle[1], 1) == 2.7


def main(docs):
    wrong = 0
    for claims in (formulas(), modules(), figures(docs)):
        for what, holds in claims:
            wrong += not holds
            print("ok  " if holds else "WRONG", what)
    return wrong == 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(0 if main(sys.argv[1]) else 1)
