#!/usr/bin/env -S python3 -B
"""Checks that a translated page matches its original: the same commands and outputs (comments may be translated), options,
names, links, numbers and headings. `x.zh.md` translates `x.md`, `zh/x.md` translates `x.md` of the folder above, and
each links to its original.
Usage: check_translations.py [ROOT]"""
import os
import pathlib
import re
import sys

import sources

LANGUAGES = ("zh",)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"(?:^|\s+)# [^\n]*", re.MULTILINE)
COMMENTED = ("sh", "python")  # other blocks are outputs or source excerpts
FORMULA = re.compile(r"\$\$(.*?)\$\$|\$([^$\n]+)\$", re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
NUMBER = re.compile(r"(?<![A-Za-z\d.])\d+(?:[.,]\d+)*(?:e-?\d+)?")
HEADING = re.compile(r"^#+(?= )", re.MULTILINE)


def original_of(path):
    """The page that `path` translates, or None."""
    for language in LANGUAGES:
        if path.name.endswith(f".{language}.md"):
            return path.with_name(path.name.removesuffix(f".{language}.md") + ".md")
        if path.suffix == ".md" and path.parent.name == language:
            return path.parent.parent / path.name
    return None


def target_of(path, link):
    """-> the target of a link, regardless of language; without the heading, whose name is translated"""
    if re.match(r"\w+:", link):
        return link
    target = pathlib.Path(os.path.normpath(path.parent / link.partition("#")[0])) if link[0] != "#" else path
    return str(original_of(target) or target)


def code_of(text):
    """-> the code blocks of a page, without comments"""
    return [f"{language}\n{COMMENT.sub('', body) if language in COMMENTED else body}" for language, body in BLOCK.findall(text)]


def facts_of(path, text):
    """-> what a page and its translation must share besides code: one set per kind"""
    prose = BLOCK.sub("", text)
    formulas = {" ".join((a or b).split()) for a, b in FORMULA.findall(SPAN.sub("", prose))}
    prose = FORMULA.sub("", prose)
    links = {target_of(path, link) for link in LINK.findall(SPAN.sub("", prose))}
    numbers = set(NUMBER.findall(LINK.sub("]", SPAN.sub("", prose))))
    return {"formula": formulas, "name": set(SPAN.findall(prose)), "link": links - {str(original_of(path) or path)},
            "number": numbers}


def differences(path, text, original, original_text):
    """-> differences between the two pages"""
    problems = []
    ours, theirs = code_of(text), code_of(original_text)
    if len(ours) != len(theirs):
        problems.append(f"{path}: {len(ours)} blocks of code, {len(theirs)} in {original}")
    else:
        problems += [f"{path}: block {i} differs from that of {original}" for i, (a, b) in enumerate(zip(ours, theirs), 1) if a != b]
    if HEADING.findall(BLOCK.sub("", text)) != HEADING.findall(BLOCK.sub("", original_text)):
        problems.append(f"{path}: the headings differ from those of {original}")
    here, there = facts_of(path, text), facts_of(original, original_text)
    for kind in here:
        problems += [f"{path}: the {kind} {fact} is not in {original}" for fact in sorted(here[kind] - there[kind])]
        problems += [f"{path}: the {kind} {fact} of {original} is missing" for fact in sorted(there[kind] - here[kind])]
    return problems


def crowded(path, text):
    """Finds formulas without a space before them, which GitHub does not render: Chinese has no spaces."""
    prose = SPAN.sub("``", BLOCK.sub("", text))
    return [f"{path}: a space is missing before {match[0]}" for match in FORMULA.finditer(prose)
            if match[2] and not prose[match.start() - 1].isspace()]


def check(root):
    problems = []
    for path in sources.files(root, ".md"):
        original = original_of(path)
        if original is None:
            continue
        if not (root / original).exists():
            problems.append(f"{path}: translates {original}, which is not there")
            continue
        text = (root / path).read_text(encoding="utf-8")
        if os.path.relpath(original, path.parent) not in LINK.findall(text):
            problems.append(f"{path}: does not link to {original}")
        problems += differences(path, text, original, (root / original).read_text(encoding="utf-8")) + crowded(path, text)
    return problems


if __name__ == "__main__":
    sources.finish("translations", check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else sources.ROOT))
