#!/usr/bin/env -S python3 -B
"""Keeps the lessons of docs/course correct: runs their commands and compares (or writes) the outputs in the text, and
compares (or writes) source excerpts.

A lesson's `sh` blocks run in order in their own folder, with `hexapla` on PATH and docs/course on PYTHONPATH; a `text`
block that follows is the output, including stderr. The first block of a lesson trains its model; if lessons begin with
the same block, it runs once, and the others get a copy of its folder. A lesson in another language has the same blocks
(check_source.py) and is compared with the same outputs.

A `cpp` block is an excerpt if the line before it gives the range:
    <!-- FILE: "what is in its first line" to "what its last line begins with" -->

Outputs are compared word by word and number by number. Numbers with a decimal point may differ by 2 % or by two units of
the last digit, and cells of a picture by one shade. That suffices for one model on different processors, but training
amplifies rounding differences. So programs run with the instruction set avx2 on every processor. If the model still
differs from docs/course/model.sha256 (no AVX2; another compiler or math library), commands must succeed, but their
output is not compared: exit code 77.

Usage: course.py [--write] [--program HEXAPLA] [LESSON ...]"""
import argparse
import hashlib
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COURSE = ROOT / "docs/course"
MODEL = COURSE / "model.sha256"  # of the weights of the lessons' model
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXCERPT = re.compile(r'^<!-- (\S+): "([^"\n]*)" to "([^"\n]*)" -->\n```cpp\n(.*?)^```$', re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"-?\d+\.\d+")
SHADES = " ░▒▓█"
SKIPPED = 77


def excerpt(file, first, last):
    """-> lines of a source file from the one that contains `first` to the next one that begins with `last`"""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    begin = [i for i, line in enumerate(lines) if first in line]
    if len(begin) != 1:
        raise ValueError(f'{file} has "{first}" in {len(begin)} lines instead of in one')
    end = next((i for i in range(begin[0], len(lines)) if lines[i].startswith(last)), None)
    if end is None:
        raise ValueError(f'{file} has no line after "{first}" that begins with "{last}"')
    taken = lines[begin[0]:end + 1]
    indent = min(len(line) - len(line.lstrip()) for line in taken if line)
    return "".join(line[indent:] + "\n" for line in taken)


def with_excerpts(text):
    """-> the lesson with excerpts of the current sources"""
    return EXCERPT.sub(lambda m: m[0][:m.start(4) - m.start()] + excerpt(m[1], m[2], m[3]) + "```", text)


def same_number(a, b):
    unit = 10.0 ** -len(a.partition(".")[2])
    return math.isclose(float(a), float(b), rel_tol=0.02, abs_tol=2.001 * unit)


def same_shades(a, b):
    return len(a) == len(b) and all(
        abs(SHADES.index(x) - SHADES.index(y)) <= 1 if x in SHADES and y in SHADES else x == y for x, y in zip(a, b))


def same_line(a, b):
    if "│" in a and "weight:" not in a:
        return same_shades(a, b)
    numbers, others = NUMBER.findall(a), NUMBER.findall(b)
    return (NUMBER.sub("#", a).split() == NUMBER.sub("#", b).split() and len(numbers) == len(others)
            and all(map(same_number, numbers, others)))


def same(a, b):
    """Are two outputs equal except for rounding?"""
    one, other = a.splitlines(), b.splitlines()
    return len(one) == len(other) and all(map(same_line, one, other))


class Shell:
    """Runs blocks as a reader would; `kept` is a folder for data shared between lessons."""

    def __init__(self, program, kept):
        self.kept = pathlib.Path(kept)
        self.made = {}  # first block of a lesson -> its resulting folder and output
        self.printed = {}  # blocks of a lesson -> their outputs
        self.weights = None  # hash of the model's weights
        tools = self.kept / "bin"
        tools.mkdir()
        (tools / "hexapla").symlink_to(program.resolve())
        self.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(COURSE),
                            "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1", "HEXAPLA_ISA": "avx2", "HEXAPLA_PRODUCTS": "own"}

    def outputs(self, scripts):
        """-> output of each block of a lesson; shared by its translations"""
        if scripts not in self.printed:
            with tempfile.TemporaryDirectory() as folder:
                self.printed[scripts] = [(self.run if i else self.first)(script, folder) for i, script in enumerate(scripts)]
        return self.printed[scripts]

    def run(self, script, folder):
        end = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=folder, env=self.environment, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        if end.returncode:
            raise RuntimeError(f"exit code {end.returncode}:\n{script}{end.stdout}")
        return "".join(line.rstrip() + "\n" for line in end.stdout.splitlines())

    def first(self, script, folder):
        if script not in self.made:
            output = self.run(script, folder)
            self.weights = hash_of_weights(pathlib.Path(folder) / "run/model.safetensors")
            kept = self.kept / str(len(self.made))
            shutil.copytree(folder, kept)
            self.made[script] = kept, output
        kept, output = self.made[script]
        shutil.copytree(kept, folder, dirs_exist_ok=True)
        return output


def hash_of_weights(model):
    """Hash of a safetensors file without the header, which records time and version."""
    content = model.read_bytes()
    return hashlib.sha256(content[8 + int.from_bytes(content[:8], "little"):]).hexdigest()


def blocks(text):
    """-> (script, start of its output, end or None) for each `sh` block and the `text` block after it"""
    fences = list(FENCE.finditer(text))
    for i, fence in enumerate(fences):
        if fence[1] != "sh":
            continue
        after = fences[i + 1] if i + 1 < len(fences) and fences[i + 1][1] == "text" else None
        yield fence[2], after.span(2) if after else None


def with_outputs(text, shell, where):
    """-> the lesson with its commands' current output, and where that differs from the text"""
    written, end, faults = [], 0, []
    parts = list(blocks(text))
    for (script, span), output in zip(parts, shell.outputs(tuple(script for script, _ in parts))):
        if span is None:
            continue
        said = text[slice(*span)]
        if not same(said, output):
            faults.append(f"{where}: printed by\n{script}is now\n{output}instead of\n{said}")
        written += [text[end:span[0]], said if same(said, output) else output]
        end = span[1]
    return "".join(written) + text[end:], faults


def treat(lesson, shell, write):
    """Compares or rewrites a lesson. -> faults"""
    text, where = lesson.read_text(encoding="utf-8"), lesson.relative_to(ROOT)
    fresh = with_excerpts(text)
    faults = [] if fresh == text else [f"{where}: an excerpt is not what the source has now"]
    fresh, others = with_outputs(fresh, shell, where)
    if not write:
        return faults + (others if shell.weights == recorded_model() else [])
    if fresh != text:
        lesson.write_text(fresh, encoding="utf-8")
    return []


def recorded_model():
    return MODEL.read_text().strip() if MODEL.exists() else None


def conclude(faults, shell):
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print(f"-- course: {len(faults)} to fix (course.py --write writes what is printed now)", file=sys.stderr)
        return 1
    if shell.weights != recorded_model():
        print("-- course: all commands work; their outputs were not compared, since this machine trains another model",
              file=sys.stderr)
        return SKIPPED
    print("-- course: in order", file=sys.stderr)
    return 0


def main():
    p = argparse.ArgumentParser(usage=__doc__.rpartition("Usage: ")[2])
    p.add_argument("--write", action="store_true")
    p.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/hexapla")
    p.add_argument("lessons", nargs="*", type=pathlib.Path)
    o = p.parse_args()
    faults = []
    with tempfile.TemporaryDirectory() as kept:
        shell = Shell(o.program, kept)
        for lesson in [path.resolve() for path in o.lessons] or sorted(COURSE.rglob("[0-9]*.md")):
            try:
                faults += treat(lesson, shell, o.write)
            except (RuntimeError, ValueError, OSError) as e:
                faults.append(f"{lesson.relative_to(ROOT)}: {e}")
    if o.write and not faults:
        MODEL.write_text(shell.weights + "\n")
    return conclude(faults, shell)


if __name__ == "__main__":
    sys.exit(main())
