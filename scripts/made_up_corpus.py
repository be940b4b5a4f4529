#!/usr/bin/env -S python3 -B
"""Writes a made-up parallel corpus of any size, fast: PREFIX.src and PREFIX.trg with N pairs. Source words follow Zipf's
law; the target has them in reverse order with other letters, so there is something to learn.
Usage: made_up_corpus.py N PREFIX [SEED]"""
import random
import sys

WORDS, BLOCK = 20000, 20000


def word(i, letters):
    text = ""
    while i >= 0:
        text += letters[i % len(letters)]
        i = i // len(letters) - 1
    return text


def main():
    n, prefix = int(sys.argv[1]), sys.argv[2]
    draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    source = [word(i, ["ka", "lo", "mi", "ra", "tu", "se", "no", "bi", "ge", "du"]) for i in range(WORDS)]
    target = [word(i, ["or", "an", "ich", "el", "ut", "es", "eim", "ack", "und", "ig"]) for i in range(WORDS)]
    chances = [1 / (rank + 3) for rank in range(WORDS)]
    with open(prefix + ".src", "w") as a, open(prefix + ".trg", "w") as b:
        while n > 0:
            pairs = min(n, BLOCK)
            lengths = [max(1, min(60, int(draw.lognormvariate(2.2, 0.5)))) for _ in range(pairs)]
            words = draw.choices(range(WORDS), chances, k=sum(lengths))
            at, x, y = 0, [], []
            for length in lengths:
                some = words[at:at + length]
                at += length
                x.append(" ".join([source[i] for i in some]))
                y.append(" ".join([target[i] for i in reversed(some)]))
            a.write("\n".join(x) + "\n")
            b.write("\n".join(y) + "\n")
            n -= pairs


if __name__ == "__main__":
    main()
