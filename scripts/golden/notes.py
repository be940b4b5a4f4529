"""Runs the unmodified modules of a page of notes (Python in ```py blocks).

The page defines attention, feed-forward, layers, Encoder, Decoder, Generator and Transformer after
github.com/jadore801120/attention-is-all-you-need-pytorch: post-norm, LayerNorm on the embedded input, no biases in the
attention, a bias in the generator. It leaves out InputEmbedding and PositionalEncoding, which are added here, and its
encoder and decoder return tuples of one element, which its Transformer does not unpack; here they are unpacked.
"""
import math
import re

import torch
import torch.nn.functional as F
from torch import nn

import fixture

SOURCE_VOCAB, TARGET_VOCAB, D_MODEL, HEADS = 23, 19, 8, 2


class InputEmbedding(nn.Module):
    def __init__(self, d_model, vocab):
        super().__init__()
        self.table = nn.Embedding(vocab, d_model)
        self.scale = math.sqrt(d_model)

    def forward(self, ids):
        return self.table(ids) * self.scale


class PositionalEncoding(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.d_model = d_model

    def forward(self, x):
        return x + fixture.sinusoids(x.shape[1], self.d_model)


def modules_of(page):
    """-> the names defined by the page's code"""
    names = {"math": math, "torch": torch, "nn": nn, "F": F}
    names |= {"InputEmbedding": InputEmbedding, "PositionalEncoding": PositionalEncoding}
    with open(page, encoding="utf-8") as f:
        blocks = re.findall(r"^```py\n(.*?)^```", f.read(), re.S | re.M)
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)

    def unpacked(stack):
        class Unpacked(stack):
            def forward(self, *inputs):
                (y,) = super().forward(*inputs)
                return y

        return Unpacked

    names["Encoder"] = unpacked(names["Encoder"])
    names["Decoder"] = unpacked(names["Decoder"])
    return names


def watch_attention(attention, place, seen, queries_real, keys_real):
    for name, part, real in (("q", attention.w_qs, queries_real), ("k", attention.w_ks, keys_real),
                             ("v", attention.w_vs, keys_real), ("output", attention.fc, queries_real),
                             ("norm", attention.layer_norm, queries_real)):
        part.register_forward_hook(lambda _, i, y, name=name, real=real: seen().see_padded(f"{place}.{name}", y, real))
    attention.fc.register_forward_pre_hook(lambda _, i: seen().see_padded(place + ".heads", i[0], queries_real))

    def see_weights(module, inputs, kwargs, outputs):
        q, k, _ = inputs
        scores = (q @ k.transpose(2, 3) / math.sqrt(q.shape[3])).masked_fill(kwargs["mask"] == 0, -torch.inf)
        seen().see_padded_attention(place, scores, outputs[1], queries_real, keys_real)

    attention.attention.register_forward_hook(see_weights, with_kwargs=True)


def watch_feed_forward(ffn, place, seen, real):
    ffn.w_1.register_forward_hook(lambda _, i, y: seen().see_padded(place + ".inner", y, real))
    ffn.w_2.register_forward_pre_hook(lambda _, i: seen().see_padded(place + ".hidden", i[0], real))
    ffn.w_2.register_forward_hook(lambda _, i, y: seen().see_padded(place + ".output", y, real))
    ffn.layer_norm.register_forward_hook(lambda _, i, y: seen().see_padded(place + ".norm", y, real))


def watch(model, batch, seen):
    source, target = batch.source_real, batch.target_real
    for side, embed, stack, real in (("encoder", model.src_embed_pos, model.encoder, source),
                                     ("decoder", model.tgt_embed_pos, model.decoder, target)):
        embed.register_forward_hook(lambda _, i, y, s=side, r=real: seen().see_padded(s + ".embedded", y, r))
        stack.layer_norm.register_forward_hook(lambda _, i, y, s=side, r=real: seen().see_padded(s + ".input.norm", y, r))
    for i, layer in enumerate(model.encoder.layer_stack):
        watch_attention(layer.slf_attn, f"encoder.layers.{i}.self_attention", seen, source, source)
        watch_feed_forward(layer.pos_ffn, f"encoder.layers.{i}.feed_forward", seen, source)
    for i, layer in enumerate(model.decoder.layer_stack):
        watch_attention(layer.self_attn, f"decoder.layers.{i}.self_attention", seen, target, target)
        watch_attention(layer.cross_attn, f"decoder.layers.{i}.cross_attention", seen, target, source)
        watch_feed_forward(layer.pos_ffn, f"decoder.layers.{i}.feed_forward", seen, target)
    model.generator.proj.register_forward_hook(lambda _, i, y: seen().see_padded("generator.logits", y, target))


def export_norm(name, norm, get):
    return {name + ".gain": get(norm.weight), name + ".bias": get(norm.bias)}


def export_self_attention(layer, norm, a, get):
    place = layer + "self_attention."
    return {place + "qkv.weight": torch.cat([get(w.weight) for w in (a.w_qs, a.w_ks, a.w_vs)]).T,
            place + "output.weight": get(a.fc.weight).T} | export_norm(layer + norm, a.layer_norm, get)


def export_cross_attention(layer, a, get):
    place = layer + "cross_attention."
    return {place + "query.weight": get(a.w_qs.weight).T,
            place + "key_value.weight": torch.cat([get(a.w_ks.weight), get(a.w_vs.weight)]).T,
            place + "output.weight": get(a.fc.weight).T} | export_norm(layer + "cross_norm", a.layer_norm, get)


def export_feed_forward(layer, ffn, get):
    place = layer + "feed_forward."
    return {place + "inner.weight": get(ffn.w_1.weight).T, place + "inner.bias": get(ffn.w_1.bias),
            place + "outer.weight": get(ffn.w_2.weight).T, place + "outer.bias": get(ffn.w_2.bias)
            } | export_norm(layer + "feed_forward_norm", ffn.layer_norm, get)


def export(model, get):
    """-> tensors with hexapla's names and layouts: weights [in, out], projections of one input concatenated"""
    p = {"embeddings.0.table": get(model.src_embed_pos[0].table.weight),
         "embeddings.1.table": get(model.tgt_embed_pos[0].table.weight),
         "generator.weight": get(model.generator.proj.weight).T, "generator.bias": get(model.generator.proj.bias)}
    p |= export_norm("encoder.input.norm", model.encoder.layer_norm, get)
    p |= export_norm("decoder.input.norm", model.decoder.layer_norm, get)
    for i, layer in enumerate(model.encoder.layer_stack):
        p |= export_self_attention(f"encoder.layers.{i}.", "attention_norm", layer.slf_attn, get)
        p |= export_feed_forward(f"encoder.layers.{i}.", layer.pos_ffn, get)
    for i, layer in enumerate(model.decoder.layer_stack):
        p |= export_self_attention(f"decoder.layers.{i}.", "self_norm", layer.self_attn, get)
        p |= export_cross_attention(f"decoder.layers.{i}.", layer.cross_attn, get)
        p |= export_feed_forward(f"decoder.layers.{i}.", layer.pos_ffn, get)
    return p


def make_model(path, model, seed):
    model.double().eval()  # no dropout
    fixture.randomize(model.parameters(), seed)
    batch = fixture.Batch(SOURCE_VOCAB, TARGET_VOCAB, seed)
    source_mask = batch.source_real[:, None, :]
    future = torch.ones(batch.padded_target.shape[1], batch.padded_target.shape[1], dtype=torch.bool).tril()
    target_mask = batch.target_real[:, None, :] & future
    now = []
    watch(model, batch, lambda: now[-1])

    def forward(seen):
        now.append(seen)
        y = model(batch.padded_source, batch.padded_target, source_mask, target_mask)
        return fixture.smoothed_loss(model.generator(y)[batch.target_real], batch.labels)

    fixture.make(path, batch, list(model.parameters()), lambda get: export(model, get), forward,
                 fixture.fixed_rates(1e-3))


def make(path, page):
    """Writes the fixture of the notes' Transformer."""
    torch.manual_seed(4)
    model = modules_of(page)["Transformer"](SOURCE_VOCAB, TARGET_VOCAB, n_layers=2, d_model=D_MODEL, n_head=HEADS)
    make_model(path, model, seed=5)


def make_head_widths(path, page, d_k, d_v):
    """The same with d_k, d_v and d_model / heads all different, which the notes' layers support, but not their stacks."""
    torch.manual_seed(6)
    names = modules_of(page)
    model = names["Transformer"](SOURCE_VOCAB, TARGET_VOCAB, n_layers=1, d_model=D_MODEL, n_head=HEADS)
    for stack, layer in ((model.encoder, names["EncoderLayer"]), (model.decoder, names["DecoderLayer"])):
        stack.layer_stack = nn.ModuleList([layer(D_MODEL, 4 * D_MODEL, HEADS, d_k, d_v)])
    make_model(path, model, seed=7)
