"""What the checks know of C++: code without comments and literals, its literals, functions and range-based loops."""
import functools
import re

_TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^()\\\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
                     r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)


def code_only(text):
    """-> C++ with comments and literals emptied and all newlines kept"""
    def blank(match):
        token = match.group(0)
        filler = "" if token.startswith("/") else token[0] + token[0] if token[0] in "\"'" else '""'
        return filler + "\n" * token.count("\n")
    return _TOKENS.sub(blank, text)


def literals(text):
    """-> (line, literal) of the strings outside comments; without `{...}`, which only the program prints"""
    text = re.sub(r"`\{.*?\}`", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"', text):
        if "//" not in text[text.rfind("\n", 0, match.start()) + 1:match.start()]:
            yield text.count("\n", 0, match.start()) + 1, match[0]


def enclosed(code, start):
    """-> where the bracket at `start` is closed; the end of the code if it is not"""
    depth = 0
    for i in range(start, len(code)):
        depth += (code[i] in "([{") - (code[i] in ")]}")
        if depth == 0:
            return i
    return len(code)


def top_level(text, wanted, opening="([{", closing=")]}"):
    """-> positions of a character outside all brackets"""
    depth, found = 0, []
    for i, c in enumerate(text):
        depth += (c in opening) - (c in closing)
        if depth == 0 and c == wanted:
            found.append(i)
    return found


# Functions, found by their braces

NOT_A_FUNCTION = re.compile(r"\b(namespace|class|struct|union|enum|extern|concept)\b")
CONTROL = re.compile(r"\b(if|for|while|switch|catch)\s*(constexpr)?\s*$")
SIGNATURE = re.compile(r"([A-Za-z_~][\w:~]*|operator\s*[^\s\w(]{1,3}|operator\(\))\s*$")


def signature(head):
    """-> (name, number of parameters) if this is the head of a function, else None"""
    if NOT_A_FUNCTION.search(re.sub(r"\([^()]*\)|<[^<>]*>", "", head)):
        return None
    head = re.sub(r"\b(?:requires|noexcept|alignas|__attribute__|decltype)\s*\((?:[^()]|\([^()]*\))*\)", "", head)
    for match in re.finditer(r"\(", head):
        name = SIGNATURE.search(head[:match.start()])
        if name and not CONTROL.search(head[:match.start()]):
            parameters = head[match.end():enclosed(head, match.start())]
            return name[1], len(top_level(parameters, ",", "([{<", ")]}>")) + bool(parameters.strip())
    return None


def functions(code):
    """-> (name, first line, lines, parameters) of every function body that is not nested in another"""
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: "\n" * m[0].count("\n"), code, flags=re.MULTILINE)
    found, inside, start, line = [], [], 0, 1  # inside: for each open brace, the function it opens, or None
    for match in re.finditer(r"[\n{};]", code):
        if match[0] == "\n":
            line += 1
            continue
        head, start = code[start:match.start()], match.end()
        if match[0] == "{":
            opened = None if any(inside) else signature(head)
            inside.append(opened and (*opened, line - head.lstrip().count("\n")))
        elif match[0] == "}" and inside and (closed := inside.pop()):
            name, parameters, first = closed
            found.append((name, first, line - first + 1, parameters))
    return found


# Range-based loops: in `for (x : f(y).parts())` the result of parts() lives as long as the loop, but not that of f(y)

LINK = re.compile(r"(?:\.|->)\s*(?:template\s+)?(~?\w+)\s*$")  # the last member of a chain
OF_CONTAINERS = {"at", "back", "front"}  # they return references into a container
BORROWER = re.compile(r"^\s*std::(?:span|string_view)\s*[({]")
VIEW = re.compile(r"[&*]|\b(?:span|string_view|Tensor|Offsets|auto)\b")
NO_TYPE = re.compile(r"(?:return|else|new|throw|co_\w+|case|delete|using|typename)\b")


def range_of(head):
    """-> the range of a range-for with this head; None for other loops"""
    head = head[max(top_level(head, ";"), default=-1) + 1:]
    colons = [i for i in top_level(head, ":") if head[i - 1:i] != ":" and head[i + 1:i + 2] != ":"]
    return head[colons[0] + 1:].strip() if colons and "?" not in head[:colons[0]] else None


def last_link(chain):
    """-> (text before it, its name, "call", "subscript" or "member") for the last link of a.b(c).d[e]"""
    chain = chain.rstrip()
    kind = "member"
    if chain.endswith((")", "]", "}")):
        kind = "subscript" if chain.endswith("]") else "call"
        start = next(i for i in range(len(chain)) if chain[i] in "([{" and enclosed(chain, i) == len(chain) - 1)
        chain = chain[:start].rstrip()
        chain = re.sub(r"(?<=\w)<[^()]*>$", "", chain)  # template arguments
        if kind == "subscript":
            return chain, "", kind
    match = LINK.search(chain)
    return (chain[:match.start()], match[1], kind) if match else (None, chain, kind)


def ending(chain):
    """last_link() before trailing members, because binding a member of a temporary keeps all of it alive."""
    before, name, kind = last_link(chain)
    while kind == "member" and before is not None:
        before, name, kind = last_link(before)
    return before, name, kind


class Lifetimes:
    """Of the results of calls, according to the project's declarations; functions with the same name are combined."""

    def __init__(self, codes):
        self.code = "\n".join(codes)
        self.types = set(re.findall(r"\b(?:class|struct) (\w+)", self.code))

    @functools.lru_cache(maxsize=None)
    def gives(self, name):
        """-> "value", "borrowed" or both; empty for functions outside the project"""
        if name in OF_CONTAINERS:
            return {"borrowed"}
        if name in self.types:
            return {"value"}
        declared = re.findall(r"^[ \t]*((?:[\w:]+[ \t]+)*[\w:]+(?:<[^;(){}]*>)?[ \t]*[&*]*)[ \t]*(?<=[ \t&*])"
                              r"(?:\w+::)*" + re.escape(name) + r"\(", self.code, re.MULTILINE)
        return {"borrowed" if VIEW.search(d) else "value" for d in declared if not NO_TYPE.match(d)}

    def temporary(self, chain):
        """-> may the chain's result be destroyed at the end of the statement; is its type one of the project?"""
        before, name, kind = ending(chain)
        if kind == "member":
            return False, True
        if kind == "subscript":
            return self.temporary(before or name)
        name = name.split("::")[-1].strip()
        if BORROWER.match(chain) or self.gives(name) == {"borrowed"}:
            return bool(before) and self.dangles(chain), True
        return True, bool(self.gives(name))

    def dangles(self, chain):
        """Is it part of a temporary that is destroyed before the loop begins?"""
        chain = chain.strip()
        if chain.startswith("*"):
            return self.temporary(chain[1:])[0]
        before, name, kind = ending(chain)
        if kind == "subscript":
            return self.temporary(before or name)[0]
        if before is None or kind == "member":
            return False
        dies, ours = self.temporary(before)
        return dies and not (ours and self.gives(name) == {"value"})

    def dangling_ranges(self, code):
        """-> (line, range) of each loop over part of a temporary that may be gone"""
        for match in re.finditer(r"\bfor\s*\(", code):
            walked = range_of(code[match.end():enclosed(code, match.end() - 1)])
            if walked and self.dangles(walked):
                yield code.count("\n", 0, match.start()) + 1, re.sub(r"\s+", " ", walked)
