"""Small random models of popular Transformer implementations in PyTorch, and their outputs.

Usage: foreign_torch.py JADORE ANNOTATED NOTES ANNALOG
JADORE: a checkout of github.com/jadore801120/attention-is-all-you-need-pytorch; ANNOTATED: the_annotated_transformer.py of
github.com/harvardnlp/annotated-transformer; NOTES: the page of notes that make_golden.py reads; ANNALOG: the folder of
the package annalog 1.0.6. Needs torch, numpy and safetensors. Writes tests/fixtures/foreign/<name>.pt (to be imported),
<name>.safetensors (sentences as ids, and the model's log probabilities) and tokens_23.txt, tokens_19.txt.
src/plugins/convert/kinds/torch_state_dict_test.cpp reads them.
"""
import argparse
import ast
import copy
import math
import pathlib
import sys
import types

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn.functional import log_softmax

import fixture
import notes

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "foreign"
SOURCE, TARGET, D, HEADS, INNER = 23, 19, 8, 2, 12


def randomized(model, seed):
    """-> the model in f64, with random biases and gains that are exactly representable in f32"""
    fixture.randomize(list(model.double().parameters()), seed)
    return model.eval()


def state_of(model):
    return copy.deepcopy(model).float().state_dict()


def save(name, checkpoint, batch, logits):
    torch.save(checkpoint, OUT / f"{name}.pt")
    tensors = batch.tensors()
    tensors["log_probabilities"] = log_softmax(logits.double(), -1)[batch.target_real].float().contiguous()
    save_file(tensors, OUT / f"{name}.safetensors")
    print(name, (OUT / f"{name}.pt").stat().st_size)


def masks(batch):
    length = batch.padded_target.shape[1]
    future = torch.ones(length, length, dtype=torch.bool).tril()
    return batch.source_real[:, None, :], batch.target_real[:, None, :] & future


class Embedding(nn.Module):
    """As in PyTorch's translation tutorial."""

    def __init__(self, vocabulary):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, D)

    def forward(self, ids):
        return self.embedding(ids) * math.sqrt(D)


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("pos_embedding", fixture.sinusoids(50, D).float()[:, None])

    def forward(self, x):
        return x + self.pos_embedding[: x.shape[1], 0]


class Tutorial(nn.Module):
    def __init__(self, norm_first, **more):
        super().__init__()
        self.transformer = nn.Transformer(D, HEADS, 2, 2, INNER, batch_first=True, norm_first=norm_first, **more)
        self.generator = nn.Linear(D, TARGET)
        self.src_tok_emb, self.tgt_tok_emb = Embedding(SOURCE), Embedding(TARGET)
        self.positional_encoding = Positions()

    def forward(self, batch):
        length = batch.padded_target.shape[1]
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        source = self.positional_encoding(self.src_tok_emb(batch.padded_source))
        target = self.positional_encoding(self.tgt_tok_emb(batch.padded_target))
        return self.generator(self.transformer(source, target, tgt_mask=future, src_key_padding_mask=~batch.source_real,
                                               memory_key_padding_mask=~batch.source_real))


def make_torch(name, norm_first, record=False, **more):
    torch.manual_seed(20)
    model = randomized(Tutorial(norm_first, **more), 21)
    batch = fixture.Batch(SOURCE, TARGET, 22)
    state = state_of(model)
    save(name, {"args": argparse.Namespace(nhead=HEADS, **more), "model": state} if record else state, batch, model(batch).detach())


def make_seq2seq(package):
    """The package annalog, with the modules of bentrevett's tutorial; learned positions."""
    code = (package / "model_files" / "seq2seq_attention.py").read_text().replace("from . import vocabulary", "")
    names = types.ModuleType("seq2seq_attention")
    sys.modules[names.__name__] = names  # its dataclass looks the module up
    exec(compile(code, "seq2seq_attention.py", "exec"), names.__dict__)
    torch.manual_seed(32)
    device = torch.device("cpu")
    encoder = names.Encoder(SOURCE, D, 2, HEADS, INNER, 0.0, device, 20)
    decoder = names.Decoder(TARGET, D, 1, HEADS, INNER, 0.0, device, 20)
    model = randomized(names.Seq2Seq(encoder, decoder, 0, 0, device), 33)
    batch = fixture.Batch(SOURCE, TARGET, 34)
    with torch.no_grad():
        logits, _ = model(batch.padded_source, batch.padded_target)
        save("tutorial", state_of(model), batch, logits)


def make_jadore(checkout):
    """Its three ways to share matrices, in checkpoints like those of its train.py."""
    sys.path.insert(0, str(checkout))
    from transformer.Models import Transformer

    for name, share_target, share_source, scale in (("jadore", True, True, "prj"), ("jadore_scaled_embeddings", True, True, "emb"),
                                                    ("jadore_apart", False, False, "prj")):
        torch.manual_seed(23)
        model = Transformer(TARGET if share_source else SOURCE, TARGET, 0, 0, d_word_vec=D, d_model=D, d_inner=INNER, n_layers=2 if name == "jadore" else 1,
                            n_head=HEADS, d_k=3, d_v=5, n_position=20, trg_emb_prj_weight_sharing=share_target,
                            emb_src_trg_weight_sharing=share_source, scale_emb_or_prj=scale)
        randomized(model, 24)
        batch = fixture.Batch(TARGET if share_source else SOURCE, TARGET, 25)
        source_mask, target_mask = masks(batch)
        with torch.no_grad():
            memory, *_ = model.encoder(batch.padded_source, source_mask)
            y, *_ = model.decoder(batch.padded_target, target_mask, memory, source_mask)
            logits = model.trg_word_prj(y)
            if model.scale_prj:
                logits = logits * D**-0.5
        settings = argparse.Namespace(n_head=HEADS, d_model=D, scale_emb_or_prj=scale)
        save(name, {"epoch": 1, "settings": settings, "model": state_of(model)}, batch, logits)


def annotated_names(page):
    """-> its classes and functions, without its imports for plots and data"""
    names = {"torch": torch, "nn": nn, "math": math, "copy": copy, "log_softmax": log_softmax}
    tree = ast.parse(page.read_text())
    wanted = {"EncoderDecoder", "Generator", "clones", "Encoder", "LayerNorm", "SublayerConnection", "EncoderLayer", "Decoder",
              "DecoderLayer", "attention", "MultiHeadedAttention", "PositionwiseFeedForward", "Embeddings", "PositionalEncoding",
              "make_model"}
    body = [node for node in tree.body if getattr(node, "name", None) in wanted]
    exec(compile(ast.Module(body, []), str(page), "exec"), names)
    return names


def make_annotated(page):
    torch.manual_seed(26)
    names = annotated_names(page)
    model = names["make_model"](SOURCE, TARGET, N=1, d_model=D, d_ff=INNER, h=HEADS)
    for side in (model.src_embed, model.tgt_embed):
        side[1].pe = side[1].pe[:, :40].clone()  # of 5,000 positions, to keep the file small
    randomized(model, 27)
    batch = fixture.Batch(SOURCE, TARGET, 28)
    with torch.no_grad():
        y = model(batch.padded_source, batch.padded_target, *masks(batch))
        save("annotated", state_of(model), batch, model.generator.proj(y))


def make_notes(page):
    torch.manual_seed(29)
    model = notes.modules_of(page)["Transformer"](SOURCE, TARGET, n_layers=1, d_model=D, n_head=HEADS)
    randomized(model, 30)
    batch = fixture.Batch(SOURCE, TARGET, 31)
    with torch.no_grad():
        y = model(batch.padded_source, batch.padded_target, *masks(batch))
        save("notes", state_of(model), batch, model.generator.proj(y))


def main():
    jadore, annotated, page, package = map(pathlib.Path, sys.argv[1:])
    OUT.mkdir(exist_ok=True)
    for size in (SOURCE, TARGET):
        tokens = ["<pad>", "<s>", "</s>", "<unk>"] + [f"w{i}" for i in range(4, size)]
        (OUT / f"tokens_{size}.txt").write_text("\n".join(tokens) + "\n")
    make_torch("torch_pre_norm", norm_first=True)
    make_torch("torch_post_norm", norm_first=False)
    make_torch("torch_gelu", norm_first=False, activation="gelu", layer_norm_eps=0.01)
    make_torch("torch_gelu_recorded", norm_first=False, record=True, activation="gelu", layer_norm_eps=0.01)
    make_jadore(jadore)
    make_annotated(annotated)
    make_notes(page)
    make_seq2seq(package)


if __name__ == "__main__":
    main()
