#!/usr/bin/env python3
"""Exports a model and translates a text with it in the programs that it was exported to, each with the exported settings, and in
hexapla with the same search. Prints how many translations are the same, and BLEU of both.

    same_translations.py MODEL SOURCE REFERENCE [--to hf-marian] [--hexapla PROGRAM] [--lines 1000] [-- OPTIONS OF EXPORT]
    same_translations.py MODEL SOURCE REFERENCE --to argos --libretranslate PYTHON [-- --languages en-de]

Needs transformers and torch, pymarian, or ctranslate2, with sentencepiece and sacrebleu. An Argos folder is served by LibreTranslate's
own server, from a Python with libretranslate 1.9.6, computing in f32. It splits lines into sentences, and adapts the case of the first
letter and the final punctuation to the source; this script does the same before comparing. Exit code 1 if fewer than 99 % are the
same, or if BLEU differs by more than 0.1.
"""
import argparse, gzip, json, os, pathlib, re, subprocess, sys, tempfile, time, urllib.request
import libretranslate_offline

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PORT = 5789


def by_transformers(folder, lines, o):
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


def by_marian(folder, lines, o):
    import pymarian
    translator = pymarian.Translator(config=str(folder / "model.npz.decoder.yml"), quiet=True, quiet_translation=True, cpu_threads=1,
                                     mini_batch=16, maxi_batch=100, workspace=256)
    return translator.translate(lines)


def by_ctranslate2(folder, lines, o):
    import ctranslate2, sentencepiece
    shared = folder / "sentencepiece.model"
    files = [shared] * 2 if shared.exists() else [folder / "source.spm", folder / "target.spm"]
    source, target = (sentencepiece.SentencePieceProcessor(model_file=str(file)) for file in files)
    translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1, inter_threads=1)
    results = translator.translate_batch([source.encode(line, out_type=str) for line in lines], max_batch_size=32,
                                         beam_size=4, length_penalty=1)
    return [target.decode(r.hypotheses[0]) for r in results]


def ask_libretranslate(path, body=None):
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", json.dumps(body).encode() if body else None,
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)


def by_libretranslate(folder, lines, o):
    home = folder.parents[1]
    subprocess.run([o.hexapla, "export", o.model, "--to", "argos", "--languages", "de-en", "-o", str(folder.parent / "translate-de_en-1_0")],
                   check=True, stderr=subprocess.DEVNULL)  # it requires both directions
    environment = {**os.environ, "HOME": str(home), "ARGOS_PACKAGES_DIR": str(folder.parent), "ARGOS_COMPUTE_TYPE": "float32",
                   "ARGOS_INTRA_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with open(home / "log", "w") as log:
        server = subprocess.Popen([o.libretranslate, str(HERE / "libretranslate_offline.py"), "--host", "127.0.0.1", "--port", str(PORT),
                                   "--threads", "1"], stdout=log, stderr=log, env=environment)
    try:
        for _ in range(300):
            try:
                known = ask_libretranslate("/languages")
                break
            except OSError:
                time.sleep(0.2)
        else:
            sys.exit("LibreTranslate does not answer: " + (home / "log").read_text()[-2000:])
        assert {"en", "de"} <= {x["code"] for x in known}, known
        found = []
        for at in range(0, len(lines), 50):
            found += ask_libretranslate("/translate", {"q": lines[at:at + 50], "source": "en", "target": "de", "format": "text"})["translatedText"]
        return found
    finally:
        server.terminate()
        server.wait()


def formatted(o, sources, translations):
    """Formats translations with LibreTranslate's own function."""
    code = ("import html, json, sys; from libretranslate.language import improve_translation_formatting as f; "
            "print(json.dumps([html.unescape(f(a, b)) for a, b in json.load(sys.stdin)]))")
    said = subprocess.run([o.libretranslate, "-c", code], input=json.dumps(list(zip(sources, translations))), check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return json.loads(said.splitlines()[-1])


PEERS = {"hf-marian": by_transformers, "marian": by_marian, "ctranslate2": by_ctranslate2, "argos": by_libretranslate}
# The systems' own search defaults, for files without search settings.
SEARCHES = {"ctranslate2": {"beam-size": "4", "length-normalization": "power", "length-penalty": "1"},
            "argos": {"beam-size": "4", "length-normalization": "power", "length-penalty": "0.2"}}


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
    p.add_argument("--libretranslate", metavar="PYTHON", help="that has it, for argos")
    p.add_argument("--stop-when", help="here; default: as the export says, or full")
    p.add_argument("--show", type=int, default=3, help="how many different translations to print")
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    o = p.parse_args(words[:cut])
    o.options = words[cut + 1:]
    import sacrebleu
    lines, reference = read(o.source)[:o.lines], read(o.reference)[:o.lines]
    with tempfile.TemporaryDirectory() as passing:
        folder = pathlib.Path(passing) / "packages" / "translate-en_de-1_0"
        folder.parent.mkdir()
        said = subprocess.run([o.hexapla, "export", o.model, "--to", o.to, "-o", str(folder), *o.options], check=True,
                              stderr=subprocess.PIPE, text=True).stderr
        print(said.strip())
        search = dict(re.findall(r"--(beam-size|length-normalization|length-penalty|stop-when) (\S+)", said))
        search = SEARCHES.get(o.to, search)
        if o.stop_when:
            search["stop-when"] = o.stop_when
        theirs = PEERS[o.to](folder, lines, o)
    options = [word for name, value in search.items() for word in ("--" + name, value)]
    parts = [libretranslate_offline.sentences(line) if o.to == "argos" else [line] for line in lines]
    said = subprocess.run([o.hexapla, "translate", "-q", "-m", o.model, "--threads", "1", *options],
                          input="".join(part + "\n" for line in parts for part in line), check=True, stdout=subprocess.PIPE, text=True).stdout
    said = iter(said.splitlines())
    ours = [" ".join(next(said) for _ in line) for line in parts]
    if o.to == "argos":
        print(f"{sum(a == b for a, b in zip(ours, theirs))} of {len(lines)} the same before LibreTranslate's formatting")
        ours = formatted(o, lines, ours)
    same = sum(a == b for a, b in zip(ours, theirs))
    for source, a, b in [row for row in zip(lines, ours, theirs) if row[1] != row[2]][:o.show]:
        print(f"  {source}\n    here  {a}\n    there {b}")
    scores = [sacrebleu.corpus_bleu(text, [reference]).score for text in (ours, theirs)]
    print(f"{o.to}: {same} of {len(lines)} the same ({100 * same / len(lines):.1f} %), BLEU here {scores[0]:.2f}, there "
          f"{scores[1]:.2f}; here {' '.join(options)}")
    sys.exit(same < 0.99 * len(lines) or abs(scores[0] - scores[1]) > 0.1)


if __name__ == "__main__":
    main()
