#!/usr/bin/env -S python3 -B
"""Checks that nothing stored, hashed, parsed or shown depends on the locale of the program that uses the library: the C
locale determines the decimal point of strtod() and printf(), the global C++ locale the output of streams. Numbers must
be read by parse_number() (base/range.h) and written by fmt or cat(); streams must be Classic (base/classic.h).
Tests may use anything: they also run under a German locale. Usage: check_locale.py [ROOT]"""
import pathlib
import re
import sys

import sources

NUMBERS = "use parse_number() (base/range.h) to read numbers, fmt or cat() to write them"
LETTERS = "compare with the letters themselves, or use text/utf8.h"
RULES = [
    (re.compile(r"(?<!Classic<)std::[io]?(?:f|string)stream\b"), "use Classic<...> (base/classic.h)"),
    (re.compile(r"\b(?:strto(?:d|f|ld)|sto(?:d|f|ld)|atof|v?s?n?f?scanf|(?:v|std::v|std::)?(?:f|s|sn|d)?printf)\s*\("), NUMBERS),
    (re.compile(r"\bstd::to_string\s*\("), NUMBERS),
    (re.compile(r"\b(?:is(?:alpha|alnum|digit|xdigit|space|blank|upper|lower|punct|print|graph|cntrl)|to(?:lower|upper))\s*\("), LETTERS),
    (re.compile(r"\b(?:strcoll|strxfrm|wcwidth|mb(?:r|s)?towcs?|localeconv|setlocale)\s*\("), LETTERS),
    (re.compile(r"\bstd::(?:w?regex\b|regex_replace\b)"), "a regular expression asks the locale for its letters"),
    (re.compile(r"\b(?:strerror(?:_r)?|perror)\s*\(|\bgeneric_category\(\)\.message"), "use system_text() (base/files/disk.h)"),
    (re.compile(r"\b(?:strftime|put_time|get_time|put_money|get_money)\s*\("), "names of days and months are the locale's"),
    (re.compile(r"\bstd::(?:locale|use_facet)\b"), "the locale belongs to the program that uses the library"),
]
# (file, a word of the finding): why it is allowed.
EXCEPTIONS = {
    ("src/base/classic.h", "std::locale"): "what the others use",
    ("src/base/system/child_process.cpp", "std::locale"): "a process of our own, in which SentencePiece trains",
    ("src/base/scope.cpp", "std::to_string"): "an int; cat() would need this file",
    ("src/model/parameters/parameter.h", "std::to_string"): "an index",
    ("src/serve/http/session.cpp", "std::to_string"): "sizes",
    ("include/hexapla/options.h", "std::to_string"): "whole numbers only; the public headers need no library",
    ("src/base/files/file.cpp", "std::regex"): "ranges and digits, which are compared as bytes",
    ("src/convert/kinds/hugging_face/pieces/languages.cpp", "std::regex"): "ranges, which are compared as bytes",
    ("src/train/record/watch/train_log.cpp", "strftime"): "digits only",
    ("src/cli/terminal/terminal.cpp", "strftime"): "digits only",
}


def is_test(path):
    return path.name.endswith(("_test.cpp", "_test.h")) or path.name.startswith("test_") or "tests" in path.parts


def check(root):
    problems, used = [], set()
    for path in sources.files(root, ".h", ".cpp"):
        if path.parts[0] not in ("src", "include") and path.parts[:2] != ("python", "src") or is_test(path):
            continue
        code = sources.code_only(sources.text_of(root / path) or "")
        for pattern, remedy in RULES:
            for match in pattern.finditer(code):
                known = [e for e in EXCEPTIONS if e[0] == str(path) and match[0].startswith(e[1])]
                used.update(known)
                if not known:
                    line = code.count("\n", 0, match.start()) + 1
                    problems.append(f"{path}:{line}: {match[0].rstrip('( ')} depends on the locale: {remedy}")
    gone = [e for e in EXCEPTIONS if e not in used and (root / e[0]).is_file()]
    return problems + [f"{file}: {word} is not used any more: remove the exception" for file, word in gone]


if __name__ == "__main__":
    sources.finish("locale", check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else sources.ROOT))
