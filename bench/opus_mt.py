#!/usr/bin/env python3
"""Writes a model shaped like Helsinki-NLP's opus-mt models, with random weights, in the format of Hugging Face's MarianMT.

    bench/opus_mt.py FOLDER [--layers 6] [--width 512] [--inner 2048] [--pieces 58101]

6+6 layers, width 512, inner width 2,048, 8 heads, swish, one table of 58,101 pieces. Pieces are words, t5 to t58099, so
every program tokenizes them alike. The end of a sentence is made improbable. Needs numpy, sentencepiece and protobuf.
"""
import argparse, json, os, struct

NEVER = -1e4
END, UNKNOWN = 0, 1  # padding, which starts a translation, comes last


def tensors(layers, d, inner, pieces):
    """Yields names and weights: PyTorch's matrices, [out, in]."""
    import numpy as np
    random = np.random.default_rng(0)
    def matrix(rows, columns, deviation):
        return (random.standard_normal((rows, columns), dtype=np.float32) * np.float32(deviation))
    def linear(name, rows, columns):
        yield name + ".weight", matrix(rows, columns, columns**-0.5)
        yield name + ".bias", np.zeros(rows, np.float32)
    def norm(name):
        yield name + ".weight", np.ones(d, np.float32)
        yield name + ".bias", np.zeros(d, np.float32)
    table = matrix(pieces, d, d**-0.5)
    table[-1] = 0
    yield "model.shared.weight", table
    bias = np.zeros((1, pieces), np.float32)
    bias[0, [END, UNKNOWN, pieces - 1]] = NEVER
    yield "final_logits_bias", bias
    for stack in ("encoder", "decoder"):
        for i in range(layers):
            at = f"model.{stack}.layers.{i}."
            for kind in ("self_attn", "encoder_attn") if stack == "decoder" else ("self_attn",):
                for part in ("q", "k", "v", "out"):
                    yield from linear(f"{at}{kind}.{part}_proj", d, d)
                yield from norm(f"{at}{kind}_layer_norm")
            yield from linear(at + "fc1", inner, d)
            yield from linear(at + "fc2", d, inner)
            yield from norm(at + "final_layer_norm")


def write_safetensors(path, named):
    header, data, at = {}, [], 0
    for name, t in named:
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [at, at + t.nbytes]}
        data.append(t.tobytes())
        at += t.nbytes
    text = json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        f.writelines(data)


def words(pieces):
    return [f"t{i}" for i in range(5, pieces - 1)]


def sentencepiece_model(pieces):
    from sentencepiece import sentencepiece_model_pb2 as pb2
    m = pb2.ModelProto()
    m.trainer_spec.model_type = 1  # unigram
    m.trainer_spec.unk_id, m.trainer_spec.eos_id, m.trainer_spec.bos_id, m.trainer_spec.pad_id = 0, 1, -1, -1
    m.normalizer_spec.name, m.normalizer_spec.add_dummy_prefix = "identity", True
    for piece, kind in [("<unk>", 2), ("</s>", 3)] + [("▁" + w, 1) for w in words(pieces)]:
        p = m.pieces.add()
        p.piece, p.type, p.score = piece, kind, -1.0
    return m.SerializeToString()


def write(folder, layers=6, d=512, inner=2048, pieces=58101, limit=512, heads=8, activation="swish"):
    os.makedirs(folder, exist_ok=True)
    last = pieces - 1
    ids = {"</s>": END, "<unk>": UNKNOWN, "<pad>": last}
    ids.update({f"<free {i}>": i for i in range(2, 5)})
    ids.update({"▁" + w: i for i, w in enumerate(words(pieces), 5)})
    config = {"activation_function": activation, "architectures": ["MarianMTModel"], "bos_token_id": 0, "d_model": d,
              "decoder_attention_heads": heads, "decoder_ffn_dim": inner, "decoder_layers": layers, "decoder_start_token_id": last,
              "decoder_vocab_size": pieces, "dtype": "float32", "encoder_attention_heads": heads, "encoder_ffn_dim": inner,
              "encoder_layers": layers, "eos_token_id": END, "forced_eos_token_id": END, "is_encoder_decoder": True,
              "max_position_embeddings": 512, "model_type": "marian", "pad_token_id": last, "scale_embedding": True,
              "share_encoder_decoder_embeddings": True, "tie_word_embeddings": True, "vocab_size": pieces}
    generation = {"bad_words_ids": [[last]], "bos_token_id": 0, "decoder_start_token_id": last, "eos_token_id": END,
                  "forced_eos_token_id": END, "max_length": limit, "num_beams": 4, "pad_token_id": last}
    for name, content in (("config.json", config), ("generation_config.json", generation), ("vocab.json", ids)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            json.dump(content, f)
    for name in ("source.spm", "target.spm"):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(sentencepiece_model(pieces))
    write_safetensors(os.path.join(folder, "model.safetensors"), tensors(layers, d, inner, pieces))


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    for name, default in (("layers", 6), ("width", 512), ("inner", 2048), ("pieces", 58101)):
        p.add_argument("--" + name, type=int, default=default)
    o = p.parse_args()
    write(o.folder, o.layers, o.width, o.inner, o.pieces)
