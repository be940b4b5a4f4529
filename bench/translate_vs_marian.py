#!/usr/bin/env python3
"""Compares translating with hexapla and Marian, alternating: the paper's model, untrained, with translations of fixed length.

    bench/translate_vs_marian.py [--preset base] [--precision int8] [--gemm-type packed8] [--batch-size 32]
    bench/translate_vs_marian.py --preset opus-mt    one model of that shape (bench/opus_mt.py), imported and exported

Prints tokens per second and the median paired ratio over the rounds. Marian's </s> is made improbable and its lengths are
limited, so that it writes as many tokens as hexapla, which is checked. Times exclude loading. Needs pymarian, numpy and a
built hexapla.
"""
import argparse, json, os, statistics, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PRESETS = {"tiny": (128, 4, 256, 4), "small": (512, 4, 1024, 6), "base": (512, 8, 2048, 6), "big": (1024, 16, 4096, 6)}
OPUS_MT = "opus-mt"


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--hexapla", default=os.path.join(ROOT, "build/release/hexapla"))
    p.add_argument("--preset", default="base", choices=[*PRESETS, OPUS_MT])
    p.add_argument("--vocab-size", type=int, default=32000)
    p.add_argument("--precision", default="int8", choices=["f32", "bf16", "int8"], help="of hexapla")
    p.add_argument("--gemm-type", default="packed8", choices=["float32", "packed16", "packed8"], help="of Marian")
    p.add_argument("--beam-size", type=int, default=4)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--sentences", type=int, default=64)
    p.add_argument("--length", type=int, default=30)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=5)
    return p.parse_args()


def untrained(o):
    """Uses Marian's names: weights [in, out], biases and norms [1, n], layers numbered from 1."""
    import numpy as np
    d, heads, d_ff, layers = PRESETS[o.preset]
    random, t = np.random.default_rng(0), {}
    def weight(name, rows, columns):
        t[name] = (random.standard_normal((rows, columns)) * rows**-0.5).astype(np.float32)
    def zeros(name, n):
        t[name] = np.zeros((1, n), np.float32)
    def norm(place):
        t[place + "_ln_scale"] = np.ones((1, d), np.float32)
        zeros(place + "_ln_bias", d)
    weight("Wemb", o.vocab_size, d)
    zeros("decoder_ff_logit_out_b", o.vocab_size)
    t["decoder_ff_logit_out_b"][0, 0] = -1e4  # </s>
    for stack in ("encoder", "decoder"):
        for i in range(1, layers + 1):
            for kind in ("self", "context") if stack == "decoder" else ("self",):
                at = f"{stack}_l{i}_{kind}"
                for part in "qkvo":
                    weight(f"{at}_W{part}", d, d), zeros(f"{at}_b{part}", d)
                norm(at + "_Wo")
            at = f"{stack}_l{i}_ffn"
            weight(at + "_W1", d, d_ff), zeros(at + "_b1", d_ff), weight(at + "_W2", d_ff, d), zeros(at + "_b2", d)
            norm(at + "_ffn")
    about = {"type": "transformer", "enc-depth": layers, "dec-depth": layers, "dim-emb": d, "transformer-heads": heads,
             "transformer-dim-ffn": d_ff, "transformer-ffn-depth": 2, "transformer-ffn-activation": "relu",
             "transformer-preprocess": '""', "transformer-postprocess": "dan", "transformer-postprocess-emb": "d",
             "transformer-decoder-autoreg": "self-attention", "transformer-tied-layers": "[]",
             "transformer-no-projection": "false", "transformer-train-position-embeddings": "false",
             "tied-embeddings": "false", "tied-embeddings-src": "false", "tied-embeddings-all": "true",
             "dim-vocabs": f"[{o.vocab_size}, {o.vocab_size}]", "skip": "false", "layer-normalization": "false",
             "right-left": "false", "input-types": "[]", "bert-train-type-embeddings": "true", "version": "v1.12.0"}
    text = "".join(f"{k}: {v}\n" for k, v in about.items()).encode() + b"\0"
    t["special:model.yml"] = np.frombuffer(text, np.int8)
    return t


def peer(o, folder):
    """Runs in its own process. Reads 'go' lines, answers with JSON."""
    import pymarian
    at = lambda name: os.path.join(folder, name)
    files = [at(side + ".spm") for side in ("source", "target")] if o.preset == OPUS_MT else [at("vocab.yml")] * 2
    start = time.perf_counter()
    translator = pymarian.Translator(
        models=at("model.npz"), vocabs=files, beam_size=o.beam_size, mini_batch=o.batch_size, maxi_batch=100,
        cpu_threads=o.threads, gemm_type=o.gemm_type, normalize=0.6, max_length_factor=o.length / (o.length + 1),
        quiet=True, quiet_translation=True, workspace=1024)
    loaded = time.perf_counter() - start
    with open(at("sources.json")) as f:
        sources = json.load(f)
    translator.translate(sources[: o.batch_size])
    print(json.dumps({"version": pymarian.__version__, "load": loaded}), flush=True)
    for _ in sys.stdin:
        start = time.perf_counter()
        found = translator.translate(sources)
        print(json.dumps({"seconds": time.perf_counter() - start, "lengths": [len(l.split()) for l in found],
                          "peak_mib": peak_mib()}), flush=True)


def peak_mib():
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) // 1024 for line in f if line.startswith("VmHWM"))


def opus_mt_model(o, folder):
    """-> hexapla's file. Writes Marian's to the folder; its vocabularies have a piece per word."""
    import random
    import opus_mt
    foreign, model, there = (os.path.join(folder, name) for name in ("hf", "model.safetensors", "marian"))
    opus_mt.write(foreign)
    run = lambda *words: subprocess.run([o.hexapla, *words], check=True, stderr=subprocess.DEVNULL)
    run("import", "-q", foreign, "--positions", "timing-signal", "-o", model)
    run("export", model, "--to", "marian", "-o", there)
    if o.precision == "int8":
        run("quantize", "-q", "-m", model, "-o", model + "8")
        model += "8"
    pick, words = random.Random(1), opus_mt.words(58101)
    with open(os.path.join(there, "sources.json"), "w") as f:
        json.dump([" ".join(pick.choice(words) for _ in range(o.length - 1)) for _ in range(o.sentences)], f)
    return model, there


def write_model(o, folder):
    import numpy as np, random
    np.savez(os.path.join(folder, "model.npz"), **untrained(o))
    words = ["</s>", "<unk>"] + [f"t{i}" for i in range(o.vocab_size - 2)]
    with open(os.path.join(folder, "vocab.yml"), "w") as f:
        f.writelines(f'"{w}": {i}\n' for i, w in enumerate(words))
    pick = random.Random(1)
    with open(os.path.join(folder, "sources.json"), "w") as f:
        json.dump([" ".join(pick.choice(words[2:]) for _ in range(o.length - 1)) for _ in range(o.sentences)], f)


def answer(process):
    for line in process.stdout:  # Marian logs, too
        if line.startswith("{"):
            return json.loads(line)
    sys.exit("Marian has stopped; run this script with --peer to see what it says")


def main():
    if sys.argv[1:2] == ["--peer"]:
        o = argparse.Namespace(**json.loads(sys.argv[2]))
        return peer(o, o.folder)
    o = options()
    with tempfile.TemporaryDirectory() as folder:
        if o.preset == OPUS_MT:
            model, folder = opus_mt_model(o, folder)
            which = ["-m", model]
        else:
            write_model(o, folder)
            which = ["--preset", o.preset, "--vocab-size", str(o.vocab_size)]
        process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--peer", json.dumps({**vars(o), "folder": folder})],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started, ours, theirs, lengths, peaks = answer(process), [], [], [], [0, 0]
        version = started["version"]
        for _ in range(o.rounds):
            command = [o.hexapla, "bench", "translate", "--json", *which, "--precision", o.precision, "--beam-size", str(o.beam_size), "--batch-size", str(o.batch_size),
                       "--threads", str(o.threads), "--sentences", str(o.sentences), "--length", str(o.length), "--rounds", "1"]
            mine = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            ours.append(mine["tokens_per_second"])
            process.stdin.write("go\n")
            process.stdin.flush()
            their = answer(process)
            lengths += their["lengths"]
            peaks = [mine["peak_mib"], their["peak_mib"]]
            theirs.append(sum(their["lengths"]) / their["seconds"])
        process.stdin.close()
    ratios = [a / b for a, b in zip(ours, theirs)]
    show = lambda v: f"{statistics.median(v):8.0f} tokens/s   ({min(v):.0f} to {max(v):.0f})"
    print(f"{o.preset}, beam {o.beam_size}, batch {o.batch_size}, {o.threads} threads; Marian's translations have "
          f"{min(lengths)} to {max(lengths)} tokens, hexapla's {o.length}")
    print(f"  hexapla {o.precision:20} {show(ours)}, peak {peaks[0]} MiB")
    print(f"  Marian {version} {o.gemm_type:12} {show(theirs)}, peak {peaks[1]} MiB, loaded in {started['load']:.2f} s")
    print(f"  ratio                        {statistics.median(ratios):8.2f}   ({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()
