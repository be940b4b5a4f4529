"""The backward pass in NumPy: the derivative of the loss with respect to everything, step by step."""

import numpy as np
from activations import activation, activation_slope, softmax
from forward import Forward, join, split, transposed
from weighing import phi, phi_slope


class Backward(Forward):
    """The derivatives, each computed from the file's derivatives of the next step."""

    def gradient(self, name):
        return self.f["gradient." + name]

    def linear_gradients(self, x, dy, name):
        self.check("derivative: of a matrix W in y = x W: x^T dy", x.T @ dy, self.gradient(name + ".weight"))
        if name + ".bias" in self.f:
            self.check("derivative: of a bias: the sum of dy", dy.sum(0), self.gradient(name + ".bias"))

    def attention_gradients(self, scope):
        f, g = self.f, self.gradient
        self.check(
            "derivative: of the heads: dy W_O^T",
            g(scope + ".output") @ f[scope + ".output.weight"].T,
            g(scope + ".heads"),
        )
        d_heads = split(g(scope + ".heads"), self.heads)
        q, k, v = (split(f[f"{scope}.{letter}"], self.heads) for letter in "qkv")
        weights = f[scope + ".weights"]
        d_weights = d_heads @ transposed(v)
        self.check("derivative: of the weights: d_head v^T", d_weights, g(scope + ".weights"))
        self.check("derivative: of v: weights^T d_head", join(transposed(weights) @ d_heads), g(scope + ".v"))
        if self.weighing != "softmax":
            self.weighed_gradients(scope, q, k, self.through_weights(f[scope + ".scores"], weights, d_weights))
            return self.projection_gradients(scope)
        jacobian = np.einsum("htu,uw->htuw", weights, np.eye(weights.shape[-1])) - np.einsum(
            "htu,htw->htuw", weights, weights
        )
        d_scores = np.einsum("htu,htuw->htw", d_weights, jacobian)
        self.check("derivative: of softmax: diag(a) - a a^T", d_scores, g(scope + ".scores"))
        if self.additive:
            self.additive_gradients(scope, q, k, d_scores)
        else:
            self.check("derivative: through 1 / sqrt(d_k)", d_scores * self.scale, g(scope + ".unscaled"))
            d = g(scope + ".unscaled")
            self.check("derivative: of q: d_score k", join(d @ k), g(scope + ".q"))
            self.check("derivative: of k: d_score^T q", join(transposed(d) @ q), g(scope + ".k"))
        self.projection_gradients(scope)

    def weighed_gradients(self, scope, q, k, d):
        """Of weights without a softmax: the file has no derivatives of their scores."""
        one, other = (phi(q), phi(k)) if self.kernel else (q * self.scale, k * self.scale)
        to_q, to_k = (phi_slope(q), phi_slope(k)) if self.kernel else (1, 1)
        name = f"in a score that goes through {self.weighing}"
        self.check(f"derivative: of q {name}", join(d @ other * to_q), self.gradient(scope + ".q"))
        self.check(f"derivative: of k {name}", join(transposed(d) @ one * to_k), self.gradient(scope + ".k"))

    def projection_gradients(self, scope):
        f, g = self.f, self.gradient
        x = f[self.input(scope)]
        memory = x if scope.endswith("self_attention") else f[self.last("encoder")]
        for letter, name, given in (("q", "query", x), ("k", "key", memory), ("v", "value", memory)):
            self.linear_gradients(given, g(f"{scope}.{letter}"), f"{scope}.{name}")
        self.linear_gradients(f[scope + ".heads"], g(scope + ".output"), scope + ".output")

    def additive_gradients(self, scope, q, k, d_scores):
        w = self.f[scope + ".heads.score.weight"]
        bent = np.tanh(q[:, :, None] + k[:, None])
        into = d_scores[..., None] * w[:, None, None] * (1 - bent**2)
        self.check("derivative: of q in an additive score", join(into.sum(2)), self.gradient(scope + ".q"))
        self.check("derivative: of k in an additive score", join(into.sum(1)), self.gradient(scope + ".k"))
        d_w = np.einsum("htu,htui->hi", d_scores, bent)
        self.check("derivative: of w in w^T tanh(...)", d_w, self.gradient(scope + ".heads.score.weight"))

    def feed_forward_gradients(self, scope):
        f, g = self.f, self.gradient
        if self.has_experts():
            self.expert_gradients(scope)
            return
        self.check(
            "derivative: of the hidden layer: dy W_2^T",
            g(scope + ".output") @ f[scope + ".outer.weight"].T,
            g(scope + ".hidden"),
        )
        d = g(scope + ".hidden")
        if self.c["gated"]:
            activated = activation(self.c["activation"])(f[scope + ".inner"])
            self.check("derivative: of a gate's linear part", d * activated, g(scope + ".linear"))
            d = d * f[scope + ".linear"]
            self.linear_gradients(f[self.input(scope)], g(scope + ".linear"), scope + ".linear")
        slope = activation_slope(self.c["activation"])(f[scope + ".inner"])
        self.check("derivative: through the activation: 0 where max(0, .) is 0", d * slope, g(scope + ".inner"))
        self.linear_gradients(f[self.input(scope)], g(scope + ".inner"), scope + ".inner")
        self.linear_gradients(f[scope + ".hidden"], g(scope + ".output"), scope + ".outer")

    def into_sublayer(self, scope):
        """The derivative of a sublayer's input: dy F'(x), without the residual connection."""
        f, g = self.f, self.gradient
        if scope.endswith("feed_forward") and self.has_experts():
            return self.into_experts(scope)
        if scope.endswith("feed_forward"):
            d = g(scope + ".inner") @ f[scope + ".inner.weight"].T
            return d + g(scope + ".linear") @ f[scope + ".linear.weight"].T if self.c["gated"] else d
        if not scope.endswith("attention"):
            return self.into_mixing(scope)
        d = g(scope + ".q") @ f[scope + ".query.weight"].T
        return d if scope.endswith("cross_attention") else d + self.into_keys(scope)

    def into_keys(self, scope):
        f, g = self.f, self.gradient
        return g(scope + ".k") @ f[scope + ".key.weight"].T + g(scope + ".v") @ f[scope + ".value.weight"].T

    def norm_backward(self, x, d, module):
        """The derivative of a norm's input, J^T d; checks those of gain and bias."""
        if self.c["norm"] == "none":
            return d
        gain = self.f[module + ".gain"]
        if self.c["norm"] == "batch":
            return d * gain / np.sqrt(self.f[module + ".running_variance"] + self.c["norm-eps"])
        spread = np.sqrt(x.var(-1, keepdims=True) + self.c["norm-eps"])
        normed = (x - x.mean(-1, keepdims=True)) / spread
        self.check("derivative: of a norm's gain", (d * normed).sum(0), self.gradient(module + ".gain"))
        self.check("derivative: of a norm's bias", d.sum(0), self.gradient(module + ".bias"))
        dn = d * gain
        return (dn - dn.mean(-1, keepdims=True) - normed * (dn * normed).mean(-1, keepdims=True)) / spread

    def residual_gradients(self, scope):
        f, g = self.f, self.gradient
        self.check("derivative: x + F(x) hands dy to F unchanged", g(scope + ".sum"), g(scope + ".output"))
        f_of_x = self.into_sublayer(scope)
        if self.pre:
            self.check("derivative: of a pre-norm's output", f_of_x, g(scope + ".norm"))
            f_of_x = self.norm_backward(f[self.stream(scope)], g(scope + ".norm"), self.norm_module(scope))
        else:
            through = self.norm_backward(f[scope + ".sum"], g(scope + ".norm"), self.norm_module(scope))
            self.check("derivative: through a norm", through, g(scope + ".sum"))
        self.check("derivative: of x in x + F(x): dy (1 + F'(x))", g(scope + ".sum") + f_of_x, g(self.stream(scope)))

    def end_gradients(self):
        f, g = self.f, self.gradient
        one_hot = np.eye(f["generator.logits"].shape[1])[f["target.labels"]]
        self.check("derivative: of the log-probabilities: -one-hot(label)", -one_hot, g("generator.log_probabilities"))
        self.check(
            "derivative: of the logits: softmax - one-hot(label)",
            softmax(f["generator.logits"]) - one_hot,
            g("generator.logits"),
        )
        d = g("generator.logits")
        self.check("derivative: of the decoder's output", d @ self.generator_weight().T, g(self.last("decoder")))
        d_memory = sum(
            self.into_keys(scope) for scope in self.sublayers("decoder") if scope.endswith("cross_attention")
        )
        self.check(
            "derivative: of the encoder's output: the sum over the decoder's layers", d_memory, g(self.last("encoder"))
        )
        if self.last_norm:
            for stack in ("encoder", "decoder"):
                last = self.sublayers(stack)[-1] + (".sum" if self.pre else ".norm")
                through = self.norm_backward(f[last], g(f"{stack}.norm"), f"{stack}.last_norm")
                self.check("derivative: through a norm", through, g(last))

    def embedding_gradients(self):
        f, g = self.f, self.gradient
        tables = {name: np.zeros(f[name].shape) for name in f.tensors if name.startswith("embeddings.")}
        for stack, ids in (("encoder", "source.ids"), ("decoder", "target.ids")):
            embedded = g(f"{stack}.embedded")
            if self.c["embedding-norm"]:
                kind, self.c["norm"] = self.c["norm"], "layer"
                through = self.norm_backward(f[f"{stack}.embedded"], g(f"{stack}.input.norm"), f"{stack}.input.norm")
                self.c["norm"] = kind
                self.check("derivative: through a norm", through, embedded)
            for part in ("tokens", "positions"):
                self.check("derivative: of both parts of a sum: the same", embedded, g(f"{stack}.{part}"))
            table = tables["embeddings.1.table" if stack == "decoder" and len(tables) > 1 else "embeddings.0.table"]
            np.add.at(table, f[ids], self.embedding_scale() * embedded)
            if self.c["positions"] == "learned":
                learned = np.zeros(f[f"{stack}.input.positions.table"].shape)
                learned[: len(f[ids])] = embedded
                self.check("derivative: of learned positions", learned, g(f"{stack}.input.positions.table"))
        d_weight = f[self.last("decoder")].T @ g("generator.logits")
        if "generator.weight" in f:
            self.check("derivative: of the generator", d_weight, g("generator.weight"))
        else:
            tables[max(tables)] += d_weight.T
        if "generator.bias" in f:
            self.check("derivative: of a bias: the sum of dy", g("generator.logits").sum(0), g("generator.bias"))
        for name, table in tables.items():
            self.check("derivative: of the embeddings: of every use of a row together", table, g(name))
