"""Shared by the tests: made-up text, a model trained on it, and the program.

HEXAPLA_PROGRAM names the program whose output the package must equal; without it, and without one in build/release,
the tests that compare are skipped.
"""

from __future__ import annotations

import os
import pathlib
import random
import signal
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import hexapla

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = {"a": "ein", "the": "der", "dog": "Hund", "cat": "Kater", "bird": "Vogel", "runs": "rennt", "sleeps": "schläft",
         "sings": "singt", "fast": "schnell", "here": "hier", "and": "und", "two": "zwei", "big": "groß", "red": "rot"}
TRAINING: dict[str, Any] = {
    "preset": "tiny", "enc_layers": 1, "dec_layers": 1, "dim_model": 32, "dim_ff": 64, "heads": 2, "vocab_size": 70,
    "batch_tokens": 400, "max_updates": 150, "warmup": 40, "lr": 0.01, "dropout": 0.0, "threads": 2}


def made_up_lines(n: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(list(WORDS), k=draw.randint(1, 9))) for _ in range(n)]


def made_up_pairs(n: int, seed: int) -> list[tuple[str, str]]:
    return [(line, " ".join(WORDS[word] for word in line.split())) for line in made_up_lines(n, seed)]


Program = Callable[..., str]


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """Makes Ctrl-C raise KeyboardInterrupt, even if the shell runs the tests in the background and ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def program() -> Program:
    """Runs the program: program("translate", "-m", model, text=lines) -> stdout."""
    path = os.environ.get("HEXAPLA_PROGRAM") or str(ROOT / "build/release/hexapla")
    if not os.access(path, os.X_OK):
        pytest.skip(f"there is no program {path}: build it, or name one in HEXAPLA_PROGRAM")

    def run(*arguments: object, text: str = "") -> str:
        done = subprocess.run([path, *map(str, arguments)], input=text, text=True, capture_output=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a model."""
    run = tmp_path_factory.mktemp("model") / "run"
    return hexapla.Trainer(model=run, **TRAINING).train(made_up_pairs(400, 1)).model


@pytest.fixture(scope="session")
def translator(model: str) -> hexapla.Translator:
    return hexapla.Translator(model)
