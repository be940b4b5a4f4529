#!/usr/bin/env python3
"""Sends the same 500 valid and invalid requests to hexapla serve and to LibreTranslate's own server, and compares status and
shape of the answers. Prints the reason of each intended difference; docs/serve.md lists them.

    tests/clients/compare_with_libretranslate.py MODEL [--hexapla FILE]

MODEL translates from English to German, and `hexapla export --to argos` must accept it. Needs libretranslate 1.9.6 and its
dependencies (its sentence splitter, a download, is replaced). Exit code 1 if an answer differs otherwise.
"""
import argparse, collections, http.client, json, os, random, subprocess, sys, tempfile, time, urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
OURS, THEIRS = 5787, 5788
JSON, FORM = "application/json", "application/x-www-form-urlencoded"


def libretranslate():
    """LibreTranslate's main()."""
    import libretranslate_offline
    sys.argv = ["libretranslate", "--host", "127.0.0.1", "--port", str(THEIRS), "--threads", "4", "--char-limit", "300",
                "--batch-limit", "5"]
    libretranslate_offline.main()


# ---------------------------------------------------------------------------------------------- requests

def multipart(fields, file=None):
    parts = [f'--b\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in fields.items()]
    if file:
        parts.append(f'--b\r\nContent-Disposition: form-data; name="file"; filename="{file[0]}"\r\n\r\n{file[1]}\r\n')
    return "".join(parts) + "--b--\r\n"


def requests(count, seed=1):
    """(method, target, content type or None, body), of all kinds in turn."""
    pick = random.Random(seed)
    words = "a dog cat bird runs sleeps fast here and two big red".split()
    texts = lambda: " ".join(pick.choices(words, k=pick.randint(1, 8)))
    odd = [None, "", " ", 5, 0.5, True, [], {}, [""], [None], [5], ["a dog", 5], ["a dog"], "a dog\ntwo cats\n", "你好", "ภาษาไทย",
           "a" * 301, ["a"] * 6, "😀", "<b>a dog</b> runs", "a dog. Two cats! Red?", "...", "123"]
    codes = ["en", "de", "auto", "fr", "zz", "", None, 5, "EN", "en-US"]
    found = []
    while len(found) < count:
        body = {"q": texts(), "source": "en", "target": "de"}
        kind = len(found) % 25
        if kind in (0, 1, 2):
            pass
        elif kind == 3:
            body["q"] = [texts() for _ in range(pick.randint(1, 5))]
        elif kind in (4, 5, 6, 7):
            body["q"] = pick.choice(odd)
        elif kind in (8, 9):
            body[pick.choice(["source", "target"])] = pick.choice(codes)
        elif kind == 10:
            body["source"] = "auto"
        elif kind == 11:
            del body[pick.choice(["q", "source", "target"])]
        elif kind in (12, 13):
            body["format"] = pick.choice(["html", "text", "pdf", "", None, 5])
        elif kind == 14:
            body["alternatives"] = pick.choice([0, 1, 2, 3, 11, -1, "2", "x", None])
        elif kind == 15:
            found.append(("POST", "/translate", FORM, urllib.parse.urlencode(body)))
            continue
        elif kind == 16:
            found.append(("POST", "/translate?" + urllib.parse.urlencode(body), None, ""))
            continue
        elif kind == 17:
            found.append(("POST", "/translate", "multipart/form-data; boundary=b", multipart(body)))
            continue
        elif kind == 18:
            found.append(("POST", "/detect", JSON, json.dumps({"q": pick.choice([texts(), "Ein Hund rennt hier.", *odd])})))
            continue
        elif kind == 19:
            found.append(("POST", "/detect", FORM, "q=" + urllib.parse.quote(texts())))
            continue
        elif kind == 20:
            name = pick.choice(["a.txt", "b.html", "c.srt", "d.xyz", ""])
            content = {"b.html": "<p>a dog</p>", "c.srt": "1\n00:00:01,000 --> 00:00:02,000\na dog\n"}.get(name, texts())
            fields = {k: v for k, v in body.items() if k != "q" and pick.random() < 0.9}
            file = (name, content) if pick.random() < 0.9 else None
            found.append(("POST", "/translate_file", "multipart/form-data; boundary=b", multipart(fields, file)))
            continue
        elif kind == 21:
            found.append((pick.choice(["GET", "POST", "HEAD"]), pick.choice(["/languages", "/frontend/settings", "/health", "/spec"]), None, ""))
            continue
        elif kind == 22:
            found.append((pick.choice(["GET", "POST", "PUT", "DELETE"]), pick.choice(["/translate", "/nothing", "/detect", "/suggest"]), None, ""))
            continue
        elif kind == 23:
            found.append(("POST", "/translate", pick.choice([JSON, "text/plain", None]), pick.choice(["{", "[]", "5", "null", '{"q":', "q=a"])))
            continue
        else:
            body["api_key"] = pick.choice(["", "abc", None])
        found.append(("POST", "/translate", JSON, json.dumps(body)))
    return found


def ask(port, method, target, content_type, body):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    c.request(method, target, body.encode(), {"Content-Type": content_type} if content_type else {})
    r = c.getresponse()
    text = r.read().decode()
    c.close()
    try:
        return r.status, json.loads(text) if text else None
    except ValueError:
        return r.status, text


def shape(value):
    """The parts of the answer that clients rely on: names and types, not texts and counts."""
    if isinstance(value, dict):
        return {k: shape(v) for k, v in sorted(value.items())}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


def is_text(q):
    return isinstance(q, str) or (isinstance(q, list) and all(isinstance(x, str) for x in q))


def on_purpose(request, ours, theirs):
    """Why these two differ, or None. docs/serve.md lists each of these."""
    method, target, content_type, body = request
    path = target.split("?")[0]
    try:
        given = json.loads(body) if content_type == JSON else {}
    except ValueError:
        given = {}
    if theirs[0] == 500 and isinstance(given, dict) and "alternatives" in given and given["alternatives"] is None:
        return "null is as good as nothing"
    if theirs[0] == 500:
        return "a wrong request is 400, not 500" if ours[0] in (400, 413, 415) else None
    if "alternatives parameter must be <= 10" in str(ours[1]):
        return "at most 10 alternatives"
    if ours[0] == theirs[0] in (404, 405) or (ours[0] in (404, 405) and theirs[0] in (404, 405)):
        return "404 and 405 are JSON, and a path that exists only for other methods is 405"
    if path == "/spec" and ours[0] == theirs[0]:
        return "/spec describes this server"
    if path == "/frontend/settings" and ours[0] == theirs[0]:
        return "settings of this server"
    if path == "/health" and ours[0] == theirs[0]:
        return "health is the same but for more fields" if isinstance(ours[1], dict) else None
    if path == "/translate_file" and theirs[0] in (200, 400) and ours[0] in (200, 400):
        return "kinds of files differ: .docx and the like are theirs, .srt with cues and .vtt ours"
    if ours[0] == 400 and theirs[0] == 200 and isinstance(given, dict) and not is_text(given.get("q", "")):
        return "a q that is not text is 400"
    if ours[0] == 400 and theirs[0] == 400:
        return None if shape(ours[1]) != shape(theirs[1]) else "same"
    if method == "HEAD" and ours[0] == theirs[0]:
        return "HEAD has no body"
    return None


# ---------------------------------------------------------------------------------------------- run

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model")
    p.add_argument("--hexapla", default=os.path.join(HERE, "../../build/release/hexapla"))
    p.add_argument("--requests", type=int, default=500)
    o = p.parse_args()
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "log"), "w") as log:
        for pair in ("en-de", "de-en"):  # LibreTranslate requires two
            place = os.path.join(folder, "packages", "translate-" + pair.replace("-", "_") + "-1_0")
            os.makedirs(os.path.dirname(place), exist_ok=True)
            subprocess.run([o.hexapla, "export", o.model, "--to", "argos", "--languages", pair, "-o", place], check=True, stderr=log)
        environment = {**os.environ, "HOME": folder, "ARGOS_PACKAGES_DIR": os.path.join(folder, "packages")}
        servers = [subprocess.Popen([o.hexapla, "serve", "-q", "-m", "en-de=" + o.model, "-m", "de-en=" + o.model, "--port", str(OURS), "--char-limit", "300",
                                     "--batch-limit", "5"], stderr=log),
                   subprocess.Popen([sys.executable, os.path.abspath(__file__), "--libretranslate"], stdout=log, stderr=log, env=environment)]
        try:
            for port in (OURS, THEIRS):
                for _ in range(600):
                    try:
                        if ask(port, "GET", "/languages", None, "")[0] == 200:
                            break
                    except OSError:
                        time.sleep(0.2)
                else:
                    sys.exit(f"the server at port {port} does not answer")
            counts, wrong = collections.Counter(), 0
            for request in requests(o.requests):
                ours, theirs = ask(OURS, *request), ask(THEIRS, *request)
                if ours[0] == theirs[0] and shape(ours[1]) == shape(theirs[1]):
                    counts["same status and shape"] += 1
                    continue
                why = on_purpose(request, ours, theirs)
                counts[why or "DIFFERENT"] += 1
                if why is None:
                    wrong += 1
                    print("DIFFERENT", *request, "\n  ours  ", ours, "\n  theirs", theirs, flush=True)
            for what, n in counts.most_common():
                print(f"{n:5} {what}")
        finally:
            for s in servers:
                s.kill()
                s.wait()
    sys.exit(wrong > 0)


if sys.argv[1:] == ["--libretranslate"]:
    libretranslate()
elif __name__ == "__main__":
    main()
