"""Shared by all golden fixtures: the batch, recording of intermediates, ten Adam steps, the file.

Uses hexapla's names: of parameters as in its model files, of intermediates as its observers see them.
"""
import math

import torch
from safetensors.torch import save_file

SMOOTHING = 0.1
STEPS = 10


class Batch:
    """Sentence pairs of different lengths, both as ragged rows and padded to [B, T] with a mask of real tokens."""

    def __init__(self, source_vocab, target_vocab, seed, lengths=((4, 3), (1, 4), (3, 2))):
        generator = torch.Generator().manual_seed(seed)

        def draw(vocab, n):
            return torch.randint(3, vocab, (n,), generator=generator)

        begin, end = torch.tensor([1]), torch.tensor([2])
        self.source = [draw(source_vocab, n) for n, _ in lengths]
        target = [draw(target_vocab, m - 1) for _, m in lengths]
        self.target_in = [torch.cat([begin, t]) for t in target]
        self.target_out = [torch.cat([t, end]) for t in target]
        self.labels = torch.cat(self.target_out)
        self.padded_source, self.source_real = pad(self.source)
        self.padded_target, self.target_real = pad(self.target_in)

    def tensors(self):
        rows = {
            "source": torch.cat(self.source),
            "target_in": torch.cat(self.target_in),
            "target_out": self.labels,
            "source_rows": starts(self.source),
            "target_rows": starts(self.target_in),
        }
        return {name: t.to(torch.int32) for name, t in rows.items()}


def pad(sentences):
    padded = torch.nn.utils.rnn.pad_sequence(sentences, batch_first=True)
    lengths = torch.tensor([len(s) for s in sentences])
    return padded, torch.arange(padded.shape[1])[None, :] < lengths[:, None]


def starts(sentences):
    return torch.tensor([0] + [len(s) for s in sentences]).cumsum(0)


def sinusoids(n, d):
    """Section 3.5, element by element."""
    table = torch.zeros(n, d, dtype=torch.float64)
    for position in range(n):
        for i in range(d // 2):
            angle = position / 10000 ** (2 * i / d)
            table[position, 2 * i] = math.sin(angle)
            table[position, 2 * i + 1] = math.cos(angle)
    return table


class Seen:
    """Intermediates by name; parts (one per sentence, in order) are concatenated after the forward pass."""

    def __init__(self):
        self.parts = {}

    def see(self, name, value):  # rows of real tokens
        self.parts.setdefault("seen." + name, []).append(value.detach().clone())

    def see_padded(self, name, value, real):  # [B, T, d]; real: [B, T]
        self.see(name, value[real])

    def see_attention(self, place, scores, weights):  # one sentence: [H, n, m] each; stored flat, sentence by sentence
        self.parts.setdefault("scores." + place, []).append(scores.detach().flatten().clone())
        self.parts.setdefault("weights." + place, []).append(weights.detach().flatten().clone())

    def see_padded_attention(self, place, scores, weights, queries_real, keys_real):  # [B, H, T, U]
        for b in range(scores.shape[0]):
            n, m = int(queries_real[b].sum()), int(keys_real[b].sum())
            self.see_attention(place, scores[b, :, :n, :m], weights[b, :, :n, :m])

    def tensors(self):
        exact = ("seen.generator.logits",)
        return {
            name: torch.cat(parts).to(torch.float64 if name in exact else torch.float32)
            for name, parts in self.parts.items()
        }


def smoothed_loss(log_probabilities, labels):
    """Section 5.4, summed: 1 - smoothing at the label plus smoothing / K everywhere."""
    target = torch.full_like(log_probabilities, SMOOTHING / log_probabilities.shape[1])
    target[torch.arange(len(labels)), labels] += 1 - SMOOTHING
    return -(target * log_probabilities).sum()


def randomize(parameters, seed):
    """Sets gains near one and biases near zero, all exactly representable in f32."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for p in parameters:
            p += 0.2 * torch.randn(p.shape, generator=generator, dtype=torch.float64)
            p.copy_(p.float().double())


def fixed_rates(rate):
    return [rate] * STEPS


def noam_rates(d_model, warmup, factor):
    """Section 5.3."""
    return [factor * d_model**-0.5 * min(s**-0.5, s * warmup**-1.5) for s in range(1, STEPS + 1)]


def make(path, batch, parameters, export, forward, rates):
    """Writes one fixture.

    parameters: the leaves; export(get): {hexapla's name: tensor}, where get maps a leaf to its value or gradient;
    forward(seen): the batch's summed loss, recording the logits [N, K] in seen; rates: the learning rate of each step.
    """
    seen = Seen()
    n = len(batch.labels)
    tensors = batch.tensors()
    tensors |= {"value." + name: t.detach().float() for name, t in export(lambda p: p).items()}
    loss = forward(seen)
    (loss / n).backward()
    tensors |= seen.tensors()
    tensors |= {"gradient." + name: t.float() for name, t in export(lambda p: p.grad).items()}

    optimizer = torch.optim.Adam(parameters, lr=rates[0], betas=(0.9, 0.98), eps=1e-9)
    losses = [loss.item() / n]
    for rate in rates:  # the first step uses the existing gradients
        optimizer.param_groups[0]["lr"] = rate
        optimizer.step()
        optimizer.zero_grad()
        loss = forward(Seen())
        (loss / n).backward()
        losses.append(loss.item() / n)
    tensors["rates"] = torch.tensor(rates, dtype=torch.float64)
    tensors["losses"] = torch.tensor(losses, dtype=torch.float64)  # before the first step, and after each
    save_file({name: t.contiguous() for name, t in tensors.items()}, path)
    print(f"{path}: {len(tensors)} tensors, loss {losses[0]:.4f} -> {losses[-1]:.4f}")
