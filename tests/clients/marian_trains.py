#!/usr/bin/env python3
"""Trains a small model with Marian's own trainer on the CPU, imports it, and translates a text in both programs.

    marian_trains.py FOLDER TRAIN.en TRAIN.de TEST.en [TEST.de] [--hexapla PROGRAM] [--updates 1500]

FOLDER keeps the model: a second call resumes an interrupted training, and only compares a finished one. Needs pymarian,
sentencepiece and, with TEST.de, sacrebleu. Exit code 1 if fewer than 99 % of the translations are the same, greedy or with a beam of 4.
"""
import argparse, gzip, pathlib, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The loss is a mean over words, not a sum, without clipping: the result of 1,500 batches of 96
# depends on it.
TRAINING = ("--type transformer --dim-emb 128 --transformer-heads 4 --transformer-dim-ffn 256 --enc-depth 2 --dec-depth 2 "
            "--tied-embeddings-all true --transformer-ffn-activation relu --learn-rate 0.003 --lr-warmup 200 --lr-decay-inv-sqrt 200 "
            "--mini-batch 96 --maxi-batch 100 --max-length 60 --optimizer-params 0.9 0.98 1e-09 --label-smoothing 0.1 --clip-norm 0 "
            "--cost-type ce-mean-words --cpu-threads 1 --workspace 1000 --save-freq 200 --overwrite true --keep-best false --seed 1 "
            "--disp-freq 50 --quiet false")
SEARCHES = {"greedy": (1, 0), "beam 4": (4, 0.6)}  # width, power of the length


def text_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as f:
        return f.read()


def train(o, folder):
    import pymarian, sentencepiece
    for name, path in zip(("train.source", "train.target"), o.train):
        (folder / name).write_text(text_of(path), encoding="utf-8")
    vocabulary = folder / "v.spm"
    if not vocabulary.exists():
        sentencepiece.SentencePieceTrainer.train(
            input=f"{folder}/train.source,{folder}/train.target", model_prefix=f"{folder}/v", vocab_size=3000, model_type="bpe",
            eos_id=0, unk_id=1, bos_id=-1, pad_id=-1, minloglevel=1)
        (folder / "v.model").rename(vocabulary)
    pymarian.Trainer(f"{TRAINING} --train-sets {folder}/train.source {folder}/train.target --vocabs {vocabulary} {vocabulary} "
                     f"--dim-vocabs 3000 3000 --model {folder}/m.npz --after-batches {o.updates}").train()


def by_marian(folder, lines, width, power):
    import pymarian
    vocabulary = str(folder / "v.spm")
    translator = pymarian.Translator(models=str(folder / "m.npz"), vocabs=[vocabulary] * 2, beam_size=width, normalize=power, quiet=True,
                                     quiet_translation=True, cpu_threads=1, mini_batch=16, maxi_batch=100, workspace=256)
    return translator.translate(lines)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("train", nargs=2)
    p.add_argument("test")
    p.add_argument("reference", nargs="?")
    p.add_argument("--hexapla", default=str(ROOT / "build/release/hexapla"))
    p.add_argument("--updates", type=int, default=1500)
    p.add_argument("--show", type=int, default=3)
    o = p.parse_args()
    folder = pathlib.Path(o.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    train(o, folder)
    model, lines = folder / "imported.safetensors", text_of(o.test).splitlines()
    subprocess.run([o.hexapla, "import", "-q", str(folder / "m.npz"), "--source-spm", str(folder / "v.spm"), "--target-spm", str(folder / "v.spm"),
                    "-o", str(model)], check=True)
    worst = 1.0
    for name, (width, power) in SEARCHES.items():
        theirs = by_marian(folder, lines, width, power)
        options = ["--beam-size", str(width), "--length-normalization", "power", "--length-penalty", str(power), "--stop-when", "shrinking",
                   "--longest-ratio", "3"]
        ours = subprocess.run([o.hexapla, "translate", "-q", "-m", str(model), "--threads", "1", *options], input="\n".join(lines) + "\n",
                              check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        same = sum(a == b for a, b in zip(ours, theirs))
        worst = min(worst, same / len(lines))
        for source, a, b in [row for row in zip(lines, ours, theirs) if row[1] != row[2]][:o.show]:
            print(f"  {source}\n    here  {a}\n    there {b}")
        text = f"{name}: {same} of {len(lines)} the same"
        if o.reference:
            import sacrebleu
            reference = [text_of(o.reference).splitlines()]
            text += ", BLEU here {:.2f}, there {:.2f}".format(*(sacrebleu.corpus_bleu(t, reference).score for t in (ours, theirs)))
        print(text)
    sys.exit(worst < 0.99)


if __name__ == "__main__":
    main()
