#!/usr/bin/env python3
"""Writes src/plugins/convert/fixtures/marian: the network of hf_marian_joint in Marian's format, and Marian's
translations.

    pip install pymarian==1.12.42 sentencepiece safetensors numpy
    scripts/golden/marian_npz.py src/plugins/convert/fixtures

model.npz and decoder.yml are in Marian's format; vocab.yml is a table of pieces, and source.spm and target.spm tokenize, as
in the models of the OPUS-MT project. golden.json has lines with the pieces of their translations, greedy and by beam search.
"""
import json
import pathlib
import random
import shutil
import sys

import numpy
import pymarian
import safetensors.numpy
import sentencepiece

SETTINGS = """dec-cell: gru
dec-depth: 2
dim-emb: 16
dim-vocabs:
  - {size}
  - {size}
enc-depth: 2
lemma-dim-emb: 0
right-left: false
tied-embeddings: false
tied-embeddings-all: true
tied-embeddings-src: false
transformer-decoder-autoreg: self-attention
transformer-dim-ffn: 24
transformer-ffn-activation: swish
transformer-ffn-depth: 2
transformer-guided-alignment-layer: last
transformer-heads: 4
transformer-no-projection: false
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-postprocess-top: ""
transformer-preprocess: ""
transformer-tied-layers:
  []
transformer-train-position-embeddings: false
type: transformer
version: v1.12.0
"""
SEARCH = {"beam-size": 4, "normalize": 0.6, "word-penalty": 0}


def tensors(weights, size):
    all = {"Wemb": weights["model.shared.weight"][:size], "decoder_ff_logit_out_b": weights["final_logits_bias"][:, :size]}
    for stack in ("encoder", "decoder"):
        for layer in range(2):
            own, theirs = f"{stack}_l{layer + 1}", f"model.{stack}.layers.{layer}."

            def linear(to, name, of):
                all[f"{own}_{to}_W{name}"] = weights[theirs + of + ".weight"].T
                all[f"{own}_{to}_b{name}"] = weights[theirs + of + ".bias"][None]

            def norm(to, of):
                all[f"{own}_{to}_ln_scale"] = weights[theirs + of + ".weight"][None]
                all[f"{own}_{to}_ln_bias"] = weights[theirs + of + ".bias"][None]

            for to, of in (("self", "self_attn"), ("context", "encoder_attn")):
                if stack == "encoder" and to == "context":
                    continue
                for name, projection in (("q", "q"), ("k", "k"), ("v", "v"), ("o", "out")):
                    linear(to, name, f"{of}.{projection}_proj")
                norm(f"{to}_Wo", f"{of}_layer_norm")
            linear("ffn", "1", "fc1")
            linear("ffn", "2", "fc2")
            norm("ffn_ffn", "final_layer_norm")
    return {name: numpy.ascontiguousarray(value, numpy.float32) for name, value in all.items()}


def main(fixtures):
    joint, folder = fixtures / "hf_marian_joint", fixtures / "marian"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    ids = json.loads((joint / "vocab.json").read_text())
    del ids["<pad>"]
    for name in ("source.spm", "target.spm"):
        shutil.copy(joint / name, folder / name)
    quoted = [f"{json.dumps(piece, ensure_ascii=False)}: {number}" for piece, number in ids.items()]
    (folder / "vocab.yml").write_text("\n".join(quoted) + "\n")
    settings = SETTINGS.format(size=len(ids)).encode() + b"\0"
    model = {"special:model.yml": numpy.frombuffer(settings.ljust(-len(settings) // 256 * -256, b"\0"), numpy.int8)}
    model |= tensors(safetensors.numpy.load_file(joint / "model.safetensors"), len(ids))
    numpy.savez(folder / "model.npz", **model)
    decoder = ["models:", "  - model.npz", "vocabs:", "  - vocab.yml", "  - vocab.yml", "relative-paths: true"]
    (folder / "decoder.yml").write_text("\n".join(decoder + [f"{k}: {v}" for k, v in SEARCH.items()]) + "\n")
    subwords = sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm"))
    draw = random.Random(1)
    texts = [" ".join("".join(draw.choices("abcdefghijq", k=draw.randint(2, 5))) for _ in range(draw.randint(2, 5)))
             for _ in range(120)]
    pieces = [" ".join(subwords.encode(text, out_type=str)) for text in texts]
    found = {}
    for name, beam in (("greedy", 1), ("best", SEARCH["beam-size"])):
        translator = pymarian.Translator(
            models=str(folder / "model.npz"), vocabs=[str(folder / "vocab.yml")] * 2, beam_size=beam,
            normalize=SEARCH["normalize"], word_penalty=0, quiet=True, cpu_threads=1, mini_batch=1, maxi_batch=1,
            workspace=64)
        found[name] = [text.split() for text in translator.translate(pieces)]
    lines = [{"text": text, "greedy": g, "best": b}
             for text, cut, g, b in zip(texts, pieces, found["greedy"], found["best"])
             if 0 < max(len(g), len(b)) < 2.5 * len(cut.split())]  # others do not end by themselves
    print(len(lines), "lines")
    (folder / "golden.json").write_text("[\n" + ",\n".join(json.dumps(x, ensure_ascii=False) for x in lines) + "\n]\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
