"""Translates stdin by greedy search with the CTranslate2 model and the SentencePiece models in a folder.
Usage: translate_with_ctranslate2.py FOLDER [COMPUTE_TYPE]"""
import os
import sys

import ctranslate2
import sentencepiece

folder = sys.argv[1]
shared = os.path.join(folder, "sentencepiece.model")
files = [shared] * 2 if os.path.exists(shared) else [os.path.join(folder, name) for name in ("source.spm", "target.spm")]
source, target = (sentencepiece.SentencePieceProcessor(model_file=file) for file in files)
compute_type = sys.argv[2] if len(sys.argv) > 2 else "float32"
translator = ctranslate2.Translator(folder, compute_type=compute_type, intra_threads=2)
lines = sys.stdin.read().splitlines()
for result in translator.translate_batch([source.encode(line, out_type=str) for line in lines], beam_size=1, max_batch_size=32):
    print(target.decode(result.hypotheses[0]))
