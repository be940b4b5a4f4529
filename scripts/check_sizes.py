#!/usr/bin/env -S python3 -B
"""Checks that no file exceeds 500 lines, no function 80 lines, and no function 6 parameters (except in the backend
contract and kernels). C++ functions are found by their braces. Usage: check_sizes.py [ROOT]"""
import ast
import pathlib
import re
import sys

import sources

FILE_LINES, FUNCTION_LINES, PARAMETERS = 500, 80, 6
CPP = {".h", ".cpp", ".inc", ".cu", ".cuh"}
COUNTED = CPP | {".py", ".sh", ".cmake", ".js", ".css", ".html"}
NOT_A_FUNCTION = re.compile(r"\b(namespace|class|struct|union|enum|extern|concept)\b")
CONTROL = re.compile(r"\b(if|for|while|switch|catch)\s*(constexpr)?\s*$")
SIGNATURE = re.compile(r"([A-Za-z_~][\w:~]*|operator\s*[^\s\w(]{1,3}|operator\(\))\s*$")


def many_parameters_allowed(path):  # the contract and kernels
    return path.parts[:2] == ("src", "backend") or "kernel" in path.name or path.name.endswith("_test.cpp")


def parameter_list(head):
    """-> (name, text between the parentheses) if this is the head of a function, else None"""
    head = re.sub(r"\b(?:requires|noexcept|alignas|__attribute__|decltype)\s*\((?:[^()]|\([^()]*\))*\)", "", head)
    for match in re.finditer(r"\(", head):
        name = SIGNATURE.search(head[:match.start()])
        if not name or CONTROL.search(head[:match.start()]):
            continue
        depth = 0
        for i in range(match.start(), len(head)):
            depth += {"(": 1, ")": -1}.get(head[i], 0)
            if depth == 0:
                return name[1], head[match.start() + 1:i]
        return None
    return None


def count_parameters(text):
    depth, commas = 0, 0
    for c in text:
        depth += {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1}.get(c, 0)
        commas += c == "," and depth == 0
    return commas + 1 if text.strip() else 0


def functions(text):
    """-> (name, first line, lines, parameters) of every function body that is not nested in another"""
    code = sources.code_only(text)
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: "\n" * m[0].count("\n"), code, flags=re.MULTILINE)
    found, inside, start, line = [], [], 0, 1  # inside: for each open brace, the function it opens, or None
    for i, c in enumerate(code):
        if c == "\n":
            line += 1
        elif c == "{":
            head = code[start:i]
            opened = None
            if not any(inside) and not NOT_A_FUNCTION.search(re.sub(r"\([^()]*\)|<[^<>]*>", "", head)):
                signature = parameter_list(head)
                if signature:
                    first = line - head.lstrip().count("\n")
                    opened = (signature[0], first, count_parameters(signature[1]))
            inside.append(opened)
            start = i + 1
        elif c == "}":
            if inside and (closed := inside.pop()):
                found.append((closed[0], closed[1], line - closed[1] + 1, closed[2]))
            start = i + 1
        elif c == ";":
            start = i + 1
    return found


def check_cpp(path, text):
    problems = []
    for name, first, lines, parameters in functions(text):
        if lines > FUNCTION_LINES:
            problems.append(f"{path}:{first}: {name} has {lines} lines (at most {FUNCTION_LINES})")
        if parameters > PARAMETERS and not many_parameters_allowed(path):
            problems.append(f"{path}:{first}: {name} has {parameters} parameters (at most {PARAMETERS})")
    return problems


def check_python(path, text):
    nodes = [n for n in ast.walk(ast.parse(text)) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    sized = [(n, n.end_lineno - n.lineno + 1) for n in nodes]
    return [f"{path}:{n.lineno}: {n.name} has {lines} lines (at most {FUNCTION_LINES})"
            for n, lines in sized if lines > FUNCTION_LINES]


def check(root):
    problems = []
    for path in sources.files(root):
        if path.suffix not in COUNTED or "fixtures" in path.parts or "third_party" in path.parts:
            continue
        text = sources.text_of(root / path)
        if text is None:
            continue
        if (lines := text.count("\n")) > FILE_LINES:
            problems.append(f"{path}: {lines} lines (at most {FILE_LINES}): which two rooms is it?")
        if path.suffix in CPP:
            problems += check_cpp(path, text)
        elif path.suffix == ".py":
            problems += check_python(path, text)
    return problems


if __name__ == "__main__":
    sources.finish("sizes", check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else sources.ROOT))
