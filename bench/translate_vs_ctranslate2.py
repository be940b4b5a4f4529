#!/usr/bin/env python3
"""Compares translating with hexapla and CTranslate2, alternating.

    bench/translate_vs_ctranslate2.py --preset base                        untrained weights, a fixed length
    bench/translate_vs_ctranslate2.py --preset opus-mt                     the same, shaped like opus-mt's models
    bench/translate_vs_ctranslate2.py -m run --source test.en [--reference test.de]
                                                                           a trained model, or its folder

Both have the same weights: CTranslate2 gets the output of `hexapla export`. Untrained models come from bench/opus_mt.py and
are imported, so their attention has (zero) biases, unlike the presets'; their loading time is printed, too. Prints tokens
per second, peak memory, and the median paired ratio over the rounds; with a trained model also the number of equal
translations and both BLEU scores. Times exclude loading; with a trained model hexapla's time includes tokenization,
CTranslate2's does not. Needs ctranslate2, numpy, sentencepiece, protobuf, a built hexapla; for --reference also sacrebleu.
"""
import argparse, gzip, json, os, random, statistics, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PRESETS = {"tiny": (128, 4, 256, 4), "small": (512, 4, 1024, 6), "base": (512, 8, 2048, 6), "big": (1024, 16, 4096, 6)}
OPUS_MT = "opus-mt"


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--hexapla", default=os.path.join(ROOT, "build/release/hexapla"))
    p.add_argument("-m", "--model")
    p.add_argument("--source")
    p.add_argument("--reference")
    p.add_argument("--preset", default="base", choices=[*PRESETS, OPUS_MT])
    p.add_argument("--vocab-size", type=int, default=32000)
    p.add_argument("--precision", default="int8", choices=["f32", "bf16", "int8"], help="of hexapla")
    p.add_argument("--peer-precision", help="of CTranslate2: float32 or int8; default: like hexapla's")
    p.add_argument("--beam-size", type=int, default=4)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--sentences", type=int, default=64)
    p.add_argument("--length", type=int, default=30)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=5)
    o = p.parse_args()
    o.peer_precision = o.peer_precision or {"int8": "int8"}.get(o.precision, "float32")
    return o


def peak_mib():
    with open("/proc/self/status") as f:  # getrusage would include the parent process's peak
        return next(int(line.split()[1]) // 1024 for line in f if line.startswith("VmHWM"))


def peer(o, folder, sources):
    """Runs in its own process to measure its peak memory. Reads 'go' lines, answers with JSON."""
    import ctranslate2
    start = time.perf_counter()
    # One batch per thread is faster for CTranslate2 than several threads per batch.
    translator = ctranslate2.Translator(folder, device="cpu", compute_type=o.peer_precision, intra_threads=1,
                                        inter_threads=o.threads)
    loaded = time.perf_counter() - start
    limits = {} if o.model else {"min_decoding_length": o.length, "max_decoding_length": o.length}
    def translate(some):
        return translator.translate_batch(some, beam_size=o.beam_size, max_batch_size=o.batch_size, length_penalty=0.6,
                                          **limits)
    translate(sources[: o.batch_size])
    print(json.dumps({"version": ctranslate2.__version__, "load": loaded}), flush=True)
    for _ in sys.stdin:
        start = time.perf_counter()
        found = [r.hypotheses[0] for r in translate(sources)]
        print(json.dumps({"seconds": time.perf_counter() - start, "tokens": found,
                          "peak_mib": peak_mib()}), flush=True)


def run_hexapla(o, *more):
    command = [o.hexapla, "bench", "translate", "--json", "--precision", o.precision, "--beam-size", str(o.beam_size),
               "--batch-size", str(o.batch_size), "--threads", str(o.threads), "--rounds", "1", *more]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def start_peer(o, folder, sources):
    path = os.path.join(folder, "sources.json")
    with open(path, "w") as f:
        json.dump(sources, f)
    arguments = json.dumps({**vars(o), "folder": os.path.join(folder, "peer"), "sources": path})
    process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--peer", arguments], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    return process, json.loads(process.stdout.readline())


def ask(process):
    process.stdin.write("go\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def report(o, peer, ours, theirs, peaks, load=None):
    version = peer["version"]
    ratios = [a / b for a, b in zip(ours, theirs)]
    show = lambda v: f"{statistics.median(v):8.0f} tokens/s   ({min(v):.0f} to {max(v):.0f})"
    print(f"{o.model or o.preset}, beam {o.beam_size}, batch {o.batch_size}, {o.threads} threads")
    print(f"  hexapla {o.precision:20} {show(ours)}, peak {peaks[0]} MiB")
    print(f"  CTranslate2 {version} {o.peer_precision:10} {show(theirs)}, peak {peaks[1]} MiB")
    print(f"  ratio                        {statistics.median(ratios):8.2f}   ({min(ratios):.2f} to {max(ratios):.2f})")
    if load:
        print(f"  loading: hexapla {load:.2f} s, the whole program with a translation of one token; CTranslate2 {peer['load']:.2f} s")


def run(o, *words):
    subprocess.run([o.hexapla, *words], check=True, stderr=subprocess.DEVNULL)


def export(o, model, folder):
    """Exports CTranslate2's model. -> hexapla's file in the measured precision"""
    run(o, "export", model, "--to", "ctranslate2", "--precision", "int8" if o.peer_precision == "int8" else "f32", "-o",
        os.path.join(folder, "peer"))
    if o.precision != "int8":
        return model
    run(o, "quantize", "-q", "-m", model, "-o", os.path.join(folder, "model8.safetensors"))
    return os.path.join(folder, "model8.safetensors")


def fixed_length(o, folder):
    import opus_mt
    foreign, model = (os.path.join(folder, name) for name in ("hf", "model.safetensors"))
    pieces = 58101 if o.preset == OPUS_MT else o.vocab_size
    if o.preset == OPUS_MT:
        opus_mt.write(foreign)
    else:
        d, heads, d_ff, layers = PRESETS[o.preset]
        opus_mt.write(foreign, layers, d, d_ff, pieces, heads=heads, activation="relu")
    run(o, "import", "-q", foreign, "-o", model)
    model = export(o, model, folder)
    pick, words, loads = random.Random(1), opus_mt.words(pieces), []
    sources = [["\u2581" + pick.choice(words) for _ in range(o.length)] for _ in range(o.sentences)]
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([o.hexapla, "translate", "-q", "-m", model, "--precision", o.precision, "--longest", "1", "--threads",
                        str(o.threads)], input=b"t5\n", check=True, stdout=subprocess.DEVNULL)
        loads.append(time.perf_counter() - start)
    process, peer = start_peer(o, folder, sources)
    in_turns(o, model, process, peer, statistics.median(loads))


def in_turns(o, model, process, peer, load=None):
    ours, theirs, peaks = [], [], [0, 0]
    for _ in range(o.rounds):
        mine = run_hexapla(o, "-m", model, "--sentences", str(o.sentences), "--length", str(o.length))
        their = ask(process)
        ours.append(mine["tokens_per_second"])
        theirs.append(sum(map(len, their["tokens"])) / their["seconds"])
        peaks = [mine["peak_mib"], their["peak_mib"]]
    report(o, peer, ours, theirs, peaks, load)


def trained(o, folder):
    import sentencepiece
    model = export(o, o.model, folder)
    source, target = (sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, "peer", side + ".spm"))
                      for side in ("source", "target"))
    read = lambda p: (gzip.open if p.endswith(".gz") else open)(p, "rt", encoding="utf-8").read().splitlines()
    lines = read(o.source)
    sources = [source.encode(line, out_type=str) for line in lines]
    process, peer = start_peer(o, folder, sources)
    ours, theirs, peaks, output = [], [], [0, 0], os.path.join(folder, "output")
    for _ in range(o.rounds):
        mine, their = run_hexapla(o, "-m", model, "--text", o.source, "-o", output), ask(process)
        our_text, their_text = read(output), [target.decode(t) for t in their["tokens"]]
        ours.append(sum(len(target.encode(t)) + 1 for t in our_text) / mine["seconds"])
        theirs.append(sum(len(t) + 1 for t in their["tokens"]) / their["seconds"])
        peaks = [mine["peak_mib"], their["peak_mib"]]
    report(o, peer, ours, theirs, peaks)
    print(f"  the same translation         {sum(a == b for a, b in zip(our_text, their_text))} of {len(lines)}")
    if o.reference:
        import sacrebleu
        bleu = lambda text: sacrebleu.corpus_bleu(text, [read(o.reference)]).score
        print(f"  BLEU                         {bleu(our_text):.2f} and {bleu(their_text):.2f}")


def main():
    if sys.argv[1:2] == ["--peer"]:
        o = argparse.Namespace(**json.loads(sys.argv[2]))
        with open(o.sources) as f:
            sources = json.load(f)
        return peer(o, o.folder, sources)
    o = options()
    with tempfile.TemporaryDirectory() as folder:
        (trained if o.model else fixed_length)(o, folder)


if __name__ == "__main__":
    main()
