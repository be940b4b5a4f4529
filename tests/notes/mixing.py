"""The siblings of self-attention in NumPy: a GRU in each direction, a convolution, and the decoder's SSRU."""

import numpy as np

WAYS = ("onward", "back")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def thirds(x):
    return np.split(x, 3, axis=-1)


class Mixing:
    """Their formulas and their derivatives, as a base of Forward, which has the file and the check."""

    def mixing(self):
        """The name of the encoder's first sublayer."""
        kind = self.c.get("encoder-mixing", "attention")
        return {"attention": "self_attention", "gru": "recurrence", "convolution": "convolution"}[kind]

    def target_mixing(self):
        """The name of the decoder's first sublayer."""
        return {"attention": "self_attention", "ssru": "recurrence"}[self.c.get("decoder-mixing", "attention")]

    def mixed(self, scope, x):
        """The output of the sublayer for x."""
        if scope.startswith("decoder"):
            return np.maximum(0, self.cells(scope, x)[2])
        if scope.endswith("convolution"):
            return self.linear(self.neighbors(x), scope + ".kernel")
        return np.concatenate([self.states(f"{scope}.{way}", x)[0] for way in WAYS], axis=1)

    def order(self, way, n):
        return range(n) if way.endswith("onward") else range(n - 1, -1, -1)

    def states(self, way, x):
        """For each token: h' = (1 - z) n + z h; the h before it; r, z, n, and h U_n + c_n."""
        width = self.f[way + ".state.weight"].shape[0]
        inputs = self.linear(x, way + ".input")
        after, before = np.zeros((len(x), width)), np.zeros((len(x), width))
        gates, h = np.zeros((4, len(x), width)), np.zeros(width)
        for t in self.order(way, len(x)):
            before[t] = h
            (x_r, x_z, x_n), (h_r, h_z, h_n) = thirds(inputs[t]), thirds(self.linear(h, way + ".state"))
            r, z = sigmoid(x_r + h_r), sigmoid(x_z + h_z)
            n = np.tanh(x_n + r * h_n)
            h = after[t] = (1 - z) * n + z * h
            gates[:, t] = r, z, n, h_n
        return after, before, gates

    def cells(self, scope, x):
        """The SSRU: x W, f = sigmoid(x W_f + b_f), c = f c' + (1 - f) x W, where c' is that of the token before."""
        candidate, forget = self.linear(x, scope + ".candidate"), sigmoid(self.linear(x, scope + ".forget"))
        cell, c = np.zeros_like(candidate), np.zeros(candidate.shape[1])
        for t in range(len(x)):
            c = cell[t] = forget[t] * c + (1 - forget[t]) * candidate[t]
        return candidate, forget, cell

    def cell_gradients(self, scope, x, dy):
        """The derivatives of x W, f, c, and x W_f + b_f."""
        candidate, forget, cell = self.cells(scope, x)
        of_cell, carried = np.zeros_like(cell), np.zeros(cell.shape[1])
        for t in reversed(range(len(x))):
            of_cell[t] = carried + dy[t] * (cell[t] > 0)
            carried = of_cell[t] * forget[t]
        before = np.vstack([np.zeros((1, cell.shape[1])), cell[:-1]])
        of_forget = of_cell * (before - candidate)
        return of_cell * (1 - forget), of_forget, of_cell, of_forget * forget * (1 - forget)

    def neighbors(self, x):
        """[x_{t - m} ... x_{t + m}], 0 beyond the ends."""
        m = self.c.get("kernel-width", 3) // 2
        wide = np.vstack([np.zeros((m, x.shape[1])), x, np.zeros((m, x.shape[1]))])
        return np.concatenate([wide[j : j + len(x)] for j in range(2 * m + 1)], axis=1)

    def mix(self, scope):
        f, x = self.f, self.f[self.input(scope)]
        if scope.startswith("decoder"):
            for name, got in zip(("candidate", "forget", "cell"), self.cells(scope, x)):
                self.check(f"SSRU: {name}", got, f[f"{scope}.{name}"])
            self.check("SSRU: max(0, c)", self.mixed(scope, x), f[scope + ".output"])
            return
        if scope.endswith("convolution"):
            self.check("convolution: sum over j of x_{t + j} W_j + b", self.mixed(scope, x), f[scope + ".output"])
            return
        for way in WAYS:
            gates = self.states(f"{scope}.{way}", x)[2]
            for name, got in zip(("reset", "update", "candidate"), gates):
                self.check(f"recurrence: {name}", got, f[f"{scope}.{way}.{name}"])
        self.check("recurrence: h' = (1 - z) n + z h, both ways", self.mixed(scope, x), f[scope + ".output"])

    def mixing_gradients(self, scope):
        x, dy = self.f[self.input(scope)], self.gradient(scope + ".output")
        if scope.startswith("decoder"):
            *shown, into_forget = self.cell_gradients(scope, x, dy)
            for name, got in zip(("candidate", "forget", "cell"), shown):
                self.check(f"derivative: of {name}", got, self.gradient(f"{scope}.{name}"))
            self.linear_gradients(x, shown[0], scope + ".candidate")
            self.linear_gradients(x, into_forget, scope + ".forget")
            return
        if scope.endswith("convolution"):
            self.linear_gradients(self.neighbors(x), dy, scope + ".kernel")
            return
        for way, d in zip(WAYS, np.split(dy, 2, axis=1)):
            into_input, into_state, gates = self.through_time(f"{scope}.{way}", x, d)
            for name, got in zip(("reset", "update", "candidate"), gates):
                self.check(f"derivative: of {name}", got, self.gradient(f"{scope}.{way}.{name}"))
            self.linear_gradients(x, into_input, f"{scope}.{way}.input")
            self.linear_gradients(self.states(f"{scope}.{way}", x)[1], into_state, f"{scope}.{way}.state")

    def through_time(self, way, x, dy):
        """From the last step to the first: the derivatives of x W + b, of h U + c, and of r, z and n."""
        _, before, (r, z, n, h_n) = self.states(way, x)
        into_input, into_state = np.zeros((len(x), 3 * dy.shape[1])), np.zeros((len(x), 3 * dy.shape[1]))
        gates, carried = np.zeros((3, *dy.shape)), np.zeros(dy.shape[1])
        for t in reversed(self.order(way, len(x))):
            dh = dy[t] + carried
            dn, dz = dh * (1 - z[t]), dh * (before[t] - n[t])
            sum_n = dn * (1 - n[t] ** 2)
            dr = sum_n * h_n[t]
            sum_r, sum_z = dr * r[t] * (1 - r[t]), dz * z[t] * (1 - z[t])
            gates[:, t] = dr, dz, dn
            into_input[t] = np.concatenate([sum_r, sum_z, sum_n])
            into_state[t] = np.concatenate([sum_r, sum_z, sum_n * r[t]])
            carried = dh * z[t] + into_state[t] @ self.f[way + ".state.weight"].T
        return into_input, into_state, gates

    def into_mixing(self, scope):
        """The derivative of the sublayer's input."""
        x, dy = self.f[self.input(scope)], self.gradient(scope + ".output")
        if scope.startswith("decoder"):
            of_candidate, _, _, into_forget = self.cell_gradients(scope, x, dy)
            weights = [self.f[f"{scope}.{name}.weight"].T for name in ("candidate", "forget")]
            return of_candidate @ weights[0] + into_forget @ weights[1]
        if scope.endswith("convolution"):
            wide = dy @ self.f[scope + ".kernel.weight"].T
            d, parts = np.zeros_like(x), np.split(wide, wide.shape[1] // x.shape[1], axis=1)
            for j, part in enumerate(parts):
                shift = j - len(parts) // 2  # token t used the part of token t + shift
                for t in range(max(0, -shift), min(len(x), len(x) - shift)):
                    d[t + shift] += part[t]
            return d
        return sum(
            self.through_time(f"{scope}.{way}", x, d)[0] @ self.f[f"{scope}.{way}.input.weight"].T
            for way, d in zip(WAYS, np.split(dy, 2, axis=1))
        )
