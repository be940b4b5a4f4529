"""A bidirectional torch.nn.GRU and a torch.nn.Conv1d over sentences of different lengths, with autograd.

The loss is a weighted sum of the outputs. Parameters have the names and shapes of hexapla's layers.
"""
import torch
from safetensors.torch import save_file

from fixture import starts

D_MODEL, KERNEL, LENGTHS = 6, 5, (4, 7, 1, 2)


def draw(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64).float().double()  # f32 holds them exactly


def gru(sentences):
    layer = torch.nn.GRU(D_MODEL, D_MODEL // 2, bidirectional=True).double()
    names = {"onward": "_l0", "back": "_l0_reverse"}
    packed = torch.nn.utils.rnn.pack_sequence(sentences, enforce_sorted=False)

    def run():
        padded, lengths = torch.nn.utils.rnn.pad_packed_sequence(layer(packed)[0], batch_first=True)
        return torch.cat([y[:n] for y, n in zip(padded, lengths)])

    def parameters(of):
        for ours, theirs in names.items():
            for place, letters in (("input", "ih"), ("state", "hh")):
                yield f"{ours}.{place}.weight", of(getattr(layer, f"weight_{letters}{theirs}")).T
                yield f"{ours}.{place}.bias", of(getattr(layer, f"bias_{letters}{theirs}"))

    return layer, run, parameters


def convolution(sentences):
    layer = torch.nn.Conv1d(D_MODEL, D_MODEL, KERNEL, padding=KERNEL // 2).double()

    def run():
        return torch.cat([layer(x.T[None])[0].T for x in sentences])

    def parameters(of):
        yield "kernel.weight", of(layer.weight).permute(2, 1, 0).reshape(KERNEL * D_MODEL, D_MODEL)
        yield "kernel.bias", of(layer.bias)

    return layer, run, parameters


def make(path):
    generator = torch.Generator().manual_seed(18)
    tensors = {}
    for name, kind in (("gru", gru), ("convolution", convolution)):
        sentences = [draw(generator, n, D_MODEL).requires_grad_() for n in LENGTHS]
        layer, run, parameters = kind(sentences)
        with torch.no_grad():
            for p in layer.parameters():
                p.copy_(draw(generator, *p.shape) / 2)
        y = run()
        dy = draw(generator, *y.shape)
        (y * dy).sum().backward()
        found = {"x": torch.cat(sentences), "y": y, "dy": dy, "dx": torch.cat([x.grad for x in sentences])}
        found |= {"value." + p: t for p, t in parameters(lambda t: t)}
        found |= {"gradient." + p: t for p, t in parameters(lambda t: t.grad)}
        tensors |= {f"{name}.{key}": t.detach().contiguous() for key, t in found.items()}
        tensors["rows"] = starts(sentences).to(torch.int32)
        print(f"{path}: {name}, sum of squares of the output {(y * y).sum():.4f}")
    save_file(tensors, path)
