#!/usr/bin/env python3
"""Compares `hexapla train` without options with settings that an expert would try in the same time.

bench/recipes.py HEXAPLA FOLDER --minutes 3 [NAME...]: makes the corpora (bench/recipe_corpora.py), trains on each with
--preset auto and with each setting, one after the other, and prints a table of exact lines of 300 that no training saw.
The settings are fixed here, before any run. With --valid the lines are those of the validation set: to work on the rules
without a look at the test set.
"""
import argparse
import subprocess
import sys
import time
from pathlib import Path

SMALL = "--preset tiny --layers 2 --dim-ff 512"
SETTINGS = {
    "auto": "",
    "tiny, 1,000 pieces": "--preset tiny --vocab-size 1000 --batch-tokens 2048",
    "tiny, 120 pieces": "--preset tiny --vocab-size 120 --batch-tokens 1000 --lr 2e-3 --warmup 400",
    "2+2, 120 pieces, rate 3e-3": f"{SMALL} --vocab-size 120 --batch-tokens 1500 --lr 3e-3 --warmup 200 --dropout 0.1",
    "2+2, 120 pieces, dropout 0.3": f"{SMALL} --vocab-size 120 --batch-tokens 1000 --lr 2e-3 --warmup 200",
    "2+2, 400 pieces": f"{SMALL} --vocab-size 400 --batch-tokens 1500 --lr 3e-3 --warmup 200 --dropout 0.2",
    "3+3 of 256, 200 pieces": "--preset tiny --layers 3 --dim-model 256 --dim-ff 1024 --vocab-size 200 "
                              "--batch-tokens 2048 --lr 1e-3 --warmup 300",
}


def exact_lines(hexapla, corpus, run, part, options, minutes):
    """Lines that are right in every character, and seconds of the training."""
    sets = ["--train-sets", corpus / "train.src", corpus / "train.tgt"]
    if options:  # auto holds lines out
        sets += ["--valid-sets", corpus / "valid.src", corpus / "valid.tgt"]
    began = time.time()
    subprocess.run([hexapla, "train", *sets, "--model", run, "--max-minutes", str(minutes), "--quiet", "--seed", "1",
                    *options.split()], check=True)
    seconds = time.time() - began
    with open(corpus / f"{part}.src", "rb") as source:
        found = subprocess.run([hexapla, "translate", "-m", run], stdin=source, check=True, capture_output=True).stdout
    expected = (corpus / f"{part}.tgt").read_text(encoding="utf8").splitlines()
    return sum(a == b for a, b in zip(found.decode().splitlines(), expected)), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hexapla", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--valid", action="store_true")
    parser.add_argument("--settings", type=int, default=len(SETTINGS), help="only the first N")
    options = parser.parse_args()
    script = Path(__file__).with_name("recipe_corpora.py")
    subprocess.run([sys.executable, script, options.folder, *options.names], check=True, stdout=subprocess.DEVNULL)
    corpora = [options.folder / name for name in options.names] or sorted(p for p in options.folder.iterdir()
                                                                          if (p / "test.tgt").exists())
    settings = list(SETTINGS.items())[:options.settings]
    print("| corpus | " + " | ".join(name for name, _ in settings) + " |")
    print("|---|" + "--:|" * len(settings))
    for corpus in corpora:
        cells = []
        for number, (_, given) in enumerate(settings):
            run = options.folder / "runs" / f"{corpus.name}-{number}"
            right, seconds = exact_lines(options.hexapla.resolve(), corpus, run, "valid" if options.valid else "test", given,
                                         options.minutes)
            cells.append(f"{right} ({seconds:.0f} s)")
        print(f"| {corpus.name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
