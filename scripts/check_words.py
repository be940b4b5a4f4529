#!/usr/bin/env -S python3 -B
"""Checks the words of the project: no paths of particular machines, no leftover notes or merge markers, and no broken
Markdown links to files of the project. codespell checks the spelling (.codespellrc).
Usage: check_words.py [ROOT]"""
import pathlib
import re
import sys

import sources

ME = "scripts/check_words.py"
MACHINE = re.compile(r"(?<![\w.$}])/(?:work|root|home/\w+|tmp)/")
SHARED = re.compile(r"\.\./shared\b")
LEFTOVER = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
MERGE = re.compile(r"^(?:<{7} |>{7} )", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
RULES = [(MACHINE, "a path of one machine", set()), (SHARED, "a folder outside of the project", {".ci/run"}),
         (LEFTOVER, "a leftover note: do it, or write an issue", set()), (MERGE, "a merge marker", set())]


def links(root, path, text):
    """-> broken links of a Markdown file"""
    problems = []
    plain = re.sub(r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    for match in LINK.finditer(plain):
        target = match[1]
        if not re.match(r"\w+:", target) and not (root / path.parent / target).exists():
            problems.append(f"{path}:{plain.count(chr(10), 0, match.start()) + 1}: links to {target}, which is not there")
    return problems


def check(root):
    problems = []
    for path in sources.files(root):
        if str(path) == ME or "fixtures" in path.parts or (text := sources.text_of(root / path)) is None:
            continue
        for pattern, what, exempt in RULES:
            if str(path) in exempt:
                continue
            for match in pattern.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                problems.append(f"{path}:{line}: {what} ({match[0].strip()})")
        if path.suffix == ".md":
            problems += links(root, path, text)
    return problems


if __name__ == "__main__":
    sources.finish("words", check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else sources.ROOT))
