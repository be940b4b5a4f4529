#!/usr/bin/env -S python3 -B
"""Trains on 20 made-up corpora of 2,000 pairs (targets of one to six words, scripts without blanks, digits, dates) and
prints how many of 300 validation lines the model that is kept gets right, and the best of the run's checkpoints. Fails if
one is kept that is more than two points below. Takes 15 minutes of one core.
Usage: kept_models.py HEXAPLA [FOLDER [NAME...]]"""
import os
import random
import subprocess
import sys
import tempfile

PAIRS, VALID, UPDATES = 2000, 300, 400
LATIN = ["or", "an", "ich", "el", "ut", "es", "eim", "ack", "und", "ig", "tor", "lem"]
ARMENIAN = [chr(c) for c in range(0x561, 0x571)]
HAN = list("天地人日月山水火木金土石")
THAI = list("กขคงจชซดตทนบ")
SOURCE = ["ka", "lo", "mi", "ra", "tu", "se", "no", "bi", "ge", "du", "pa", "vo"]
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


def words(to, least, most, between=" ", order=reversed):
    """Pairs of so many words; each word has one translation, and the order may differ."""
    def draw(chance):
        line = [chance.randrange(len(to)) for _ in range(chance.randint(least, most))]
        return " ".join(SOURCE[i % 12] + ("x" if i >= 12 else "") for i in line), between.join(to[i] for i in order(line))
    return draw


def date(form):
    def draw(chance):
        d, m, y = chance.randint(1, 28), chance.randint(1, 12), chance.randint(1960, 2029)
        return f"{MONTHS[m - 1]} {d} {y}", form.format(d=d, m=m, y=y, name=MONTHS[m - 1])
    return draw


def number(form):
    def draw(chance):
        n = chance.randrange(100000)
        return " ".join(str(n)), form(n)
    return draw


CORPORA = {
    **{f"{n} word{'s'[:n > 1]}": words(LATIN, n, n) for n in range(1, 7)},
    "1 to 6 words": words(LATIN, 1, 6),
    "1 to 3 words": words(LATIN, 1, 3),
    "1 to 6, same order": words(LATIN, 1, 6, order=list),
    "Armenian, no blanks": words(ARMENIAN, 2, 6, ""),
    "Armenian, 1 to 8": words(ARMENIAN, 1, 8, "", list),
    "Chinese": words(HAN, 1, 6, "", list),
    "Chinese, reversed": words(HAN, 3, 8, ""),
    "Thai": words(THAI, 2, 6, "", list),
    "digits": number(str),
    "digits, reversed": number(lambda n: str(n)[::-1]),
    "digits with blanks": number(lambda n: " ".join(str(n))),
    "dates d m y": date("{d:02} {m:02} {y}"),
    "dates y-m-d": date("{y}-{m:02}-{d:02}"),
    "dates with words": date("{d} {name} {y}"),
}


def lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def write(folder, draw, seed):
    chance = random.Random(seed)
    for part, n in (("train", PAIRS), ("valid", VALID)):
        pairs = [draw(chance) for _ in range(n)]
        for side in (0, 1):
            with open(f"{folder}/{part}.{side}", "w", encoding="utf-8") as file:
                file.write("".join(pair[side] + "\n" for pair in pairs))


def right(hexapla, model, folder):
    with open(f"{folder}/valid.0", encoding="utf-8") as source:
        found = subprocess.run([hexapla, "translate", "-m", model, "--beam-size", "1", "--sentences", "keep", "--quiet"],
                               stdin=source, stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")[:-1]
    return 100 * sum(a == b for a, b in zip(found, lines(f"{folder}/valid.1"))) / VALID


def as_model(hexapla, checkpoint, folder):
    subprocess.run([hexapla, "average", checkpoint, "-o", f"{folder}/one.safetensors"], stderr=subprocess.DEVNULL, check=True)
    return f"{folder}/one.safetensors"


def main():
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    hexapla = sys.argv[1]
    top = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()
    failed = 0
    print(f"{'corpus':<22}{'kept':>7}{'best':>7}{'difference':>12}   checkpoints", flush=True)
    for seed, (name, draw) in enumerate(CORPORA.items()):
        if len(sys.argv) > 3 and name not in sys.argv[3:]:
            continue
        folder = f"{top}/{seed:02}"
        os.makedirs(folder, exist_ok=True)
        write(folder, draw, seed)
        run = f"{folder}/run"
        sets = [f"{folder}/{part}.{side}" for part in ("train", "valid") for side in (0, 1)]
        subprocess.run([hexapla, "train", "--train-sets", *sets[:2], "--valid-sets", *sets[2:], "--model", run, "--preset",
                        "tiny", "--layers", "2", "--dim-model", "64", "--dim-ff", "128", "--heads", "4", "--dropout", "0.1",
                        "--vocab-size", "80", "--batch-tokens", "1000", "--warmup", "100", "--lr", "3e-3", "--max-updates",
                        str(UPDATES), "--keep", "1000", "--threads", "1", "--quiet"], check=True)
        checkpoints = sorted(f for f in os.listdir(f"{run}/checkpoints") if f.startswith("update-"))
        kept = right(hexapla, run, folder)
        best = max(right(hexapla, as_model(hexapla, f"{run}/checkpoints/{c}", folder), folder) for c in checkpoints)
        failed += best - kept > 2
        print(f"{name:<22}{kept:>7.1f}{best:>7.1f}{best - kept:>12.1f}   {len(checkpoints)}", flush=True)
    sys.exit(f"{failed} models are more than two points below the best checkpoint" if failed else 0)


if __name__ == "__main__":
    main()
