#!/usr/bin/env -S python3 -B
"""Checks the memory that trainings announce. Trains small models with random options including validation, and compares
the announcement with the peak of anonymous memory (RssAnon): the peak may exceed it by at most 30 MiB, and the
announcement may be at most 1.3 times the peak. If translating needs more memory than a training step, its part of the
announcement is an upper bound, reached only if hypotheses become long and share nothing, so the factor applies to the
rest. Prints a table; exit code 1 if a run is out of bounds or fails. The first runs are the hard cases; equal SEEDs draw
equal runs.
Usage: memory_bounds.py HEXAPLA [RUNS=50] [SEED=1]"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ABOVE, FACTOR = 30, 1.3  # MiB of a peak above the announcement; announcement relative to the peak
SYLLABLES = ["ka", "lo", "mi", "ra", "tu", "se", "no", "bi", "ge", "du", "po", "vel"]
BUDGET = 4e10  # multiplications per run


def write_text(path, draw, lines, longest, words):
    """Writes lines of made-up words; both sides are the same text with different words."""
    mean = max(1, longest // 3)
    for side in range(2):
        with open(f"{path}.{side}", "w") as out:
            for _ in range(lines):
                some = [draw.randrange(words) for _ in range(min(longest, 1 + int(draw.expovariate(1 / mean))))]
                out.write(" ".join("".join(SYLLABLES[(w // 12**k + side) % 12] for k in range(1 + w % 4)) for w in some))
                out.write("\n")
    return [f"{path}.0", f"{path}.1"]


def draw_options(draw):
    """-> random options of a training, and the sizes of its texts"""
    heads = draw.choice([1, 2, 4])
    dim = heads * draw.choice([8, 16, 32, 64, 96])
    layers = draw.randint(1, 4)
    o = {"dim-model": dim, "heads": heads, "dim-ff": dim * draw.choice([1, 2, 4]), "enc-layers": layers,
         "dec-layers": draw.randint(1, 4), "vocab-size": draw.choice([300, 1000, 3000, 8000]),
         "batch-tokens": draw.choice([64, 300, 1000, 2500, 6000]), "threads": draw.randint(1, 2),
         "precision": draw.choice(["auto", "f32"]), "valid-beam": draw.choice([1, 1, 2, 4, 16, 64]),
         "dropout": draw.choice([0, 0.1]), "attention-dropout": draw.choice([0, 0.1]),
         "activation-dropout": draw.choice([0, 0.1]), "tied": draw.choice(["all", "decoder", "none"]),
         "norm-position": draw.choice(["post", "pre", "post-last"]), "norm": draw.choice(["layer", "layer", "batch"]),
         "score": draw.choice(["scaled-dot", "dot", "additive"]) if dim <= 64 else "scaled-dot",
         "positions": draw.choice(["sinusoidal", "learned", "timing-signal"]), "activation": draw.choice(["relu", "gelu", "swish", "gelu-tanh"]),
         "accumulate": draw.choice([1, 1, 3]), "schedule": draw.choice(["inverse-sqrt", "constant", "plateau"])}
    o |= draw.choice([{}, {"ema": 0.9}, {"weight-decay": 0.01}, {"clip-norm": 1}])
    o |= draw.choice([{}, {"average-last": 3}, {"average-best": 2}, {"final-model": "best"}])
    o |= draw.choice([{}, {}, {"subword-alpha": 0.2}, {"shuffle-memory": 1}])
    for flag in ("gated", "attention-bias", "generator-bias", "embedding-norm", "separate-vocabs"):
        if draw.random() < 0.2:
            o[flag] = "true"
    text = {"lines": draw.choice([300, 3000, 12000]), "longest": draw.choice([12, 40, 150]), "valid sets": draw.choice([1, 1, 3]),
            "valid lines": draw.choice([4, 60, 400]), "valid longest": draw.choice([10, 40, 300])}
    return o, text


HARD = [  # options, text; hard: validation memory, memory kept after reading, means at the end, many or repeated pairs
    ({"dim-model": 128, "heads": 4, "dim-ff": 256, "valid-beam": 64, "batch-tokens": 300}, {"valid lines": 4, "valid longest": 100}),
    ({"dim-model": 128, "heads": 4, "dim-ff": 256, "valid-beam": 1, "batch-tokens": 300, "threads": 2}, {"valid lines": 60, "valid longest": 40}),
    ({"dim-model": 256, "heads": 4, "dim-ff": 512, "valid-beam": 4, "batch-tokens": 64, "average-best": 2, "vocab-size": 8000},
     {"lines": 3000, "valid lines": 4, "valid longest": 10}),
    ({"dim-model": 32, "heads": 2, "dim-ff": 64, "subword-alpha": 0.2, "batch-tokens": 1000, "valid-beam": 1},
     {"lines": 60000, "valid lines": 60, "valid longest": 10}),
    ({"dim-model": 16, "heads": 2, "dim-ff": 16, "batch-tokens": 1000, "valid-beam": 1},
     {"lines": 3000, "valid lines": 10000, "valid longest": 4}),
    ({"dim-model": 16, "heads": 2, "dim-ff": 16, "batch-tokens": 1000, "valid-beam": 1, "train-weights": 1000}, {"lines": 4000}),
    ({"dim-model": 16, "heads": 2, "dim-ff": 16, "batch-tokens": 1000, "valid-beam": 1, "vocab-lines": 20000}, {"lines": 500000}),
]


def cost(o, text):
    """-> approximate multiplications of the training and its validations"""
    weights = (o["enc-layers"] + 2 * o["dec-layers"]) * (4 * o["dim-model"]**2 + 2 * o["dim-model"] * o["dim-ff"])
    weights += o["vocab-size"] * o["dim-model"]
    tokens = text["valid sets"] * text["valid lines"] * (text["valid longest"] / 3 + 50) * o["valid-beam"]
    return weights * (3 * 8 * o["batch-tokens"] * o["accumulate"] + 2 * tokens)


def configurations(seed, runs):
    draw = random.Random(seed)
    found = []
    while len(found) < runs:
        o, text = draw_options(draw)
        if len(found) < len(HARD):
            plain = {"average-last": 0, "average-best": 0, "norm": "layer", "score": "scaled-dot",
                     "tied": "all", "enc-layers": 2, "dec-layers": 2, "vocab-size": 1000, "accumulate": 1}
            for option in ("final-model", "subword-alpha", "shuffle-memory", "separate-vocabs"):
                o.pop(option, None)
            o |= plain | HARD[len(found)][0]
            text |= {"valid sets": 1, "lines": 3000, "longest": 40} | HARD[len(found)][1]
        elif cost(o, text) > BUDGET:
            continue
        if o.get("separate-vocabs") and o["tied"] == "all":
            o["tied"] = "decoder"
        found.append((o, text))
    return found


def anonymous(pid):
    """-> (current KiB, approximate peak in KiB) of a process"""
    status = dict(re.findall(r"^(VmHWM|RssAnon|RssFile):\s*(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text(), re.MULTILINE))
    return int(status["RssAnon"]), int(status["VmHWM"]) - int(status["RssFile"])


def peak_of(command, log):
    """-> (exit code, peak MiB of anonymous memory) of a command; writes stderr to log"""
    with open(log, "w") as err:
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=err)
        peak = 0
        while run.poll() is None:
            try:
                peak = max(peak, *anonymous(run.pid))
            except (OSError, KeyError):  # the process has just ended
                pass
            time.sleep(0.003)
    return run.returncode, peak / 1024


def updates(o):
    """-> updates until the training has allocated everything; with windows, the third one is loaded when the first
    is used up"""
    return 40 if "shuffle-memory" in o or "subword-alpha" in o else 8


def train(hexapla, o, text, folder, draw):
    """-> (announced MiB, peak MiB, the whole announcement), or the end of the error output"""
    sets = write_text(f"{folder}/train", draw, text["lines"], text["longest"], 4000)
    valid = []
    for i in range(text["valid sets"]):
        valid += write_text(f"{folder}/valid{i}", draw, text["valid lines"], text["valid longest"], 4000)
    command = [hexapla, "train", "--color", "never", "--model", f"{folder}/run", "--train-sets", *sets, "--valid-sets", *valid,
               "--max-updates", str(updates(o)), "--max-epochs", "0", "--valid-every", "4", "--save-every", "2", "--report-every", "4",
               "--lr", "1e-4"]
    flags = [f"--{name}" if value == "true" else f"--{name}={value}" for name, value in o.items()]
    code, peak = peak_of(command + flags, f"{folder}/log")
    said = pathlib.Path(f"{folder}/log").read_text()
    announced = re.search(r"together +([\d,]+) MiB of", said)
    if code != 0 or not announced:
        return f"exit code {code}: {said[-500:]}"
    parts = re.search(r"memory +weights.*?(?=together)", re.sub(r"\[[-\d :]+\]", "", said), re.DOTALL)
    return float(announced[1].replace(",", "")), peak, re.sub(r"\s+", " ", parts[0]) if parts else ""


def main():
    hexapla, runs, seed = sys.argv[1], *(int(a) for a in (sys.argv[2:] + ["50", "1"][len(sys.argv) - 2:])[:2])
    wrong = 0
    print("run  announced   peak  ratio  options")
    for number, (o, text) in enumerate(configurations(seed, runs), 1):
        with tempfile.TemporaryDirectory() as folder:
            result = train(hexapla, o, text, folder, random.Random(number))
        shown = " ".join(f"{k}={v}" for k, v in {**o, **text}.items())
        if isinstance(result, str):
            wrong += 1
            print(f"{number:3}  {shown}\n     {result}", flush=True)
            continue
        announced, peak, parts = result
        translating = re.search(r"translating (\d+) MiB", parts)
        bad = peak > announced + ABOVE or announced - int(translating[1] if translating else 0) > FACTOR * peak
        wrong += bad
        print(f"{number:3}  {announced:9.0f} {peak:6.0f}  {announced / peak:5.2f}  {'OUT OF BOUNDS ' if bad else ''}{shown}", flush=True)
        if bad or translating:
            print(f"     {parts}", flush=True)
    print(f"{runs} runs, {wrong} out of bounds")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
