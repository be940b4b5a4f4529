#!/usr/bin/env python3
"""Translates the lines of a golden.json with Marian and the model.npz of a folder. Exit code 1 if one differs.

    translate_with_marian.py FOLDER GOLDEN
"""
import json
import pathlib
import sys

import pymarian

folder, golden = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
translator = pymarian.Translator(
    models=str(folder / "model.npz"), vocabs=[str(folder / "source.spm"), str(folder / "target.spm")], beam_size=1,
    normalize=1.0, word_penalty=0, quiet=True, cpu_threads=1, mini_batch=1, maxi_batch=1, workspace=64,
    max_length_factor=2.5, no_spm_decode=True)
found = [line.split() for line in translator.translate([line["text"] for line in golden])]
different = sum(a != line["greedy"] for a, line in zip(found, golden))
print(different, "of", len(golden), "lines differ")
sys.exit(different > 0)
