#!/usr/bin/env python3
"""Writes src/plugins/convert/fixtures/hf_{m2m,nllb,mbart,mbart25,bart}: small models of Hugging Face's
M2M100ForConditionalGeneration (as M2M-100 and as NLLB-200), MBartForConditionalGeneration (mBART-50, mBART-25) and
BartForConditionalGeneration, trained briefly and saved by transformers, and the results of transformers with them, for
the tests to compare.

    pip install torch transformers==5.23.0 sentencepiece protobuf safetensors numpy
    scripts/golden/multilingual.py src/plugins/convert/fixtures [m2m nllb ...]

The folders are like those of scripts/golden/marian.py. A line of golden.json has its target language ("" for BART, which
has none, and mBART-25, where it is fixed). BART's own tokenizer is byte-level, see byte_level.py: this fixture has a SentencePiece model with fairseq's
numbering. One model's weights are in two files of torch.save() with an index.
"""
import json
import pathlib
import random
import shutil
import sys

import safetensors.torch
import sentencepiece
import torch
import transformers

from marian import LONGEST, save_golden, sentences, train_pieces, translations, with_logits

LINES, UPDATES = 200, 500
LETTERS = {"one": str.maketrans("abcdefghij", "efghijklmä"), "two": str.maketrans("abcdefghij", "jihgfedcba")}
COMMON = dict(d_model=16, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=24, decoder_ffn_dim=24,
              max_position_embeddings=64, pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=2,
              forced_eos_token_id=2, init_std=0.15, encoder_layerdrop=0.0, decoder_layerdrop=0.0)
# Languages: the source, and the two targets of the training.
VARIANTS = {
    "m2m": dict(languages=("en", "de", "fr"), pieces="bpe", activation_function="relu", scale_embedding=True,
                encoder_layers=2, decoder_layers=2),
    "nllb": dict(languages=("eng_Latn", "deu_Latn", "fra_Latn"), pieces="bpe", activation_function="relu",
                 scale_embedding=True, encoder_layers=1, decoder_layers=2),
    "mbart": dict(languages=("en_XX", "de_DE", "fr_XX"), pieces="unigram", activation_function="gelu",
                  scale_embedding=True, encoder_layers=2, decoder_layers=1),
    "mbart25": dict(languages=("en_XX", "ro_RO", "ro_RO"), pieces="unigram", activation_function="gelu",
                    scale_embedding=True, encoder_layers=1, decoder_layers=2),
    "bart": dict(languages=("", "", ""), pieces="unigram", activation_function="gelu", scale_embedding=False,
                 encoder_layers=2, decoder_layers=2),
}
SEARCH = {"m2m": dict(num_beams=4), "nllb": dict(num_beams=4, early_stopping=True),
          "mbart": dict(num_beams=4, length_penalty=0.8), "mbart25": dict(num_beams=4, early_stopping=True),
          "bart": dict(num_beams=4, no_repeat_ngram_size=3, forced_bos_token_id=0)}


class FairseqPieces:
    """BART's tokenization: <s> text </s>, pieces with fairseq's numbering."""

    def __init__(self, path):
        self.model = sentencepiece.SentencePieceProcessor(model_file=str(path))
        self.pad_token_id, self.src_lang = 1, ""

    def __len__(self):
        return self.model.get_piece_size() + 2  # with <pad> and <mask>

    def ids(self, text):
        return [0, *(3 if i == 0 else i + 1 for i in self.model.encode(text)), 2]

    def __call__(self, texts, text_target=None, **_):
        pad = lambda rows: torch.tensor([row + [1] * (max(map(len, rows)) - len(row)) for row in rows])
        rows = [self.ids(text) for text in texts]
        batch = dict(input_ids=pad(rows), attention_mask=(pad(rows) != 1).long())
        if text_target:
            batch["labels"] = pad([self.ids(text) for text in text_target])
        return transformers.BatchEncoding(batch)

    def decode(self, ids, **_):
        return self.model.decode([i - 1 for i in ids if i > 3])


def make_tokenizer(name, folder):
    draw = random.Random(name)
    lines = sentences(draw, "abcdefghij", 900)
    lines += [line.translate(LETTERS["one"]) for line in sentences(draw, "abcdefghij", 900)]
    spm = folder / "sentencepiece.bpe.model"
    pieces = train_pieces(spm, lines, 90, VARIANTS[name]["pieces"])
    source, target, _ = VARIANTS[name]["languages"]
    if name == "bart":
        return FairseqPieces(spm)
    if name == "m2m":
        table = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
        for piece in pieces[3:]:
            table[piece] = len(table)
        (folder / "vocab.json").write_text(json.dumps(table, ensure_ascii=False))
        return transformers.M2M100Tokenizer(str(folder / "vocab.json"), str(spm), src_lang=source, tgt_lang=target)
    kinds = dict(nllb="NllbTokenizer", mbart="MBart50Tokenizer", mbart25="MBartTokenizer")
    tokenizer = getattr(transformers, kinds[name]).from_pretrained(str(folder), src_lang=source, tgt_lang=target)
    if name == "nllb":  # this version of transformers adds no languages to a plain SentencePiece model
        tokenizer.add_special_tokens(
            {"additional_special_tokens": ["eng_Latn", "deu_Latn", "fra_Latn", "zho_Hans", "taq_Tfng"]})
        tokenizer.src_lang = source
    return tokenizer


def language_id(tokenizer, code):
    return tokenizer.get_lang_id(code) if hasattr(tokenizer, "get_lang_id") else tokenizer.convert_tokens_to_ids(code)


def vocabulary_size(name, tokenizer):
    if name == "m2m":
        return max(tokenizer.lang_token_to_id.values()) + 1 + 8  # unused ids
    return len(tokenizer) + (2 if name == "nllb" else 0)


def make_model(name, tokenizer):
    options = {k: v for k, v in VARIANTS[name].items() if k not in ("languages", "pieces")}
    kinds = dict(m2m="M2M100", nllb="M2M100", mbart="MBart", mbart25="MBart", bart="Bart")
    if name == "mbart25":
        options["decoder_start_token_id"] = language_id(tokenizer, VARIANTS[name]["languages"][1])
    config = getattr(transformers, kinds[name] + "Config")(
        **(COMMON | options | dict(vocab_size=vocabulary_size(name, tokenizer))))
    torch.manual_seed(len(name))
    model = getattr(transformers, kinds[name] + "ForConditionalGeneration")(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter += 0.1 * torch.randn_like(parameter)
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.normal_(std=0.1)
    model.generation_config.update(max_length=LONGEST, forced_eos_token_id=2, **SEARCH[name])
    return model


def batch_of(name, tokenizer, texts, which):
    """-> sources, and targets in one of the two languages"""
    targets = [text.translate(LETTERS[which]) for text in texts]
    if name == "bart":
        return tokenizer(texts, text_target=targets)
    tokenizer.tgt_lang = VARIANTS[name]["languages"][1 if which == "one" else 2]
    return tokenizer(texts, text_target=targets, return_tensors="pt", padding=True)


def train(name, model, tokenizer, draw):
    torch.manual_seed(1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for update in range(UPDATES):
        texts = [" ".join(line.split()[:4]) for line in sentences(draw, "abcdefghij", 24)]
        batch = batch_of(name, tokenizer, texts, "one" if update % 2 == 0 or name == "bart" else "two")
        batch["labels"][batch["labels"] == 1] = -100
        optimizer.zero_grad()
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
    print(f"{name}: loss {loss.item():.3f}")
    return model.eval()


def write_golden(name, folder, model, tokenizer, draw):
    tensors, lines, languages = {}, [], VARIANTS[name]["languages"]
    for i, text in enumerate(sentences(draw, "abcdefghijkxé", 3 * LINES)):
        code = languages[1 + i % 3 // 2]  # every third line has the other language
        ids = torch.tensor([tokenizer([text])["input_ids"][0]]) if name != "bart" else tokenizer([text])["input_ids"]
        if name == "mbart25":
            code = ""  # translations start with it anyway
        forced = dict(forced_bos_token_id=language_id(tokenizer, code)) if code else {}
        if ids.shape[1] > 40 or len(lines) == LINES:
            continue
        greedy, best = translations(model, ids, 2, num_beams=1, **forced), translations(model, ids, 2, **forced)
        if greedy is None or best is None:
            continue
        say = lambda sequence: tokenizer.decode(sequence, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        unsaid = lambda text: text.replace(f"__{code}__", "").strip()  # M2M-100's language tokens are not special there
        number = len(lines)
        lines.append({"text": text, "language": code, "source": ids[0].tolist(), "greedy": greedy,
                      "greedy text": unsaid(say(greedy)), "best": best, "best text": unsaid(say(best))})
        if number < 2:
            tensors |= with_logits(model, number, ids, [model.config.decoder_start_token_id] + best)
    save_golden(folder, tensors, lines)


def split_as_torch(folder):
    """Stores the weights as older programs stored large models: several files of torch.save() and an index."""
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    names = sorted(weights)
    parts = [names[: len(names) // 2], names[len(names) // 2 :]]
    index = {}
    for i, part in enumerate(parts):
        file = f"pytorch_model-{i + 1:05}-of-00002.bin"
        torch.save({name: weights[name] for name in part}, folder / file)
        index |= {name: file for name in part}
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}, indent=1))
    (folder / "model.safetensors").unlink()


def main(fixtures, names):
    for name in names or VARIANTS:
        draw = random.Random(name)
        folder = fixtures / f"hf_{name}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        tokenizer = make_tokenizer(name, folder)
        model = train(name, make_model(name, tokenizer), tokenizer, draw)
        model.save_pretrained(folder, **(dict(max_shard_size="20KB") if name == "nllb" else {}))
        if name != "bart":
            tokenizer.src_lang, tokenizer.tgt_lang = VARIANTS[name]["languages"][:2]
            tokenizer.save_pretrained(folder)
        model = type(model).from_pretrained(folder, dtype=torch.float32).eval()
        write_golden(name, folder, model, tokenizer, draw)
        if name == "mbart":
            split_as_torch(folder)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
