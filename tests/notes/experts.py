"""A mixture of experts in NumPy: every expert computes every token; experts not chosen have gate 0."""

import numpy as np
from activations import activation, activation_slope, softmax


class Experts:
    """Its formulas and their derivatives, as a base of Forward, which has the file and the check."""

    def has_experts(self):
        return self.c.get("experts", 0) > 0

    def probabilities(self, scope, x):
        return softmax(x @ self.f[scope + ".router.weight"])

    def gates(self, p):
        """The gates of the most probable experts; 0 for the others."""
        k = self.c.get("experts-per-token", 1)
        chosen = np.argsort(-p, axis=-1, kind="stable")[:, :k]
        gates = np.zeros_like(p)
        np.put_along_axis(gates, chosen, np.take_along_axis(p, chosen, -1), -1)
        return gates / gates.sum(-1, keepdims=True) if k > 1 else gates

    def of_expert(self, scope, e, x):
        """The input and the output of the activation, and the expert's output."""
        inner = self.linear(x, f"{scope}.experts.{e}.inner")
        hidden = activation(self.c["activation"])(inner)
        return inner, hidden, self.linear(hidden, f"{scope}.experts.{e}.outer")

    def weighted(self, scope, x, gates):
        return sum(gates[:, e, None] * self.of_expert(scope, e, x)[2] for e in range(gates.shape[1]))

    def mixture(self, scope, x):
        """The output of the layer for x."""
        return self.weighted(scope, x, self.gates(self.probabilities(scope, x)))

    def experts(self, scope):
        f, x = self.f, self.f[self.input(scope)]
        self.check("experts: softmax(x W_r)", self.probabilities(scope, x), f[scope + ".probabilities"])
        self.check("experts: gates of the most probable", self.gates(f[scope + ".probabilities"]), f[scope + ".gates"])
        self.check("experts: sum of gate FFN(x)", self.weighted(scope, x, f[scope + ".gates"]), f[scope + ".output"])

    def into_expert(self, scope, e, x):
        """The derivatives of the activation's input and of the expert's output."""
        d = self.f[scope + ".gates"][:, e, None] * self.gradient(scope + ".output")
        slope = activation_slope(self.c["activation"])(self.of_expert(scope, e, x)[0])
        return d @ self.f[f"{scope}.experts.{e}.outer.weight"].T * slope, d

    def expert_gradients(self, scope):
        f, x, dy = self.f, self.f[self.input(scope)], self.gradient(scope + ".output")
        gates, d_gates = f[scope + ".gates"], np.zeros_like(f[scope + ".gates"])
        for e in range(gates.shape[1]):
            _, hidden, output = self.of_expert(scope, e, x)
            d_inner, d_output = self.into_expert(scope, e, x)
            self.linear_gradients(x, d_inner, f"{scope}.experts.{e}.inner")
            self.linear_gradients(hidden, d_output, f"{scope}.experts.{e}.outer")
            d_gates[:, e] = np.where(gates[:, e] > 0, (dy * output).sum(-1), 0)
        self.check("derivative: of a gate: dy FFN(x)", d_gates, self.gradient(scope + ".gates"))
        d = d_gates
        if self.c.get("experts-per-token", 1) > 1:
            chosen = np.where(gates > 0, f[scope + ".probabilities"], 0).sum(-1, keepdims=True)
            d = np.where(gates > 0, d_gates - (gates * d_gates).sum(-1, keepdims=True), 0) / chosen
        self.check("derivative: of a router's probabilities", d, self.gradient(scope + ".probabilities"))
        self.linear_gradients(x, self.into_router(scope), scope + ".router")

    def into_router(self, scope):
        """The derivative of the router's logits, through its softmax."""
        p, d = self.f[scope + ".probabilities"], self.gradient(scope + ".probabilities")
        return p * (d - (p * d).sum(-1, keepdims=True))

    def into_experts(self, scope):
        """The derivative of the layer's input."""
        x, d = self.f[self.input(scope)], self.into_router(scope) @ self.f[scope + ".router.weight"].T
        for e in range(self.f[scope + ".gates"].shape[1]):
            d = d + self.into_expert(scope, e, x)[0] @ self.f[f"{scope}.experts.{e}.inner.weight"].T
        return d
