"""How a translated page must match its original: the same commands and outputs (comments may be translated), options,
names, links, numbers and headings. `x.zh.md` translates `x.md`, and `zh/x.md` translates `x.md` of the folder above."""
import os
import pathlib
import re

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
    """-> (line, code without comments) of each block of a page"""
    return [(text.count("\n", 0, block.start()) + 1,
             f"{block[1]}\n{COMMENT.sub('', block[2]) if block[1] in COMMENTED else block[2]}")
            for block in BLOCK.finditer(text)]


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
    """-> (line, difference) between a page and its original; line 1 for what has no line of its own"""
    if os.path.relpath(original, path.parent) not in LINK.findall(text):
        yield 1, f"does not link to {original}"
    ours, theirs = code_of(text), code_of(original_text)
    if len(ours) != len(theirs):
        yield 1, f"{len(ours)} blocks of code, {len(theirs)} in {original}"
    else:
        yield from ((line, f"this block differs from that of {original}")
                    for (line, own), (_, other) in zip(ours, theirs) if own != other)
    if HEADING.findall(BLOCK.sub("", text)) != HEADING.findall(BLOCK.sub("", original_text)):
        yield 1, f"the headings differ from those of {original}"
    here, there = facts_of(path, text), facts_of(original, original_text)
    for kind in here:
        yield from ((text.count("\n", 0, max(text.find(fact), 0)) + 1, f"the {kind} {fact} is not in {original}")
                    for fact in sorted(here[kind] - there[kind]))
        yield from ((1, f"the {kind} {fact} of {original} is missing") for fact in sorted(there[kind] - here[kind]))
    # GitHub does not render formulas without a space before them, and Chinese has no spaces.
    prose = SPAN.sub("``", BLOCK.sub(lambda m: "\n" * m[0].count("\n"), text))
    for match in FORMULA.finditer(prose):
        if match[2] and not prose[match.start() - 1].isspace():
            yield prose.count("\n", 0, match.start()) + 1, f"a space is missing before {match[0]}"
