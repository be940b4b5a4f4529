#!/usr/bin/env python3
"""Stress-tests hexapla serve on the loopback address, and reports whether anything was lost.

    scripts/server_faults.py build/release/hexapla [--model FILE] [--requests N] [--seconds S] [PART ...]

    soak      N requests with N different lines and varying options from 64 connections: none lost or mixed up (compares
              each with the output of `hexapla translate`)
    idle      10,000 connections that send nothing, or a byte of a header now and then: memory, time of other clients
    overload  S seconds of three times as many requests as the server can answer, from an address with a lower limit:
              memory, time of other clients
    large     a client with four requests of 64 lines at a time: its lines per second, time of other clients
    kill      kill -9 every few seconds under load, and a restart: clients that retry lose nothing
    swap      two models alternating under the same path, reloaded by SIGHUP under load: no request fails
    term      SIGTERM under load, ten times: every accepted request is answered

The default is all parts. Memory is the resident set. Exit code 1 if something was lost or wrong.
"""
import argparse, asyncio, json, multiprocessing, os, random, re, resource, shutil, signal, statistics, subprocess, sys
import tempfile, time

from server_load import Measured, check, failures, flood, large_requests, line_of, request_of

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMBINATIONS = [{}, {"beam_size": 1}, {"beam_size": 6, "length_penalty": 1.0}, {"max_repetition": 2, "extra_length": 3},
                {"no_repeat_ngram": 2}, {"length_normalization": "power", "beam_size": 2}]
PARTS = ["soak", "idle", "overload", "large", "kill", "swap", "term"]


class Server(Measured):
    def __init__(self, o, folder, *more, port=0):
        self.log = open(os.path.join(folder, "log"), "a+")
        at = self.log.seek(0, 2)
        command = [o.hexapla, "serve", "-m", "en-de=" + o.model, "--port", str(port), "--extra-length", "10",
                   "--connections-per-address", "20000", "--connections", "20000", *more]
        self.process = subprocess.Popen(command, stderr=self.log)
        for _ in range(1000):
            self.log.seek(at)
            found = re.search(r"serving at http://127.0.0.1:(\d+)", self.log.read())
            if found:
                self.port = int(found[1])
                return
            time.sleep(0.01)
        sys.exit("the server does not start; see " + self.log.name)

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.process.wait()


class Connection:
    def __init__(self, port, address="127.0.0.1"):
        self.port, self.address, self.writer = port, address, None

    async def ask(self, line, options=None):
        """-> status, translation"""
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port,
                                                                     local_addr=(self.address, 0))
        self.writer.write(request_of(line, options))
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
            answer = await self.reader.readexactly(int(re.search(rb"(?i)content-length: *(\d+)", head)[1]))
        except (asyncio.IncompleteReadError, ConnectionError):
            self.close()
            raise ConnectionError("closed")
        if re.search(rb"(?i)connection: *close", head):
            self.close()
        status = int(head[9:12])
        return status, json.loads(answer)["translations"][0][0]["text"] if status == 200 else ""

    def close(self):
        if self.writer:
            self.writer.close()
        self.writer = None


def expected(o, folder, lines, combination):
    """-> translations of these lines by `hexapla translate`"""
    given = {"extra_length": 10, **combination}
    flags = [word for name, value in given.items() for word in ("--" + name.replace("_", "-"), str(value))]
    path = os.path.join(folder, "lines")
    with open(path, "w") as f:
        f.writelines(line + "\n" for line in lines)
    with open(path) as f:
        done = subprocess.run([o.hexapla, "translate", "-q", "-m", o.model, *flags], stdin=f, capture_output=True,
                              text=True, check=True)
    return done.stdout.split("\n")[:-1]


# ---------------------------------------------------------------------------------------------- soak

def soak_part(port, numbers, queue):
    async def run():
        left, found = iter(numbers), {}

        async def one():
            c = Connection(port)
            for i in left:
                found[i] = await c.ask(line_of(i), COMBINATIONS[i % len(COMBINATIONS)])
        await asyncio.gather(*(one() for _ in range(32)))
        return found
    queue.put(asyncio.run(run()))


def soak(o, folder):
    server, begin, wrong, lost, done, memory = Server(o, folder), time.time(), 0, 0, 0, []
    step = 60_000
    for first in range(0, o.requests, step):
        numbers = range(first, min(first + step, o.requests))
        queue, half = multiprocessing.Queue(), len(numbers) // 2
        parts = [multiprocessing.Process(target=soak_part, args=(server.port, p, queue))
                 for p in (numbers[:half], numbers[half:])]
        for p in parts:
            p.start()
        answers = {**queue.get(), **queue.get()}
        for p in parts:
            p.join()
        memory.append(server.resident())
        done += len(answers)
        for k, combination in enumerate(COMBINATIONS):
            mine = [i for i in numbers if i % len(COMBINATIONS) == k]
            for i, text in zip(mine, expected(o, folder, [line_of(i) for i in mine], combination)):
                lost += answers.get(i, (0, ""))[0] != 200
                wrong += answers.get(i, (0, ""))[1] != text
    server.end()
    print(f"soak: {done:,} requests from 64 connections in {time.time() - begin:.0f} s with the comparison")
    check(lost == 0 and done == o.requests, f"{lost} lost")
    check(wrong == 0, f"{wrong} wrong")
    quarter = memory[len(memory) // 4]
    check(memory[-1] < 1.1 * quarter + 4, f"memory {memory[0]:.0f}, then {quarter:.0f} .. {memory[-1]:.0f} MiB")


# ---------------------------------------------------------------------------------------------- others' time

async def times_of_others(port, seconds, rate=50, address="127.0.0.2"):
    """Milliseconds of requests at this rate from 8 connections. -> median, p99, share that was refused"""
    connections, found, refused, tasks = [Connection(port, address) for _ in range(8)], [], 0, []

    async def one(c, i):
        nonlocal refused
        begin = time.perf_counter()
        try:
            status, _ = await c.ask(line_of(i))
        except ConnectionError:  # the server closed it after long silence
            status, _ = await c.ask(line_of(i))
        refused += status != 200
        found.append((time.perf_counter() - begin) * 1e3)
    begin = time.perf_counter()
    for i in range(int(seconds * rate)):
        await asyncio.sleep(max(0, begin + i / rate - time.perf_counter()))
        free = [k for k in range(8) if k >= len(tasks) or tasks[k].done()]
        if not free:
            continue
        k = free[0]
        task = asyncio.ensure_future(one(connections[k], i))
        if k < len(tasks):
            tasks[k] = task
        else:
            tasks.append(task)
    await asyncio.gather(*tasks)
    found.sort()
    return statistics.median(found), found[int(0.99 * len(found))], refused / len(found)


def show_others(before, during):
    print(f"  others: median {before[0]:.2f} -> {during[0]:.2f} ms, p99 {before[1]:.2f} -> {during[1]:.2f} ms, "
          f"refused {during[2]:.1%}")


def report_others(before, during, m0, m1):
    show_others(before, during)
    check(during[1] <= 2 * before[1], f"p99 of others {during[1] / before[1]:.2f} times that of before")
    check(m1 < 1.1 * m0 + 8, f"memory {m0:.0f} -> {m1:.0f} MiB")


def hold_connections(port, count, open_now, stop):
    """Opens a thousand connections per second and holds them. Runs in its own process at idle priority, so that the cost
    of holding them does not affect the server."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))

    async def one(i):
        await asyncio.sleep(i / 1000)
        while not stop.is_set():
            try:
                mine = (f"127.0.1.{i % 250 + 1}", 0)
                reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=mine)
            except OSError:
                await asyncio.sleep(0.5)
                continue
            open_now.value += 1
            try:
                writer.write(b"GET /health HTTP/1.1\r\nHost: x\r\n" if i % 2 else b"")
                while not stop.is_set() and not reader.at_eof():
                    if i % 2:
                        writer.write(b"X")
                    try:
                        await asyncio.wait_for(reader.read(100), 5)
                    except asyncio.TimeoutError:
                        pass
            except OSError:
                pass
            open_now.value -= 1
            writer.close()

    async def all_of_them():
        await asyncio.gather(*(one(i) for i in range(count)))
    asyncio.run(all_of_them())


def idle(o, folder):
    resource.setrlimit(resource.RLIMIT_NOFILE, (20_000, max(20_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    server = Server(o, folder)
    before = asyncio.run(times_of_others(server.port, 20))
    open_now, stop = multiprocessing.Value("l", 0), multiprocessing.Event()
    holder = multiprocessing.Process(target=hold_connections, args=(server.port, 10_000, open_now, stop))
    holder.start()
    for _ in range(120):
        time.sleep(0.5)
        if open_now.value > 9_500:
            break
    m0, most = server.resident(), open_now.value
    during = asyncio.run(times_of_others(server.port, 30))
    m1 = server.resident()
    stop.set()
    holder.join(30)
    holder.kill()
    server.end()
    print(f"idle: {most:,} connections, half of them silent, half with a letter of a header every 5 seconds")
    check(most > 9_000, f"{most:,} connections were open")
    report_others(before, during, m0, m1)


async def keep_asking(port, seconds, connections, address, pause=0.0):
    """-> counts by status"""
    end, counts = time.perf_counter() + seconds, {}

    async def one(k):
        c, i = Connection(port, address), k
        while time.perf_counter() < end:
            try:
                status, _ = await c.ask(line_of(i))
            except ConnectionError:
                status = 0
            counts[status] = counts.get(status, 0) + 1
            i += connections
            if pause:
                await asyncio.sleep(pause)
    await asyncio.gather(*(one(k) for k in range(connections)))
    return counts


def overload(o, folder):
    server = Server(o, folder)
    most = asyncio.run(keep_asking(server.port, 5, 32, "127.0.0.1")).get(200, 0) / 5
    server.end()
    limit = int(most * o.share * 60)  # per address
    server = Server(o, folder, "--requests-per-minute", str(limit))
    before = asyncio.run(times_of_others(server.port, 60))
    queue = multiprocessing.Queue()
    flooding = multiprocessing.Process(target=flood, args=(server.port, 3 * most, o.seconds, queue))
    flooding.start()
    time.sleep(min(10, o.seconds / 4))
    m0 = server.resident()
    during = asyncio.run(times_of_others(server.port, o.seconds * 0.7))
    m1 = server.resident()
    counts = queue.get()
    flooding.join()
    server.end()
    print(f"overload: {most:.0f} requests per second is all it can; {sum(counts.values()) / o.seconds:.0f} were sent for "
          f"{o.seconds} s by an address that may send {limit / 60:.0f}: {counts}")
    report_others(before, during, m0, m1)


def large(o, folder):
    server = Server(o, folder)
    before = asyncio.run(times_of_others(server.port, 20))
    stop, lines = multiprocessing.Event(), multiprocessing.Value("l", 0)
    clients = [multiprocessing.Process(target=large_requests, args=(server.port, 1_000_000 * k, stop, lines))
               for k in range(4)]
    for c in clients:
        c.start()
    rates = []

    def rate_of(f):
        first, begin = lines.value, time.perf_counter()
        found = f()
        rates.append((lines.value - first) / (time.perf_counter() - begin))
        return found
    rate_of(lambda: time.sleep(10))
    m0 = server.resident()
    during = rate_of(lambda: asyncio.run(times_of_others(server.port, 20)))
    m1 = server.resident()
    stop.set()
    for c in clients:
        c.join()
    server.end()
    print(f"large: {rates[0]:.0f} lines per second alone, {rates[1]:.0f} beside others")
    show_others(before, during)
    check(during[0] < 5 * before[0], "others do not wait for the lines of the large requests")
    check(m1 < 1.1 * m0 + 8, f"memory {m0:.0f} -> {m1:.0f} MiB")


# ---------------------------------------------------------------------------------------------- kill, swap, term

async def trying_again(port, numbers, connections):
    """-> by number the translation, and how often a client had to try again"""
    left, found, tries = iter(numbers), {}, [0]

    async def one():
        c = Connection(port)
        for i in left:
            while i not in found:
                try:
                    status, text = await asyncio.wait_for(c.ask(line_of(i)), 10)
                    if status == 200:
                        found[i] = text
                        continue
                except (OSError, asyncio.TimeoutError):
                    c.close()
                tries[0] += 1
                await asyncio.sleep(0.05)
    await asyncio.gather(*(one() for _ in range(connections)))
    return found, tries[0]


def under_load(o, folder, numbers, port, disturb):
    queue = multiprocessing.Queue()
    clients = multiprocessing.Process(target=lambda: queue.put(asyncio.run(trying_again(port, numbers, 32))))
    clients.start()
    times = 0
    while clients.is_alive() and queue.empty():
        time.sleep(random.uniform(0.3, 1.5))
        disturb()
        times += 1
    found, tries = queue.get()
    clients.join()
    return found, tries, times


def kill(o, folder):
    server = Server(o, folder)
    port = server.port

    def disturb():
        nonlocal server
        server.end(signal.SIGKILL)
        server = Server(o, folder, port=port)
    numbers = range(min(o.requests, 20_000))
    found, tries, times = under_load(o, folder, numbers, port, disturb)
    server.end()
    right = expected(o, folder, [line_of(i) for i in numbers], {})
    print(f"kill: {len(numbers):,} requests, {times} times kill -9 and a restart, {tries} tries again")
    check(all(found.get(i) == right[i] for i in numbers), "all answered, and right")


def swap(o, folder):
    other = os.path.join(folder, "other.safetensors")
    first, place = o.model, os.path.join(folder, "served.safetensors")
    subprocess.run([o.hexapla, "quantize", "-q", "-m", first, "-o", other], check=True)
    shutil.copy(first, place)
    o.model = place
    server, models = Server(o, folder), [other, first]

    def disturb():
        shutil.copy(models[0], place + ".new")
        os.rename(place + ".new", place)
        models.reverse()
        server.process.send_signal(signal.SIGHUP)
    numbers = range(min(o.requests, 40_000))
    found, tries, times = under_load(o, folder, numbers, server.port, disturb)
    server.end()
    lines, right = [line_of(i) for i in numbers], []
    for o.model in (first, other):
        right.append(expected(o, folder, lines, {}))
    o.model = first
    print(f"swap: {len(numbers):,} requests, the model was exchanged {times} times; "
          f"{sum(a != b for a, b in zip(*right)):,} lines differ between the two models")
    check(tries == 0, f"{tries} requests failed")
    check(all(found[i] in (right[0][i], right[1][i]) for i in numbers), "each has the translation of one of the models")


def term(o, folder):
    unanswered, answered, refused, codes = 0, 0, 0, set()
    for k in range(10):
        server = Server(o, folder)

        async def run():
            async def one(i):
                nonlocal unanswered, answered, refused
                c = Connection(server.port)
                while True:
                    try:
                        status, _ = await c.ask(line_of(i))
                        answered += status == 200
                        refused += status != 200
                    except ConnectionRefusedError:
                        return  # no longer listening
                    except ConnectionError:
                        unanswered += 1
                        return
                    i += 64
            tasks = [asyncio.ensure_future(one(i)) for i in range(64)]
            await asyncio.sleep(1 + k / 10)
            server.process.send_signal(signal.SIGTERM)
            await asyncio.gather(*tasks)
        asyncio.run(run())
        codes.add(server.process.wait())
    print(f"term: SIGTERM under load ten times: {answered:,} answered, {refused} refused, exit status {codes}")
    check(codes == {0}, "the server ends by itself")
    check(unanswered == 0, f"{unanswered} connections were closed while their request was on its way")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("hexapla")
    p.add_argument("part", nargs="*", help=", ".join(PARTS))
    p.add_argument("--model", default=os.path.join(ROOT, "tests/fixtures/run_of_0.1.0/model.safetensors"))
    p.add_argument("--requests", type=int, default=1_000_000)
    p.add_argument("--seconds", type=int, default=600)
    p.add_argument("--share", type=float, default=0.25, help="of all requests that the server can answer, those that the "
                   "address which overloads it may send")
    o = p.parse_intermixed_args()
    for part in set(o.part) - set(PARTS):
        p.error(f"there is no part {part}; choose from {', '.join(PARTS)}")
    multiprocessing.set_start_method("fork")
    for part in o.part or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            globals()[part](o, folder)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
