"""R-Drop's loss (Liang et al. 2021) for an output layer, with torch.nn.functional and autograd.

Two stacked passes over the same five tokens; the paper's loss, summed over the tokens, and its gradients.
"""
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

PAIRS, D_MODEL, CLASSES, SMOOTHING, ALPHA = 5, 6, 11, 0.1, 5.0


def make(path):
    generator = torch.Generator().manual_seed(17)

    def draw(*shape, size=1.0):
        numbers = size * torch.randn(shape, generator=generator, dtype=torch.float64)
        return numbers.float().double()  # exactly representable in f32

    first = draw(PAIRS, D_MODEL)
    x = torch.cat([first, first + draw(PAIRS, D_MODEL, size=0.3)]).float().double()
    w, b = draw(D_MODEL, CLASSES), draw(CLASSES)
    labels = torch.randint(0, CLASSES, (PAIRS,), generator=generator)
    for leaf in (x, w, b):
        leaf.requires_grad_()

    z = x @ w + b
    losses = F.cross_entropy(z, labels.repeat(2), label_smoothing=SMOOTHING, reduction="none")
    log_p, log_q = F.log_softmax(z, -1).split(PAIRS)
    p_q = F.kl_div(log_q, log_p, reduction="none", log_target=True).sum(-1)  # KL(P || Q): torch takes Q first
    q_p = F.kl_div(log_p, log_q, reduction="none", log_target=True).sum(-1)
    divergences = (p_q + q_p) / 2
    (losses.sum() + ALPHA * divergences.sum()).backward()

    tensors = {
        "x": x, "w": w, "b": b, "labels": labels.repeat(2).to(torch.int32),
        "alpha": torch.tensor([ALPHA], dtype=torch.float64),
        "smoothing": torch.tensor([SMOOTHING], dtype=torch.float64),
        "loss": losses, "divergence": divergences, "dx": x.grad, "dw": w.grad, "db": b.grad,
    }
    save_file({name: t.detach().contiguous() for name, t in tensors.items()}, path)
    print(f"{path}: loss {losses.sum():.4f}, divergence {divergences.sum():.4f}")
