"""torch.nn.Transformer on a padded batch with padding masks, between our own embeddings and generator."""
import math

import torch
from torch import nn

import fixture

D_MODEL, D_FF, HEADS = 8, 12, 2


class Model(nn.Module):
    def __init__(self, transformer, source_embedding, target_embedding, generator):
        super().__init__()
        self.transformer = transformer
        self.source_embedding = source_embedding
        self.target_embedding = target_embedding
        self.generator = generator

    def embedded(self, embedding, ids):
        return embedding(ids) * math.sqrt(D_MODEL) + fixture.sinusoids(ids.shape[1], D_MODEL)

    def forward(self, batch, seen):
        source = self.embedded(self.source_embedding, batch.padded_source)
        target = self.embedded(self.target_embedding, batch.padded_target)
        seen.see_padded("encoder.embedded", source, batch.source_real)
        seen.see_padded("decoder.embedded", target, batch.target_real)
        future = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        y = self.transformer(source, target, tgt_mask=future, src_key_padding_mask=~batch.source_real,
                             tgt_key_padding_mask=~batch.target_real, memory_key_padding_mask=~batch.source_real)
        logits = self.generator(y)[batch.target_real]
        seen.see("generator.logits", logits)
        return nn.functional.cross_entropy(logits, batch.labels, reduction="sum", label_smoothing=fixture.SMOOTHING)


def watch_attention(attention, place, seen, queries_real, keys_real):
    """Recomputes projections and scores from inputs and weights, because torch does not expose them."""

    def see(module, inputs, kwargs, outputs):
        w, b = module.in_proj_weight.split(D_MODEL), module.in_proj_bias.split(D_MODEL)
        q, k, v = (x @ w[i].T + b[i] for i, x in enumerate(inputs))
        for name, value, real in (("q", q, queries_real), ("k", k, keys_real), ("v", v, keys_real)):
            seen().see_padded(f"{place}.{name}", value, real)
        qh, kh, vh = (x.unflatten(2, (HEADS, -1)).transpose(1, 2) for x in (q, k, v))
        scores = qh @ kh.transpose(2, 3) / math.sqrt(D_MODEL // HEADS)
        scores = scores.masked_fill(~keys_real[:, None, None], -torch.inf)
        if place.startswith("decoder") and place.endswith("self_attention"):
            scores = scores.masked_fill(torch.ones(scores.shape[2:], dtype=torch.bool).triu(1), -torch.inf)
        weights = torch.softmax(scores, -1)
        heads = (weights @ vh).transpose(1, 2).flatten(2)
        torch.testing.assert_close(module.out_proj(heads), outputs[0])
        seen().see_padded_attention(place, scores, weights, queries_real, keys_real)
        seen().see_padded(place + ".heads", heads, queries_real)
        seen().see_padded(place + ".output", outputs[0], queries_real)

    attention.register_forward_hook(see, with_kwargs=True)


def watch_layer(layer, place, seen, real, uses, norms):
    """uses: {name of the attention: (module, which keys are real)}; norms: {name of the sublayer: its norm}."""
    for name, (attention, keys_real) in uses.items():
        watch_attention(attention, f"{place}.{name}", seen, real, keys_real)
    for name, norm in norms.items():
        norm.register_forward_hook(lambda _, i, y, name=name: seen().see_padded(f"{place}.{name}.norm", y, real))
    ffn = place + ".feed_forward"
    layer.linear1.register_forward_hook(lambda _, i, y: seen().see_padded(ffn + ".inner", y, real))
    layer.linear2.register_forward_pre_hook(lambda _, i: seen().see_padded(ffn + ".hidden", i[0], real))
    layer.linear2.register_forward_hook(lambda _, i, y: seen().see_padded(ffn + ".output", y, real))


def encoder_norms(layer):
    return {"self_attention": layer.norm1, "feed_forward": layer.norm2}


def decoder_norms(layer):
    return {"self_attention": layer.norm1, "cross_attention": layer.norm2, "feed_forward": layer.norm3}


def watch(model, batch, seen):
    source, target = batch.source_real, batch.target_real
    encoder, decoder = model.transformer.encoder, model.transformer.decoder
    for i, layer in enumerate(encoder.layers):
        uses = {"self_attention": (layer.self_attn, source)}
        watch_layer(layer, f"encoder.layers.{i}", seen, source, uses, encoder_norms(layer))
    for i, layer in enumerate(decoder.layers):
        uses = {"self_attention": (layer.self_attn, target), "cross_attention": (layer.multihead_attn, source)}
        watch_layer(layer, f"decoder.layers.{i}", seen, target, uses, decoder_norms(layer))
    for side, stack, real in (("encoder", encoder, source), ("decoder", decoder, target)):
        if stack.norm is not None:
            stack.norm.register_forward_hook(lambda _, i, y, s=side, r=real: seen().see_padded(s + ".norm", y, r))


def export_norm(name, norm, get):
    return {name + ".gain": get(norm.weight), name + ".bias": get(norm.bias)}


def export_layer(place, layer, norms, get):
    a = layer.self_attn
    p = {place + "self_attention.qkv.weight": get(a.in_proj_weight).T,
         place + "self_attention.qkv.bias": get(a.in_proj_bias),
         place + "self_attention.output.weight": get(a.out_proj.weight).T,
         place + "self_attention.output.bias": get(a.out_proj.bias),
         place + "feed_forward.inner.weight": get(layer.linear1.weight).T,
         place + "feed_forward.inner.bias": get(layer.linear1.bias),
         place + "feed_forward.outer.weight": get(layer.linear2.weight).T,
         place + "feed_forward.outer.bias": get(layer.linear2.bias)}
    for name, norm in norms.items():
        p |= export_norm(place + name, norm, get)
    return p


def export_cross_attention(place, a, get):
    w, b = get(a.in_proj_weight), get(a.in_proj_bias)
    return {place + "query.weight": w[:D_MODEL].T, place + "query.bias": b[:D_MODEL],
            place + "key_value.weight": w[D_MODEL:].T, place + "key_value.bias": b[D_MODEL:],
            place + "output.weight": get(a.out_proj.weight).T, place + "output.bias": get(a.out_proj.bias)}


def export(model, get):
    p = {}
    encoder, decoder = model.transformer.encoder, model.transformer.decoder
    for i, layer in enumerate(encoder.layers):
        norms = {"attention_norm": layer.norm1, "feed_forward_norm": layer.norm2}
        p |= export_layer(f"encoder.layers.{i}.", layer, norms, get)
    for i, layer in enumerate(decoder.layers):
        norms = {"self_norm": layer.norm1, "cross_norm": layer.norm2, "feed_forward_norm": layer.norm3}
        p |= export_layer(f"decoder.layers.{i}.", layer, norms, get)
        p |= export_cross_attention(f"decoder.layers.{i}.cross_attention.", layer.multihead_attn, get)
    for side, stack in (("encoder", encoder), ("decoder", decoder)):
        if stack.norm is not None:
            p |= export_norm(side + ".last_norm", stack.norm, get)
    p["embeddings.0.table"] = get(model.source_embedding.weight)
    if model.target_embedding is not model.source_embedding:
        p["embeddings.1.table"] = get(model.target_embedding.weight)
    if model.generator.bias is not None:
        p["generator.bias"] = get(model.generator.bias)
    return p


def make_model(path, model, batch, seed):
    model.double().train()  # dropout is zero; in eval mode torch may use other code paths
    fixture.randomize(model.parameters(), seed)
    now = []
    watch(model, batch, lambda: now[-1])

    def forward(seen):
        now.append(seen)
        return model(batch, seen)

    fixture.make(path, batch, list(model.parameters()), lambda get: export(model, get), forward,
                 fixture.fixed_rates(1e-3))


def make_post_norm(path):
    """Omits torch's norms after the stacks; target embedding and generator share a matrix."""
    torch.manual_seed(8)
    sizes = dict(d_model=D_MODEL, nhead=HEADS, dim_feedforward=D_FF, dropout=0.0, batch_first=True)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(**sizes), 1, norm=None, enable_nested_tensor=False)
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**sizes), 1, norm=None)
    transformer = nn.Transformer(D_MODEL, HEADS, custom_encoder=encoder, custom_decoder=decoder, batch_first=True)
    model = Model(transformer, nn.Embedding(23, D_MODEL), nn.Embedding(19, D_MODEL), nn.Linear(D_MODEL, 19, bias=False))
    model.generator.weight = model.target_embedding.weight
    make_model(path, model, fixture.Batch(23, 19, seed=9), seed=9)


def make_pre_norm(path):
    """Unmodified torch.nn.Transformer with norm_first; a matrix shared by all three, and a bias in the generator."""
    torch.manual_seed(10)
    transformer = nn.Transformer(D_MODEL, HEADS, 2, 2, D_FF, dropout=0.0, batch_first=True, norm_first=True)
    embedding = nn.Embedding(23, D_MODEL)
    model = Model(transformer, embedding, embedding, nn.Linear(D_MODEL, 23))
    model.generator.weight = embedding.weight
    make_model(path, model, fixture.Batch(23, 23, seed=11), seed=11)
