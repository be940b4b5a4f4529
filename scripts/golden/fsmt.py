#!/usr/bin/env python3
"""Writes src/plugins/convert/fixtures/hf_fsmt: a small model of Hugging Face's FSMTForConditionalGeneration (wmt19),
trained briefly and saved by transformers, and the results of transformers with it, for the tests to compare.

    pip install torch transformers==5.24.0 sacremoses safetensors sentencepiece numpy
    scripts/golden/fsmt.py src/plugins/convert/fixtures

The folder is like those of scripts/golden/multilingual.py. Encoder and decoder have feed-forward layers of different widths, as
wmt19's models have. The words are such that Moses' tokenizer leaves them as they are.
"""
import collections
import json
import pathlib
import random
import shutil
import sys

import torch
import transformers

from marian import LONGEST, save_golden, sentences, translations, with_logits
from multilingual import LETTERS, LINES, UPDATES

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]


def learn_merges(lines, count):
    """Byte pair encoding, Sennrich et al. 2016: the most frequent pair first, the first of equals."""
    words = collections.Counter(word for line in lines for word in line.split())
    cut = {word: [*word[:-1], word[-1] + "</w>"] for word in words}
    merges = []
    while len(merges) < count:
        pairs = collections.Counter()
        for word, symbols in cut.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] += words[word]
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        for symbols in cut.values():
            for i in range(len(symbols) - 2, -1, -1):
                if tuple(symbols[i : i + 2]) == best:
                    symbols[i : i + 2] = ["".join(best)]
    return merges


def table(lines, merges):
    letters = sorted({letter for line in lines for letter in line if letter != " "})
    tokens = [*letters, *(letter + "</w>" for letter in letters)]
    tokens += [one + two for one, two in merges if set((one + two).removesuffix("</w>")) <= set(letters)]
    return {token: i for i, token in enumerate([*SPECIAL, *dict.fromkeys(tokens)])}


def make_tokenizer(folder, draw):
    source = sentences(draw, "abcdefghij", 900)
    target = [line.translate(LETTERS["one"]) for line in source]
    merges = learn_merges(source + target, 120)
    (folder / "merges.txt").write_text("".join(f"{one} {two}\n" for one, two in merges))
    for name, lines in (("src", source), ("tgt", target)):
        (folder / f"vocab-{name}.json").write_text(json.dumps(table(lines, merges), ensure_ascii=False))
    return transformers.FSMTTokenizer(langs=["en", "de"], src_vocab_file=str(folder / "vocab-src.json"),
                                      tgt_vocab_file=str(folder / "vocab-tgt.json"),
                                      merges_file=str(folder / "merges.txt"))


def target_ids(tokenizer, text):
    ids = json.loads(pathlib.Path(tokenizer.tgt_vocab_file).read_text())
    return [ids.get(token, 3) for word in text.split() for token in tokenizer.bpe(word).split()] + [2]


def padded(rows):
    return torch.tensor([row + [1] * (max(map(len, rows)) - len(row)) for row in rows])


def make_model(tokenizer):
    config = transformers.FSMTConfig(
        langs=["en", "de"], src_vocab_size=tokenizer.src_vocab_size, tgt_vocab_size=tokenizer.tgt_vocab_size, d_model=16,
        encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=24,
        decoder_ffn_dim=20, max_position_embeddings=64, init_std=0.15, max_length=LONGEST, num_beams=4)
    torch.manual_seed(4)
    model = transformers.FSMTForConditionalGeneration(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter += 0.1 * torch.randn_like(parameter)
        model.model.decoder.output_projection.weight.copy_(model.model.decoder.embed_tokens.weight)
    model.model.decoder.output_projection.weight = model.model.decoder.embed_tokens.weight  # as in wmt19's models
    model.generation_config.update(max_length=LONGEST, num_beams=4)
    return model


def train(model, tokenizer, draw):
    torch.manual_seed(1)
    for stack in (model.model.encoder, model.model.decoder):
        stack.embed_positions.weight.requires_grad_(False)  # they stay sinusoids
    optimizer = torch.optim.Adam((p for p in model.parameters() if p.requires_grad), lr=0.01)
    for _ in range(2 * UPDATES):
        texts = [" ".join(line.split()[:4]) for line in sentences(draw, "abcdefghij", 24)]
        source = padded([tokenizer(text)["input_ids"] for text in texts])
        target = padded([target_ids(tokenizer, text.translate(LETTERS["one"])) for text in texts])
        before = torch.cat([torch.full((len(texts), 1), 2), target[:, :-1]], 1)
        optimizer.zero_grad()
        # With use_cache, the default, transformers leaves out the mask.
        logits = model(input_ids=source, attention_mask=(source != 1).long(), decoder_input_ids=before, use_cache=False).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=1)
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")
    return model.eval()


def said(tokens, ids):
    return "".join(tokens[i] for i in ids if i > 3).replace("</w>", " ").strip()


def write_golden(folder, model, tokenizer, draw):
    tensors, lines = {}, []
    tokens = {i: token for token, i in json.loads((folder / "vocab-tgt.json").read_text()).items()}
    for line in sentences(draw, "abcdefghijkxé", 3 * LINES):
        text = " ".join(line.split()[:5])
        ids = torch.tensor([tokenizer(text)["input_ids"]])
        if ids.shape[1] > 40 or len(lines) == LINES:
            continue
        greedy, best = translations(model, ids, 2, num_beams=1), translations(model, ids, 2)
        if greedy is None or best is None:
            continue
        number = len(lines)
        lines.append({"text": text, "source": ids[0].tolist(), "greedy": greedy, "greedy text": said(tokens, greedy),
                      "best": best, "best text": said(tokens, best)})
        if number < 2:
            tensors |= with_logits(model, number, ids, [2] + best, use_cache=False)
    save_golden(folder, tensors, lines)


def main(fixtures):
    torch.set_num_threads(1)
    draw = random.Random("fsmt")
    folder = fixtures / "hf_fsmt"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    tokenizer = make_tokenizer(folder, draw)
    model = train(make_model(tokenizer), tokenizer, draw)
    output = model.model.decoder.output_projection
    output.weight = torch.nn.Parameter(output.weight.detach().clone())  # wmt19's files have the table twice
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    model = transformers.FSMTForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
    write_golden(folder, model, tokenizer, draw)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
