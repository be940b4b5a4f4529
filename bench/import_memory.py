#!/usr/bin/env python3
"""Measures memory and time of `hexapla import` for a made-up model shaped like NLLB-200-distilled-600M: 2.4 GB of zeros
in two sparse safetensors files, which take no disk space until they are imported.

    bench/import_memory.py [--dtype F32] [--folder /tmp]

Prints peak resident memory, for comparison twice the largest tensor plus 200 MB, and the time. --keep keeps the folder
and imports nothing. Needs sentencepiece, protobuf and a built hexapla.
"""
import argparse, json, os, random, shutil, struct, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WIDTH, INNER, LAYERS, HEADS, PIECES, LANGUAGES = 1024, 4096, 12, 16, 256206, 202
BYTES = {"F32": 4, "F16": 2, "BF16": 2}


def tensors():
    yield "model.shared.weight", [PIECES, WIDTH]
    for stack in ("encoder", "decoder"):
        for i in range(LAYERS):
            at = f"model.{stack}.layers.{i}."
            for kind in ("self_attn", "encoder_attn") if stack == "decoder" else ("self_attn",):
                for part in "qkv":
                    yield f"{at}{kind}.{part}_proj.weight", [WIDTH, WIDTH]
                    yield f"{at}{kind}.{part}_proj.bias", [WIDTH]
                yield f"{at}{kind}.out_proj.weight", [WIDTH, WIDTH]
                yield f"{at}{kind}.out_proj.bias", [WIDTH]
                yield f"{at}{kind}_layer_norm.weight", [WIDTH]
                yield f"{at}{kind}_layer_norm.bias", [WIDTH]
            for name, shape in (("fc1.weight", [INNER, WIDTH]), ("fc1.bias", [INNER]), ("fc2.weight", [WIDTH, INNER]),
                                ("fc2.bias", [WIDTH]), ("final_layer_norm.weight", [WIDTH]), ("final_layer_norm.bias", [WIDTH])):
                yield at + name, shape
        yield f"model.{stack}.layer_norm.weight", [WIDTH]
        yield f"model.{stack}.layer_norm.bias", [WIDTH]


def write_zeros(path, some, dtype):
    header, at = {}, 0
    for name, shape in some:
        size = BYTES[dtype]
        for extent in shape:
            size *= extent
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        f.truncate(8 + len(text) + at)  # the rest stays sparse
    return at


def write_pieces(path):
    from sentencepiece import sentencepiece_model_pb2 as pb2
    pick, words = random.Random(1), set()
    while len(words) < PIECES - LANGUAGES - 5:
        words.add("▁" + "".join(pick.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(pick.randint(4, 12))))
    m = pb2.ModelProto()
    m.trainer_spec.model_type = 1
    m.normalizer_spec.name = "identity"
    for piece, kind in [("<unk>", 2), ("<s>", 3), ("</s>", 3)] + [(w, 1) for w in sorted(words)]:
        p = m.pieces.add()
        p.piece, p.type, p.score = piece, kind, -8.0
    with open(path, "wb") as f:
        f.write(m.SerializeToString())


def write(folder, dtype):
    """-> size of the weights in bytes"""
    os.makedirs(folder)
    first, second = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
    parts = {first: [t for t in tensors() if "decoder" not in t[0]], second: [t for t in tensors() if "decoder" in t[0]]}
    size = sum(write_zeros(os.path.join(folder, name), some, dtype) for name, some in parts.items())
    config = {"activation_function": "relu", "architectures": ["M2M100ForConditionalGeneration"], "bos_token_id": 0,
              "d_model": WIDTH, "decoder_attention_heads": HEADS, "decoder_ffn_dim": INNER, "decoder_layers": LAYERS,
              "decoder_start_token_id": 2, "dtype": {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}[dtype],
              "encoder_attention_heads": HEADS, "encoder_ffn_dim": INNER, "encoder_layers": LAYERS, "eos_token_id": 2,
              "is_encoder_decoder": True, "max_position_embeddings": 1024, "model_type": "m2m_100", "pad_token_id": 1,
              "scale_embedding": True, "tie_word_embeddings": True, "vocab_size": PIECES}
    codes = [f"{a}{b}{c}_Latn" for a in "bcdfgh" for b in "aeiou" for c in "klmnprs"][:LANGUAGES - 1]
    generation = {"bos_token_id": 0, "decoder_start_token_id": 2, "eos_token_id": 2, "max_length": 200, "num_beams": 4,
                  "pad_token_id": 1}
    files = {"config.json": config, "generation_config.json": generation,
             "tokenizer_config.json": {"extra_special_tokens": ["eng_Latn", *codes], "src_lang": "eng_Latn",
                                       "tgt_lang": codes[0]},
             "model.safetensors.index.json": {"metadata": {"total_size": size},
                                              "weight_map": {name: part for part, some in parts.items() for name, _ in some}}}
    for name, content in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            json.dump(content, f)
    write_pieces(os.path.join(folder, "sentencepiece.bpe.model"))
    return size


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--hexapla", default=os.path.join(ROOT, "build/release/hexapla"))
    p.add_argument("--dtype", default="F32", choices=BYTES)
    p.add_argument("--folder", help="where the files go; default: as the system says")
    p.add_argument("--keep", metavar="DIR", help="only write the model, to this folder")
    p.add_argument("--layers", type=int, default=LAYERS, help="of the encoder, and of the decoder")
    p.add_argument("--pieces", type=int, default=PIECES)
    o = p.parse_args()
    globals().update(LAYERS=o.layers, PIECES=o.pieces)
    if o.keep:
        write(o.keep, o.dtype)
        return
    with tempfile.TemporaryDirectory(dir=o.folder) as folder:
        size, output = write(os.path.join(folder, "nllb"), o.dtype), os.path.join(folder, "out")
        start = time.perf_counter()
        process = subprocess.Popen([o.hexapla, "import", os.path.join(folder, "nllb"), "-o", output])
        _, status, used = os.wait4(process.pid, 0)
        seconds, written = time.perf_counter() - start, os.path.getsize(output) if os.path.exists(output) else 0
        if status:
            sys.exit("hexapla import failed")
    bound = 2 * PIECES * WIDTH * BYTES[o.dtype] + 200e6
    print(f"{size / 1e9:.2f} GB of {o.dtype}: peak {used.ru_maxrss * 1024 / 1e6:.0f} MB (twice the largest tensor + 200 MB: "
          f"{bound / 1e6:.0f} MB), {seconds:.1f} s, {size / seconds / 1e6:.0f} MB/s, {written / 1e9:.2f} GB written")


if __name__ == "__main__":
    main()
