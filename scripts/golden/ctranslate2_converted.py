#!/usr/bin/env python3
"""Writes src/plugins/convert/fixtures/ct2_*: fixtures of other systems, converted by CTranslate2's own converters, and
CTranslate2's translations with them, for src/plugins/convert/kinds/ctranslate2/converted_test.cpp.

    pip install ctranslate2 torch transformers sentencepiece numpy
    scripts/golden/ctranslate2_converted.py src/plugins/convert/fixtures

argos: opennmt_py as a package of Argos Translate; opus: hf_marian_joint; m2m, nllb, mbart: hf_m2m, hf_nllb, hf_mbart;
bart: hf_bart_bytes; first: a model in the
format of CTranslate2's first version, without type names, without <unk> in its vocabulary, and with unscaled 16-bit weights.
golden.json: lines with their translations by greedy search and with beam 4, and the log-probabilities of the latter.
Excludes lines whose two best translations score nearly equal, or whose translations do not end.
"""
import json
import pathlib
import random
import shutil
import struct
import sys
import tempfile

import ctranslate2
import numpy as np
import sentencepiece
import tokenizers

LINES, LONGEST = 200, 60


def lines_of(pieces, draw, count):
    """-> short lines of random pieces of the vocabulary"""
    usable = [pieces.id_to_piece(i) for i in range(pieces.get_piece_size())
              if not (pieces.is_control(i) or pieces.is_unknown(i) or pieces.is_unused(i) or pieces.is_byte(i))]
    texts = []
    while len(texts) < count:
        text = "".join(draw.choice(usable) for _ in range(draw.randint(2, 12))).replace("\u2581", " ").strip()
        if text and "  " not in text and not text.startswith(">>"):
            texts.append(text)
    return texts


def lines_of_words(origin, draw, count):
    """-> short lines of words of the fixture's texts"""
    texts = [row["text"] for row in json.loads((origin / "texts.json").read_text())["encoded"]]
    words = [word for text in texts for word in text.split() if word.isprintable() and len(word.encode()) < 12]
    return [" ".join(draw.choice(words) for _ in range(draw.randint(1, 5))) for _ in range(count)]


def write_golden(folder, model, texts, cut, prefix=None, end=(), begin=(), special=()):
    """cut(text) -> tokens; begin, end: tokens that the caller adds; prefix: forced start of translations; special: tokens
    that it may write."""
    translator = ctranslate2.Translator(str(model), compute_type="float32", inter_threads=1, intra_threads=1)
    sources = [[*begin, *cut(text), *end] for text in texts]
    prefixes = [prefix] * len(texts) if prefix else None
    # CTranslate2 forbids empty translations by excluding </s> from the softmax, and after a prefix also in another way.
    ask = dict(target_prefix=prefixes, max_decoding_length=LONGEST, min_decoding_length=1 if prefix else 0, return_scores=True)
    greedy = translator.translate_batch(sources, beam_size=1, **ask)
    beam = translator.translate_batch(sources, beam_size=4, num_hypotheses=2, length_penalty=1, **ask)
    skip = len(prefix) if prefix else 0
    rows = []
    for text, source, one, two in zip(texts, sources, greedy, beam):
        first, second = (h[skip:] for h in two.hypotheses)
        short = [one.hypotheses[0][skip:], first]
        if max(map(len, short)) > LONGEST - 10 or two.scores[0] - two.scores[1] < 1e-4 or not first:
            continue
        if any(t.startswith(("<", "__")) and t not in special for t in sum(short, [])):
            continue  # hexapla writes these differently
        rows.append({"text": text, "greedy": " ".join(short[0]), "beam": " ".join(first)})
        if len(rows) % 5 == 1:
            scores = translator.score_batch([source], [[*(prefix or []), *first]])[0].log_probs[skip:]
            rows[-1]["scores"] = [round(float(x), 5) for x in scores]
        if len(rows) == LINES:
            break
    (folder / "golden.json").write_text(
        "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows) + "\n]\n")
    print(folder.name, len(rows), "lines,", sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()), "bytes")


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def make_argos(fixtures, draw):
    folder = fresh(fixtures / "ct2_argos")
    converter = ctranslate2.converters.OpenNMTPyConverter(str(fixtures / "opennmt_py/model_step_400.pt"), unsafe_deserialization=True)
    converter.convert(str(folder / "model"))
    shutil.copy(fixtures / "opennmt_py/both.model", folder / "sentencepiece.model")
    (folder / "metadata.json").write_text(json.dumps(
        {"package_version": "1.0", "argos_version": "1.5", "from_code": "a", "from_name": "A", "to_code": "b", "to_name": "B"}) + "\n")
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.model"))
    write_golden(folder, folder / "model", lines_of(pieces, draw, 900), lambda text: pieces.encode(text, out_type=str))


def listed_by_id(model, tokenizer):
    """-> M2M-100's vocabulary with languages, which CTranslate2 4.8 does not find in a tokenizer of transformers 5"""
    tokens = tokenizer.convert_ids_to_tokens(list(range(model.config.vocab_size)))
    return [t if t and (t not in tokens[:i]) else f"madeupword{i}" for i, t in enumerate(tokens)]


def make_from_transformers(fixtures, draw, name, origin, files, published=None, **asked):
    """published: keys of the published settings that transformers 5 no longer writes."""
    folder = fresh(fixtures / f"ct2_{name}")
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(fixtures / origin, copy, dirs_exist_ok=True)
        for settings in (pathlib.Path(copy, "config.json"), pathlib.Path(copy, "tokenizer_config.json")):
            if published:
                settings.write_text(json.dumps(json.loads(settings.read_text()) | published))
        ctranslate2.converters.TransformersConverter(copy, copy_files=files).convert(str(folder), force=True)
    if files[0] == "vocab.json":
        pieces = tokenizers.ByteLevelBPETokenizer(*(str(folder / file) for file in files))
        texts, cut = lines_of_words(fixtures / origin, draw, 2000), lambda text: pieces.encode(text).tokens
    else:
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / files[0]))
        texts, cut = lines_of(pieces, draw, 900), lambda text: pieces.encode(text, out_type=str)
    write_golden(folder, folder, texts, cut, end=["</s>"], **asked)


def first_name(name):
    """-> the variable's name in the first revision"""
    decoder = name.startswith("decoder")
    for new, old in (("embeddings/weight", "w_embs"), ("layer_norm", "LayerNorm"), ("projection", "dense"),
                     ("self_attention", "masked_multi_head" if decoder else "multi_head")):
        name = name.replace(new, old)
    if decoder:
        name = name.replace("/attention/", "/multi_head/")
    name = name.replace("linear_0", "conv1d").replace("linear_", "conv1d_")
    return "transformer/" + name.replace("weight", "kernel") + ":0"


def make_first(fixtures, draw):
    folder, random_numbers = fresh(fixtures / "ct2_first"), np.random.default_rng(7)
    width, inner, words = 16, 24, 40  # 8 heads, like all models then
    normal = lambda *shape: random_numbers.normal(size=shape) * 0.5
    variables = {"encoder/embeddings/weight": normal(words + 1, width), "decoder/embeddings/weight": normal(words + 1, width),
                 "decoder/projection/weight": normal(words + 1, width), "decoder/projection/bias": normal(words + 1)}
    variables["decoder/projection/bias"][[0, 1, words]] = -20
    variables["decoder/projection/bias"][2] = 1.5

    def linear(scope, rows, columns):
        variables[scope + "/weight"], variables[scope + "/bias"] = normal(rows, columns), normal(rows) * 0.2

    def norm(scope):
        variables[scope + "/gamma"], variables[scope + "/beta"] = 1 + normal(width) * 0.2, normal(width) * 0.2

    for side in ("encoder", "decoder"):
        norm(f"{side}/layer_norm")
        layer = f"{side}/layer_0"
        linear(f"{layer}/self_attention/linear_0", 3 * width, width)
        linear(f"{layer}/self_attention/linear_1", width, width)
        norm(f"{layer}/self_attention/layer_norm")
        linear(f"{layer}/ffn/linear_0", inner, width)
        linear(f"{layer}/ffn/linear_1", width, inner)
        norm(f"{layer}/ffn/layer_norm")
    for i, rows in enumerate((width, 2 * width, width)):
        linear(f"decoder/layer_0/attention/linear_{i}", rows, width)
    norm("decoder/layer_0/attention/layer_norm")
    with open(folder / "model.bin", "wb") as file:
        file.write(struct.pack("<II", 1, len(variables)))
        for name, values in variables.items():
            weight = name.endswith("weight")
            values = np.rint(values * 1000).astype(np.int16) if weight else values.astype(np.float32)
            old = first_name(name).encode()
            file.write(struct.pack("<H", len(old) + 1) + old + b"\0" + struct.pack("<B", values.ndim))
            file.write(struct.pack(f"<{values.ndim}I", *values.shape) + struct.pack("<BI", values.itemsize, values.size) + values.tobytes())
    tokens = ["<blank>", "<s>", "</s>"] + [f"w{i}" for i in range(3, words)]
    (folder / "shared_vocabulary.txt").write_text("\n".join(tokens) + "\n")
    texts = [" ".join(draw.choice(tokens[3:] + ["other"]) for _ in range(draw.randint(1, 9))) for _ in range(3000)]
    write_golden(folder, folder, texts, str.split)


def main(fixtures):
    ctranslate2.converters.transformers.M2M100Loader.get_vocabulary = lambda self, model, tokenizer: listed_by_id(model, tokenizer)
    draw = random.Random(40)
    make_argos(fixtures, draw)
    make_first(fixtures, draw)
    make_from_transformers(fixtures, draw, "opus", "hf_marian_joint", ["source.spm", "target.spm"])
    make_from_transformers(fixtures, draw, "m2m", "hf_m2m", ["sentencepiece.bpe.model"], begin=["__en__"], prefix=["__de__"])
    make_from_transformers(fixtures, draw, "nllb", "hf_nllb", ["sentencepiece.bpe.model"], begin=["eng_Latn"], prefix=["deu_Latn"])
    make_from_transformers(fixtures, draw, "mbart", "hf_mbart", ["sentencepiece.bpe.model"], begin=["en_XX"], prefix=["de_DE"],
                           published=dict(normalize_before=True, normalize_embedding=True, tokenizer_class="MBart50Tokenizer",
                                          bos_token="<s>"))
    make_from_transformers(fixtures, draw, "bart", "hf_bart_bytes", ["vocab.json", "merges.txt"], begin=["<s>"], special=["<s>"],
                           published=dict(normalize_before=False, normalize_embedding=True))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
