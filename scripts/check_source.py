#!/usr/bin/env -S python3 -B
"""Checks every file against the table RULES: what it may not have, where that is allowed, and what to do instead.
Neither the compiler nor clang-tidy finds these. codespell checks the spelling, check_layers.py what a file includes.
Usage: check_source.py [ROOT]"""
import ast
import functools
import pathlib
import re
import sys
import typing

import cpp
import sources
import translations


class Source:
    """A file of the project; the texts that rules look at are made once."""

    def __init__(self, project, path, text):
        self.project, self.path, self.text = project, path, text

    @functools.cached_property
    def code(self):
        return cpp.code_only(self.text)

    @functools.cached_property
    def functions(self):
        """-> (name, first line, lines, parameters); parameters are counted in C++ only"""
        if self.path.suffix != ".py":
            return cpp.functions(self.code)
        nodes = [n for n in ast.walk(ast.parse(self.text)) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
        return [(n.name, n.lineno, n.end_lineno - n.lineno + 1, 0) for n in nodes]


class Project:
    def __init__(self, root):
        self.root = root
        texts = {path: sources.text_of(root / path) for path in sources.files(root)}
        self.sources = {path: Source(self, path, text) for path, text in texts.items() if text is not None}

    @functools.cached_property
    def lifetimes(self):
        return cpp.Lifetimes(source.code for path, source in self.sources.items() if CPP(path))


class Rule(typing.NamedTuple):
    name: str
    concerns: typing.Callable  # path -> bool
    find: typing.Callable  # Source -> [(line, what is found)]
    message: str  # {} is what is found
    allowed: dict = {}  # {beginning of a path: beginning of what may be found there}


# The files of a rule

def files(endings="", folders="", but="(?!)"):
    """-> path -> is it one of these: with one of the endings, in one of the folders, and without a match of `but`?"""
    endings, folders = tuple(endings.split()) or "", tuple(folders.split()) or ""
    return lambda path: str(path).endswith(endings) and str(path).startswith(folders) and not re.search(but, str(path))


FIXTURES, FUNCTIONS = r"(?:^|/)(?:fixtures|third_party)/", ".h .cpp .inc .cu .cuh .py"
CPP = files(".h .cpp")
HEADERS = files(".h", "src/ include/")
LAYERS = files(".h .cpp .inc .cu", "src/", r"_test\.cpp$")
LIBRARY = files(".h .cpp", "src/ include/ python/src/", r"_test\.(?:cpp|h)$|(?:^|/)(?:test_[^/]*$|tests/)")
COUNTED = files(FUNCTIONS + " .sh .cmake .js .css .html", but=FIXTURES)
WITH_FUNCTIONS = files(FUNCTIONS, but=FIXTURES)
# The backend contract and kernels may have more parameters.
OUTSIDE_KERNELS = files(FUNCTIONS, but=FIXTURES + r"|^src/core/backend/|^src/plugins/opencl/|kernel[^/]*$|_test\.cpp$")
TEXTS = files(but=r"(?:^|/)fixtures/")
PAGES = files(".md", but=r"(?:^|/)fixtures/")


# Functions that rules use to find faults

def matches(pattern, text):
    return [(text.count("\n", 0, m.start()) + 1, m) for m in re.finditer(pattern, text, re.MULTILINE)]


def in_text(pattern):
    return lambda source: [(line, m[0].strip()) for line, m in matches(pattern, source.text)]


def in_code(pattern):
    """C++ without comments and literals"""
    return lambda source: [(line, m[0].strip("(<; ")) for line, m in matches(pattern, source.code)]


def in_literals(pattern):
    return lambda source: [(line, text) for line, text in cpp.literals(source.text) if re.search(pattern, text)]


def markdown(source):
    return [(line, text) for line, text in cpp.literals(source.text)
            if re.sub(r"`[a-z][a-z0-9-]*`", "", text).count("`") > 1]


def no_guard(source):
    return [] if "#pragma once" in source.text else [(1, "")]


def broken_links(source):
    plain = re.sub(r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$", lambda m: "\n" * m[0].count("\n"), source.text,
                   flags=re.DOTALL)
    folder = source.project.root / source.path.parent
    return [(line, m[1]) for line, m in matches(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", plain)
            if not re.match(r"\w+:", m[1]) and not (folder / m[1]).exists()]


def long_file(source):
    lines = source.text.count("\n")
    return [(501, f"{lines} lines")] if lines > 500 else []


def long_functions(source):
    return [(first, f"{name} has {lines} lines") for name, first, lines, _ in source.functions if lines > 80]


def many_parameters(source):
    return [(first, f"{name} has {count} parameters") for name, first, _, count in source.functions if count > 6]


def dangling_ranges(source):
    return source.project.lifetimes.dangling_ranges(source.code)


def untranslated(source):
    original = translations.original_of(source.path)
    if original not in source.project.sources:
        return [(1, f"translates {original}, which is not there")]
    return translations.differences(source.path, source.text, original, source.project.sources[original].text)


# The rules

NUMBERS = "{} depends on the locale: use parse_number() (base/range.h) to read numbers, fmt or cat() to write them"
LETTERS = "{} depends on the locale: compare with the letters themselves, or use text/utf8.h"
PARSE = "{}: use parse_json() or json_or_null() (base/json.h), which limit depth and values, or walk_json()"
RULES = [
    # Writing or comparing a deep tree of JSON would crash the program. Handlers of walk_json() count levels.
    Rule("json", LIBRARY, in_code(r"\b[Jj]son\s*::\s*(?:(?:sax_)?parse|accept|from_\w+)\s*[(<]|"
                                  r"\bordered_json\s*::\s*parse\s*\("), PARSE, {"src/core/base/json.": ""}),
    Rule("json", LAYERS, in_code(r"\.dump\("), "use json_text() (base/json.h), which accepts bytes that are not UTF-8",
         {"src/core/base/json.h": ""}),

    # The locale belongs to the program that uses the library. That of C determines the decimal point of strtod() and
    # printf(), that of C++ the output of streams. Tests also run under a German locale.
    Rule("locale", LIBRARY, in_code(r"(?<!Classic<)std::[io]?(?:f|string)stream\b"),
         "{} depends on the locale: use Classic<...> (base/classic.h)"),
    Rule("locale", LIBRARY, in_code(r"\b(?:strto(?:d|f|ld)|sto(?:d|f|ld)|atof|v?s?n?f?scanf|"
                                    r"(?:v|std::v|std::)?(?:f|s|sn|d)?printf)\s*\("), NUMBERS),
    Rule("locale", LIBRARY, in_code(r"\bstd::to_string\s*\("), NUMBERS, {
        "src/core/base/scope.cpp": "",  # an int; cat() would need this file
        "src/core/model/parameters/parameter.h": "",  # an index
        "src/apps/serve/http/session.cpp": "",  # sizes
        "include/hexapla/options.h": ""}),  # whole numbers; the public headers need no library
    Rule("locale", LIBRARY, in_code(r"\b(?:is(?:alpha|alnum|digit|xdigit|space|blank|upper|lower|punct|print|graph|"
                                    r"cntrl)|to(?:lower|upper))\s*\("), LETTERS),
    Rule("locale", LIBRARY, in_code(r"\b(?:strcoll|strxfrm|wcwidth|mb(?:r|s)?towcs?|localeconv|setlocale)\s*\("),
         LETTERS),
    Rule("locale", LIBRARY, in_code(r"\bstd::(?:w?regex\b|regex_replace\b)"), LETTERS, {
        "src/core/base/files/file.cpp": "std::regex",  # ranges and digits, which are compared as bytes
        "src/plugins/convert/kinds/hugging_face/pieces/languages.cpp": "std::regex"}),  # ranges
    Rule("locale", LIBRARY, in_code(r"\b(?:strerror(?:_r)?|perror)\s*\(|\bgeneric_category\(\)\.message"),
         "{} depends on the locale: use system_text() (base/files/disk.h)"),
    Rule("locale", LIBRARY, in_code(r"\b(?:strftime|put_time|get_time|put_money|get_money)\s*\("),
         "{} depends on the locale, which names days and months: write digits", {
             "src/core/train/record/watch/train_log.cpp": "strftime",  # digits only
             "src/apps/cli/terminal/terminal.cpp": "strftime"}),
    Rule("locale", LIBRARY, in_code(r"\bstd::(?:locale|use_facet)\b"), "{}: leave the locale alone", {
        "src/core/base/classic.h": "std::locale",  # what the others use
        "src/core/base/system/child_process.cpp": "std::locale"}),  # our own process, in which SentencePiece trains

    Rule("range", CPP, dangling_ranges, "the loop walks part of a temporary that may be gone ({}): give the temporary "
         "a name, as in `for (const auto all = f(x); const auto& y : all.parts())`"),

    Rule("print", LAYERS, in_code(r"\bstd::(?:cout|cerr|clog)\b|"
                                  r"(?<![\w.>])(?:std::)?(?:printf|puts|putchar|perror)\s*\(|"
                                  r"(?<![\w.>])(?:std::|::)?(?:exit|_exit|quick_exit|abort|terminate)\s*\("),
         "{}: a library neither prints nor ends the process; return the text, or throw an error", {"src/apps/cli/": ""}),
    Rule("option", LAYERS, in_text(r'"--(?!-)'),  # a marker of three dashes is no flag
         "a library names an option as `name`, see base/options/option_names.h",
         {"src/apps/cli/": "", "src/core/base/options/option_names.cpp": ""}),
    # Jobs, the demo, experiments and the server belong to programs alone. The help of --device names the command that
    # lists devices.
    Rule("command", LAYERS, in_literals(
        r"\bhexapla (?:translate|document|train|import|export|score|align|evaluate|data|average|quantize|info|"
        r"compare|inspect|explain|serve|demo|doctor|bench|lab|join|replay|reproduce)\b(?!\"$)|"
        r"(?<!\.sh) --[a-z]|`--[a-z]"),
         "a library names a command only in `{{ }}`, see base/options/option_names.h: {}",
         {"src/apps/cli/": "", "src/school/lab/": "", "src/apps/serve/": "", 
          "src/lib/program/": "", "src/lib/training/": "", "src/core/base/options/device_option.h": ""}),
    Rule("backtick", LAYERS, markdown, "a user never sees backticks, which mark the name of an option: {}",
         {"src/school/lab/": ""}),

    Rule("guard", HEADERS, no_guard, "a header begins with #pragma once"),
    Rule("size", COUNTED, long_file, "{}, at most 500: which two rooms is it?"),
    Rule("size", WITH_FUNCTIONS, long_functions, "{}, at most 80: divide it"),
    Rule("size", OUTSIDE_KERNELS, many_parameters, "{}, at most 6: make a struct of some"),

    Rule("word", TEXTS, in_text(r"(?<![\w.$}])/(?:work|root|home/\w+|tmp)/"), "a path of one machine ({}): remove it"),
    Rule("word", TEXTS, in_text(r"\.\./shared\b"), "a folder outside of the project ({}): remove it", {".ci/run": ""}),
    Rule("word", TEXTS, in_text(r"\b(?:TO(?:DO)|FIX(?:ME)|X{3}|HAC(?:K))\b"),
         "a leftover note ({}): do it, or write an issue"),
    Rule("word", TEXTS, in_text(r"^(?:<{7} |>{7} )"), "a merge marker ({}): finish the merge"),
    Rule("link", PAGES, broken_links, "links to {}, which is not there"),
    Rule("translation", translations.original_of, untranslated, "{}"),
]


def check(root):
    project, problems, used = Project(root), [], set()
    for path, source in project.sources.items():
        for number, rule in enumerate(RULES):
            for line, what in rule.find(source) if rule.concerns(path) else ():
                known = [place for place, beginning in rule.allowed.items()
                         if str(path).startswith(place) and what.startswith(beginning)]
                used.update((number, place) for place in known)
                if not known:
                    problems.append(f"{path}:{line}: {rule.message.format(what)} [{rule.name}]")
    return problems + [f"{place}:1: what `{rule.name}` allows here is not used any more: remove it from check_source.py"
                       for number, rule in enumerate(RULES) for place in rule.allowed
                       if (number, place) not in used and (root / place).is_file()]


if __name__ == "__main__":
    sources.finish("source", check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else sources.ROOT))
