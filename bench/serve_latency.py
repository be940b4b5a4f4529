#!/usr/bin/env python3
"""Measures the overhead of hexapla serve for a single request: over HTTP and in this process with the same model, alternating.

    bench/serve_latency.py -m run/model.safetensors --source test.en --threads 1

Prints medians over the lines: the time over HTTP, the time of the call, and their difference. Needs the Python package
(`pip install .`) of the same version, and a built hexapla. The machine should be idle otherwise.
"""
import argparse, http.client, json, os, re, statistics, subprocess, sys, time

import hexapla

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--hexapla", default=os.path.join(os.path.dirname(HERE), "build/release/hexapla"))
    p.add_argument("-m", "--model", required=True)
    p.add_argument("--source", required=True, help="lines to translate")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--lines", type=int, default=300)
    o = p.parse_args()
    with open(o.source, encoding="utf-8") as f:
        lines = f.read().splitlines()[:o.lines]
    hexapla.set_threads(o.threads)
    translator = hexapla.Translator(o.model)
    server = subprocess.Popen([o.hexapla, "serve", "-m", "en-de=" + o.model, "--port", "0", "--threads", str(o.threads)],
                              stderr=subprocess.PIPE, text=True)
    try:
        for said in server.stderr:
            if found := re.search(r"serving at http://127.0.0.1:(\d+)", said):
                break
        else:
            sys.exit("the server does not start")
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]))

        def by_http(line):
            connection.request("POST", "/translate", json.dumps({"q": line, "source": "en", "target": "de"}),
                               {"Content-Type": "application/json"})
            return json.loads(connection.getresponse().read())["translatedText"]
        pairs = []
        for i, line in enumerate(lines):
            times, texts = {}, {}
            for name, call in [("http", by_http), ("call", translator.translate)][::1 if i % 2 else -1]:
                begin = time.perf_counter()
                texts[name] = call(line)
                times[name] = (time.perf_counter() - begin) * 1e3
            if texts["http"] != texts["call"]:
                sys.exit(f"not the same: {texts}")
            pairs.append(times)
        pairs = pairs[len(pairs) // 10:]  # excludes the warm-up
        middle = lambda of: statistics.median(map(of, pairs))
        print(f"{len(pairs)} lines, {o.threads} threads: by HTTP {middle(lambda t: t['http']):.2f} ms, the call "
              f"{middle(lambda t: t['call']):.2f} ms, added {middle(lambda t: t['http'] - t['call']):.2f} ms (medians)")
    finally:
        server.kill()


if __name__ == "__main__":
    main()
