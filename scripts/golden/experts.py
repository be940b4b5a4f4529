"""A mixture of experts in PyTorch, with autograd: every expert computes every token, and a mask selects outputs.

Switch Transformers (top 1) and GShard (top 2), without a limit and with a capacity. The loss is a weighted sum of the
outputs, and a factor times the load-balancing loss. Parameters have the names and shapes of hexapla's layer.
"""
import math

import torch
from safetensors.torch import save_file

D_MODEL, WIDTH, EXPERTS, TOKENS, BALANCING = 6, 5, 4, 11, 0.3
VARIANTS = {"top_1": (1, 0.0), "top_2": (2, 0.0), "top_1_capacity": (1, 0.8), "top_2_capacity": (2, 0.8)}


class Mixture(torch.nn.Module):
    def __init__(self, per_token, capacity):
        super().__init__()
        self.per_token, self.capacity = per_token, capacity
        self.router = torch.nn.Linear(D_MODEL, EXPERTS, bias=False)
        self.inner = torch.nn.ModuleList(torch.nn.Linear(D_MODEL, WIDTH) for _ in range(EXPERTS))
        self.outer = torch.nn.ModuleList(torch.nn.Linear(WIDTH, D_MODEL) for _ in range(EXPERTS))

    def admitted(self, chosen):
        """-> [N, E]: 1 if the expert has room for the token; first choices of all tokens take precedence over second ones"""
        places = torch.zeros(len(chosen), EXPERTS, dtype=torch.float64)
        limit = math.ceil(self.capacity * self.per_token * len(chosen) / EXPERTS) if self.capacity else len(chosen)
        taken = [0] * EXPERTS
        for choice in range(self.per_token):
            for token, expert in enumerate(chosen[:, choice].tolist()):
                places[token, expert] = float(taken[expert] < limit)
                taken[expert] += 1
        return places

    def forward(self, x):
        p = torch.softmax(self.router(x), dim=-1)
        top, chosen = torch.topk(p, self.per_token, dim=-1)
        gates = top if self.per_token == 1 else top / top.sum(-1, keepdim=True)
        weights = torch.zeros_like(p).scatter(1, chosen, gates) * self.admitted(chosen)
        each = torch.stack([o(torch.relu(i(x))) for i, o in zip(self.inner, self.outer)], dim=1)
        share = torch.nn.functional.one_hot(chosen, EXPERTS).double().mean((0, 1))
        return (weights[..., None] * each).sum(1), EXPERTS * (share * p.mean(0)).sum()

    def named(self, of):
        yield "router.weight", of(self.router.weight).T
        for e in range(EXPERTS):
            for name, layer in (("inner", self.inner[e]), ("outer", self.outer[e])):
                yield f"experts.{e}.{name}.weight", of(layer.weight).T
                yield f"experts.{e}.{name}.bias", of(layer.bias)


def make(path):
    generator = torch.Generator().manual_seed(19)

    def draw(*shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64).float().double()  # f32 holds them exactly

    tensors = {}
    for name, (per_token, capacity) in VARIANTS.items():
        layer = Mixture(per_token, capacity).double()
        with torch.no_grad():
            for p in layer.parameters():
                p.copy_(draw(*p.shape))
        x, dy = draw(TOKENS, D_MODEL).requires_grad_(), draw(TOKENS, D_MODEL)
        y, imbalance = layer(x)
        ((dy * y).sum() + BALANCING * imbalance).backward()
        found = {"x": x, "dy": dy, "y": y, "dx": x.grad, "imbalance": imbalance[None]}
        tensors |= {f"{name}.{key}": t for key, t in found.items()}
        tensors |= {f"{name}.value.{n}": v for n, v in layer.named(lambda p: p)}
        tensors |= {f"{name}.gradient.{n}": v for n, v in layer.named(lambda p: p.grad)}
        print(f"{path}: {name}, sum of squares of the output {(y * y).sum():.4f}")
    save_file({n: t.detach().contiguous() for n, t in tensors.items()}, path)
