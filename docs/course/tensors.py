"""The tensors in a file of `hexapla inspect --out FILE.json`: to print, or to compute with.

    python3 -m tensors all.json                                     # which there are
    python3 -m tensors all.json decoder.mask --rows 0:4 --columns 0:4
    python3 -m tensors all.json encoder.layers.0.self_attention.weights --head 2

In a program, load(FILE)[NAME] is a list of rows; for a tensor of heads, a list of such lists."""
import argparse
import json


def load(file):
    """Name -> nested lists of numbers, of every tensor in the file."""
    with open(file, encoding="utf-8") as f:
        return {name: nested(t["shape"], t["values"]) for name, t in json.load(f)["tensors"].items()}


def nested(shape, values):
    """[d_0, d_1, ...] numbers, given one after the other, as lists of lists."""
    if len(shape) < 2:
        return [float("-inf") if v is None else float(v) for v in values]
    step = len(values) // shape[0]
    return [nested(shape[1:], values[i * step:(i + 1) * step]) for i in range(shape[0])]


def pieces(file):
    """The tokens of the source, and those that the decoder reads."""
    with open(file, encoding="utf-8") as f:
        content = json.load(f)
    return content["source"]["pieces"], content["target"]["pieces"]


def labels(name, source, target):
    """What the rows and the columns of a tensor stand for; None: they are plain dimensions."""
    name = name.removeprefix("gradient.")
    if name == "decoder.mask":
        return target, target
    if not name.startswith(("encoder", "decoder", "generator")) or name.endswith(("weight", "bias", "gain", "table")):
        return None, None
    rows = source if name.startswith("encoder") or name.endswith(("cross_attention.k", "cross_attention.v")) else target
    if not name.endswith((".weights", ".scores", ".unscaled")):
        return rows, None
    return rows, source if "cross" in name else rows


def part(text, size):
    """"2:5" as a range of 0 .. size - 1; an end that is missing is that of all."""
    first, _, last = text.partition(":")
    return range(size)[slice(int(first or 0), int(last) if last else None)]


def table(rows, names, columns, digits, chosen):
    """The chosen rows and columns with their names, aligned."""
    lines = [[""] + [columns[j] if columns else str(j) for j in chosen[1]]]
    for i in chosen[0]:
        lines.append([names[i] if names else str(i)] + [f"{rows[i][j]:.{digits}f}" for j in chosen[1]])
    widths = [max(len(line[c]) for line in lines) for c in range(len(lines[0]))]
    return "\n".join("  ".join(cell.rjust(w) for cell, w in zip(line, widths)).rstrip() for line in lines)


def main():
    p = argparse.ArgumentParser(prog="tensors", description=__doc__.partition("\n")[0])
    p.add_argument("file")
    p.add_argument("name", nargs="?")
    p.add_argument("--head", type=int, default=0, help="which head of a tensor that has heads")
    p.add_argument("--rows", default=":", help="first row and the one behind the last, as in 0:4")
    p.add_argument("--columns", default=":")
    p.add_argument("--digits", type=int, default=2)
    o = p.parse_args()
    tensors = load(o.file)
    if not o.name:
        print("\n".join(tensors))
        return
    if o.name not in tensors:
        p.error(f"{o.file} has no tensor {o.name}; without a name, all names are listed")
    t = tensors[o.name]
    if not isinstance(t[0], list):
        t = [t]
    elif isinstance(t[0][0], list):
        t = t[o.head]
    rows, columns = labels(o.name, *pieces(o.file))
    print(table(t, rows, columns, o.digits, (part(o.rows, len(t)), part(o.columns, len(t[0])))))


if __name__ == "__main__":
    main()
