"""The forward pass in NumPy: the notes' formulas, each computed from the file's values of its inputs."""

import numpy as np
from activations import activation, softmax
from experts import Experts
from mixing import Mixing
from weighing import KINDS, phi


def log_softmax(x):
    top = x.max(-1, keepdims=True)
    return x - top - np.log(np.exp(x - top).sum(-1, keepdims=True))


def split(x, heads):
    """[..., n, H d] -> [..., H, n, d]"""
    return np.moveaxis(x.reshape(*x.shape[:-1], heads, -1), -2, -3)


def join(x):
    """[H, n, d] -> [n, H d]: Concat(head_1, ..., head_h)"""
    return np.moveaxis(x, 0, 1).reshape(x.shape[1], -1)


def transposed(x):
    return np.swapaxes(x, -1, -2)


def sinusoids(c, pos):
    d = c["dim-model"]
    i, half = np.arange(d), (d + 1) // 2
    if c["positions"] == "sinusoidal":
        exponent, sine = i // 2 * 2 / d, i % 2 == 0
    else:
        exponent, sine = i % half * 2 / d, i < half
    if c["positions"] == "timing-signal":
        exponent = i % half / (half - 1)
    angle = (pos + c.get("first-position", 0))[:, None] / 10000**exponent
    return np.where(sine, np.sin(angle), np.cos(angle))


class Forward(Mixing, Experts):
    """The formulas of a forward pass, one method per topic of the notes."""

    def __init__(self, file, check):
        self.f, self.c, self.check = file, file.config, check
        self.heads, self.pre = self.c["heads"], self.c["norm-position"] == "pre"
        self.last_norm = self.c["norm-position"] != "post"
        self.scale = 1.0 if self.c["score"] == "dot" else 1 / np.sqrt(self.c["dim-key"])
        self.additive = self.c["score"] == "additive"
        self.kernel = self.c["score"] == "linear-kernel"
        self.weighing = self.c["score"] if self.c["score"] in KINDS else "softmax"
        self.weigh, self.through_weights, self.sums_to_one = KINDS[self.weighing]
        self.first = "input.norm" if self.c["embedding-norm"] else "embedded"

    # Names.

    def sublayers(self, stack):
        """The scopes of a stack's sublayers, from first to last."""
        decoder = [self.target_mixing(), "cross_attention", "feed_forward"]
        kinds = decoder if stack == "decoder" else [self.mixing(), "feed_forward"]
        layers = self.c["enc-layers" if stack == "encoder" else "dec-layers"]
        return [f"{stack}.layers.{i}.{kind}" for i in range(layers) for kind in kinds]

    def last(self, stack):
        """The name of a stack's output."""
        return f"{stack}.norm" if self.last_norm else self.sublayers(stack)[-1] + ".norm"

    def stream(self, scope):
        """The name of x in x + Sublayer(x)."""
        stack = scope.split(".")[0]
        all_of_them = self.sublayers(stack)
        place = all_of_them.index(scope)
        if place == 0:
            return f"{stack}.{self.first}"
        return all_of_them[place - 1] + (".sum" if self.pre else ".norm")

    def input(self, scope):
        """The name of the sublayer's input."""
        return scope + ".norm" if self.pre else self.stream(scope)

    def norm_module(self, scope):
        kind = scope.rsplit(".", 1)[1]
        short = {"cross_attention": "cross_norm", "feed_forward": "feed_forward_norm"}
        if scope.startswith("encoder") and kind != "feed_forward":
            return scope[: -len(kind)] + "attention_norm"
        return scope[: -len(kind)] + short.get(kind, "self_norm")

    def linear(self, x, name):
        y = x @ self.f[name + ".weight"]
        return y + self.f[name + ".bias"] if name + ".bias" in self.f else y

    # Forward.

    def embeddings(self):
        f, d = self.f, self.c["dim-model"]
        for stack, ids in (("encoder", "source.ids"), ("decoder", "target.ids")):
            table = "embeddings.1.table" if stack == "decoder" and "embeddings.1.table" in f else "embeddings.0.table"
            self.check("embedding: sqrt(d_model) E[id]", self.embedding_scale() * f[table][f[ids]], f[f"{stack}.tokens"])
            pos = np.arange(len(f[ids]))
            if self.c["positions"] == "learned":
                encodings = f[f"{stack}.input.positions.table"][pos]
            elif self.c["positions"] == "none":
                encodings = np.zeros((len(pos), d))
            else:
                encodings = sinusoids(self.c, pos)
            self.check("positions: PE_i = sin for i mod 2 = 0, cos for i mod 2 = 1, or a sibling", encodings, f[f"{stack}.positions"])
            self.check("input: embedding + positions", f[f"{stack}.tokens"] + encodings, f[f"{stack}.embedded"])
            if self.c["embedding-norm"]:
                norm = self.layer_norm(f[f"{stack}.embedded"], f"{stack}.input.norm")
                self.check("input: LayerNorm(embedding + positions)", norm, f[f"{stack}.input.norm"])

    def embedding_scale(self):
        return np.sqrt(self.c["dim-model"]) if self.c.get("embedding-scale", "sqrt") == "sqrt" else 1

    def layer_norm(self, x, module):
        centered = x - x.mean(-1, keepdims=True)
        normed = centered / np.sqrt((centered**2).mean(-1, keepdims=True) + self.c["norm-eps"])
        return normed * self.f[module + ".gain"] + self.f[module + ".bias"]

    def norm(self, x, module):
        if self.c["norm"] == "none":
            return x
        if self.c["norm"] == "layer":
            return self.layer_norm(x, module)
        normed = (x - self.f[module + ".running_mean"]) / np.sqrt(
            self.f[module + ".running_variance"] + self.c["norm-eps"]
        )
        return normed * self.f[module + ".gain"] + self.f[module + ".bias"]

    def mask(self):
        """M: 0 on and below the diagonal, -inf above it."""
        if self.target_mixing() != "self_attention":
            return
        n = len(self.f["target.ids"])
        m = np.zeros((n, n))
        if self.c.get("decoder-mask", "causal") == "none":
            self.check("no sequence mask: M is 0", m, self.f["decoder.mask"])
            return
        m[np.triu_indices(n, 1)] = -np.inf
        self.check("sequence mask: M is 0 at and below the diagonal, -inf above", m, self.f["decoder.mask"])
        below = 1 - np.triu(np.ones((n, n)), 1)  # mask of ones and zeros
        filled = np.where(below == 0, -1e9, 0)
        scope = "decoder.layers.0.self_attention"
        if self.weighing == "softmax" and not self.additive:
            weights = softmax(self.f[scope + ".unscaled"] * self.scale + filled)
            self.check("masked_fill(mask == 0, -1e9), then softmax", weights, self.f[scope + ".weights"])

    def attention(self, scope):
        f = self.f
        x = f[self.input(scope)]
        memory = x if scope.endswith("self_attention") else f[self.last("encoder")]
        kind = "encoder-decoder attention" if memory is not x else "self-attention"
        q, k, v = (
            self.linear(x, scope + ".query"),
            self.linear(memory, scope + ".key"),
            self.linear(memory, scope + ".value"),
        )
        for letter, got in (("q", q), ("k", k), ("v", v)):
            source = "memory" if memory is not x and letter != "q" else "x"
            self.check(f"{kind}: {letter} = {source} W_{letter.upper()}", got, f[f"{scope}.{letter}"])
        mask = f["decoder.mask"] if scope.startswith("decoder") and memory is x else 0
        q, k, v = (split(f[f"{scope}.{letter}"], self.heads) for letter in "qkv")
        if self.additive:
            scores = self.score(scope, q, k) + mask
            self.check("additive score: w^T tanh(W_q q + W_k k)", scores, f[scope + ".scores"])
        else:
            self.scores(scope, q, k, mask)
        of_scores = self.weigh(f[scope + ".scores"])
        self.check(f"weights: {self.weighing}(scores), by row", of_scores, f[scope + ".weights"])
        if self.sums_to_one:
            self.check("weights: their sum in each row is 1", f[scope + ".weights"].sum(-1), np.ones(q.shape[:2]))
        outputs = f[scope + ".weights"] @ v
        self.check("heads: Concat(head_1, ..., head_h), head_i = softmax(...) v_i", join(outputs), f[scope + ".heads"])
        self.pooled(scope, v)
        self.check(
            "multi-head: Concat(...) W_O", self.linear(f[scope + ".heads"], scope + ".output"), f[scope + ".output"]
        )
        by_head = sum(outputs[h] @ part for h, part in enumerate(np.split(f[scope + ".output.weight"], self.heads)))
        if scope + ".output.bias" not in f:
            self.check("multi-head: the sum over the heads of head_i W_O,i", by_head, f[scope + ".output"])

    def scores(self, scope, q, k, mask):
        f = self.f
        self.check("scores: q k^T, unscaled", q @ transposed(k), f[scope + ".unscaled"])
        by_element = np.einsum("hti,hui->htu", q, k)
        self.check("scores: alpha_ij = q_i . k_j, element by element", by_element, f[scope + ".unscaled"])
        lengths = np.linalg.norm(q, axis=-1)[:, :, None] * np.linalg.norm(k, axis=-1)[:, None]
        angle = np.arccos(np.clip(by_element / np.maximum(lengths, 1e-300), -1, 1))
        self.check("scores: a . b = |a| |b| cos(angle)", lengths * np.cos(angle), f[scope + ".unscaled"])
        names = {"dot": "q k^T", "linear-kernel": "phi(q) phi(k)^T"}
        name = names.get(self.c["score"], "q k^T / sqrt(d_k)")
        what = f"scores: {name} + M" if np.ndim(mask) else f"scores: {name}"
        self.check(what, self.score(scope, q, k) + mask, f[scope + ".scores"])
        d = q.shape[-1]
        if name.endswith("sqrt(d_k)"):
            self.check("scores: (q / sqrt(d_k)) k^T", (q / np.sqrt(d)) @ transposed(k) + mask, f[scope + ".scores"])

    def score(self, scope, q, k):
        if self.additive:
            w = self.f[scope + ".heads.score.weight"]
            return np.einsum("...htui,hi->...htu", np.tanh(q[..., :, None, :] + k[..., None, :, :]), w)
        return phi(q) @ transposed(phi(k)) if self.kernel else q @ transposed(k) * self.scale

    def pooled(self, scope, v):
        """f(q, (k_1, v_1) ...) = sum over i of alpha(q, k_i) v_i, one query at a time."""
        weights = self.f[scope + ".weights"]
        by_query = np.stack(
            [
                [sum(weights[h, t, u] * v[h, u] for u in range(v.shape[1])) for t in range(weights.shape[1])]
                for h in range(self.heads)
            ]
        )
        self.check("pooling: o_t = sum over i of alpha(q_t, k_i) v_i", join(by_query), self.f[scope + ".heads"])

    def whole_attention(self):
        """The one-line formula, without intermediates."""
        scope = "encoder.layers.0.self_attention"
        if self.additive or self.c["attention-bias"] or scope not in self.sublayers("encoder"):
            return
        x = self.f[self.input(scope)]
        width, heads = self.c["dim-key"], []
        for h in range(self.heads):
            columns = slice(h * width, (h + 1) * width)
            q, k = (x @ self.f[f"{scope}.{name}.weight"][:, columns] for name in ("query", "key"))
            value = self.f[scope + ".value.weight"]
            v = x @ np.split(value, self.heads, axis=1)[h]
            heads.append(self.weigh(self.score(scope, q, k)) @ v)
        z = np.concatenate(heads, axis=1)
        self.check(f"Z = {self.weighing}((X W_Q)(X W_K)^T / sqrt(d)) (X W_V), per head", z, self.f[scope + ".heads"])

    def feed_forward(self, scope):
        f = self.f
        if self.has_experts():
            self.experts(scope)
            return
        inner = self.linear(f[self.input(scope)], scope + ".inner")
        self.check("feed-forward: x W_1 + b_1", inner, f[scope + ".inner"])
        hidden = activation(self.c["activation"])(f[scope + ".inner"])
        if self.c["gated"]:
            linear = self.linear(f[self.input(scope)], scope + ".linear")
            self.check("feed-forward: x V + c", linear, f[scope + ".linear"])
            hidden = hidden * f[scope + ".linear"]
        self.check("feed-forward: max(0, .), or the activation of the model", hidden, f[scope + ".hidden"])
        self.check(
            "feed-forward: hidden W_2 + b_2", self.linear(f[scope + ".hidden"], scope + ".outer"), f[scope + ".output"]
        )
        # Two convolutions of width 1, at each position separately.
        alone = [self.linear(row, scope + ".inner") for row in f[self.input(scope)]]
        self.check(
            "feed-forward: the same matrices at each position, one position at a time", alone, f[scope + ".inner"]
        )

    def residual(self, scope):
        f = self.f
        total = f[self.stream(scope)] + f[scope + ".output"]
        self.check("residual: x + F(x)", total, f[scope + ".sum"])
        x = f[self.stream(scope)] if self.pre else f[scope + ".sum"]
        self.check(
            "norm: (x - mean) / sqrt(variance + eps) * gain + bias",
            self.norm(x, self.norm_module(scope)),
            f[scope + ".norm"],
        )
        if self.c["norm"] == "layer":
            module = self.norm_module(scope)
            normed = (f[scope + ".norm"] - f[module + ".bias"]) / f[module + ".gain"]
            if np.abs(f[module + ".gain"]).min() > 1e-2:
                self.check("norm: mean 0 in each row, before gain and bias", normed.mean(-1), np.zeros(len(normed)))
                variance = x.var(-1)
                shrunk = variance / (variance + self.c["norm-eps"])
                self.check("norm: variance 1 in each row, before gain and bias", normed.var(-1), shrunk)

    def generator(self):
        f = self.f
        if self.last_norm:
            for stack in ("encoder", "decoder"):
                x = f[self.sublayers(stack)[-1] + (".sum" if self.pre else ".norm")]
                self.check("norm: of a whole stack", self.norm(x, f"{stack}.last_norm"), f[f"{stack}.norm"])
        logits = f[self.last("decoder")] @ self.generator_weight()
        if "generator.bias" in f:
            logits = logits + f["generator.bias"]
        self.check("generator: x W, W the embeddings, transposed, or of its own", logits, f["generator.logits"])
        log_p = log_softmax(f["generator.logits"])
        self.check("generator: log_softmax", log_p, f["generator.log_probabilities"])
        probabilities = np.exp(f["generator.log_probabilities"])
        self.check("generator: log_softmax = log(softmax)", probabilities, softmax(f["generator.logits"]))
        labels = f["target.labels"]
        picked = f["generator.log_probabilities"][np.arange(len(labels)), labels]
        self.check("loss: cross-entropy, -sum of log p(label)", [-picked.sum()], f["loss"])
        self.check("decoder input and target: <s> y and y </s>", f["target.ids"][1:], labels[:-1])

    def generator_weight(self):
        if "generator.weight" in self.f:
            return self.f["generator.weight"]
        return self.f["embeddings.1.table" if "embeddings.1.table" in self.f else "embeddings.0.table"].T

    def padding(self):
        f = self.f
        if "padded.ids" not in f:
            return
        ids, mask = f["padded.ids"], f["padded.mask"]
        first = len(f["source.ids"])
        self.check("padding: the first source, in its place", ids[0, :first], f["source.ids"])
        lengths = [int((row == 0).sum()) for row in mask]
        expected = np.where(np.arange(ids.shape[1]) < np.array(lengths)[:, None], 0, -np.inf)
        self.check("padding mask: 0 at tokens, -inf behind them", expected, mask)
        for scope in self.sublayers("encoder"):
            if not scope.endswith("self_attention"):
                continue
            q, k, v = (split(f[f"padded.{scope}.{letter}"], self.heads) for letter in "qkv")
            scores = self.score(scope, q, k) + mask[:, None, None, :]
            weights = self.weigh(scores)
            out = weights @ v
            for s, n in enumerate(lengths):
                self.check(
                    "padding: q k^T / sqrt(d_k) + padding mask", scores[s, :, :n], f[f"padded.{scope}.scores"][s, :, :n]
                )
                self.check(
                    "padding: padded weights are the unpadded ones, 0 at padding",
                    weights[s, :, :n],
                    f[f"padded.{scope}.weights"][s, :, :n],
                )
                self.check(
                    "padding: padded heads are the unpadded ones",
                    join(out[s, :, :n]),
                    f[f"padded.{scope}.heads"][s, :n],
                )
        for name in [n for n in f.tensors if n.startswith("padded.encoder.")]:
            alone, both = f[name.removeprefix("padded.")], f[name]
            inside = tuple(slice(n) for n in alone.shape)
            self.check("padding: the first of two sources has what it has alone", both[0][inside], alone)
            if both.ndim == 3:
                behind = both[1, lengths[1] :]
                self.check("padding: nothing is computed for its rows", behind, np.zeros_like(behind))

    # From ids to loss, using only ids and weights of the file.

    def all_of_it(self):
        source = self.stack("encoder", self.start("encoder", "source.ids"), None)
        target = self.stack("decoder", self.start("decoder", "target.ids"), source)
        logits = target @ self.generator_weight()
        if "generator.bias" in self.f:
            logits = logits + self.f["generator.bias"]
        log_p = log_softmax(logits)
        self.check(
            "the whole model: from ids and weights alone to log-probabilities",
            log_p,
            self.f["generator.log_probabilities"],
        )

    def start(self, stack, ids):
        pos = np.arange(len(self.f[ids]))
        table = "embeddings.1.table" if stack == "decoder" and "embeddings.1.table" in self.f else "embeddings.0.table"
        x = self.embedding_scale() * self.f[table][self.f[ids]]
        if self.c["positions"] == "learned":
            x = x + self.f[f"{stack}.input.positions.table"][pos]
        elif self.c["positions"] != "none":
            x = x + sinusoids(self.c, pos)
        return self.layer_norm(x, f"{stack}.input.norm") if self.c["embedding-norm"] else x

    def stack(self, stack, x, memory):
        for scope in self.sublayers(stack):
            module = self.norm_module(scope)
            read = self.norm(x, module) if self.pre else x
            x = x + self.sublayer(scope, read, memory)
            x = x if self.pre else self.norm(x, module)
        return self.norm(x, f"{stack}.last_norm") if self.last_norm else x

    def sublayer(self, scope, x, memory):
        if scope.endswith("feed_forward") and self.has_experts():
            return self.mixture(scope, x)
        if scope.endswith("feed_forward"):
            hidden = activation(self.c["activation"])(self.linear(x, scope + ".inner"))
            if self.c["gated"]:
                hidden = hidden * self.linear(x, scope + ".linear")
            return self.linear(hidden, scope + ".outer")
        if not scope.endswith("attention"):
            return self.mixed(scope, x)
        other = memory if scope.endswith("cross_attention") else x
        q, k, v = (
            split(self.linear(given, f"{scope}.{name}"), self.heads)
            for given, name in ((x, "query"), (other, "key"), (other, "value"))
        )
        causal = scope.startswith("decoder") and other is x and self.c.get("decoder-mask", "causal") == "causal"
        mask = np.triu(np.full((len(x), len(x)), -np.inf), 1) if causal else 0
        return self.linear(join(self.weigh(self.score(scope, q, k) + mask) @ v), scope + ".output")
