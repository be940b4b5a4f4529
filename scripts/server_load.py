"""What server_faults.py and server_attack.py share: what they find, lines, and clients that cause heavy load."""
import http.client, json, select, socket, time

failures = []


def check(right, what):
    print(f"  {'ok   ' if right else 'WRONG'} {what}", flush=True)
    if not right:
        failures.append(what)


class Measured:
    """A server in self.process."""

    def resident(self):
        """MiB"""
        with open(f"/proc/{self.process.pid}/status") as f:
            return next(int(l.split()[1]) / 1024 for l in f if l.startswith("VmRSS"))


WORDS = "a dog cat bird runs sleeps fast here and two big red".split()


def line_of(i):
    """-> a line of 5 to 8 words, unique to this number"""
    words = []
    for _ in range(5 + i % 4):
        i, word = divmod(i, len(WORDS))
        words.append(WORDS[word])
    return " ".join(words) + f" {i}" if i else " ".join(words)


def request_of(line, options=None):
    body = json.dumps({"q": line, "options": {"extra_length": 10, **(options or {})}}).encode()
    return (b"POST /v1/translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body) + body)


class Flood:
    """Sends requests at a fixed rate from one address, regardless of answers. Uses plain sockets and prepared texts, and
    reads only the status, to leave the machine to the server."""
    most_connections = 4000

    def __init__(self, port, rate):
        self.port, self.rate, self.counts = port, rate, {}
        self.poll, self.sockets, self.free = select.epoll(), {}, []
        self.requests = [request_of(line_of(i)) for i in range(2000)]

    def run(self, seconds):
        """-> counts by status; 0: closed; "unsent": no free connection"""
        begin, sent = time.perf_counter(), 0
        while (now := time.perf_counter()) < begin + seconds:
            while sent < (now - begin) * self.rate:
                self.send(self.requests[sent % len(self.requests)])
                sent += 1
            for fd, _ in self.poll.poll(0.001, 256):
                if fd in self.sockets:
                    self.receive(self.sockets[fd])
        return self.counts

    def count(self, status):
        self.counts[status] = self.counts.get(status, 0) + 1

    def send(self, request):
        if not self.free and len(self.sockets) >= self.most_connections:
            return self.count("unsent")
        if self.free:
            s = self.free.pop()
        else:
            s = socket.create_connection(("127.0.0.1", self.port), source_address=("127.0.0.3", 0))
            s.setblocking(False)
            self.sockets[s.fileno()] = s
            self.poll.register(s, select.EPOLLIN)
        try:
            s.send(request)
        except ConnectionError:
            self.close(s)

    def receive(self, s):
        try:
            answer = s.recv(65536)
        except ConnectionError:
            answer = b""
        if not answer:
            return self.close(s)
        self.count(int(answer[9:12]))
        self.free.append(s)

    def close(self, s):
        """Forgets a connection that the server closed after long silence."""
        if s in self.free:
            self.free.remove(s)
        else:
            self.count(0)
        self.poll.unregister(s)
        del self.sockets[s.fileno()]
        s.close()


def flood(port, rate, seconds, queue):
    queue.put(Flood(port, rate).run(seconds))


def large_requests(port, first, stop, lines):
    """Sends requests of 64 lines one after the other from one address. Adds the answers to `lines`."""
    c, i = http.client.HTTPConnection("127.0.0.1", port, source_address=("127.0.0.4", 0)), first
    while not stop.is_set():
        body = json.dumps({"q": [line_of(i + j) for j in range(64)], "options": {"extra_length": 10}})
        c.request("POST", "/v1/translate", body, {"Content-Type": "application/json"})
        c.getresponse().read()
        with lines.get_lock():
            lines.value += 64
        i += 64
