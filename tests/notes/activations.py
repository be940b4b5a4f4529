"""The softmax; the activations of the feed-forward network and their derivatives."""

import math

import numpy as np

TANH = math.sqrt(2 / math.pi)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def erf(x):
    return np.vectorize(math.erf)(x)


def activation(kind):
    return {
        "relu": lambda x: np.maximum(0, x),
        "gelu": lambda x: x * (1 + erf(x / np.sqrt(2))) / 2,
        "swish": lambda x: x / (1 + np.exp(-x)),
        "gelu-tanh": lambda x: x * (1 + np.tanh(TANH * (x + 0.044715 * x**3))) / 2,
    }[kind]


def activation_slope(kind):
    return {
        "relu": lambda x: (x > 0).astype(np.float64),
        "gelu": lambda x: (1 + erf(x / np.sqrt(2))) / 2 + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi),
        "swish": lambda x: (lambda s: s + x * s * (1 - s))(1 / (1 + np.exp(-x))),
        "gelu-tanh": lambda x: (
            lambda t: (1 + t) / 2 + x * (1 - t * t) / 2 * TANH * (1 + 3 * 0.044715 * x * x)
        )(np.tanh(TANH * (x + 0.044715 * x**3))),
    }[kind]
