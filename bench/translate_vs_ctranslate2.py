#!/usr/bin/env python3
"""Translating, hexapla against CTranslate2, in turns.

    bench/translate_vs_ctranslate2.py --preset base                        untrained weights, a fixed length
    bench/translate_vs_ctranslate2.py --preset opus-mt                     the same for a model of the shape of opus-mt's,
                                                                           imported and exported; also the time to load
    bench/translate_vs_ctranslate2.py -m run/model.safetensors --source test.en [--reference test.de]
                                                                           the same trained weights on both sides

Prints tokens a second, peak memory, and the median over the rounds of the paired ratio; with a trained model also how
many translations are the same and the BLEU of both. Loading is not counted; with a trained model hexapla's time
includes tokenization, CTranslate2's does not. Needs ctranslate2, numpy, a built hexapla; for a trained model also
sentencepiece and sacrebleu.
"""
import argparse, json, os, statistics, struct, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PRESETS = {"tiny": (128, 4, 256, 4), "small": (512, 4, 1024, 6), "base": (512, 8, 2048, 6), "big": (1024, 16, 4096, 6)}
OPUS_MT = "opus-mt"  # bench/opus_mt.py


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


def read_model(path):
    """-> tensors, config, the bytes of the SentencePiece model"""
    import numpy as np
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    config = json.loads(header.pop("__metadata__")["config"])
    raw = {k: data[slice(*v["data_offsets"])] for k, v in header.items()}
    tensors = {k: np.frombuffer(raw[k], "<f4").reshape(v["shape"]) for k, v in header.items() if v["dtype"] == "F32"}
    return tensors, config, raw.get("tokenizer.shared")


def untrained(preset, vocabulary):
    import numpy as np
    d, heads, d_ff, layers = PRESETS[preset]
    random = np.random.default_rng(0)
    t = {}
    def weight(name, rows, columns):
        t[name] = (random.standard_normal((rows, columns)) * rows**-0.5).astype(np.float32)
    def feed_forward(place):
        weight(place + ".inner.weight", d, d_ff), weight(place + ".outer.weight", d_ff, d)
        t[place + ".inner.bias"], t[place + ".outer.bias"] = np.zeros(d_ff, np.float32), np.zeros(d, np.float32)
    def norm(place):
        t[place + ".gain"], t[place + ".bias"] = np.ones(d, np.float32), np.zeros(d, np.float32)
    weight("embeddings.0.table", vocabulary, d)
    for i in range(layers):
        for stack, norms in (("encoder", ["attention_norm"]), ("decoder", ["self_norm", "cross_norm"])):
            at = f"{stack}.layers.{i}."
            weight(at + "self_attention.qkv.weight", d, 3 * d), weight(at + "self_attention.output.weight", d, d)
            feed_forward(at + "feed_forward")
            for n in norms + ["feed_forward_norm"]:
                norm(at + n)
        at = f"decoder.layers.{i}.cross_attention."
        weight(at + "query.weight", d, d), weight(at + "key_value.weight", d, 2 * d), weight(at + "output.weight", d, d)
    return t, {"d_model": d, "heads": heads, "enc_layers": layers, "dec_layers": layers}


def export(tensors, config, vocabulary, folder):
    """hexapla's tensors as a model of CTranslate2: weights there are [out, in]. The paper's model, all tied."""
    import numpy as np
    from ctranslate2.specs import common_spec, transformer_spec
    d = config.get("d_model") or config["dim-model"]
    layers = [config.get(k + "_layers") or config[k + "-layers"] for k in ("enc", "dec")]
    spec = transformer_spec.TransformerSpec.from_config(tuple(layers), config["heads"], pre_norm=False,
                                                        activation=common_spec.Activation.RELU)
    def linear(s, place):
        s.weight = np.ascontiguousarray(tensors[place + ".weight"].T)
        s.bias = tensors.get(place + ".bias", np.zeros(s.weight.shape[0], np.float32))
    def norm(s, place):
        s.gamma, s.beta = tensors[place + ".gain"], tensors[place + ".bias"]
    def feed_forward(s, place):
        linear(s.linear_0, place + ".inner"), linear(s.linear_1, place + ".outer")
    at = np.arange(512)[:, None] * np.exp(np.arange(0, d, 2) * (-np.log(1e4) / d))
    positions = np.stack([np.sin(at), np.cos(at)], -1).reshape(512, d).astype(np.float32)
    table = tensors["embeddings.0.table"]
    for stack, embeddings in ((spec.encoder, spec.encoder.embeddings[0]), (spec.decoder, spec.decoder.embeddings)):
        embeddings.weight, stack.scale_embeddings, stack.position_encodings.encodings = table, True, positions
    spec.decoder.projection.weight, spec.decoder.projection.bias = table, np.zeros(len(table), np.float32)
    for i, layer in enumerate(spec.encoder.layer):
        place = f"encoder.layers.{i}."
        linear(layer.self_attention.linear[0], place + "self_attention.qkv")
        linear(layer.self_attention.linear[1], place + "self_attention.output")
        norm(layer.self_attention.layer_norm, place + "attention_norm")
        feed_forward(layer.ffn, place + "feed_forward"), norm(layer.ffn.layer_norm, place + "feed_forward_norm")
    for i, layer in enumerate(spec.decoder.layer):
        place = f"decoder.layers.{i}."
        linear(layer.self_attention.linear[0], place + "self_attention.qkv")
        linear(layer.self_attention.linear[1], place + "self_attention.output")
        norm(layer.self_attention.layer_norm, place + "self_norm")
        linear(layer.attention.linear[0], place + "cross_attention.query")
        linear(layer.attention.linear[1], place + "cross_attention.key_value")
        linear(layer.attention.linear[2], place + "cross_attention.output")
        norm(layer.attention.layer_norm, place + "cross_norm")
        feed_forward(layer.ffn, place + "feed_forward"), norm(layer.ffn.layer_norm, place + "feed_forward_norm")
    spec.register_source_vocabulary(vocabulary)
    spec.register_target_vocabulary(vocabulary)
    spec.validate()
    os.makedirs(folder)
    spec.save(folder)


def peak_mib():
    with open("/proc/self/status") as f:  # getrusage would count the process that started this one
        return next(int(line.split()[1]) // 1024 for line in f if line.startswith("VmHWM"))


def peer(o, folder, sources):
    """Runs in a process of its own, so that its peak memory is its own. Reads 'go' lines, answers with JSON."""
    import ctranslate2
    start = time.perf_counter()
    # A batch per thread: faster for it than several threads for one batch.
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


def same_weights(o, folder):
    """A model of bench/opus_mt.py for both. -> hexapla's file, made-up sources, seconds until hexapla has loaded it"""
    import random
    import opus_mt
    foreign, model, peer = (os.path.join(folder, name) for name in ("hf", "model.safetensors", "peer"))
    opus_mt.write(foreign)
    run = lambda *words: subprocess.run([o.hexapla, *words], check=True, stderr=subprocess.DEVNULL)
    run("import", "-q", foreign, "-o", model)
    run("export", model, "--to", "ctranslate2", "--precision", "int8" if o.peer_precision == "int8" else "f32", "-o", peer)
    if o.precision == "int8":
        run("quantize", "-q", "-m", model, "-o", model + "8")
        model += "8"
    pick, words, loads = random.Random(1), opus_mt.words(58101), []
    sources = [["\u2581" + pick.choice(words) for _ in range(o.length)] for _ in range(o.sentences)]
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([o.hexapla, "translate", "-q", "-m", model, "--precision", o.precision, "--longest", "1", "--threads",
                        str(o.threads)], input=b"t5\n", check=True, stdout=subprocess.DEVNULL)
        loads.append(time.perf_counter() - start)
    return model, sources, statistics.median(loads)


def fixed_length(o, folder):
    if o.preset == OPUS_MT:
        model, sources, load = same_weights(o, folder)
        process, peer = start_peer(o, folder, sources)
        return in_turns(o, model, process, peer, load)
    import random
    tensors, config = untrained(o.preset, o.vocab_size)
    vocabulary = ["<unk>", "<s>", "</s>"] + [f"t{i}" for i in range(o.vocab_size - 3)]
    export(tensors, config, vocabulary, os.path.join(folder, "peer"))
    pick = random.Random(1)
    sources = [[pick.choice(vocabulary[3:]) for _ in range(o.length)] for _ in range(o.sentences)]
    process, peer = start_peer(o, folder, sources)
    model = os.path.join(folder, "untrained.safetensors")
    write = [o.hexapla, "bench", "translate", "--preset", o.preset, "--vocab-size", str(o.vocab_size), "--write-model"]
    subprocess.run(write + [model], check=True)
    if o.precision == "int8":
        subprocess.run([o.hexapla, "quantize", "-q", "-m", model, "-o", model + "8"], check=True)
        model += "8"
    in_turns(o, model, process, peer)


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
    import gzip, sacrebleu, sentencepiece
    tensors, config, tokenizer = read_model(o.model)
    pieces = sentencepiece.SentencePieceProcessor(model_proto=tokenizer)
    export(tensors, config, [pieces.id_to_piece(i) for i in range(len(pieces))], os.path.join(folder, "peer"))
    read = lambda p: (gzip.open if p.endswith(".gz") else open)(p, "rt", encoding="utf-8").read().splitlines()
    lines = read(o.source)
    sources = [pieces.encode(line, out_type=str) + ["</s>"] for line in lines]
    process, peer = start_peer(o, folder, sources)
    ours, theirs, peaks, output = [], [], [0, 0], os.path.join(folder, "output")
    for _ in range(o.rounds):
        mine, their = run_hexapla(o, "-m", o.model, "--text", o.source, "-o", output), ask(process)
        our_text, their_text = read(output), [pieces.decode(t) for t in their["tokens"]]
        ours.append(sum(len(pieces.encode(t)) + 1 for t in our_text) / mine["seconds"])
        theirs.append(sum(len(t) + 1 for t in their["tokens"]) / their["seconds"])
        peaks = [mine["peak_mib"], their["peak_mib"]]
    report(o, peer, ours, theirs, peaks)
    print(f"  the same translation         {sum(a == b for a, b in zip(our_text, their_text))} of {len(lines)}")
    if o.reference:
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
