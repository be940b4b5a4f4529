#!/usr/bin/env python3
"""Exports a model and translates a text with it in the programs it was exported to, each with the settings that came along, and
here with the same search. Prints how many translations are the same, and BLEU of both.

    same_translations.py MODEL SOURCE REFERENCE [--to hf-marian] [--hexapla PROGRAM] [--lines 1000] [-- OPTIONS OF EXPORT]

Needs transformers and torch, pymarian, or ctranslate2, with sentencepiece and sacrebleu. Ends with 1 where fewer than 99 % are the same, or
BLEU differs by more than 0.1.
"""
import argparse, gzip, os, pathlib, re, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def by_transformers(folder, lines, search):
    import torch, transformers
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    found = []
    for at in range(0, len(lines), 16):
        batch = tokenizer(lines[at:at + 16], return_tensors="pt", padding=True)
        with torch.no_grad():
            ids = model.generate(**batch)
        found += tokenizer.batch_decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return found


def by_marian(folder, lines, search):
    import pymarian
    translator = pymarian.Translator(config=str(folder / "model.npz.decoder.yml"), quiet=True, quiet_translation=True, cpu_threads=1,
                                     mini_batch=16, maxi_batch=100, workspace=256)
    return translator.translate(lines)


def by_ctranslate2(folder, lines, search):
    import ctranslate2, sentencepiece
    shared = folder / "sentencepiece.model"
    files = [shared] * 2 if shared.exists() else [folder / "source.spm", folder / "target.spm"]
    source, target = (sentencepiece.SentencePieceProcessor(model_file=str(file)) for file in files)
    translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1, inter_threads=1)
    results = translator.translate_batch([source.encode(line, out_type=str) for line in lines], max_batch_size=32,
                                         beam_size=int(search["beam-size"]), length_penalty=float(search["length-penalty"]))
    return [target.decode(r.hypotheses[0]) for r in results]


PEERS = {"hf-marian": by_transformers, "marian": by_marian, "ctranslate2": by_ctranslate2}


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as f:
        return f.read().splitlines()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "source", "reference"):
        p.add_argument(name)
    p.add_argument("--to", default="hf-marian", choices=PEERS)
    p.add_argument("--hexapla", default=str(ROOT / "build/release/hexapla"))
    p.add_argument("--lines", type=int, default=10**9)
    p.add_argument("--stop-when", help="here; default: as the export says, or full")
    p.add_argument("--show", type=int, default=3, help="how many different translations to print")
    p.add_argument("options", nargs="*")
    o = p.parse_args()
    import sacrebleu
    lines, reference = read(o.source)[:o.lines], read(o.reference)[:o.lines]
    with tempfile.TemporaryDirectory() as passing:
        folder = pathlib.Path(passing) / "out"
        said = subprocess.run([o.hexapla, "export", o.model, "--to", o.to, "-o", str(folder), *o.options], check=True,
                              stderr=subprocess.PIPE, text=True).stderr
        print(said.strip())
        search = dict(re.findall(r"--(beam-size|length-normalization|length-penalty|stop-when) (\S+)", said))
        if o.to == "ctranslate2":
            search = {"beam-size": "4", "length-normalization": "power", "length-penalty": "1"}
        if o.stop_when:
            search["stop-when"] = o.stop_when
        theirs = PEERS[o.to](folder, lines, search)
    options = [word for name, value in search.items() for word in ("--" + name, value)]
    ours = subprocess.run([o.hexapla, "translate", "-q", "-m", o.model, "--threads", "1", *options],
                          input="\n".join(lines) + "\n", check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    same = sum(a == b for a, b in zip(ours, theirs))
    for source, a, b in [row for row in zip(lines, ours, theirs) if row[1] != row[2]][:o.show]:
        print(f"  {source}\n    here  {a}\n    there {b}")
    scores = [sacrebleu.corpus_bleu(text, [reference]).score for text in (ours, theirs)]
    print(f"{o.to}: {same} of {len(lines)} the same ({100 * same / len(lines):.1f} %), BLEU here {scores[0]:.2f}, there "
          f"{scores[1]:.2f}; here {' '.join(options)}")
    sys.exit(same < 0.99 * len(lines) or abs(scores[0] - scores[1]) > 0.1)


if __name__ == "__main__":
    main()
