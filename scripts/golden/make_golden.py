#!/usr/bin/env python3
"""Writes tests/fixtures/golden_*.safetensors: f64 results of PyTorch for tiny models, for the tests to compare.

    pip install torch==2.11.0 safetensors numpy
    scripts/golden/make_golden.py tests/fixtures --notes notes.txt

golden_paper        the paper's model, written plainly
golden_notes        the unmodified modules of a page of notes (see notes.py); only with --notes
golden_notes_heads  the same with d_k, d_v and d_model / heads all different
golden_torch        torch.nn.Transformer, post-norm, padded batch
golden_torch_pre    torch.nn.Transformer, pre-norm, padded batch
golden_experts      mixtures of experts with their gradients (see experts.py), all in f64
golden_mixing       a bidirectional GRU and a convolution with their gradients (see mixing.py), all in f64

The others hold the batch, every parameter ("value."), every named intermediate ("seen.", "scores.",
"weights."), the gradient of the mean loss ("gradient."), and the losses of ten Adam steps. Intermediates and gradients
are rounded to f32, logits and losses are not.
"""
import argparse
import pathlib

import torch

import experts
import mixing
import notes
import paper
import torch_transformer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="where the fixtures go")
    parser.add_argument("--notes", type=pathlib.Path, help="the page of notes")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    folder = arguments.folder
    paper.make(folder / "golden_paper.safetensors")
    torch_transformer.make_post_norm(folder / "golden_torch.safetensors")
    torch_transformer.make_pre_norm(folder / "golden_torch_pre.safetensors")
    experts.make(folder / "golden_experts.safetensors")
    mixing.make(folder / "golden_mixing.safetensors")
    if arguments.notes:
        notes.make(folder / "golden_notes.safetensors", arguments.notes)
        notes.make_head_widths(folder / "golden_notes_heads.safetensors", arguments.notes, d_k=3, d_v=5)


if __name__ == "__main__":
    main()
