#!/usr/bin/env python3
"""Writes src/plugins/convert/fixtures/marian_ssru: a small model trained by Marian with an SSRU decoder, in the format
of Firefox Translations (8-bit weights in a .bin, one vocabulary, a shortlist), and Marian's translations.

    pip install pymarian==1.12.42 sentencepiece numpy
    scripts/golden/marian_ssru.py src/plugins/convert/fixtures

golden.json has lines with the pieces of their translations by the dequantized weights: greedy, by beam search, and
greedy with the shortlist.
"""
import json
import pathlib
import random
import shutil
import struct
import sys
import tempfile

import numpy
import pymarian
import sentencepiece

WIDTH, MAGIC = 16, 0xF11A48D5013417F5
LETTERS = str.maketrans("abcdefghij", "klmnopqrst")
CONFIG = """relative-paths: true
models:
  - model.intgemm.alphas.bin
vocabs:
  - vocab.spm
  - vocab.spm
shortlist:
    - lex.s2t.bin
    - false
beam-size: 1
normalize: 1.0
word-penalty: 0
max-length-factor: 2.5
gemm-precision: int8shiftAlphaAll
"""


def lines(draw, count):
    words = ["".join(draw.choices("abcdefghij", k=draw.randint(2, 4))) for _ in range(40)]
    return [" ".join(draw.choices(words, k=draw.randint(1, 5))) for _ in range(count)]


def train(work, texts):
    (work / "a").write_text("\n".join(texts) + "\n")
    (work / "b").write_text("\n".join(text.translate(LETTERS) for text in texts) + "\n")
    sentencepiece.SentencePieceTrainer.train(
        input=f"{work / 'a'},{work / 'b'}", model_prefix=str(work / "vocab"), vocab_size=60, model_type="unigram",
        eos_id=0, unk_id=1, bos_id=-1, minloglevel=2,
        normalization_rule_name="identity")
    shutil.move(work / "vocab.model", work / "vocab.spm")
    pymarian.Trainer(
        type="transformer", model=str(work / "m.npz"), train_sets=[str(work / "a"), str(work / "b")],
        vocabs=[str(work / "vocab.spm")] * 2, dim_vocabs=[60, 60], enc_depth=1, dec_depth=2, dim_emb=WIDTH,
        transformer_dim_ffn=24, transformer_heads=2, transformer_ffn_activation="relu",
        transformer_decoder_autoreg="rnn", dec_cell="ssru", tied_embeddings_all=True, mini_batch=32, after="700u",
        learn_rate=0.01, lr_warmup="60", optimizer_params=[0.9, 0.98, 1e-9], seed=3, cpu_threads=1, workspace=256,
        disp_freq="100u", save_freq="700u", quiet_translation=True).train()
    return dict(numpy.load(work / "m.npz"))


def in_8_bits(weights):
    """-> {name: (integers, scale)} for every matrix of a product and the embeddings"""
    return {name: (numpy.clip(numpy.rint(w * (127 / abs(w).max())), -127, 127).astype(numpy.int8),
                   numpy.float32(127 / abs(w).max()))
            for name, w in weights.items() if name == "Wemb" or "_W" in name and w.ndim == 2 and w.shape[0] > 1
            and "_ln_" not in name}


def items_of(weights, integers):
    for name, w in sorted(weights.items()):
        if name in integers:
            q, scale = integers[name]
            data = (q if name == "Wemb" else q.T).tobytes() + struct.pack("<f", scale)
            yield name, 0x4101, w.shape, data
            yield name + "_QuantMultA", 0x404, (1, 1), struct.pack("<f", 10.0)
        elif name.startswith("special:"):
            yield name, 0x101, w.shape, w.tobytes()
        else:
            yield name, 0x404, w.shape, w.astype(numpy.float32).tobytes()


def write_bin(path, weights, integers):
    """Writes Marian's container, version 1; items are padded to multiples of 256 bytes."""
    items = [(name, kind, shape, data.ljust(-(-len(data) // 256) * 256, b"\0"))
             for name, kind, shape, data in items_of(weights, integers)]
    out = struct.pack("<QQ", 1, len(items))
    for name, kind, shape, data in items:
        out += struct.pack("<QQQQ", len(name.encode()) + 1, kind, len(shape), len(data))
    for name, *_ in items:
        out += name.encode() + b"\0"
    for _, _, shape, _ in items:
        out += struct.pack(f"<{len(shape)}i", *shape)
    gap = -(len(out) + 8) % 256
    path.write_bytes(out + struct.pack("<Q", gap) + b"\0" * gap + b"".join(data for *_, data in items))


def write_shortlist(path, lists, first, best):
    starts, ids = [0], []
    for some in lists:
        ids += sorted(some)
        starts.append(len(ids))
    body = struct.pack("<4Q", first, best, len(starts), len(ids)) + numpy.array(starts, "<u8").tobytes()
    body += numpy.array(ids, "<u4").tobytes()
    total, mask = 0, (1 << 64) - 1
    for (word,) in struct.iter_unpack("<Q", body[: len(body) // 8 * 8]):
        total ^= (word + 0x9E3779B9 + (total << 6) + (total >> 2)) & mask
    path.write_bytes(struct.pack("<QQ", MAGIC, total) + body)


def translations(model, vocab, texts, pieces, **more):
    translator = pymarian.Translator(models=str(model), vocabs=[str(vocab)] * 2, normalize=1.0, word_penalty=0,
                                     quiet=True, cpu_threads=1, mini_batch=1, maxi_batch=1, workspace=64,
                                     max_length_factor=2.5, no_spm_decode=True, **more)
    return [line.split() for line in translator.translate(texts)]


def main(fixtures):
    folder, draw = fixtures / "marian_ssru", random.Random(1)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        texts = lines(draw, 2000)
        weights = {k: v for k, v in train(work, texts).items() if k not in ("decoder_c_mask", "special:vocab")}
        integers = in_8_bits(weights)
        exact = dict(weights) | {k: q.astype(numpy.float32) / scale for k, (q, scale) in integers.items()}
        numpy.savez(work / "exact.npz", **exact)
        write_bin(folder / "model.intgemm.alphas.bin", weights, integers)
        shutil.copy(work / "vocab.spm", folder / "vocab.spm")
        (folder / "config.intgemm8bitalpha.yml").write_text(CONFIG)
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "vocab.spm"))
        counts = {}
        for text in texts:
            for s in pieces.encode(text):
                for t in pieces.encode(text.translate(LETTERS)):
                    counts[s, t] = counts.get((s, t), 0) + 1
        best = {s: [t for _, t in sorted(((-n, t) for (x, t), n in counts.items() if x == s))[:3]] for s in range(60)}
        write_shortlist(folder / "lex.s2t.bin", [best[s] for s in range(60)], 4, 3)
        table = work / "lex.s2t"
        table.write_text("".join(f"{pieces.id_to_piece(t)} {pieces.id_to_piece(s)} {0.5 - 0.1 * i}\n"
                                 for s in range(60) for i, t in enumerate(best[s])))
        texts = lines(draw, 60)
        ask = lambda **more: translations(work / "exact.npz", work / "vocab.spm", texts, pieces, **more)
        found = {"greedy": ask(beam_size=1), "best": ask(beam_size=4),
                 "listed": ask(beam_size=1, shortlist=[str(table), "4", "3"])}
    rows = [{"text": text} | {name: all[i] for name, all in found.items()} for i, text in enumerate(texts)
            if max(len(all[i]) for all in found.values()) < 2.2 * len(pieces.encode(text))]  # others do not end by themselves
    print(len(rows), "lines,", sum(row["greedy"] != row["listed"] for row in rows), "other with the shortlist,",
          sum(f.stat().st_size for f in folder.iterdir()), "bytes")
    (folder / "golden.json").write_text("[\n" + ",\n".join(json.dumps(x, ensure_ascii=False) for x in rows) + "\n]\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
