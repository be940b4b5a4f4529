#!/usr/bin/env -S python3 -B
"""Compares docs/reference/*.md, one page per command, with the manual pages of the program; --write renews them.
Usage: command_pages.py [--program PATH] [--write]"""
import argparse
import pathlib
import re
import subprocess
import tempfile

import sources

PAGES = sources.ROOT / "docs" / "reference"
SEE = re.compile(r"; see hexapla-(\S+)\(1\)$")


def plain(line):
    """-> a line of roff without fonts and escapes"""
    line = re.sub(r"\\f[BIR]", "", line)
    return line.replace("\\&", "").replace("\\-", "-").replace("\\e", "\\")


def cell(text):
    """-> text that Markdown shows as it is, in a table"""
    return re.sub(r"([\\`*|<])", r"\\\1", text)


def code(text):
    return "`" + text.replace("|", "\\|") + "`"


def row(heading, _, text):
    """-> a row of a table of options or of commands"""
    text = " ".join(text.split())
    if see := SEE.search(text):
        return f"| [{heading}]({see[1]}.md) | {cell(text[:see.start()])} |"
    return f"| {', '.join(code(name) for name in heading.split(', '))} | {cell(text)} |"


def notes(lines):
    """-> the notes and examples: indented lines become blocks of code, the others stay"""
    page, inside = [], False
    for line in lines:
        if line.startswith("  ") != inside:
            page += ["```", ""] if inside else ["", "```"]
            inside = not inside
        page += [""] * (line.endswith(":") and page[-1:] not in ([], [""]))
        page.append(line[2:] if inside else cell(line))
    return page + ["```"] * inside


def markdown(manual):
    """-> the page in Markdown of a manual page that the program wrote"""
    page = []
    for section in re.split(r"^\.SH ", manual, flags=re.MULTILINE)[1:]:
        title, *lines = map(plain, section.rstrip("\n").split("\n"))
        if title == "EXIT STATUS" and page[0] != "# hexapla":
            continue  # the same for every command
        if title == "NAME":
            name, _, text = lines[0].partition(" - ")
            page += [f"# {name.replace('-', ' ')}", "", cell(text[0].upper() + text[1:]) + "."]
        elif title == "SYNOPSIS":
            page += ["", code(lines[0])]
        else:
            page += ["", f"## {title.capitalize()}", ""]
            if lines[0] == ".TP":
                page += ["| name | meaning |", "|---|---|"] + [row(*entry.strip().partition("\n")) for entry in "\n".join(lines).split(".TP\n")[1:]]
            elif lines[0] == ".nf":
                page += notes(lines[1:-1])
            else:
                page += map(cell, lines)
    return "\n".join(page) + "\n"


def pages(program):
    """-> the contents of each page, by its name"""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "man", "--all", folder], check=True)
        manuals = {path.stem: path.read_text(encoding="utf-8") for path in pathlib.Path(folder).iterdir()}
    return {"README.md" if name == "hexapla" else name.removeprefix("hexapla-") + ".md": markdown(text)
            for name, text in manuals.items()}


def check(wanted):
    found = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    return [f"docs/reference/{name} differs from the program's help: run scripts/command_pages.py --write"
            for name in sorted(wanted.keys() | found.keys()) if wanted.get(name) != found.get(name)]


def write(wanted):
    for path in PAGES.glob("*.md"):
        path.unlink()
    for name, text in wanted.items():
        (PAGES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=sources.ROOT / "build/release/hexapla")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    wanted = pages(given.program)
    if given.write:
        write(wanted)
    sources.finish("command pages", check(wanted))
