"""Recomputes every formula of the notes from a file of `hexapla inspect --weights --gradients --beside ...` alone.

usage: recompute.py FILE.safetensors

Each formula is computed in f64 from the file's values of its inputs and compared with the file's result: to 1e-5,
relative to the largest number of the tensor if that is above 1. Prints a line per formula; exit code 1 if one differs,
77 if NumPy is missing.
"""

import json
import sys

try:
    import numpy as np
except ImportError:
    print("NumPy is missing")
    sys.exit(77)

from backward import Backward

TOLERANCE = 1e-5
TYPES = {"F32": np.float32, "F64": np.float64, "I32": np.int32}


class File:
    """Tensors in f64 (ids as integers) by name, and the metadata."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        size = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + size])
        self.metadata = header.pop("__metadata__")
        self.config = json.loads(self.metadata["config"])
        self.tensors = {}
        for name, entry in header.items():
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            numbers = np.frombuffer(data[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
            self.tensors[name] = numbers if entry["dtype"] == "I32" else numbers.astype(np.float64)
        self.used = set()

    def __contains__(self, name):
        return name in self.tensors

    def __getitem__(self, name):
        self.used.add(name)
        return self.tensors[name]


class Check:
    """Compares, and records for each formula the number of comparisons and the largest error."""

    def __init__(self):
        self.failed = 0
        self.worst = {}

    def __call__(self, formula, got, expected):
        got, expected = np.asarray(got, np.float64), np.asarray(expected, np.float64)
        assert got.shape == expected.shape, f"{formula}: {got.shape} is not {expected.shape}"
        finite = np.isfinite(expected)
        same = np.array_equal(got[~finite], expected[~finite])
        largest = max(1.0, np.abs(expected[finite]).max(initial=0))
        off = np.abs(got[finite] - expected[finite]).max(initial=0) / largest if same else np.inf
        count, worst = self.worst.get(formula, (0, 0.0))
        self.worst[formula] = (count + 1, max(worst, off))

    def report(self):
        for formula, (count, off) in self.worst.items():
            bad = not off <= TOLERANCE
            self.failed += bad
            print(f"{'DIFFERS' if bad else 'ok':7} {off:8.1e}  {count:3}x  {formula}")
        return self.failed == 0


def recompute(path):
    """Checks every formula; true if all agree with the file and every tensor of the file was used."""
    file, check = File(path), Check()
    notes = Backward(file, check)
    notes.embeddings()
    notes.mask()
    notes.whole_attention()
    for stack in ("encoder", "decoder"):
        for scope in notes.sublayers(stack):
            forward = notes.feed_forward if scope.endswith("feed_forward") else notes.mix
            (notes.attention if scope.endswith("attention") else forward)(scope)
            notes.residual(scope)
    notes.generator()
    notes.padding()
    notes.all_of_it()
    for stack in ("encoder", "decoder"):
        for scope in notes.sublayers(stack):
            backward = notes.feed_forward_gradients if scope.endswith("feed_forward") else notes.mixing_gradients
            (notes.attention_gradients if scope.endswith("attention") else backward)(scope)
            notes.residual_gradients(scope)
    notes.end_gradients()
    notes.embedding_gradients()
    fine = check.report()
    left = sorted(set(file.tensors) - file.used - {"source.ids"})
    if left:
        print("no formula used", *left)
    return fine and not left


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(0 if recompute(sys.argv[1]) else 1)
