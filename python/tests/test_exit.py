"""The interpreter may exit at any moment, whatever its threads do."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import made_up_lines

LINES = made_up_lines(50, 3)

# A daemon thread repeats one of these calls while the interpreter shuts down.
CALLS = {
    "result": "t.submit(lines * 4, beam_size=8).result()",
    "stream": "list(t.stream(' '.join(lines)[:400], beam_size=8))",
    "translate": "t.translate(lines * 4)",
    "warn": "t.translate([' '.join(lines)] * 20, max_length=5, beam_size=1, warn=told)",
    "score": "t.score(lines * 4, lines * 4)",
    "align": "t.align(lines * 4, lines * 4)",
    "evaluate": "hexapla.Evaluator(resamples=200).score(lines, lines)",
    "inspect": "hexapla.Inspector(model).inspect('the dog')",
    "train": "hexapla.Trainer(model=folder, **TRAINING).train(made_up_pairs(300, 1), on_report=told)",
    "read": "hexapla.Trainer(model=folder, **TRAINING).train((one for one in endless()), on_reading=told)",
}


@pytest.mark.parametrize("call", CALLS)
def test_a_daemon_thread_may_be_inside_at_the_end(call: str, model: str, tmp_path: object) -> None:
    script = f"""
import itertools, sys, threading, time
sys.path.insert(0, {__file__.rsplit('/', 1)[0]!r})
import hexapla
from conftest import TRAINING, made_up_pairs
TRAINING.update(max_updates=10**6, report_every=1)
model, lines, folder = {model!r}, {LINES!r}, {str(tmp_path)!r}
t = hexapla.Translator(model)
inside = threading.Event()

class Slow:  # its destruction lets other threads run during shutdown
    def __del__(self, sleep=time.sleep):
        sleep(0.5)

def told(*what):
    inside.set()
    time.sleep(0.001)

def endless():
    inside.set()
    for pair in itertools.cycle(made_up_pairs(1000, 1)):
        yield pair

def work():
    for i in itertools.count():
        {CALLS[call]}
        inside.set()

slow = Slow()
threading.Thread(target=work, daemon=True).start()
assert inside.wait(60)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
