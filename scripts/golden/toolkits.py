#!/usr/bin/env python3
"""Writes src/plugins/convert/fixtures/{fairseq_*,opennmt_py_*,joeynmt_*}: small models of fairseq, OpenNMT-py and
JoeyNMT, built, briefly trained and saved by those systems, and their results, for the tests to compare.

    pip install torch sentencepiece safetensors numpy pyyaml
    pip install --no-deps OpenNMT-py==3.5.1 joeynmt==2.3.0 pyonmttok ConfigArgParse subword-nmt
    pip install --no-deps OpenNMT-py==2.2.0 torchtext==0.5.0 six     (in place of 3.5.1, for opennmt_py_2)
    pip install --no-deps hydra-core omegaconf antlr4-python3-runtime==4.9.3 bitarray portalocker
    PYTHONPATH=.../fairseq scripts/golden/toolkits.py src/plugins/convert/fixtures [fairseq_post ...]

fairseq is a checkout (commit 3d262bb), whose Python code runs without its compiled parts. Modules that the systems import, but
small models do not use, are replaced by empty stand-ins.

golden.safetensors has source ids, decoder ids and logits for a few pairs; golden.json has 200 lines of text with the ids of their
translations, greedy and with beam 4. fairseq's come from its SequenceGenerator. OpenNMT-py and JoeyNMT use nonstandard beam
searches (they treat finished translations differently): for them, greedy takes the largest logit, and beam search is the plain
one below, over their models' logits. Excludes lines whose two best translations score nearly equal, or whose translations do
not end by themselves.
"""
import argparse
import dataclasses
import importlib.metadata
import pathlib
import random
import shutil
import sys
import types

import sentencepiece
import torch

from marian import save_golden, sentences, train_pieces
from stand_ins import stand_in_for

LINES, LONGEST, UPDATES = 200, 40, 400
LETTERS = str.maketrans("abcdefghij", "efghijklmä")
D, INNER, HEADS = 16, 24, 4
NO_WAY = float("-inf")


class Pieces:
    """Text tokenized by SentencePiece, with one model for both sides."""

    def __init__(self, folder, name, draw):
        lines = sentences(draw, "abcdefghij", 900)
        lines += [line.translate(LETTERS) for line in sentences(draw, "abcdefghij", 900)]
        self.all = [p for p in train_pieces(folder / name, lines, 90, "unigram") if p not in ("<unk>", "<s>", "</s>")]
        self.model = sentencepiece.SentencePieceProcessor(model_file=str(folder / name))

    source = target = property(lambda self: self.all)

    def lines(self, draw, count):
        return [" ".join(line.split()[:4]) for line in sentences(draw, "abcdefghijkx", count)]

    def pairs(self, draw, count):
        texts = [" ".join(line.split()[:4]) for line in sentences(draw, "abcdefghij", count)]
        return [(self.cut(text), self.cut(text.translate(LETTERS))) for text in texts]

    def cut(self, text):
        return self.model.encode(text, out_type=str)


class Merges(Pieces):
    """Text tokenized by subword-nmt, with one file of merges for both sides."""

    def __init__(self, folder, name, draw):
        from subword_nmt.apply_bpe import BPE
        from subword_nmt.learn_bpe import learn_bpe

        lines = sentences(draw, "abcdefghij", 900)
        sides = [lines, [line.translate(LETTERS) for line in lines]]
        with open(folder / name, "w") as codes:
            learn_bpe((line + "\n" for side in sides for line in side), codes, 60)
        with open(folder / name) as codes:
            self.merges = BPE(codes)
        self.sides = [list(dict.fromkeys(p for line in side for p in self.cut(line))) for side in sides]

    source = property(lambda self: self.sides[0])
    target = property(lambda self: self.sides[1])

    def cut(self, text):
        return self.merges.process_line(text).split()

    def lines(self, draw, count):
        """-> lines with isolated unknown characters only: a run of them is one token in hexapla, and several in subword-nmt"""
        texts = [" ".join(line.split()[:4]) for line in sentences(draw, "abcdefghij", count)]
        return [text + " x" * (i % 5 == 0) for i, text in enumerate(texts)]


class Letters:
    """Pre-tokenized text: letters, different ones on each side."""

    source, target = list("abcdefghij"), list("efghijklmä")

    def lines(self, draw, count):
        return [" ".join(draw.choice("abcdefghijx") for _ in range(draw.randint(2, 12))) for _ in range(count)]

    def pairs(self, draw, count):
        texts = [" ".join(draw.choice(self.source) for _ in range(draw.randint(2, 12))) for _ in range(count)]
        return [(text.split(), text.translate(LETTERS).split()) for text in texts]

    def cut(self, text):
        return text.split()


def padded(rows, pad):
    return torch.tensor([row + [pad] * (max(map(len, rows)) - len(row)) for row in rows])


class System:
    """A model of one toolkit. source_ids and target_ids: {token: id}; source_end: ids appended to sources."""

    forbidden, shortest, power, updates = (), 0, True, UPDATES

    def ids_of_source(self, tokens):
        return [self.source_ids.get(t, self.unknown) for t in tokens] + self.source_end

    def train(self, text, draw):
        torch.manual_seed(1)
        optimizer = torch.optim.Adam(self.model.parameters(), lr=0.01)
        self.model.train()
        for _ in range(self.updates):
            pairs = text.pairs(draw, 24)
            source = padded([self.ids_of_source(s) for s, _ in pairs], self.pad)
            target = [[self.target_ids.get(t, self.unknown) for t in t_] for _, t_ in pairs]
            logits = self.logits(source, padded([[self.start] + t for t in target], self.pad))
            labels = padded([t + [self.end] for t in target], self.pad)
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=self.pad)
            loss.backward()
            optimizer.step()
        print(f"{type(self).__name__}: loss {loss.item():.3f}")
        self.model.eval()

    @torch.no_grad()
    def search(self, source, beam):
        """-> the best translation; None if it does not end, or if another is nearly as good. Stops once `beam` have ended."""
        live, ended = [(0.0, [])], []
        for step in range(LONGEST):
            rows = torch.tensor([[self.start] + ids for _, ids in live])
            logits = self.logits(torch.tensor([source]).expand(len(live), -1), rows)[:, -1]
            scores = torch.log_softmax(logits.double(), -1)
            for token in self.forbidden:
                scores[:, token] = NO_WAY
            if step < self.shortest:
                scores[:, self.end] = NO_WAY
            scores += torch.tensor([score for score, _ in live], dtype=torch.float64)[:, None]
            best = torch.topk(scores.flatten(), min(2 * beam, scores.numel()))
            following = []
            for rank, (score, at) in enumerate(zip(best.values.tolist(), best.indices.tolist())):
                ids, token = live[at // scores.shape[1]][1], at % scores.shape[1]
                if token != self.end and len(following) < beam:
                    following.append((score, ids + [token]))
                elif token == self.end and rank < beam and len(following) < beam:
                    ended.append((score / (step + 1 if self.power else 1), ids))
            live = following
            if len(ended) >= beam:
                break
        ended.sort(key=lambda e: -e[0])
        if len(ended) < beam or (len(ended) > 1 and ended[0][0] - ended[1][0] < 1e-4):
            return None
        return ended[0][1]


class Fairseq(System):
    unknown, pad, start, end, source_end, shortest = 3, 1, 2, 2, [2], 1

    def __init__(self, folder, text, joined, **options):
        from fairseq.data import Dictionary
        from fairseq.models.transformer import TransformerModel
        from fairseq.sequence_generator import SequenceGenerator

        self.dictionaries = []
        for tokens in (text.source, text.target):
            dictionary = Dictionary()
            for token in tokens:
                dictionary.add_symbol(token, n=7)
            self.dictionaries.append(dictionary)
        if joined:
            self.dictionaries[1] = self.dictionaries[0]
        self.source_ids, self.target_ids = (d.indices for d in self.dictionaries)
        self.args = argparse.Namespace(
            arch="transformer", task="translation", source_lang="src", target_lang="tgt", encoder_embed_dim=D,
            encoder_ffn_embed_dim=INNER, encoder_attention_heads=HEADS, decoder_attention_heads=HEADS, encoder_layers=2, decoder_layers=2, dropout=0.0,
            max_source_positions=64, max_target_positions=64, **options)
        task = types.SimpleNamespace(source_dictionary=self.dictionaries[0], target_dictionary=self.dictionaries[1])
        torch.manual_seed(5)
        self.model = TransformerModel.build_model(self.args, task)
        self.generator = lambda beam: SequenceGenerator([self.model], self.dictionaries[1], beam_size=beam)

    def logits(self, source, target):
        return self.model(source, source.ne(1).sum(1), target)[0]

    @torch.no_grad()
    def search(self, source, beam):
        sample = {"net_input": {"src_tokens": torch.tensor([source]), "src_lengths": torch.tensor([len(source)])}}
        found = self.generator(beam).generate([self.model], sample)[0]
        if len(found) > 1 and found[0]["score"] - found[1]["score"] < 1e-4:
            return None
        ids = found[0]["tokens"].tolist()
        return ids[:-1] if ids[-1] == 2 and len(ids) < LONGEST else None

    def save(self, folder, as_tree):
        for dictionary, language in zip(self.dictionaries, ("src", "tgt")):
            dictionary.save(str(folder / f"dict.{language}.txt"))
        options = {"args": self.args}
        if as_tree:
            options = {"args": None, "cfg": {"_name": None, "model": vars(self.args),
                                             "task": {"_name": "translation", "source_lang": "src", "target_lang": "tgt"}}}
        rest = {"optimizer_history": [{"num_updates": UPDATES, "optimizer_name": "FairseqAdam"}],
                "extra_state": {"epoch": 3, "val_loss": 0.5}, "task_state": {}, "last_optimizer_state": None}
        torch.save(options | {"model": self.model.state_dict()} | rest, folder / "model.pt")


class OpenNmt(System):
    unknown, pad, start, end, source_end = 0, 1, 2, 3, []
    forbidden = (1, 2)  # hexapla never writes <s> and <blank>
    specials = ["<unk>", "<blank>", "<s>", "</s>"]

    def __init__(self, folder, text, **options):
        from onmt.inputters.inputter import dict_to_vocabs
        from onmt.model_builder import build_base_model

        self.opt = self.options(dict(enc_hid_size=D, dec_hid_size=D, hidden_size=D, self_attn_type="scaled-dot") | options)
        self.vocab = {"src": self.specials + text.source, "tgt": self.specials + text.target, "data_task": "seq2seq",
                      "decoder_start_token": "<s>"}
        self.source_ids, self.target_ids = ({t: i for i, t in enumerate(self.vocab[side])} for side in ("src", "tgt"))
        self.model = build_base_model(self.opt, dict_to_vocabs(self.vocab))
        self.draw_weights(6)

    @staticmethod
    def options(changed):
        """-> options of train.py for a small model"""
        import onmt.modules.embeddings
        import onmt.opts
        from onmt.utils.parse import ArgumentParser

        onmt.modules.embeddings.PositionalEncoding.__init__.__defaults__ = (64,)  # of 5,000 positions, to keep the file small
        parser = ArgumentParser()
        onmt.opts.train_opts(parser)
        opt = parser.parse_known_args(["-data", "none", "-src_vocab", "none"])[0]
        for name, value in (dict(
                encoder_type="transformer", decoder_type="transformer", enc_layers=2, dec_layers=2, word_vec_size=D,
                src_word_vec_size=D, tgt_word_vec_size=D, heads=HEADS, transformer_ff=INNER, dropout=[0.0],
                attention_dropout=[0.0], position_encoding=True, data={}) | changed).items():
            setattr(opt, name, value)
        return opt

    def draw_weights(self, seed):
        torch.manual_seed(seed)
        with torch.no_grad():
            for parameter in self.model.parameters():
                parameter.normal_(std=0.15) if parameter.dim() > 1 else parameter.normal_(mean=0.0, std=0.1)
            for name, parameter in self.model.named_parameters():
                if "layer_norm" in name and name.endswith("weight"):
                    parameter += 1

    def logits(self, source, target):
        with_end = torch.cat([target, torch.full((len(target), 1), self.pad)], 1)  # the last token is cut off
        y, _ = self.model(source[:, :, None], with_end[:, :, None], source.ne(self.pad).sum(1))
        return self.model.generator(y)

    def save(self, folder):
        model = {k: v for k, v in self.model.state_dict().items() if "generator" not in k}
        optim = {"training_step": UPDATES, "decay_step": UPDATES, "optimizer": {"state": {0: {"exp_avg": torch.ones(2, 3)}}}}
        torch.save({"model": model, "generator": self.model.generator.state_dict(), "vocab": self.vocab, "opt": self.opt,
                    "optim": optim}, folder / "model_step_400.pt")


class OpenNmt2(OpenNmt):
    """Version 2: vocabularies are torchtext objects, and the source's has neither <s> nor </s>."""

    def __init__(self, folder, text, **options):
        from collections import Counter
        from onmt.inputters.inputter import _build_fields_vocab, get_fields
        from onmt.model_builder import build_base_model

        self.opt = self.options(dict(enc_rnn_size=D, dec_rnn_size=D, rnn_size=D) | options)
        counters = {"src": Counter({t: 100 - i for i, t in enumerate(text.source)}),
                    "tgt": Counter({t: 100 - i for i, t in enumerate(text.target)})}
        self.vocab = _build_fields_vocab(get_fields("text", None, None), counters, "text", False, 1, 1000, 0, 1000, 0)
        self.source_ids, self.target_ids = (dict(self.vocab[side].base_field.vocab.stoi) for side in ("src", "tgt"))
        self.model = build_base_model(self.opt, self.vocab, False)
        self.draw_weights(7)

    def logits(self, source, target):
        with_end = torch.cat([target, torch.full((len(target), 1), self.pad)], 1)
        y, _ = self.model(source.t()[:, :, None], with_end.t()[:, :, None], source.ne(self.pad).sum(1))
        return self.model.generator[0](y).transpose(0, 1)


JOEY = """name: "small"   # as people write it
joeynmt_version: "2.3.0"
data:
    src:
        lang: "de"
        level: "{level}"
        lowercase: False
        {cutter}
    trg:
        lang: "en"
        level: "{level}"
        {cutter}
testing:
    beam_size: 4          # hypotheses
    beam_alpha: {alpha}
training:
    optimizer: "adam"
    adam_betas: [0.9, 0.98]
    print_valid_sents:
        - 0
        - 1
model:
    initializer: "xavier"
    tied_embeddings: {tied}
    tied_softmax: {tied}
    encoder:
        type: "transformer"
        num_layers: 2
        num_heads: 4
        embeddings:
            embedding_dim: 16
            scale: {scale}
        hidden_size: 16   # of the whole
        ff_size: 24
        layer_norm: "{norm}"
        activation: "{activation}"
    decoder:
        type: "transformer"
        num_layers: 1
        num_heads: 4
        embeddings:
            embedding_dim: 16
            scale: {scale}
        hidden_size: 16
        ff_size: 24
        layer_norm: "{norm}"
        activation: "{activation}"
"""


class Joey(System):
    unknown, pad, start, end, source_end, shortest, power = 0, 1, 2, 3, [3], 1, False
    forbidden = (1, 2)
    specials = types.SimpleNamespace(unk_token="<unk>", pad_token="<pad>", bos_token="<s>", eos_token="</s>", sep_token=None,
                                     lang_tags=[], unk_id=0, pad_id=1, bos_id=2, eos_id=3, sep_id=None)

    def __init__(self, folder, text, **options):
        import joeynmt.transformer_layers
        import yaml
        from joeynmt.model import build_model
        from joeynmt.vocabulary import Vocabulary

        joeynmt.transformer_layers.PositionalEncoding.__init__.__defaults__ = (0, 64)  # of 5,000 positions
        self.config = JOEY.format(**options)
        self.vocabularies = [Vocabulary(tokens, self.specials) for tokens in (text.source, text.target)]
        self.source_ids, self.target_ids = (v._stoi for v in self.vocabularies)
        torch.manual_seed(7)
        self.model = build_model(yaml.safe_load(self.config)["model"], *self.vocabularies)

    def logits(self, source, target):
        mask, real = source.ne(self.pad)[:, None], target.ne(self.pad)[:, None]
        memory, _ = self.model.encoder(self.model.src_embed(source), source.ne(self.pad).sum(1), mask)
        return self.model.decoder(trg_embed=self.model.trg_embed(target), encoder_output=memory, encoder_hidden=None,
                                  src_mask=mask, unroll_steps=None, hidden=None, trg_mask=real)[0]

    def save(self, folder):
        (folder / "config.yaml").write_text(self.config)
        for vocabulary, side in zip(self.vocabularies, ("src", "trg")):
            vocabulary.to_file(folder / f"{side}_vocab.txt")
        torch.save({"steps": UPDATES, "total_tokens": 5, "best_ckpt_score": float("inf"), "best_ckpt_iteration": 2,
                    "model_state": self.model.state_dict(), "optimizer_state": {"state": {}, "param_groups": [{"lr": 0.1}]},
                    "scaler_state": None, "scheduler_state": {"last_epoch": 1}, "train_iter_state": torch.ones(5, dtype=torch.uint8)},
                   folder / "best.ckpt")


def make_fairseq_post(folder, draw):
    text = Pieces(folder, "sentencepiece.bpe.model", draw)
    system = Fairseq(folder, text, True, share_all_embeddings=True)
    return text, system, lambda: system.save(folder, False)


def make_fairseq_pre(folder, draw):
    text = Letters()
    system = Fairseq(folder, text, False, encoder_normalize_before=True, decoder_normalize_before=True, encoder_learned_pos=True,
                     decoder_learned_pos=True, layernorm_embedding=True, no_scale_embedding=True, activation_fn="gelu_accurate")
    system.updates = 90  # so that a wider beam finds different translations
    return text, system, lambda: system.save(folder, True)


def make_opennmt_py(folder, draw):
    text = Pieces(folder, "both.model", draw)
    system = OpenNmt(folder, text, share_vocab=True, share_embeddings=True, share_decoder_embeddings=True, add_qkvbias=True, add_ffnbias=True,
                     src_subword_model="/data/both.model", tgt_subword_model="/data/data/both.model")
    return text, system, lambda: system.save(folder)


def make_opennmt_py_gated(folder, draw):
    system = OpenNmt(folder, Letters(), pos_ffn_activation_fn="silu", position_encoding_type="SinusoidalConcat")
    return Letters(), system, lambda: system.save(folder)


def make_opennmt_py_2(folder, draw):
    system = OpenNmt2(folder, Letters(), pos_ffn_activation_fn="gelu")
    return Letters(), system, lambda: system.save(folder)


def make_joeynmt_post(folder, draw):
    text = Merges(folder, "bpe.codes", draw)
    cutter = "tokenizer_type: \"subword-nmt\"\n        tokenizer_cfg:\n            codes: \"/data/bpe.codes\""
    system = Joey(folder, text, tied=False, scale=False, norm="post", activation="gelu", level="bpe", cutter=cutter, alpha=-1)
    return text, system, lambda: system.save(folder)


def make_joeynmt_pre(folder, draw):
    text = Pieces(folder, "sp.model", draw)
    cutter = "tokenizer_type: \"sentencepiece\"\n        tokenizer_cfg:\n            model_file: \"/data/sp.model\""
    system = Joey(folder, text, tied=True, scale=True, norm="pre", activation="relu", level="bpe", cutter=cutter, alpha=0)
    return text, system, lambda: system.save(folder)


def write_golden(folder, system, text, draw):
    tensors, lines = {}, []
    for line in text.lines(draw, 3 * LINES):
        source = system.ids_of_source(text.cut(line))
        if len(lines) == LINES or len(source) > 40:
            continue
        greedy, best = system.search(source, 1), system.search(source, 4)
        if greedy is None or best is None:
            continue
        number = len(lines)
        lines.append({"text": line, "source": source, "greedy": greedy, "best": best})
        if number < 3:
            target = [system.start] + best
            with torch.no_grad():
                logits = system.logits(torch.tensor([source]), torch.tensor([target]))[0]
            tensors |= {f"source.{number}": torch.tensor(source).int(), f"target.{number}": torch.tensor(target).int(),
                        f"logits.{number}": logits}
    save_golden(folder, tensors, lines, sum(line["greedy"] != line["best"] for line in lines), "differ,")


def make_room():
    """Supports code that expects an older Python, or packages that are not needed."""
    stand_in_for("sklearn", "soundfile", "tensorboard", "cython", "librosa", "scipy", "apex", "h5py", "matplotlib", "spacy", "ahocorasick",
                 "rapidfuzz", "gradio", "fasttext", "pycld2", "ctranslate2", "pyonmttok", "waitress", "flask")
    sys.modules["importlib_metadata"] = importlib.metadata
    board = types.ModuleType("torch.utils.tensorboard")
    board.SummaryWriter = object
    sys.modules[board.__name__] = board
    plain = dataclasses.dataclass

    def hashable(cls=None, /, **options):  # required of mutable defaults since Python 3.11
        if cls is None:
            return lambda c: hashable(c, **options)
        if cls.__module__.startswith("fairseq") and not options.get("frozen"):
            options.setdefault("unsafe_hash", True)
        return plain(cls, **options)

    dataclasses.dataclass = hashable


MAKERS = {f.__name__[5:]: f for f in (make_fairseq_post, make_fairseq_pre, make_opennmt_py, make_opennmt_py_gated, make_opennmt_py_2,
                                      make_joeynmt_post, make_joeynmt_pre)}


def main(fixtures, names):
    make_room()
    torch.set_num_threads(1)
    for name in names or MAKERS:
        draw = random.Random(name)
        folder = fixtures / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        text, system, save = MAKERS[name](folder, draw)
        system.train(text, draw)
        save()
        write_golden(folder, system, text, draw)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
