#!/usr/bin/env python3
"""Writes src/plugins/convert/fixtures/hf_marian_*: small MarianMT models of Hugging Face, trained briefly and saved by
transformers, and the results of transformers with them, for the tests to compare.

    pip install torch transformers==5.23.0 sentencepiece safetensors numpy
    scripts/golden/marian.py src/plugins/convert/fixtures [joint separate ...]

Each folder is a model in its published form with two more files: golden.safetensors has source ids, decoder ids and
logits for a few pairs; golden.json has lines of text with ids and text of their translations, greedy and by the search of
the model's configuration. Excludes lines whose two best translations score nearly equal, or whose translations do not
end by themselves.
"""
import json
import os
import pathlib
import random
import shutil
import sys

import safetensors.torch
import sentencepiece
import torch
import transformers

LINES, LONGEST = 30, 40
UPDATES = {"joint": 700}  # if 250 are too few for translations to end

VARIANTS = {
    "joint": dict(),
    "separate": dict(share_encoder_decoder_embeddings=False, activation_function="relu"),
    "half": dict(activation_function="gelu", scale_embedding=False),
    "untied": dict(tie_word_embeddings=False, share_encoder_decoder_embeddings=False, normalize_embedding=True,
                   normalize_before=True, add_final_layer_norm=True, encoder_layers=1),
}
SEARCH = {
    "joint": dict(num_beams=4),
    "separate": dict(num_beams=4, early_stopping=True),
    "half": dict(num_beams=3, length_penalty=0.6, renormalize_logits=True),
    "untied": dict(num_beams=2, no_repeat_ngram_size=3),
}


def sentences(draw, letters, count):
    words = ["".join(draw.choice(letters) for _ in range(draw.randint(2, 5))) for _ in range(200)]
    return [" ".join(draw.choice(words) for _ in range(draw.randint(2, 9))) for _ in range(count)]


def train_pieces(path, lines, size, kind="unigram"):
    text = path.with_suffix(".txt")
    text.write_text("\n".join(lines))
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(path.with_suffix("")), vocab_size=size, model_type=kind,
        normalization_rule_name="identity", minloglevel=2)
    os.rename(path.with_suffix(".model"), path)
    for extra in (".vocab", ".txt"):
        path.with_suffix(extra).unlink()
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [model.id_to_piece(i) for i in range(model.get_piece_size())]


def table(pieces, draw):
    """-> ids of pieces; a few are missing, as if they never occurred in the training text, and one is a language"""
    ids = {"</s>": 0, "<unk>": 1}
    for piece in dict.fromkeys(pieces):
        if piece not in ("<s>", "</s>", "<unk>") and draw.random() > 0.04:
            ids[piece] = len(ids)
    for last in (">>de<<", "<pad>"):
        ids[last] = len(ids)
    return ids


def write_tokenizer(folder, separate, draw):
    source = train_pieces(folder / "source.spm", sentences(draw, "abcdefghij", 1500), 60)
    target = train_pieces(folder / "target.spm", sentences(draw, "efghijklmä", 1500), 70)
    tables = [table(source, draw), table(target, draw)] if separate else [table(source + target, draw)]
    if separate:  # the ids of the special pieces are the same on both sides
        for ids in tables:
            del ids["<pad>"]
        while len(tables[0]) != len(tables[1]):
            shorter = min(tables, key=len)
            shorter[f"extra{len(shorter)}"] = len(shorter)
        for ids in tables:
            ids["<pad>"] = len(ids)
    for name, ids in zip(("vocab.json", "target_vocab.json"), tables):
        (folder / name).write_text(json.dumps(ids, ensure_ascii=False))
    return tables[0], tables[-1]


def train(model, tokenizer, draw, updates):
    """Trains briefly, so that translations end and differ between lines."""
    torch.manual_seed(1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    letters = str.maketrans("abcdefghij", "efghijklmä")
    for _ in range(updates):
        texts = [" ".join(line.split()[:5]) for line in sentences(draw, "abcdefghij", 24)]
        batch = tokenizer(texts, text_target=[text.translate(letters) for text in texts], return_tensors="pt", padding=True)
        batch["labels"][batch["labels"] == tokenizer.pad_token_id] = -100
        optimizer.zero_grad()
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")
    return model.eval()


def make_model(name, source, target):
    config = transformers.MarianConfig(**(dict(
        vocab_size=len(source), decoder_vocab_size=len(target), d_model=16, encoder_layers=2, decoder_layers=2,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=24, decoder_ffn_dim=24,
        max_position_embeddings=64, pad_token_id=source["<pad>"], decoder_start_token_id=target["<pad>"], eos_token_id=0,
        forced_eos_token_id=0, bos_token_id=0, scale_embedding=True, activation_function="swish", init_std=0.15)
        | VARIANTS[name]))
    torch.manual_seed(len(name))
    model = transformers.MarianMTModel(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter += 0.2 * torch.randn_like(parameter)
        model.final_logits_bias.normal_()
    model.generation_config.update(
        bad_words_ids=[[target["<pad>"]]], max_length=LONGEST, forced_eos_token_id=0, **SEARCH[name])
    return model


def translations(model, ids, end=0, **search):
    """-> the best translation without the start token; None if it does not end, or if another is nearly as good"""
    several = search.get("num_beams", model.generation_config.num_beams) > 1
    with torch.no_grad():
        found = model.generate(input_ids=ids, return_dict_in_generate=True, output_scores=True,
                               num_return_sequences=2 if several else 1, **search)
    sequence = found.sequences[0].tolist()[1:]
    sequence = sequence[: sequence.index(end)] if end in sequence else None
    if sequence is None or len(sequence) > LONGEST - 4:
        return None
    if several and found.sequences_scores[0] - found.sequences_scores[1] < 1e-4:
        return None
    return sequence


def with_logits(model, number, ids, target, **more):
    """-> the tensors of a pair in golden.safetensors"""
    target = torch.tensor([target])
    with torch.no_grad():
        logits = model(input_ids=ids, decoder_input_ids=target, **more).logits[0]
    return {f"source.{number}": ids[0].int(), f"target.{number}": target[0].int(), f"logits.{number}": logits}


def save_golden(folder, tensors, lines, *remarks):
    safetensors.torch.save_file({k: v.contiguous() for k, v in tensors.items()}, folder / "golden.safetensors")
    compact = [json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines]
    (folder / "golden.json").write_text("[\n" + ",\n".join(compact) + "\n]\n")
    print(folder.name, len(lines), "lines,", *remarks, sum(f.stat().st_size for f in folder.iterdir()), "bytes")


def write_golden(folder, model, tokenizer, draw):
    tensors, lines = {}, []
    texts = sentences(draw, "abcdefghijkxé", 60) + [">>de<< abc def", "ä", "", "ab  cd zz k"]
    for text in texts:
        ids = tokenizer([text], return_tensors="pt").input_ids
        if ids.shape[1] < 2 or len(lines) == LINES and text[:1] != ">":
            continue
        greedy, best = translations(model, ids, num_beams=1), translations(model, ids)
        if greedy is None or best is None:
            continue
        number = len(lines)
        say = lambda sequence: tokenizer.decode(sequence, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        lines.append({"text": text, "source": ids[0].tolist(), "greedy": greedy, "greedy text": say(greedy), "best": best,
                      "best text": say(best)})
        if number < 2:
            tensors |= with_logits(model, number, ids, [model.config.decoder_start_token_id] + best)
    save_golden(folder, tensors, lines)


def main(fixtures, names):
    for name in names or VARIANTS:
        draw = random.Random(name)
        folder = fixtures / f"hf_marian_{name}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        source, target = write_tokenizer(folder, not VARIANTS[name].get("share_encoder_decoder_embeddings", True), draw)
        vocab = dict(vocab=str(folder / "vocab.json"), source_spm=str(folder / "source.spm"),
                     target_spm=str(folder / "target.spm"))
        if (folder / "target_vocab.json").exists():
            vocab |= dict(target_vocab_file=str(folder / "target_vocab.json"), separate_vocabs=True)
        tokenizer = transformers.MarianTokenizer(**vocab)
        model = train(make_model(name, source, target), tokenizer, draw, UPDATES.get(name, 250))
        if name == "half":
            model = model.half()
        model.save_pretrained(folder)
        model = transformers.MarianMTModel.from_pretrained(folder, dtype=torch.float32).eval()
        write_golden(folder, model, tokenizer, draw)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
