#!/usr/bin/env python3
"""Compares servers of translations: hexapla serve, LibreTranslate, and a minimal server around CTranslate2, alternating.

    bench/serve_vs_libretranslate.py -m run --source test.en --cores 1

All have the same weights and answer POST /translate, beam 4, with --sentences lines of the source per request, joined
to a paragraph; each server splits it into sentences again. Each round measures the throughput of
--connections that send the next request as soon as the last is answered, then the response time at half that rate with
random arrivals, independent of answers; for hexapla also at half of each other server's rate. Prints medians over the
rounds and ratios to hexapla. With --cores 1 the servers have one core and this program another; with 2 they share two.
CTranslate2 has one single-threaded translator per core in both servers: on two cores of a Xeon that was several times
as fast as one translator with two threads.
The minimal server translates all waiting requests as one batch and has no other features. Needs ctranslate2,
sentencepiece, libretranslate (its sentence splitter, which would be downloaded, is replaced by the rule of sentences() below, which
gives what hexapla's rule does for captions), a built hexapla, and a model that `hexapla export --to argos` accepts.
"""
import argparse, asyncio, json, os, random, re, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
PORT = 5791


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--hexapla", default=os.path.join(os.path.dirname(HERE), "build/release/hexapla"))
    p.add_argument("-m", "--model", required=True, help="a model file")
    p.add_argument("--source", required=True, help="lines to translate")
    p.add_argument("--sentences", type=int, default=1, help="lines of the source per request")
    p.add_argument("--cores", type=int, default=1)
    p.add_argument("--precision", default="int8", choices=["f32", "int8"])
    p.add_argument("--connections", type=int, default=32)
    p.add_argument("--seconds", type=float, default=10)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--servers", default="ctranslate2,libretranslate")
    return p.parse_args()


def sentences(text):
    return [s for s in re.split(r"(?<=[.!?])\s+", text) if s]


# ---------------------------------------------------------------------------------------------- the load

class Connection:
    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", PORT)
        return self

    async def ask(self, line):
        body = json.dumps({"q": line, "source": "en", "target": "de", "format": "text"}).encode()
        self.writer.write(b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                          b"Content-Length: %d\r\n\r\n" % len(body) + body)
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1])
        answer = await self.reader.readexactly(length)
        if b" 200 " not in head[:16]:
            raise RuntimeError(f"{head!r} {answer!r}")
        if b"close" in head.lower():
            await self.open()
        return json.loads(answer)["translatedText"]


async def saturated(lines, connections, seconds):
    """-> requests per second, excluding the first two seconds"""
    begin = time.perf_counter() + 2
    end, counted, at = begin + seconds, 0, 0

    async def one():
        nonlocal counted, at
        c = await Connection().open()
        while time.perf_counter() < end:
            at += 1
            await c.ask(lines[at % len(lines)])
            counted += begin <= time.perf_counter() < end
    await asyncio.gather(*(one() for _ in range(connections)))
    return counted / seconds


async def latencies(lines, rate, seconds):
    """-> for each request, seconds from its scheduled time to its answer"""
    pick, found, free = random.Random(1), [], []

    async def one(line, due):
        c = free.pop() if free else await Connection().open()
        await c.ask(line)
        found.append(time.perf_counter() - due)
        free.append(c)
    due, end, tasks, i = time.perf_counter(), time.perf_counter() + seconds, [], 0
    while due < end:
        await asyncio.sleep(max(0, due - time.perf_counter()))
        tasks.append(asyncio.ensure_future(one(lines[i % len(lines)], due)))
        due, i = due + pick.expovariate(rate), i + 1
    await asyncio.gather(*tasks)
    return sorted(found)


# ---------------------------------------------------------------------------------------------- the servers

def minimal_server(folder, precision, threads):
    """Translates all waiting requests as one batch."""
    import ctranslate2, sentencepiece
    spm = sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, "sentencepiece.model"))
    translator = ctranslate2.Translator(os.path.join(folder, "model"), intra_threads=1, inter_threads=threads,
                                        compute_type={"f32": "float32"}.get(precision, "int8"))
    waiting, arrived = [], asyncio.Event()

    def translate(texts):
        parts = [sentences(text) for text in texts]
        tokens = [spm.encode(line, out_type=str) + ["</s>"] for lines in parts for line in lines]
        found = iter(translator.translate_batch(tokens, beam_size=4, length_penalty=0.6, max_batch_size=32 // threads))
        return [" ".join(spm.decode(next(found).hypotheses[0]) for _ in lines) for lines in parts]

    async def work():
        loop = asyncio.get_running_loop()
        while True:
            await arrived.wait()
            arrived.clear()
            while waiting:
                some, waiting[:] = waiting[:64], waiting[64:]
                for (_, future), text in zip(some, await loop.run_in_executor(None, translate, [s[0] for s in some])):
                    future.set_result(text)

    async def serve(reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                body = await reader.readexactly(int(re.search(rb"(?i)content-length: *(\d+)", head)[1]))
                future = asyncio.get_running_loop().create_future()
                waiting.append((json.loads(body)["q"], future))
                arrived.set()
                answer = json.dumps({"translatedText": await future}).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                             b"Content-Length: %d\r\n\r\n" % len(answer) + answer)
        except asyncio.IncompleteReadError:
            writer.close()

    async def run():
        asyncio.ensure_future(work())
        async with await asyncio.start_server(serve, "127.0.0.1", PORT) as server:
            await server.serve_forever()
    asyncio.run(run())


def libretranslate(threads):
    """LibreTranslate's own main(), with a sentence splitter that needs no download."""
    import minisbd

    class Splitter:
        def __init__(self, *a, **k): pass
        def sentences(self, text): return sentences(text)
    minisbd.SBDetect = Splitter
    import argostranslate.sbd as sbd
    sbd.SBDetect, sbd.minisbd_models.list_models = Splitter, lambda: ["en", "de"]
    from libretranslate.main import main
    sys.argv = ["libretranslate", "--host", "127.0.0.1", "--port", str(PORT), "--threads", str(max(4, 2 * threads)),
                "--disable-web-ui"]
    main()


def packages(o, folder):
    """Exports the model for CTranslate2 and LibreTranslate. -> CTranslate2's folder"""
    for pair in ("en-de", "de-en"):  # LibreTranslate requires two; the second is unused
        place = os.path.join(folder, "packages", "translate-" + pair.replace("-", "_") + "-1_0")
        os.makedirs(os.path.dirname(place), exist_ok=True)
        subprocess.run([o.hexapla, "export", o.model, "--to", "argos", "--languages", pair, "-o", place], check=True,
                       stderr=subprocess.DEVNULL)
    return os.path.join(folder, "packages", "translate-en_de-1_0")


def command_of(server, o, folder):
    if server == "hexapla":
        return [o.hexapla, "serve", "-q", "-m", "en-de=" + o.model, "--port", str(PORT), "--threads", str(o.cores),
                "--precision", o.precision]
    return [sys.executable, os.path.abspath(__file__), "--run", server, folder, o.precision, str(o.cores)]


def start(server, o, folder, log):
    cores = "0" if o.cores == 1 else ",".join(map(str, range(o.cores)))
    environment = {**os.environ, "HOME": os.path.dirname(os.path.dirname(folder)),
                   "ARGOS_PACKAGES_DIR": os.path.dirname(folder), "ARGOS_INTER_THREADS": str(o.cores),
                   "ARGOS_INTRA_THREADS": "1", "ARGOS_COMPUTE_TYPE": {"f32": "float32"}.get(o.precision, "int8")}
    process = subprocess.Popen(["taskset", "-c", cores, *command_of(server, o, folder)], stdout=log, stderr=log,
                               env=environment)

    async def first():
        c = await Connection().open()
        return await c.ask("A dog runs.")
    for _ in range(600):
        try:
            return process, asyncio.run(first())
        except (OSError, RuntimeError, asyncio.IncompleteReadError):
            if process.poll() is not None:
                sys.exit(f"{server} ended; see {log.name}")
            time.sleep(0.1)
    sys.exit(f"{server} does not answer; see {log.name}")


def measure(server, o, folder, lines, log, rates_of_others):
    """-> requests per second; (median, p99) in ms at half that rate, and at the given rates"""
    process, said = start(server, o, folder, log)
    times = []
    try:
        throughput = asyncio.run(saturated(lines, o.connections, o.seconds))
        for rate in [throughput / 2, *rates_of_others]:
            found = asyncio.run(latencies(lines, rate, o.seconds))
            times.append([found[min(len(found) - 1, int(share * len(found)))] * 1e3 for share in (0.5, 0.99)])
    finally:
        process.terminate()
        process.wait()
    print(f"{server:15} {throughput:8.1f} requests/s; " +
          ", ".join(f"median {m:.1f} ms, p99 {p:.1f} ms" for m, p in times) + f"   {said}", flush=True)
    return throughput, times


def main():
    o = options()
    with open(o.source, encoding="utf-8") as f:
        lines = f.read().splitlines()
    lines = [" ".join(lines[i:i + o.sentences]) for i in range(0, len(lines), o.sentences)]
    if o.cores == 1:
        os.sched_setaffinity(0, {1})
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "log"), "w") as log:
        place = packages(o, folder)
        others, rounds = o.servers.split(","), []
        for i in range(o.rounds):
            order = others if i % 2 == 0 else others[::-1]
            found = {server: measure(server, o, place, lines, log, []) for server in order}
            found["hexapla"] = measure("hexapla", o, place, lines, log, [found[server][0] / 2 for server in others])
            rounds.append(found)
        middle = lambda of: statistics.median(of(r) for r in rounds)
        print(f"{o.model}, {o.precision}, {o.cores} cores, {o.sentences} sentences per request, medians of {o.rounds} rounds")
        for server in ["hexapla", *others]:
            print(f"  {server:15} {middle(lambda r: r[server][0]):8.1f} requests/s; at half of it "
                  f"median {middle(lambda r: r[server][1][0][0]):6.1f} ms, p99 {middle(lambda r: r[server][1][0][1]):6.1f} ms")
        for k, server in enumerate(others):
            print(f"  hexapla to {server}: {middle(lambda r: r['hexapla'][0] / r[server][0]):.2f} times the requests; "
                  f"p99 at half of {server}'s rate {middle(lambda r: r['hexapla'][1][k + 1][1]):.1f} ms, "
                  f"{middle(lambda r: r['hexapla'][1][k + 1][1] / r[server][1][0][1]):.2f} of {server}'s")


if sys.argv[1:2] == ["--run"]:
    what, folder, precision, threads = sys.argv[2:6]
    minimal_server(folder, precision, int(threads)) if what == "ctranslate2" else libretranslate(int(threads))
elif __name__ == "__main__":
    main()
