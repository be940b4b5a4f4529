#!/usr/bin/env -S python3 -B
"""Checks that no range-for iterates over part of a destroyed temporary: in `for (x : f(y).parts())` the result of
parts() lives as long as the loop, but not that of f(y). Such a range is allowed if, according to the project's
declarations, f() returns no temporary, or only one that borrows, or parts() returns a value. Usage: check_ranges.py [ROOT]"""
import functools
import pathlib
import re
import sys

import sources

LOOP = re.compile(r"\bfor\s*\(")
OPENING, CLOSING = "([{", ")]}"
LINK = re.compile(r"(?:\.|->)\s*(?:template\s+)?(~?\w+)\s*$")  # the last member of a chain
OF_CONTAINERS = {"at", "back", "front"}  # they return references into a container
BORROWER = re.compile(r"^\s*std::(?:span|string_view)\s*[({]")
VIEW = re.compile(r"[&*]|\b(?:span|string_view|Tensor|Offsets|auto)\b")
NO_TYPE = re.compile(r"(?:return|else|new|throw|co_\w+|case|delete|using|typename)\b")


def enclosed(code, start):
    """-> where the bracket at `start` is closed; the end of the code if it is not"""
    depth = 0
    for i in range(start, len(code)):
        depth += (code[i] in OPENING) - (code[i] in CLOSING)
        if depth == 0:
            return i
    return len(code)


def top_level(text, wanted):
    """-> positions of a character outside all brackets"""
    depth, found = 0, []
    for i, c in enumerate(text):
        depth += (c in OPENING) - (c in CLOSING)
        if depth == 0 and c == wanted:
            found.append(i)
    return found


def range_of(head):
    """-> the range of a range-for with this head; None for other loops"""
    head = head[top_level(head, ";")[-1] + 1:] if top_level(head, ";") else head
    colons = [i for i in top_level(head, ":") if head[i - 1:i] != ":" and head[i + 1:i + 2] != ":"]
    return head[colons[0] + 1:].strip() if colons and "?" not in head[:colons[0]] else None


def last_link(chain):
    """-> (text before it, its name, "call", "subscript" or "member") for the last link of a.b(c).d[e]"""
    chain = chain.rstrip()
    kind = "member"
    if chain.endswith((")", "]", "}")):
        kind = "subscript" if chain.endswith("]") else "call"
        start = next(i for i in range(len(chain)) if chain[i] in OPENING and enclosed(chain, i) == len(chain) - 1)
        chain = chain[:start].rstrip()
        chain = re.sub(r"(?<=\w)<[^()]*>$", "", chain)  # template arguments
        if kind == "subscript":
            return chain, "", kind
    match = LINK.search(chain)
    return (chain[:match.start()], match[1], kind) if match else (None, chain, kind)


class Functions:
    """Results of calls, according to the project's declarations; functions with the same name are combined."""

    def __init__(self, code):
        self.code = code
        self.types = set(re.findall(r"\b(?:class|struct) (\w+)", code))

    @functools.lru_cache(maxsize=None)
    def gives(self, name):
        """-> "value", "borrowed" or both; empty for functions outside the project"""
        if name in OF_CONTAINERS:
            return {"borrowed"}
        if name in self.types:
            return {"value"}
        declared = re.findall(r"^[ \t]*((?:[\w:]+[ \t]+)*[\w:]+(?:<[^;(){}]*>)?[ \t]*[&*]*)[ \t]*(?<=[ \t&*])(?:\w+::)*" +
                              re.escape(name) + r"\(", self.code, re.MULTILINE)
        return {"borrowed" if VIEW.search(d) else "value" for d in declared if not NO_TYPE.match(d)}


def ending(chain):
    """last_link() before trailing members, because binding a member of a temporary keeps all of it alive."""
    before, name, kind = last_link(chain)
    while kind == "member" and before is not None:
        before, name, kind = last_link(before)
    return before, name, kind


def temporary(chain, functions):
    """-> may the chain's result be destroyed at the end of the statement; is its type one of the project?"""
    before, name, kind = ending(chain)
    if kind == "member":
        return False, True
    if kind == "subscript":
        return temporary(before or name, functions)
    name = name.split("::")[-1].strip()
    if BORROWER.match(chain) or functions.gives(name) == {"borrowed"}:
        return (dangles(chain, functions), True) if before else (False, True)
    return True, bool(functions.gives(name))


def dangles(chain, functions):
    """Is it part of a temporary that is destroyed before the loop begins?"""
    chain = chain.strip()
    if chain.startswith("*"):
        return temporary(chain[1:], functions)[0]
    before, name, kind = ending(chain)
    if kind == "subscript":
        return temporary(before or name, functions)[0]
    if before is None or kind == "member":
        return False
    dies, ours = temporary(before, functions)
    return dies and not (ours and functions.gives(name) == {"value"})


def check(root):
    texts = {path: sources.text_of(root / path) for path in sources.files(root, ".h", ".cpp")}
    codes = {path: sources.code_only(text) for path, text in texts.items() if text is not None}
    functions = Functions("\n".join(codes.values()))
    problems = []
    for path, code in codes.items():
        for match in LOOP.finditer(code):
            walked = range_of(code[match.end():enclosed(code, match.end() - 1)])
            if walked and dangles(walked, functions):
                line = code.count("\n", 0, match.start()) + 1
                shown = re.sub(r"\s+", " ", walked)
                problems.append(f"{path}:{line}: the loop walks part of a temporary that may be gone ({shown}): give "
                                "the temporary a name, as in `for (const auto all = f(x); const auto& y : all.parts())`")
    return problems


if __name__ == "__main__":
    sources.finish("ranges", check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else sources.ROOT))
