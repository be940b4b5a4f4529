#!/usr/bin/env python3
"""Writes src/plugins/convert/fixtures/added_tokens: tokens that are added to the tokenizers of other fixtures, and what
transformers makes of random texts with them: ids, and the text of random ids.

    pip install transformers==5.24.0 tokenizers==0.23.3 sentencepiece sacremoses
    scripts/golden/added_tokens.py src/plugins/convert/fixtures [NUMBER]

NUMBER of texts of each tokenizer; default 60. A file has the files that transformers saves ("files"; of a
tokenizer.json only its added tokens), to be put into the folder of the fixture.
"""
import json
import pathlib
import random
import shutil
import sys
import tempfile

import transformers
from tokenizers import AddedToken

# Fixture, tokenizer, words of its texts.
KINDS = {"nllb": ("texts_nllb", "NllbTokenizer", "dog runs A two Straße ﬁ ½ ＡＢ 两只狗 the"),
         "mbart": ("texts_mbart", "MBart50Tokenizer", "dog runs A two Straße ﬁ ½ ＡＢ 两只狗 the"),
         "bart": ("hf_bart_bytes", "BartTokenizer", "dog runs A two Straße 猫 it's 12 3,4 the"),
         "m2m": ("hf_m2m", "M2M100Tokenizer", "abc bad egg a b cc fig"),
         "marian": ("hf_marian_joint", "MarianTokenizer", "abc bad egg a b cc fig"),
         "marian_legacy": ("hf_marian_joint", "MarianTokenizer", "abc bad egg a b cc fig")}
PLAIN = ["<ent>", "</ent>", "<e"]
TOKENS = [*PLAIN, AddedToken("LL", lstrip=True), AddedToken("RR", rstrip=True, normalized=False),
          AddedToken("[B]", lstrip=True, rstrip=True), AddedToken("ab", single_word=True),
          AddedToken("ﬃ", normalized=False), AddedToken("ﬀ", normalized=True),
          AddedToken("né", single_word=True, normalized=False), AddedToken("x y"),
          AddedToken("WL", single_word=True, lstrip=True), AddedToken("WR", single_word=True, rstrip=True)]
SPECIAL = ["<sp>", "{0}"]
BETWEEN = ["", "", " ", " ", " ", "  ", "\u00a0", "\t", ".", ",", "_", "-", "é", "猫", "7"]
M2M_SIZE = 199  # pieces, languages and madeupwords; add_tokens() of transformers 5 uses the languages' numbers


def text_of(draw, words, tokens):
    text = draw.choice(["", "", " "])
    for _ in range(draw.randint(1, 8)):
        text += draw.choice(tokens if draw.random() < 0.5 else words) + draw.choice(BETWEEN)
    return text


def make_room(folder, count):
    """Marian's tables have as many pieces as the model: takes the last of them away."""
    path = folder / "vocab.json"
    table = json.loads(path.read_text())
    pieces = [piece for piece in table if piece != "<pad>"][:len(table) - count - 1] + ["<pad>"]
    path.write_text(json.dumps({piece: i for i, piece in enumerate(pieces)}, ensure_ascii=False))
    files = {"vocab.json": json.loads(path.read_text())}
    pad, old = len(pieces) - 1, table["<pad>"]
    for name in ("config.json", "generation_config.json"):
        settings = json.loads((folder / name).read_text())
        for key, value in settings.items():
            if value == old and key.endswith("_id"):
                settings[key] = pad
            if key == "bad_words_ids":
                settings[key] = [[pad]]
        files[name] = settings
    return files


def number_after_languages(folder, added):
    """As version 4 of transformers numbers them."""
    path = folder / "tokenizer_config.json"
    settings = json.loads(path.read_text())
    tokens = [token if isinstance(token, AddedToken) else AddedToken(token, normalized=True) for token in added]
    tokens += [AddedToken(token, special=True, normalized=False) for token in SPECIAL]
    for i, token in enumerate(tokens):
        settings["added_tokens_decoder"][str(M2M_SIZE + i)] = dict(token.__getstate__(), content=token.content)
    path.write_text(json.dumps(settings))


def write(out, name, number):
    fixture, tokenizer_class, words = KINDS[name]
    words, draw = words.split(" "), random.Random(name)
    with tempfile.TemporaryDirectory() as temporary:
        folder, saved = pathlib.Path(temporary) / "m", pathlib.Path(temporary) / "saved"
        shutil.copytree(out / fixture, folder)
        legacy = name.endswith("legacy")
        added = PLAIN if legacy else TOKENS
        files = make_room(folder, len(added) + len(SPECIAL)) if "marian" in name else {}
        if name == "m2m":
            number_after_languages(folder, added)
        tokenizer = getattr(transformers, tokenizer_class).from_pretrained(folder)
        tokenizer.add_tokens(added)
        tokenizer.add_special_tokens({"extra_special_tokens": SPECIAL}, replace_extra_special_tokens=False)
        tokenizer.save_pretrained(saved)
        if (saved / "tokenizer.json").exists():
            tokens = json.loads((saved / "tokenizer.json").read_text())["added_tokens"]
            files["tokenizer.json"] = {"added_tokens": tokens}
        else:
            settings = json.loads((saved / "tokenizer_config.json").read_text())
            if legacy:
                del settings["added_tokens_decoder"]
                files["added_tokens.json"] = json.loads((saved / "added_tokens.json").read_text())
            files["tokenizer_config.json"] = settings
        tokens = [str(token) for token in added] + SPECIAL
        texts = [text_of(draw, words, tokens) for _ in range(number)]
        encoded = [{"text": text, "ids": tokenizer(text)["input_ids"]} for text in texts]
        ids = tokenizer.convert_tokens_to_ids(tokens)
        assert tokenizer.unk_token_id not in ids, ids
        decoded = []
        for _ in range(number // 2):
            some = [draw.choice(ids) if draw.random() < 0.4 else draw.randrange(4, 40) for _ in range(draw.randint(1, 9))]
            decoded.append({"ids": some, "text": tokenizer.decode(some, skip_special_tokens=True,
                                                                  clean_up_tokenization_spaces=False)})
    rows = {key: ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in value)
            for key, value in (("encoded", encoded), ("decoded", decoded))}
    (out / "added_tokens").mkdir(exist_ok=True)
    (out / "added_tokens" / f"{name}.json").write_text(
        f'{{"fixture": "{fixture}", "size": {max(max(ids) + 1, len(tokenizer))},\n"files": {json.dumps(files, ensure_ascii=False)},\n'
        f'"encoded": [\n{rows["encoded"]}\n],\n"decoded": [\n{rows["decoded"]}\n]}}\n')


if __name__ == "__main__":
    for kind in KINDS:
        write(pathlib.Path(sys.argv[1]), kind, int(sys.argv[2]) if len(sys.argv) > 2 else 60)
