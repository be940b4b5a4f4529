"""A browser on the page, with the queries of the checks."""
import contextlib
import os
import pathlib
import re
import socket
import subprocess
import time
import urllib.request

from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("HEXAPLA_CHROMIUM", "/usr/bin/chromium")


def expect(condition, *what):
    if not condition:
        raise SystemExit("page: " + " ".join(str(w) for w in what))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def serving(program, *models, runs, options=()):
    """Serves these models with these other options until the end of the block; yields the address."""
    url = f"http://127.0.0.1:{free_port()}"
    server = subprocess.Popen([program, "serve", *(word for model in models for word in ("-m", model)), "--runs", runs, *options, "--host", "127.0.0.1", "--port", url.rsplit(":", 1)[1]],
                              stderr=subprocess.DEVNULL)
    try:
        wait_for(url + "/v1/models", server)
        yield url
    finally:
        server.terminate()
        server.wait(30)


def wait_for(url, server):
    for _ in range(300):
        if server.poll() is not None:
            raise SystemExit(f"the server ended with {server.returncode} before it answered")
        with contextlib.suppress(OSError):
            return urllib.request.urlopen(url, timeout=5).read()
        time.sleep(0.1)
    raise SystemExit(f"nothing answers at {url}")


class Visit:
    """One tab. Records every complaint of the browser and every request to another server."""

    def __init__(self, browser, url, **context):
        self.url, self.complaints = url, []
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "locale": "en-US", **context})
        self.tab = self.context.new_page()
        self.tab.set_default_timeout(30000)
        self.tab.on("console", lambda m: m.type in ("error", "warning") and self.complaints.append(m.text))
        self.tab.on("pageerror", lambda e: self.complaints.append(str(e)))
        self.tab.on("request", lambda r: r.url.startswith((url, "data:", "blob:")) or self.complaints.append(f"asks for {r.url}"))

    def open(self, hash_=""):
        self.tab.goto(f"{self.url}/{hash_}")
        self.tab.wait_for_selector("#model", state="attached")  # hidden during a training
        return self

    def type(self, text):
        self.tab.fill("#source", "")
        self.tab.locator("#source").press_sequentially(text, delay=10)
        self.translated()

    def translated(self):
        self.tab.locator("#status", has_text=re.compile(r"\d")).wait_for()

    def view(self, name):
        self.tab.click(f"#tab-{name}")

    def choose(self, control, value):
        self.tab.select_option(f"#{control}", value)

    def text(self, selector):
        return self.tab.inner_text(selector)

    def table(self, selector=".matrix-figure table"):
        """The cells of a hidden table: rows of texts, without its heads."""
        self.tab.wait_for_selector(selector, state="attached")
        return self.tab.eval_on_selector(selector, "t => [...t.tBodies[0].rows].map(r => [...r.cells].slice(1).map(c => c.textContent))")

    def picture(self, name):
        if folder := os.environ.get("HEXAPLA_SCREENSHOTS"):
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.tab.screenshot(path=f"{folder}/{name}.png", full_page=True)

    def accessible(self):
        """The violations that axe-core finds; none without axe-core."""
        if not (axe := os.environ.get("HEXAPLA_AXE")):
            return []
        self.tab.evaluate(pathlib.Path(axe).read_text(encoding="utf-8"))
        found = self.tab.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [f"{v['id']}: {v['nodes'][0]['target']} {v['nodes'][0]['failureSummary']}" for v in found["violations"]]

    def close(self):
        self.context.close()


@contextlib.contextmanager
def chromium():
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
