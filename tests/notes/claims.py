"""Checks what docs/notes.md says about the notes: the errors in their formulas, and figures of docs/lab.

usage: claims.py DOCS     the project's folder docs; exit code 1 if a statement is wrong, 77 if NumPy is missing
"""

import os
import re
import sys

try:
    import numpy as np
except ImportError:
    print("NumPy is missing")
    sys.exit(77)

from activations import softmax


def formulas():
    """The derivation of self-attention, element by element, on random numbers."""
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
    written = masked[0, 1] * v[0] + masked[1, 1] * v[1]  # the second row of the output, as written
    yield "so the second output as written is alpha'_22 v'_2 alone", np.allclose(written, masked[1, 1] * v[1])
    yield "where the second word also looks at the first", not np.allclose(written, (masked @ v)[1])


def modules():
    """The PyTorch code: `return encoder_y,` and `return dec_output,`; dropout on the weights."""
    def encoder(x):
        return x,

    yield "a comma after the returned value makes a tuple of one", encoder(np.zeros(3)).__class__ is tuple
    dropped = softmax(np.zeros((1, 4))) * np.array([0, 1, 1, 1]) / 0.9
    yield "after dropout weights do not sum to 1", not np.isclose(dropped.sum(), 1)


RANGE = re.compile(r"([\d.]+) \(([\d.]+) to ([\d.]+)\)")  # the mean of the seeds, the lowest and the highest


def losses(page):
    """-> d_k, score -> lowest and highest loss of the trained models"""
    table = page.split("**Trained for")[1].split("\n\n")[1].splitlines()
    head, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table if not line.startswith("|:-")]
    return {(int(row[0]), score): [float(x) for x in RANGE.match(cell).groups()[1:]]
            for row in rows for score, cell in zip(head[1:], row[1:])}


def apart(low, high):
    return max(low) < min(high)


def figures(docs):
    with open(os.path.join(docs, "lab", "scale.md"), encoding="utf-8") as file:
        page = file.read()
    trained = losses(page)

    def at(d_k, score):
        return trained[d_k, score]
    for other in ("dot", "scaled-dot"):
        yield f"at d_k = 4 additive is worse than {other} with every seed", apart(at(4, other), at(4, "additive"))
    yield "at d_k = 32 additive is not told apart from dot", not apart(at(32, "additive"), at(32, "dot"))
    yield "at d_k = 256 additive is better than dot with every seed", apart(at(256, "additive"), at(256, "dot"))
    scaled, additive = at(256, "scaled-dot"), at(256, "additive")
    yield "and not told apart from scaled-dot", not apart(additive, scaled) and not apart(scaled, additive)
    finding = page.split("With additive scores at d_k = 256")[1].split("A training took")[1].split("\n")[0]
    slow, fast = ([float(x) for x in numbers] for numbers in RANGE.findall(finding))
    yield "at d_k = 256 a training with additive scores takes longer than with scaled-dot, with every seed", apart(fast[1:], slow[1:])
    yield "2.8 times as long, by the means", round(slow[0] / fast[0], 1) == 2.8


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
