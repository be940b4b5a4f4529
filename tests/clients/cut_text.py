#!/usr/bin/env python3
"""Encodes lines with the tokenizer.json of a folder and compares the ids with the folder's ids.txt, which has one line of numbers
per line, or, without that file, with those of its SentencePiece model. Exit code 1 if they differ.

    cut_text.py FOLDER < lines
"""
import pathlib
import sys

import sentencepiece
import tokenizers

folder = pathlib.Path(sys.argv[1])
pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.model"))
tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
lines = sys.stdin.read().split("\n")
if (folder / "ids.txt").is_file():
    lines.pop()  # after the last line's end
    known = [[int(i) for i in line.split()] for line in (folder / "ids.txt").read_text().splitlines()]
else:
    known = [pieces.encode(line) + [pieces.eos_id()] for line in lines]
assert len(known) == len(lines), (len(known), len(lines))
different = 0
for line, ours in zip(lines, known):
    theirs = tokenizer.encode(line).ids
    unknown = pieces.unk_id() in ours  # tokenizers omits it from text
    back = unknown or tokenizer.decode(theirs) == pieces.decode(ours[:-1])
    if ours != theirs or not back:
        different += 1
        print(repr(line), ours, theirs, file=sys.stderr)
print(different, "of", len(lines), "lines differ")
sys.exit(different > 0)
