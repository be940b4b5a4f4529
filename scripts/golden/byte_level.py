#!/usr/bin/env python3
"""Writes src/plugins/convert/fixtures/hf_bart_bytes: a small BartForConditionalGeneration of Hugging Face with BART's
byte-level BPE (vocab.json and merges.txt, and an equivalent tokenizer.json), trained briefly and saved by transformers,
with its tokenization, translations and decoding as computed by transformers, for the tests to compare; and
src/plugins/convert/fixtures/texts_{nllb,mbart}: SentencePiece models with normalization rules, the tokenizers that
transformers makes of them, and their ids for texts.

    pip install torch transformers==5.23.0 tokenizers==0.23.3 sentencepiece protobuf safetensors numpy
    scripts/golden/byte_level.py src/plugins/convert/fixtures [bart_bytes nllb mbart]

golden.json and golden.safetensors are like those of scripts/golden/multilingual.py. texts.json has texts in many scripts
with their ids, and random ids with their decoded text.
"""
import json
import pathlib
import random
import shutil
import sys

import sentencepiece
import tokenizers
import torch
import transformers

import multilingual
from marian import sentences

LETTERS = str.maketrans("abcdefghij", "efgh猫jklmä")
TEXTS = """A dog runs across the street, doesn't it?
I'll say we've won; they'd agree, it's what I'm told you're after. DON'T SHOUT'S
Zwei Hunde laufen über die Straße – „schön“, sagt Jürgen, „äußerst schön!“
Fußgänger überqueren die Straße, während Öl läuft.
两只狗在街上奔跑，天气很好。
我在 hexapla 里写字，2026年11月。
สุนัขสองตัววิ่งข้ามถนน อากาศดีมาก
ภาษาไทยไม่มีช่องว่างระหว่างคำ
二匹の犬が通りを走っています。カタカナとひらがな
두 마리의 개가 거리를 달린다.
Δύο σκυλιά τρέχουν στον δρόμο.
Две собаки бегут через улицу.
كلبان يركضان عبر الشارع.
दो कुत्ते सड़क पर दौड़ रहे हैं।
Hai con chó chạy qua đường phố.
Emoji: 😀 👍🏽 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️ ☂ 🇩🇪🇨🇳
1,234,567.89 € ½ ² Ⅷ ①②③ ๑๒๓ ١٢٣ 一二三 5km 3D a1b2
x=y+1; if (a && b) { return c[0]; } // #include <stdio.h>
https://example.org/a_b?c=d&e=%20f#g user@example.com C:\\path\\to
...!!!??? --- *** ''' \"\"\" `` `code` 's 't '' 's' ’s ‘quoted’
e\u0301 cafe\u0301 café n\u0303 ñ ﬁ ﬂ ① Å Å ｆｕｌｌｗｉｄｔｈ
 one leading blank
   three leading blanks and  two   three    four between
one trailing blank 
two trailing blanks  
a\tb\t\tc \t d
no\u00a0break\u00a0\u00a0space \u00a0 mixed\u2003em\u2009thin\u202fnarrow\u3000ideographic\u3000\u3000two
zero\u200bwidth\u200cjoin\u200dword\u2060 \ufeffbom soft\u00adhyphen
\u00a0starts with one
ends with one\u00a0
\u001ca\u001cb\u0085c\u2028d\u2029e
\u0001control\u007f \u0080
𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈 𠀀𠀁 𓀀
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
ABABABABABABAB abababababab thethethethe
ⅷⅷ ₁₂ ªº ʰ ǅ ﷺ ͅ ։ ؟ ۔ ॥ 、。「」『』【】
a's b't c're d've e'm f'll g'd h'x 'S 'T 'Re
The quick brown fox jumps over the lazy dog. The dog sleeps.""".split("\n")


class Words:
    """The tokenizer interface that multilingual.py needs."""

    def __init__(self, tokenizer):
        self.tokenizer, self.pad_token_id, self.src_lang = tokenizer, 1, ""

    def __len__(self):
        return len(self.tokenizer)

    def __call__(self, texts, text_target=None, **_):
        batch = self.tokenizer(texts, return_tensors="pt", padding=True)
        if text_target:
            batch["labels"] = self.tokenizer(text_target, return_tensors="pt", padding=True)["input_ids"]
        return batch

    def decode(self, ids, **options):
        return self.tokenizer.decode(ids, **options)


def byte_level_tokenizer(folder, draw):
    lines = sentences(draw, "abcdefghij", 900)
    lines += [line.translate(LETTERS) for line in lines] + 6 * TEXTS
    learner = tokenizers.ByteLevelBPETokenizer()
    learner.train_from_iterator(lines, vocab_size=480, min_frequency=2, show_progress=False,
                                special_tokens=["<s>", "<pad>", "</s>", "<unk>"])
    learner.save_model(str(folder))
    table = json.loads((folder / "vocab.json").read_text())
    table["madeupword0000"], table["<mask>"] = len(table), len(table) + 1  # as in BART
    (folder / "vocab.json").write_text(json.dumps(table, ensure_ascii=False))
    tokenizer = transformers.BartTokenizer.from_pretrained(str(folder))
    assert len(tokenizer) == len(table), (len(tokenizer), len(table))
    return tokenizer


def write_texts(folder, tokenizer, **more):
    draw, cases = random.Random(1), []
    for text in TEXTS:
        case = {"text": text, "ids": tokenizer(text)["input_ids"]}
        for key, other in more.items():
            case[key] = other(text)["input_ids"]
        cases.append(case)
    written = []
    for _ in range(60):
        ids = [draw.randrange(4, len(tokenizer)) for _ in range(draw.randint(1, 12))]
        written.append({"ids": ids, "text": tokenizer.decode(ids, skip_special_tokens=True,
                                                             clean_up_tokenization_spaces=False)})
    rows = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in cases]
    decoded = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in written]
    (folder / "texts.json").write_text(
        f'{{"size": {len(tokenizer)},\n"encoded": [\n' + ",\n".join(rows) + '\n],\n"decoded": [\n' + ",\n".join(decoded) + "\n]}\n")
    print(folder.name, sum(f.stat().st_size for f in folder.iterdir()), "bytes")


def make_bart(folder):
    draw = random.Random("bart_bytes")
    tokenizer = byte_level_tokenizer(folder, draw)
    words = Words(tokenizer)
    multilingual.LETTERS["one"] = LETTERS
    model = multilingual.make_model("bart", words)
    model = multilingual.train("bart", model, words, draw)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)  # tokenizer.json
    model = type(model).from_pretrained(folder, dtype=torch.float32).eval()
    multilingual.write_golden("bart", folder, model, words, draw)
    write_texts(folder, tokenizer)


def make_sentencepiece(name, folder):
    """Uses a few NFKC-like rules: all of them would be larger than the rest of the fixture."""
    rules = folder / "rules.tsv"
    pairs = {"ﬁ": "fi", "ﬂ": "fl", "①": "1", "½": "1/2", "\u3000": " ", "\u00a0": " ", "\t": " ", "\u200b": " ",
             "\u2003": " ", "ｆ": "f", "e\u0301": "é", "\u0001": "", "\u212b": "\u00c5"}
    code = lambda text: " ".join(f"{ord(c):X}" for c in text)
    rules.write_text("".join(f"{code(a)}\t{code(b)}\n" for a, b in pairs.items()))
    text = folder / "lines.txt"
    text.write_text("\n".join(line.strip() for line in TEXTS if line.isprintable()))
    spm = folder / "sentencepiece.bpe.model"
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(folder / "made"), vocab_size=600, model_type="bpe" if name == "nllb" else "unigram",
        normalization_rule_tsv=str(rules), character_coverage=0.98, hard_vocab_limit=False, minloglevel=2)
    (folder / "made.model").rename(spm)
    for extra in (rules, text, folder / "made.vocab"):
        extra.unlink()
    kind = transformers.NllbTokenizer if name == "nllb" else transformers.MBart50Tokenizer
    languages = ["eng_Latn", "deu_Latn"] if name == "nllb" else ["en_XX", "de_DE"]
    more = dict(additional_special_tokens=languages) if name == "nllb" else {}
    tokenizer = kind.from_pretrained(str(folder), src_lang=languages[0], tgt_lang=languages[1], **more)
    print(tokenizer.backend_tokenizer.normalizer)
    tokenizer.save_pretrained(folder)
    others = {}
    if name == "nllb":
        legacy = kind.from_pretrained(str(folder), src_lang=languages[0], legacy_behaviour=True)
        others["legacy"] = legacy
    write_texts(folder, tokenizer, **others)


def main(fixtures, names):
    for name in names or ("bart_bytes", "nllb", "mbart"):
        folder = fixtures / (f"hf_{name}" if name == "bart_bytes" else f"texts_{name}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make_bart(folder) if name == "bart_bytes" else make_sentencepiece(name, folder)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
