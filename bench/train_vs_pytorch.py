#!/usr/bin/env python3
"""Compares training in hexapla and PyTorch: same model, same batches of ids, same number of threads, alternating.

    bench/train_vs_pytorch.py [--preset tiny] [--lengths wmt|multi30k] [--compile] [--peer-precision f32|bf16] [--rounds 5]
                              [--seconds 8] [--device gpu]

Prints target tokens per second without padding for every variant of PyTorch and for hexapla, and the median over the
rounds of hexapla / best PyTorch variant of the round. PyTorch uses padded batches, its fused attention and Adam, and
selects the real target positions before the output layer. Needs torch and a built hexapla. --device gpu compares hexapla's
OpenCL device with PyTorch's CUDA device.
"""
import argparse, json, math, os, statistics, subprocess, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PRESETS = {"tiny": (128, 4, 256, 4), "small": (512, 4, 1024, 6), "base": (512, 8, 2048, 6), "big": (1024, 16, 4096, 6)}


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--hexapla", default=os.path.join(ROOT, "build/release/hexapla"))
    p.add_argument("--preset", default="tiny", choices=PRESETS)
    p.add_argument("--lengths", default="wmt", choices=["wmt", "multi30k"])
    p.add_argument("--vocab-size", type=int, default=10000)
    p.add_argument("--batch-tokens", type=int, default=2048)
    p.add_argument("--dropout", type=float, default=0.1)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--seconds", type=float, default=8)
    p.add_argument("--precision", default="auto", help="of hexapla")
    p.add_argument("--peer-precision", choices=["f32", "tf32", "bf16"], help="of PyTorch; default: f32 and bf16, with "
                   "--device gpu all")
    p.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    p.add_argument("--compile", action="store_true", help="also torch.compile, on six batches of fixed shape; slow to start")
    return p.parse_args()


def run_hexapla(o, *more):
    command = [o.hexapla, "bench", "train", "--json", "--preset", o.preset, "--lengths", o.lengths, "--vocab-size",
               str(o.vocab_size), "--batch-tokens", str(o.batch_tokens), "--dropout", str(o.dropout), "--threads",
               str(o.threads), "--precision", o.precision, "--device", "cpu" if o.device == "cpu" else "opencl", *more]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def model_of(o):
    import torch
    from torch import nn
    from torch.nn import functional as F
    d, heads, d_ff, layers = PRESETS[o.preset]

    class Attention(nn.Module):
        def __init__(self, own):
            super().__init__()
            self.own = own
            self.q = nn.Linear(d, 3 * d if own else d, bias=False)
            self.kv = None if own else nn.Linear(d, 2 * d, bias=False)
            self.out = nn.Linear(d, d, bias=False)

        def forward(self, x, memory, mask, causal):
            q, k, v = self.q(x).chunk(3, -1) if self.own else (self.q(x), *self.kv(memory).chunk(2, -1))
            split = lambda t: t.unflatten(-1, (heads, d // heads)).transpose(1, 2)
            y = F.scaled_dot_product_attention(split(q), split(k), split(v), attn_mask=mask, is_causal=causal,
                                               dropout_p=o.dropout)
            return self.out(y.transpose(1, 2).flatten(2))

    class Layer(nn.Module):
        def __init__(self, decoder):
            super().__init__()
            self.own, self.cross = Attention(True), Attention(False) if decoder else None
            self.wide, self.narrow = nn.Linear(d, d_ff), nn.Linear(d_ff, d)
            self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(3 if decoder else 2))

        def forward(self, x, mask, memory=None, memory_mask=None):
            drop = lambda t: F.dropout(t, o.dropout)
            x = self.norms[0](x + drop(self.own(x, x, mask, memory is not None)))
            if self.cross is not None:
                x = self.norms[1](x + drop(self.cross(x, memory, memory_mask, False)))
            return self.norms[-1](x + drop(self.narrow(drop(F.relu(self.wide(x))))))

    class Transformer(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Parameter(torch.randn(o.vocab_size, d) * d**-0.5)
            self.encoder = nn.ModuleList(Layer(False) for _ in range(layers))
            self.decoder = nn.ModuleList(Layer(True) for _ in range(layers))
            at = torch.arange(256)[:, None] * torch.exp(torch.arange(0, d, 2) * (-math.log(1e4) / d))
            self.register_buffer("positions", torch.stack([at.sin(), at.cos()], -1).flatten(1))

        def embed(self, ids):
            return F.dropout(F.embedding(ids, self.table) * math.sqrt(d) + self.positions[: ids.shape[1]], o.dropout)

        def forward(self, source, target, labels, select):
            seen = (source != 0)[:, None, None, :]
            memory = self.embed(source)
            for layer in self.encoder:
                memory = layer(memory, seen)
            y = self.embed(target)
            for layer in self.decoder:
                y = layer(y, None, memory, seen)
            y, labels = y.flatten(0, 1), labels.flatten()
            if select:
                y, labels = y[labels != 0], labels[labels != 0]
            return F.cross_entropy(F.linear(y, self.table).float(), labels, label_smoothing=0.1, reduction="sum",
                                   ignore_index=0)

    return Transformer().train()


def padded(batches, device):
    import torch
    result = []
    for pairs in batches:
        rows = [(s + [2], [1] + t, t + [2]) for s, t in pairs]
        pad = lambda i: torch.nn.utils.rnn.pad_sequence([torch.tensor(r[i]) for r in rows], batch_first=True).to(device)
        result.append((pad(0), pad(1), pad(2), sum(len(r[2]) for r in rows)))
    return result


class Peer:
    """One variant of PyTorch, ready to be timed."""

    def __init__(self, o, batches, precision, compiled):
        import torch
        torch.manual_seed(1)
        self.name = f"PyTorch {torch.__version__} {'compiled' if compiled else 'eager'} {precision}"
        self.batches, self.precision, self.compiled, self.at = batches[:6] if compiled else batches, precision, compiled, 0
        self.kind = "cpu" if o.device == "cpu" else "cuda"
        model = model_of(o).to(self.kind)
        self.optimizer = torch.optim.Adam(model.parameters(), 1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)
        if compiled:
            torch._dynamo.config.recompile_limit = 64
        self.loss = torch.compile(model, dynamic=False) if compiled else model
        for _ in range(len(self.batches) if compiled else 4):
            self.step()

    def step(self):
        import torch
        source, target, labels, tokens = self.batches[self.at % len(self.batches)]
        self.at += 1
        torch.backends.cuda.matmul.allow_tf32 = self.precision == "tf32"
        with torch.autocast(self.kind, torch.bfloat16, enabled=self.precision == "bf16"):
            loss = self.loss(source, target, labels, not self.compiled)
        (loss / tokens).backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return tokens

    def rate(self, seconds):
        import torch
        tokens, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            tokens += self.step()
        if self.kind == "cuda":
            torch.cuda.synchronize()
        return tokens / (time.perf_counter() - start)


def main():
    o = options()
    import torch
    torch.set_num_threads(o.threads)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "batches.json")
        run_hexapla(o, "--seconds", "0", "--write-batches", path)
        with open(path) as f:
            batches = padded(json.load(f), "cpu" if o.device == "cpu" else "cuda")
    precisions = [o.peer_precision] if o.peer_precision else ["f32", "bf16"] if o.device == "cpu" else ["f32", "tf32", "bf16"]
    peers = [Peer(o, batches, precision, compiled) for compiled in ([False, True] if o.compile else [False])
             for precision in precisions]
    rates, ratios, fractions = {p.name: [] for p in peers}, [], []
    for _ in range(o.rounds):
        ours = run_hexapla(o, "--seconds", str(o.seconds))
        rates.setdefault("hexapla", []).append(ours["tokens_per_second"])
        fractions.append(ours["products_fraction"])
        for p in peers:
            rates[p.name].append(p.rate(o.seconds))
        ratios.append(rates["hexapla"][-1] / max(rates[p.name][-1] for p in peers))
    print(f"{o.preset}, lengths like {o.lengths}, vocabulary {o.vocab_size}, {o.batch_tokens} tokens per batch, "
          f"dropout {o.dropout}, {o.threads} threads")
    for name, seen in rates.items():
        print(f"  {name:28} {statistics.median(seen):8.0f} target tokens/s   ({min(seen):.0f} to {max(seen):.0f})")
    print(f"  hexapla / best PyTorch       {statistics.median(ratios):8.2f}   ({min(ratios):.2f} to {max(ratios):.2f})")
    print(f"  products alone / hexapla     {statistics.median(fractions):8.2f}")


if __name__ == "__main__":
    main()
