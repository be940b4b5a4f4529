#!/usr/bin/env python3
"""Ruins a sound corpus in seventeen ways and shows what `hexapla train` says of each before it begins.

bench/ruined_corpora.py HEXAPLA FOLDER SOURCE TARGET VALID_SOURCE VALID_TARGET: writes FOLDER/NAME, starts a training of one
update on it, and prints a line: refused, noted or nothing, seconds, and the message. "sound" is the text as it is.
"""
import random
import subprocess
import sys
import time
from pathlib import Path

RUSSIAN = "собака бежит через зелёный сад"
FRENCH = "le chat et le chien sont dans la maison de la ville avec les enfants".split()

def ruined(source, target, valid_source, valid_target):
    """-> {name: (training sets, validation set)}, each set a pair of lists"""
    half, n = len(source) // 2, len(source)
    r = random.Random(1)
    train, valid = (source, target), (valid_source, valid_target)
    other = [" ".join(r.choices(FRENCH, k=8)) for _ in valid_target]
    alternating = [(x, y) if i % 2 else (y, x) for i, (x, y) in enumerate(zip(source, target))]
    fifth = [(y, x) if i % 5 == 0 else (x, y) for i, (x, y) in enumerate(zip(source, target))]
    shuffled = target[:]
    r.shuffle(shuffled)
    tenth = lambda lines, wrong: [wrong[i] if i % 10 == 0 else line for i, line in enumerate(lines)]
    return {
        "sound": ([train], valid),
        "target a line ahead": ([(source[:-1], target[1:])], valid),
        "target two lines behind": ([(source[2:], target[:-2])], valid),
        "a line lost in the middle": ([(source[:-1], target[:half] + target[half + 1:])], valid),
        "targets in another order": ([(source, shuffled)], valid),
        "validation sides exchanged": ([train], valid[::-1]),
        "second set exchanged": ([(source[:half], target[:half]), (target[half:], source[half:])], valid),
        "identical sides": ([(source, source)], (valid_source, valid_source)),
        "a tenth of the targets not translated": ([(source, tenth(target, source))], valid),
        "a tenth of the targets in the source language": ([(source, tenth(target, source[1:] + source[:1]))], valid),
        "a tenth of the targets in another script": ([(source, tenth(target, [RUSSIAN] * n))], valid),
        "the same set twice": ([train, train], valid),
        "both directions, alternating": ([tuple(zip(*alternating))], valid),
        "both directions, one after the other": ([(source[:half] + target[half:], target[:half] + source[half:])], valid),
        "a fifth exchanged": ([tuple(zip(*fifth))], valid),
        "validation lines in the text": ([(source + valid_source, target + valid_target)], valid),
        "validation in another language": ([train], (valid_source, other)),
        "every pair five times": ([(source[:n // 5] * 5, target[:n // 5] * 5)], valid),
    }

def write(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf8")
    return path

def main():
    hexapla, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    texts = [Path(name).read_text(encoding="utf8").splitlines() for name in sys.argv[3:7]]
    for name, (training, valid) in ruined(*texts).items():
        place = folder / name.replace(" ", "-").replace(",", "")
        place.mkdir(exist_ok=True)
        sets = [write(place / f"train{i}.{side}", lines) for i, pair in enumerate(training) for side, lines in zip("xy", pair)]
        valids = [write(place / f"valid.{side}", lines) for side, lines in zip("xy", valid)]
        subprocess.run(["rm", "-rf", place / "run"], check=True)
        began = time.time()

        done = subprocess.run([hexapla, "train", "--train-sets", *sets, "--valid-sets", *valids, "--model", place / "run",
                               "--preset", "tiny", "--vocab-size", "400", "--batch-tokens", "500", "--max-updates", "1",
                               "--valid-every", "1e"], capture_output=True, text=True)
        said = [line for line in done.stderr.splitlines() if str(place) in line and ("note: " in line or "error: " in line)]
        kind = "refused" if done.returncode else "noted" if said else "nothing"
        print(f"{name:<46} {kind:<8} {time.time() - began:5.1f} s  {said[0][:160] if said else ''}", flush=True)

if __name__ == "__main__":
    main()
