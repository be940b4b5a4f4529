#!/usr/bin/env python3
"""Cuts stdin into ids with the tokenizer.json of a folder and with the SentencePiece model beside it; ends with 1 where
they differ.

    tokenize.py FOLDER < lines
"""
import pathlib
import sys

import sentencepiece
import tokenizers

folder = pathlib.Path(sys.argv[1])
pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.model"))
tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
lines = sys.stdin.read().split("\n")
different = 0
for line in lines:
    ours, theirs = pieces.encode(line) + [pieces.eos_id()], tokenizer.encode(line).ids
    back = tokenizer.decode(theirs) == pieces.decode(ours[:-1])
    if ours != theirs or not back:
        different += 1
        print(repr(line), ours, theirs, file=sys.stderr)
print(different, "of", len(lines), "lines differ")
sys.exit(different > 0)
