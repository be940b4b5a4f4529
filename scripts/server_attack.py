#!/usr/bin/env python3
"""Attacks hexapla serve on the loopback address with every shape of request that once stopped it, beside one polite
client, and reports what that client and the operator noticed.

    scripts/server_attack.py build/release/hexapla [--model FILE] [--seconds S] [--clients N]

Each of N clients sends requests of random shapes: pages whose tags or attributes a parser compares with each other, deep
and wide Markdown, forms of a million fields, documents that are refused, damaged gzip, invalid keys, looping traces,
requests that are sent by halves or whose answer nobody reads. Nobody reads the server's stderr either. Passes if every
request of the polite client is answered correctly, /health is answered within a second each time, SIGTERM in the middle of
it ends the server within its grace period, and memory returns to its start, but for the files that it keeps for clients. Exit
code 1 otherwise.
"""
import argparse, gzip, http.client, json, random, re, shutil, signal, socket, subprocess, sys, tempfile, threading
import time

from server_load import Measured, check, failures

GRACE = 35  # seconds from SIGTERM to the end: 30 for the requests that are being answered, and some for the machine
KEY, OTHER_KEY = "polite-key", "attacker-key"
MIB = 1 << 20


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server(Measured):
    """Its stderr is a pipe that is read until it serves and never again."""

    def __init__(self, o, keys):
        self.port = free_port()
        self.process = subprocess.Popen([o.hexapla, "serve", "-m", "en-de=" + o.model, "--port", str(self.port),
                                         "--extra-length", "10", "--api-keys", keys], stderr=subprocess.PIPE)
        for line in self.process.stderr:
            if b"serving at" in line:
                return
        sys.exit("the server does not start")


def ask(port, method, path, body=None, headers=None, timeout=60, address="127.0.0.1"):
    """-> status, body"""
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout, source_address=(address, 0))
    try:
        c.request(method, path, body, headers or {})
        answer = c.getresponse()
        return answer.status, answer.read()
    finally:
        c.close()


def json_of(fields):
    return json.dumps(fields).encode(), {"Content-Type": "application/json", "Authorization": "DeepL-Auth-Key " + OTHER_KEY}


def multipart(fields, name, content):
    edge = b"attack-edge"
    parts = [b'--%s\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (edge, k.encode(), v.encode())
             for k, v in fields.items()]
    parts.append(b'--%s\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n\r\n%s\r\n--%s--\r\n'
                 % (edge, name.encode(), content, edge))
    return b"".join(parts), {"Content-Type": "multipart/form-data; boundary=attack-edge",
                             "Authorization": "DeepL-Auth-Key " + OTHER_KEY}


def html(size):
    """A page that is worse than linear for some parser."""
    n = size // 8
    return random.choice([
        lambda: "<p " + " ".join(f"a{i}" for i in range(n)) + ">dog</p>",
        lambda: "<b>" * (n * 2) + "dog",
        lambda: "<a><b><i>" * n,
        lambda: "<table><tr>" + "<td>dog" * n,
        lambda: "<table>" * n + "dog",
        lambda: "&amp" * (n * 2),
        lambda: "<p id='" + "x" * size + "'>dog</p>",
        lambda: "".join(f"<x{i}>" for i in range(n)) + "dog",
    ])()


def markdown(size):
    n = size // 50
    return random.choice([
        lambda: "".join("  " * i + "- dog\n" for i in range(int((size * 0.9) ** 0.5))) + "\n" * (size // 40),
        lambda: "|" + "a|" * n + "\n|" + "-|" * n + "\n|" + "dog|" * n + "\n",
        lambda: "[" * size,
        lambda: "*a **b " * (size // 7),
        lambda: ">" * n + " dog\n",
        lambda: "".join(f"[{i}]: /u\n" for i in range(n)) + "[0]" * n,
        lambda: "`" * 3 + ("`" + "a") * n,
    ])()


def shapes(port):
    """-> name, function that sends one such request"""
    def post(path, body, headers, address="127.0.0.1"):
        return ask(port, "POST", path, body, headers, address=address)

    def half(data):
        with socket.create_connection(("127.0.0.1", port)) as s:
            s.sendall(b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + data)
            time.sleep(random.random() * 3)

    def unread():
        body, _ = json_of({"q": ["a dog"] * 200, "api_key": OTHER_KEY, "source": "en", "target": "de"})
        with socket.create_connection(("127.0.0.1", port)) as s:
            for _ in range(20):
                s.sendall(b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d"
                          b"\r\n\r\n" % len(body) + body)
            time.sleep(random.random() * 3)

    def left(make):
        body, headers = make()
        with socket.create_connection(("127.0.0.1", port)) as s:
            head = "".join(f"{k}: {v}\r\n" for k, v in headers.items())
            s.sendall(f"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n{head}\r\n".encode() + body)

    def page():
        return json_of({"q": html(random.choice([1000, 30_000, 2_000_000])), "source": "en", "target": "de",
                        "format": "html", "api_key": OTHER_KEY})

    def document(name, text):
        return multipart({"target_lang": "DE", "source_lang": "EN"}, name, text.encode())

    def damaged():
        data = bytearray(gzip.compress(json.dumps({"q": "a dog " * 100}).encode()))
        data[random.randrange(len(data))] ^= 255
        return post("/translate", bytes(data * random.choice([1, 2])), {"Content-Type": "application/json",
                                                                      "Content-Encoding": "gzip"})

    form = {"Content-Type": "application/x-www-form-urlencoded"}
    return [
        ("pages", lambda: post("/translate", *page())),
        ("pages whose client leaves", lambda: left(page)),
        ("forms of many fields", lambda: post("/translate", b"a&" * random.choice([1000, MIB]), form)),
        ("forms of many texts", lambda: post("/v2/translate", b"text=a&" * random.choice([10, 200_000]), form)),
        ("Markdown", lambda: post("/v2/document", *document("a.md", markdown(random.choice([5000, 200_000]))))),
        ("HTML documents", lambda: post("/v2/document", *document("a.html", html(random.choice([5000, 2_000_000]))))),
        ("long documents", lambda: post("/v2/document", *document("a.txt", "a dog runs\n" * random.choice([100, 20_000])))),
        ("documents that are too large", lambda: post("/v2/document", *document("a.txt", "dog " * (3 * MIB)))),
        ("damaged gzip", damaged),
        ("deep JSON", lambda: post("/translate", b"[" * 100_000, {"Content-Type": "application/json"})),
        ("other keys", lambda: post("/translate", json_of({"q": "dog"})[0], {
            "Content-Type": "application/json", "Authorization": "Bearer " + str(random.random())}, "127.0.0.3")),
        ("traces", lambda: post("/v1/trace", *json_of({"q": "7 March 1985 " * 8, "options": {"beam_size": 10}}))),
        ("inspections", lambda: post("/v1/inspect", *json_of({"q": "7 March 1985 " * 8, "top": 50}))),
        ("long lines", lambda: post("/translate", *json_of({"q": "a dog runs. " * 5000, "source": "en", "target": "de",
                                                            "api_key": OTHER_KEY}))),
        ("half a request", lambda: half(b"x" * random.randrange(1000))),
        ("unread answers", unread),
    ]


class Attackers:
    def __init__(self, port, clients):
        self.stop, self.counts, self.longest = threading.Event(), {}, {}
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run, args=(port,), daemon=True) for _ in range(clients)]
        for t in self.threads:
            t.start()

    def run(self, port):
        mine = shapes(port)
        while not self.stop.is_set():
            name, send = random.choice(mine)
            begin = time.time()
            try:
                sent = send()
                status = sent[0] if sent else "sent"
            except (OSError, http.client.HTTPException) as e:
                status = type(e).__name__
            with self.lock:
                seen = self.counts.setdefault(name, {})
                seen[status] = seen.get(status, 0) + 1
                self.longest[name] = max(self.longest.get(name, 0), time.time() - begin)

    def report(self):
        for name, seen in sorted(self.counts.items()):
            print(f"  {name:28} {self.longest[name]:6.1f} s at most  {seen}")


class Polite:
    """Translates, and asks for /health, one request at a time. Has an address of its own, as the wrong keys have, whose
    address is slowed down for them."""

    def __init__(self, port, answers):
        self.stop, self.wrong, self.right, self.health, self.times = threading.Event(), [], 0, [], []
        self.threads = [threading.Thread(target=f, args=a, daemon=True)
                        for f, a in ((self.translate, (port, answers)), (self.look, (port,)))]
        for t in self.threads:
            t.start()

    def translate(self, port, answers):
        headers = {"Content-Type": "application/json"}
        while not self.stop.is_set():
            line, right = random.choice(answers)
            body = json.dumps({"q": line, "source": "en", "target": "de", "api_key": KEY}).encode()
            begin = time.time()
            try:
                status, answer = ask(port, "POST", "/translate", body, headers, address="127.0.0.2")
                if status == 200 and json.loads(answer)["translatedText"] == right:
                    self.right += 1
                else:
                    self.wrong.append(f"{status} {answer[:200]}")
            except (OSError, http.client.HTTPException) as e:
                self.wrong.append(repr(e))
            self.times.append(time.time() - begin)
            time.sleep(0.2)

    def look(self, port):
        while not self.stop.is_set():
            begin = time.time()
            try:
                status = ask(port, "GET", "/health", timeout=10)[0]
            except (OSError, http.client.HTTPException):
                status = 0
            self.health.append((time.time() - begin, status))
            time.sleep(0.5)

    def end(self):
        self.stop.set()
        for t in self.threads:
            t.join()


def translated(o, lines):
    done = subprocess.run([o.hexapla, "translate", "-q", "-m", o.model, "--extra-length", "10"], text=True,
                          input="".join(l + "\n" for l in lines), capture_output=True, check=True)
    return list(zip(lines, done.stdout.split("\n")))


def metrics(server):
    return ask(server.port, "GET", "/metrics", headers={"Authorization": "Bearer " + KEY})[1].decode()


def own_memory(server):
    """MiB, without the translated files that clients may still download, which `--files` limits."""
    return server.resident() - int(re.search(r"\nhexapla_files_bytes (\d+)", metrics(server))[1]) / MIB


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hexapla")
    parser.add_argument("--model", help="default: one that `hexapla demo` trains")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--clients", type=int, default=8)
    o = parser.parse_args()
    folder = tempfile.mkdtemp()
    if not o.model:
        o.model = folder + "/model"
        subprocess.run([o.hexapla, "demo", "--model", o.model, "--max-updates", "50", "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
    with open(folder + "/keys", "w") as f:
        f.write(f"{KEY}\n{OTHER_KEY}\n")
    answers = translated(o, [f"{d} May 19{y}" for d in range(1, 20) for y in range(60, 80)])
    server = Server(o, folder + "/keys")
    quiet = Polite(server.port, answers)
    time.sleep(5)
    quiet.end()
    before = server.resident()
    print(f"{o.clients} clients attack for {o.seconds:.0f} s; {before:.0f} MiB before")
    polite, attackers = Polite(server.port, answers), Attackers(server.port, o.clients)
    time.sleep(o.seconds)
    attackers.stop.set()
    for t in attackers.threads:
        t.join(timeout=90)
    most = server.resident()
    deadline = time.time() + 90  # documents that were accepted are still being translated
    while own_memory(server) > before * 1.5 + 16 and time.time() < deadline:
        time.sleep(1)
    polite.end()
    attackers.report()
    print("\n".join("  kept: " + line for line in metrics(server).split("\n")
                    if re.match(r"hexapla_.*(bytes|documents)", line)))
    times = sorted(polite.times)
    check(not polite.wrong and polite.right > 0, f"{polite.right} polite requests right, {len(polite.wrong)} wrong "
          f"(median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s){'; ' + polite.wrong[0] if polite.wrong else ''}")
    slow = [t for t, status in polite.health if t > 1 or status != 200]
    check(not slow, f"/health {len(polite.health)} times, longest {max(polite.health)[0]:.2f} s, {len(slow)} late or wrong")
    check(own_memory(server) <= before * 1.5 + 16, f"memory {before:.0f} MiB before, {most:.0f} at the end of the attack, "
          f"{own_memory(server):.0f} after it, and {server.resident() - own_memory(server):.0f} of files kept for clients")
    attackers = Attackers(server.port, o.clients)
    time.sleep(min(20, o.seconds / 4))
    begin = time.time()
    server.process.send_signal(signal.SIGTERM)
    try:
        code = server.process.wait(timeout=GRACE)
    except subprocess.TimeoutExpired:
        server.process.kill()
        code = "none"
    check(code == 0, f"SIGTERM under attack: exit status {code} after {time.time() - begin:.1f} s")
    attackers.stop.set()
    shutil.rmtree(folder)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
