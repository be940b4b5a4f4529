#!/usr/bin/env -S python3 -B
"""Checks that JSON is parsed only by parse_json() and json_or_null() (base/json.h), which limit its depth and values: writing
or comparing a deep tree would crash the program. Readers that handle parser events without building a tree must count
levels themselves. Tests may parse in any way. Usage: check_json.py [ROOT]"""
import pathlib
import re
import sys

import sources
from check_locale import is_test

CALL = re.compile(r"\b[Jj]son\s*::\s*(?:parse|accept|sax_parse|from_\w+)\s*[(<]|\bordered_json\s*::\s*parse\s*\(")
# Their handlers count levels.
FOLLOWERS = {"src/convert/texts/json_file.cpp", "src/convert/parsing/json_texts.cpp", "src/convert/parsing/json_tree.cpp",
             "src/tensor/safetensors.cpp"}


def check(root):
    problems = []
    for path in sources.files(root, ".h", ".cpp"):
        if path.parts[0] not in ("src", "include") and path.parts[:2] != ("python", "src") or is_test(path):
            continue
        if str(path).startswith("src/base/json."):
            continue
        code = sources.code_only(sources.text_of(root / path) or "")
        for match in CALL.finditer(code):
            if str(path) in FOLLOWERS and "sax_parse" in match[0]:
                continue
            line = code.count("\n", 0, match.start()) + 1
            problems.append(f"{path}:{line}: {match[0].rstrip('(<')}: use parse_json() or json_or_null() (base/json.h)")
    return problems


if __name__ == "__main__":
    sources.finish("json", check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else sources.ROOT))
