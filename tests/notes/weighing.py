"""Alternatives to the softmax of attention scores, and their derivatives; unseen keys have the score -inf."""

import numpy as np
from activations import softmax


def phi(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def phi_slope(x):
    return np.where(x > 0, 1, np.exp(np.minimum(x, 0)))


def seen(s):
    return np.where(np.isfinite(s), s, 0)


def count(s):
    """The number of keys that a query sees, at least 1."""
    return np.maximum(1, np.isfinite(s).sum(-1, keepdims=True))


def four_highest(s):
    order = np.argsort(-s, axis=-1, kind="stable")
    rank = np.argsort(order, axis=-1, kind="stable")
    return np.where(rank < 4, s, -np.inf)


def through_softmax(s, w, d):
    return w * (d - (w * d).sum(-1, keepdims=True))


def total(s):
    return seen(s).sum(-1, keepdims=True)


# (weights of scores, derivative of the scores from that of the weights, whether a row of weights
# sums to 1)
KINDS = {
    "softmax": (softmax, through_softmax, True),
    "top-4": (lambda s: softmax(four_highest(s)), through_softmax, True),
    "sigmoid": (
        lambda s: np.where(np.isfinite(s), 1 / (1 + count(s) * np.exp(-seen(s))), 0),
        lambda s, w, d: d * w * (1 - w),
        False,
    ),
    "relu": (lambda s: np.maximum(0, s) / count(s), lambda s, w, d: np.where(s > 0, d / count(s), 0), False),
    "unnormalized": (lambda s: seen(s) / count(s), lambda s, w, d: np.where(np.isfinite(s), d / count(s), 0), False),
    "linear-kernel": (
        lambda s: seen(s) / total(s),
        lambda s, w, d: np.where(np.isfinite(s), (d - (w * d).sum(-1, keepdims=True)) / total(s), 0),
        True,
    ),
}
