"""The tour with models that are not the paper's: every step shows its numbers, or says what the model does instead."""
import pathlib
import re
import subprocess

from browser import Visit, expect, serving
from tour import STEPS, Seen, address, numbers_are_the_servers, open_step, pictures_are_the_servers

SOURCES = [f"{day} of {month} {year}" for day in range(1, 29) for month in ("may", "june", "july") for year in (1999, 2026)]
TRAINING = ["--vocab-size", "64", "--dim-model", "32", "--dim-ff", "64", "--max-updates", "30", "--warmup", "10",
            "--batch-tokens", "400", "--dropout", "0", "--threads", "1", "--quiet"]
USUAL = {"--heads": "4", "--layers": "2"}  # where a model does not have others
SENTENCE, TARGET = "7 of may 1999", "1999 - may - 7"
ATTENTION = (4, 5, 6, 7, 8, 9)  # the steps about self-attention in the encoder
# name: (options of hexapla train, the steps that such a model does not have)
MODELS = {
    "pre-norm": (["--norm-position", "pre"], ()), "post-last": (["--norm-position", "post-last"], ()), "no-positions": (["--positions", "none"], ()), "learned": (["--positions", "learned"], ()),
    "halves": (["--positions", "sinusoidal-halves", "--first-position", "1"], ()), "gelu": (["--activation", "gelu"], ()), "gated": (["--activation", "swish", "--gated"], ()),
    "one-layer": (["--layers", "1"], ()), "one-head": (["--heads", "1"], ()), "wide-keys": (["--dim-key", "12", "--dim-value", "6"], ()), "batch-norm": (["--norm", "batch"], ()), "no-norm": (["--norm", "none"], ()),
    "embedding-norm": (["--embedding-norm", "--embedding-scale", "none"], ()), "no-mask": (["--decoder-mask", "none"], ()), "dot": (["--score", "dot"], ()), "sigmoid": (["--score", "sigmoid"], ()),
    "top-4": (["--score", "top-4"], ()), "linear-kernel": (["--score", "linear-kernel"], ()), "additive": (["--score", "additive"], (5, 6, 12)), "experts": (["--experts", "2"], (11,)), "ssru": (["--decoder-mixing", "ssru"], (12,)),
    "gru": (["--encoder-mixing", "gru"], ATTENTION), "convolution": (["--encoder-mixing", "convolution"], ATTENTION),
}


def train(program, work, name, options):
    """A model of a second; the same text for all."""
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    files = [work / "text.en", work / "text.de"]
    for file, lines in zip(files, [SOURCES, [" - ".join(reversed(s.split(" of "))) for s in SOURCES]]):
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    model = work / name / "model.safetensors"
    if not model.exists():
        usual = [word for option, value in USUAL.items() if option not in options for word in (option, value)]
        subprocess.run([program, "train", "--train-sets", *files, "--model", model.parent, *TRAINING, *usual, *options],
                       check=True, stdout=subprocess.DEVNULL)
    return str(model)


def quantized(program, model):
    file = str(pathlib.Path(model).with_name("int8.safetensors"))
    subprocess.run([program, "quantize", "-m", model, "-o", file], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return file


def served_as(names):
    """Models are served by languages: en-qaa, en-qab and so on, which are for private use."""
    return {name: f"en-qa{chr(ord('a') + i)}" for i, name in enumerate(names)}


def leads_through(browser, url, name, served, missing):
    about, checked = address(SENTENCE, served) + "&forced=" + TARGET.replace(" ", "+"), 0
    visit = Visit(browser, url).open("#view=tour" + about)
    visit.about = about
    seen = Seen(url, served, SENTENCE, TARGET)
    for step in range(1, STEPS + 1):
        open_step(visit, step)
        if step in missing:
            expect(visit.tab.locator(".tour-variant code").count() > 0 and visit.tab.locator(".tour-formula").count() == 0, name, "step", step, "does not say what it does instead")
        else:
            checked += numbers_are_the_servers(visit, seen, step) + pictures_are_the_servers(visit, seen, step)
        expect(not re.findall(r"\btour_\w+|NaN|undefined", visit.text("#view")), name, "step", step, "shows", visit.text("#view"))
        problems = visit.accessible() if step in missing else []
        expect(not problems, name, "step", step, "\n".join(problems))
    for drawing, ready in [("heads", ".heads .token"), ("neuron", ".neuron .val"), ("matrix", ".matrix")]:
        for kind in ("encoder", "decoder", "cross"):
            visit.tab.evaluate("hash => { location.hash = hash; }", f"#view=attention&drawing={drawing}&kind={kind}{visit.about}")
            none = {"encoder": missing == ATTENTION, "decoder": name == "ssru"}.get(kind, False)
            visit.tab.wait_for_selector(".attention:not(:has(.large)) .no-attention" if none else f"{ready}", state="attached")
    expect(not visit.complaints, name, visit.complaints)
    visit.close()
    return checked


def other_models_are_explained(browser, program, work, runs):
    """-> how many numbers were computed anew."""
    models = {name: (train(program, work, name, options), missing) for name, (options, missing) in MODELS.items()}
    models["int8"] = (quantized(program, models["learned"][0]), ())
    names = served_as(models)
    with serving(program, *(f"{names[name]}={file}" for name, (file, _) in models.items()), runs=runs) as url:
        return sum(leads_through(browser, url, name, names[name], missing) for name, (_, missing) in models.items())
