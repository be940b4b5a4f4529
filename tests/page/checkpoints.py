"""The slider over the checkpoints of a run: the translation and its attention at each."""
import json
import pathlib
import subprocess
import urllib.request

from browser import Visit, expect, serving

UPDATES = (40, 80, 120)
WORDS = ["eins", "zwei", "drei", "vier", "fünf"]
SOURCE = "one two"


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def train(program, folder):
    """A run that keeps three checkpoints; its text counts from one to five."""
    folder.mkdir(parents=True)
    english = ["one", "two", "three", "four", "five"]
    pairs = [(english[i % 5] + " " + english[i // 5 % 5], WORDS[i % 5] + " " + WORDS[i // 5 % 5]) for i in range(500)]
    (folder / "text.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs), encoding="utf-8")
    run(program, "train", "--train-sets", str(folder / "text.tsv"), "--model", str(folder / "run"), "--preset", "tiny", "--layers", "2", "--dim-model", "32",
        "--dim-ff", "64", "--vocab-size", "40", "--batch-tokens", "200", "--warmup", "40", "--average-last", "0", "--keep", "3",
        "--save-every", str(UPDATES[0]), "--max-updates", str(UPDATES[-1]), "--quiet")
    return folder / "run"


def translation(program, checkpoint, model):
    """The program's, of a model file made from the checkpoint."""
    run(program, "average", str(checkpoint), "-o", str(model))
    return subprocess.run([program, "translate", "-q", "-m", str(model)], input=SOURCE + "\n", capture_output=True, text=True, check=True).stdout.strip()


def map_of(url, update):
    """The mean of the heads in the last layer, from the server."""
    body = {"q": SOURCE, "run": "run", "update": update, "tensors": ["decoder.layers.1.cross_attention.weights"]}
    request = urllib.request.Request(url + "/v1/inspect", json.dumps(body).encode(), {"Content-Type": "application/json"})
    seen = json.load(urllib.request.urlopen(request))["tensors"]["decoder.layers.1.cross_attention.weights"]
    heads, rows, columns = seen["shape"]
    return [[sum(seen["values"][(k * rows + r) * columns + c] for k in range(heads)) / heads for c in range(columns)] for r in range(rows)]


def checkpoints_are_compared(browser, program, work):
    folder = train(program, pathlib.Path(work) / "kept")
    kept = sorted(path for path in (folder / "checkpoints").iterdir() if path.is_dir())
    expect([int(path.name.rsplit("-", 1)[1]) for path in kept] == list(UPDATES), "the run keeps", kept)
    with serving(program, str(folder), runs=str(folder.parent)) as url:
        visit = Visit(browser, url).open("#view=runs&q=" + SOURCE.replace(" ", "+"))
        visit.tab.wait_for_selector("#over-training-text")
        texts = [at_checkpoint(visit, url, i, translation(program, path, folder.parent / f"{i}.safetensors")) for i, path in enumerate(kept)]
        expect(len(set(texts)) > 1, "training changes nothing", texts)
        expect(not visit.complaints, visit.complaints)
        visit.picture("checkpoints")
        visit.close()


def at_checkpoint(visit, url, i, wanted):
    visit.tab.fill("#update", str(i))
    visit.tab.locator("#over-training [role=status] p", has_text=f"After {UPDATES[i]} updates").wait_for()
    visit.tab.wait_for_function("text => document.querySelector('#over-training-text')?.textContent === text", arg=wanted or "∅")
    if i < len(UPDATES) - 1:
        visit.tab.wait_for_function("part => location.hash.includes(part)", arg=f"update={UPDATES[i]}")
    shown = [[float(cell) for cell in row] for row in visit.table("#over-training table")]
    computed = map_of(url, UPDATES[i])
    expect(len(shown) == len(computed), "rows", len(shown), len(computed))
    for row, right in zip(shown, computed):
        expect(len(row) == len(right) and all(abs(a - b) < 6e-4 for a, b in zip(row, right)), "at", UPDATES[i], row, "not", right)
    return wanted
