#!/usr/bin/env -S python3 -B
"""Checks the words of the project: no paths of particular machines, no leftover notes or merge markers, American spelling
in prose, comments and messages, and no broken Markdown links to files of the project.
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
IZE = """anonym apolog author binar capital categor central character critic custom digit discret emphas equal factor familiar
    final formal general harmon immun initial item linear local material maxim memor minim modern modular normal optim organ
    parallel penal prior quant random raster real recogn regular sanit scrutin serial special stabil standard summar symbol
    synchron token util vector visual"""
OR = "arm behavi col endeav fav flav harb hon hum lab neighb rig rum sav vap vig"
L = "cancel channel fuel label level marshal model signal total travel tunnel"
BRITISH = re.compile(  # identifiers are not prose: not followed by _, ( or .h
    r"(?<![a-z_])(?:un|re|de|pre|mis|non)?(?:"
    rf"(?:{'|'.join(IZE.split())}|priorit)is(?:e[ds]?|ers?|ing|ations?|able)"
    rf"|(?:{'|'.join(OR.split())})our(?:s|ed|ing|able|ably|ites?|ful|less|hoods?|al)?"
    rf"|(?:{'|'.join(L.split())})l(?:ed|ing|ers?)"
    r"|(?:calib|cent|fib|lit|met|kilomet|theat)re[ds]?|centring|analys(?:e|ed|ing|ers?)|licences?|defences?|offences?"
    r"|grey(?:s|ed|ish)?|artefacts?|(?:acknowledge|judge)ments?|(?:catalogue|analogue|programme)s?|practis(?:e|ed|ing)"
    r"|spelt|learnt|burnt|dreamt|whilst|amongst|ageing|fulfil|skilful|mould|sceptic\w*"
    r")(?![a-z_(]|\.(?:h|cpp)\b)", re.IGNORECASE)
DATA_KEYS = re.compile(r'["`]normalised["`]')  # a JSON key of the first version
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


def british(path, text):
    """-> British spellings in prose: the whole file or, for C++, comments and literals"""
    if path.suffix in (".cpp", ".h"):
        text = sources.prose_only(re.sub(r"#include.*", "", text))
    text = DATA_KEYS.sub("", text)
    return [f"{path}:{text.count(chr(10), 0, m.start()) + 1}: {m[0]}: American spelling, please" for m in BRITISH.finditer(text)]


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
        problems += british(path, text)
        if path.suffix == ".md":
            problems += links(root, path, text)
    return problems


if __name__ == "__main__":
    sources.finish("words", check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else sources.ROOT))
