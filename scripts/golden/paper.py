"""The model of "Attention Is All You Need" in plain PyTorch, sentence by sentence, without padding.

Post-norm, ReLU, no biases in the attention, LayerNorm eps 1e-6, one matrix for both embeddings and the generator.
"""
import math

import torch

import fixture

VOCAB, D_MODEL, D_FF, HEADS, LAYERS, EPS = 23, 8, 20, 2, 2, 1e-6
D_HEAD = D_MODEL // HEADS


def parameters():
    shapes = {"embeddings.0.table": (VOCAB, D_MODEL)}
    for i in range(LAYERS):
        encoder, decoder = f"encoder.layers.{i}.", f"decoder.layers.{i}."
        shapes |= {
            encoder + "self_attention.qkv.weight": (D_MODEL, 3 * D_MODEL),
            encoder + "self_attention.output.weight": (D_MODEL, D_MODEL),
            decoder + "self_attention.qkv.weight": (D_MODEL, 3 * D_MODEL),
            decoder + "self_attention.output.weight": (D_MODEL, D_MODEL),
            decoder + "cross_attention.query.weight": (D_MODEL, D_MODEL),
            decoder + "cross_attention.key_value.weight": (D_MODEL, 2 * D_MODEL),
            decoder + "cross_attention.output.weight": (D_MODEL, D_MODEL),
        }
        for layer in (encoder, decoder):
            shapes |= {
                layer + "feed_forward.inner.weight": (D_MODEL, D_FF),
                layer + "feed_forward.inner.bias": (D_FF,),
                layer + "feed_forward.outer.weight": (D_FF, D_MODEL),
                layer + "feed_forward.outer.bias": (D_MODEL,),
            }
        norms = [encoder + n for n in ("attention_norm", "feed_forward_norm")]
        norms += [decoder + n for n in ("self_norm", "cross_norm", "feed_forward_norm")]
        for norm in norms:
            shapes |= {norm + ".gain": (D_MODEL,), norm + ".bias": (D_MODEL,)}
    generator = torch.Generator().manual_seed(1)
    p = {}
    for name, shape in shapes.items():
        scale = 1 / math.sqrt(shape[0]) if len(shape) == 2 else 0
        p[name] = scale * torch.randn(shape, generator=generator, dtype=torch.float64) + name.endswith("gain")
        p[name].requires_grad_()
    return p


class Sentence:
    """One pass over one sentence pair: x is [T, d_model]."""

    def __init__(self, p, seen):
        self.p, self.seen = p, seen

    def embedded(self, side, ids):
        x = self.p["embeddings.0.table"][ids] * math.sqrt(D_MODEL) + fixture.sinusoids(len(ids), D_MODEL)
        self.seen.see(side + ".embedded", x)
        return x

    def norm(self, place, norm, x):
        centered = x - x.mean(-1, keepdim=True)
        y = centered / torch.sqrt((centered**2).mean(-1, keepdim=True) + EPS)
        y = y * self.p[norm + ".gain"] + self.p[norm + ".bias"]
        self.seen.see(place + ".norm", y)
        return y

    def heads(self, place, q, k, v, causal):
        """Section 3.2: softmax(Q K^T / sqrt(d_k)) V for each head, then W^O."""
        for name, value in (("q", q), ("k", k), ("v", v)):
            self.seen.see(f"{place}.{name}", value)
        scores, weights, heads = [], [], []
        for h in range(HEADS):
            mine = slice(h * D_HEAD, (h + 1) * D_HEAD)
            s = q[:, mine] @ k[:, mine].T / math.sqrt(D_HEAD)
            if causal:
                s = s + torch.full_like(s, -torch.inf).triu(1)
            w = torch.softmax(s, -1)
            scores.append(s)
            weights.append(w)
            heads.append(w @ v[:, mine])
        self.seen.see_attention(place, torch.stack(scores), torch.stack(weights))
        self.seen.see(place + ".heads", torch.cat(heads, 1))
        y = torch.cat(heads, 1) @ self.p[place + ".output.weight"]
        self.seen.see(place + ".output", y)
        return y

    def self_attention(self, layer, x, causal):
        q, k, v = (x @ self.p[layer + ".self_attention.qkv.weight"]).split(D_MODEL, 1)
        return self.heads(layer + ".self_attention", q, k, v, causal)

    def cross_attention(self, layer, x, memory):
        q = x @ self.p[layer + ".cross_attention.query.weight"]
        k, v = (memory @ self.p[layer + ".cross_attention.key_value.weight"]).split(D_MODEL, 1)
        return self.heads(layer + ".cross_attention", q, k, v, False)

    def feed_forward(self, layer, x):
        place = layer + ".feed_forward"
        inner = x @ self.p[place + ".inner.weight"] + self.p[place + ".inner.bias"]
        hidden = torch.clamp(inner, min=0)
        y = hidden @ self.p[place + ".outer.weight"] + self.p[place + ".outer.bias"]
        for name, value in (("inner", inner), ("hidden", hidden), ("output", y)):
            self.seen.see(f"{place}.{name}", value)
        return y

    def encode(self, ids):
        x = self.embedded("encoder", ids)
        for i in range(LAYERS):
            layer = f"encoder.layers.{i}"
            y = self.self_attention(layer, x, False)
            x = self.norm(layer + ".self_attention", layer + ".attention_norm", x + y)
            x = self.norm(layer + ".feed_forward", layer + ".feed_forward_norm", x + self.feed_forward(layer, x))
        return x

    def decode(self, ids, memory):
        x = self.embedded("decoder", ids)
        for i in range(LAYERS):
            layer = f"decoder.layers.{i}"
            x = self.norm(layer + ".self_attention", layer + ".self_norm", x + self.self_attention(layer, x, True))
            x = self.norm(layer + ".cross_attention", layer + ".cross_norm", x + self.cross_attention(layer, x, memory))
            x = self.norm(layer + ".feed_forward", layer + ".feed_forward_norm", x + self.feed_forward(layer, x))
        return x

    def logits(self, source, target):
        x = self.decode(target, self.encode(source))
        z = x @ self.p["embeddings.0.table"].T
        self.seen.see("generator.logits", z)
        return z


def make(path):
    p = parameters()
    fixture.randomize(p.values(), seed=2)
    batch = fixture.Batch(VOCAB, VOCAB, seed=3)

    def forward(seen):
        sentence = Sentence(p, seen)
        logits = [sentence.logits(s, t) for s, t in zip(batch.source, batch.target_in)]
        return fixture.smoothed_loss(torch.log_softmax(torch.cat(logits), -1), batch.labels)

    def export(get):
        return {name: get(leaf) for name, leaf in p.items()}

    fixture.make(path, batch, list(p.values()), export, forward, fixture.noam_rates(D_MODEL, warmup=4, factor=0.05))
