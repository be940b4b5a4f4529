#!/usr/bin/env python3
"""Translates stdin with transformers and the model in a folder, one line at a time.
Usage: translate_with_transformers.py FOLDER BEAM [LANGUAGE] < lines > translations"""
import sys

import torch
import transformers

folder, beam = sys.argv[1], int(sys.argv[2])
tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
for line in sys.stdin:
    batch = tokenizer([line.rstrip("\n")], return_tensors="pt")
    with torch.no_grad():
        found = model.generate(**batch, num_beams=beam)
    print(tokenizer.decode(found[0], skip_special_tokens=True, clean_up_tokenization_spaces=False))
