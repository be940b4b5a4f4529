#!/usr/bin/env -S python3 -B
"""Checks every #include in src/ against cmake/layers.cmake, in which src/core may include no other folder of src/.
Allows no include cycle of more than two units (a unit is a header with its .cpp), no cycle of JavaScript modules, no
folder with more than twenty files, each large third-party header in only one file, and only one type per name (two with
the same name are undefined behavior that no compiler reports). What unnamed namespaces of a layer define has one name
each: its files are compiled together (HEXAPLA_UNITY_BUILD). The namespace of a file must be its folder's.
check_source.py checks everything else.
Usage: check_layers.py [ROOT]"""
import os
import pathlib
import re
import sys

import sources

LAYER = re.compile(r"^\s*hexapla_(root|layer|plugin)\(\s*([\w/]+)([^)]*)\)", re.MULTILINE)
CORE, NAMED = "core", {"lib"}  # includes no other folder of src/; is named in an #include
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
IMPORT = re.compile(r'^(?:import|export)\b(?:[^;"]*\bfrom)?\s*"(\.[^"]+)"', re.MULTILINE)
ONE_FILE = ["dnnl.hpp", "dnnl.h", "sentencepiece_processor.h", "sentencepiece_trainer.h", "mpi.h", "CL/cl.h", "nccl.h",
            "cublasLt.h", "omp.h", "boost/asio.hpp", "boost/asio/ssl.hpp", "boost/beast/http.hpp", "zlib.h", "zstd.h",
            "cld2/public/compact_lang_det.h", "nlohmann/json.hpp", "CLI/CLI.hpp", "lzma.h", "xxhash.h", "gumbo.h",
            "yaml-cpp/yaml.h", "expat.h", "zip.h", "re2/re2.h"]
CIRCLE, FILES = 2, 20  # maximum units in an include cycle, and files in a folder
OPENED = re.compile(r"^namespace hexapla(?:::(\w+))?", re.MULTILINE)
NO_NAMESPACE = {"base", "tensor", "backend", "ops", "lib"}  # what all share, and the public interface
OTHER_NAMESPACE = {"decode/options/option_ranges.h": "ranges",
                   "documents/": "text", "mpi/": "train"}  # each extends what core has
SPACE = re.compile(r"namespace(?: ([\w:]+))? \{$")
TYPE = re.compile(r"(?:struct|class|enum class|enum|union) (\w+)(?: final)?(?: :[^:].*)? \{")

# At the left margin of an unnamed namespace: a type, an alias or a function; constants, several in a line.
HIDDEN = re.compile(r"(?:struct|class|enum class|enum) (\w+)\b(?!::)|using (\w+) =|[\w\[][^=(]*[ *&](?!PrintTo)(\w+)\(")
FUNCTION = re.compile(r"^(?!using |return |namespace )[\w\[][^=(\n]*[ *&](\w+)\(", re.MULTILINE)
CONSTANTS = re.compile(r"[ *](k[A-Z]\w*)(?:\[\w*\])*(?: =(?!=)|\{)")
ALONE = "backend/cpu/kernels/"  # compiled once per instruction set, each file alone


def layers(root):
    """-> {folder: the folders it may include}, {folder: the folder of src/ that it is in}, and problems of the list"""
    allowed, places, roots, root_now, problems = {}, {}, {None: []}, None, []
    text = re.sub(r"#.*", "", (root / "cmake/layers.cmake").read_text())
    for kind, folder, deps in LAYER.findall(text):
        for dep in deps.split():
            if dep not in (roots if kind == "root" else allowed):
                problems.append(f"cmake/layers.cmake: {folder} may include {dep}, which is not declared above it")
            elif kind == "root" and folder == CORE:
                problems.append(f"cmake/layers.cmake: {CORE} may include no other folder of src/, and not {dep}")
            elif kind != "root" and places[dep] not in (root_now, *roots[root_now]):
                problems.append(f"cmake/layers.cmake: {root_now} may not include {places[dep]}, but {folder} includes {dep}")
        if kind == "root":
            root_now, roots[folder] = folder, deps.split()
        else:
            allowed[folder], places[folder] = set(deps.split()), root_now
    return allowed, places, problems


def included_as(path):
    """-> how an #include names src/<path>"""
    return path if path.parts[0] in NAMED else pathlib.Path(*path.parts[1:])


def types_of(text):
    """-> types defined outside unnamed namespaces, as namespace::name; relies on clang-format's layout"""
    spaces, names = [], []
    for line in text.split("\n"):
        if opened := SPACE.match(line):
            spaces.append(opened[1] or "unnamed")
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif (defined := TYPE.match(line)) and "unnamed" not in spaces:
            names.append("::".join([*spaces, defined[1]]))
    return names


def hidden_names(text):
    """-> {name: the line that defines it in an unnamed namespace}; relies on clang-format's layout"""
    names, unnamed = {}, False
    for line in text.split("\n"):
        if line in ("namespace {", "}  // namespace"):
            unnamed = line == "namespace {"
        elif unnamed:
            found = HIDDEN.match(line)
            names |= dict.fromkeys(filter(None, found.groups() if found else ()), line)
            names |= dict.fromkeys(CONSTANTS.findall(line) if line.startswith("const") else (), line)
    return names


def parameters_after(text, at):
    """-> kinds of the parameters without a default in the list that begins at `at`; text is one kind, numbers are another,
    because arguments of one are taken for those of the other"""
    depth, end = 0, at
    while end < len(text) and (depth := depth + {"(": 1, ")": -1}.get(text[end], 0)) > 0:
        end += 1
    parts = re.split(r",(?![^<(]*[>)])", text[at + 1:end])
    kinds = [re.sub(r"\bconst\b|std::|&|\s*\w+$|\s", "", part.strip()) for part in parts if part.strip() and "=" not in part]
    kinds = [re.sub(r"^(string|string_view|char\*)$", "text", kind) for kind in kinds]
    return tuple(re.sub(r"^(u?int\d*_t|size_t|int|char|char32_t|double|float|bool)$", "number", kind) for kind in kinds)


def functions_of(text):
    """-> {name: kinds of its parameters} of functions at the left margin"""
    return {found[1]: parameters_after(text, found.end() - 1) for found in FUNCTION.finditer(text)}


def check_hidden_names(files, headers, allowed):
    """files: (layer, path, text) of those that may be compiled together. The same alias may be there twice. A function in an
    unnamed namespace must not take calls of another file of its layer from one that a header declares; with other
    parameters, the compiler complains. headers: (layer, path, namespace, text)."""
    first, problems, declared = {}, [], {}
    for layer, path, space, text in headers:
        for name, kinds in functions_of(text).items():
            declared.setdefault((space, layer, name, kinds), path)
    for layer, path, text in files:
        spaces, own = {"", *OPENED.findall(text)}, functions_of(text)
        for name, line in hidden_names(text).items():
            other, its_line = first.setdefault((layer, name), (path, line))
            if other != path and not (line.startswith("using") and line == its_line):
                problems.append(f"{path}: {name} is in an unnamed namespace of {other}, too; give it a more exact name")
            for space in spaces:
                for where in (layer[0], *allowed.get(layer[0], ())) if name in own else ():
                    header = declared.get((space, where, name, own[name]))
                    if header and header.with_suffix(".cpp") != path:
                        problems.append(f"{path}: {name} takes the calls of that in {header}; give it a more exact name")
    return problems


def folder_of(path, allowed):
    """The layer of a file, as an #include names it: the longest declared folder above it."""
    for parent in path.parents:
        if str(parent) in allowed:
            return str(parent)
    return None


def circles(includes):
    """-> strongly connected components of {unit: units that it includes} with several units (Tarjan 1972)"""
    number, lowest, stack, found = {}, {}, [], []

    def visit(unit):
        number[unit] = lowest[unit] = len(number)
        stack.append(unit)
        for other in includes[unit]:
            if other not in number:
                visit(other)
            if other in stack:
                lowest[unit] = min(lowest[unit], lowest[other])
        if lowest[unit] == number[unit]:
            part = stack[stack.index(unit):]
            del stack[stack.index(unit):]
            if len(part) > 1:
                found.append(sorted(part))

    for unit in includes:
        if unit not in number:
            visit(unit)
    return found


def fork(unit, other):
    """-> the folder where the paths of two units part, and the next step of each: a folder, or "." for a file in it"""
    a, b = unit.split("/"), other.split("/")
    depth = 0
    while depth < min(len(a), len(b)) - 1 and a[depth] == b[depth]:
        depth += 1
    step = [path[depth] if depth < len(path) - 1 else "." for path in (a, b)]
    return "/".join(["src", *a[:depth]]), *step


def check_staircases(includes):
    """Finds folders that include each other: those of src, and those inside a folder, whose own files count as one."""
    levels = {}
    for unit, others in includes.items():
        for other in others:
            parent, a, b = fork(unit, other)
            steps = levels.setdefault(parent, {})
            steps.setdefault(b, set())
            if a != b:
                steps.setdefault(a, set()).add(b)
    return [f"{parent}: the folders {', '.join(circle)} include each other"
            for parent, steps in sorted(levels.items()) for circle in circles(steps)]


def check_rooms(root):
    """Finds include cycles and folders with too many files."""
    includes, folders = {}, {}
    for path in sources.files(root):
        if path.parts[0] != "src":
            continue
        folders[path.parent] = folders.get(path.parent, 0) + 1
        if path.suffix in (".h", ".cpp") and not path.stem.endswith("_test") and not path.name.startswith("test_"):
            found = INCLUDE.findall(sources.text_of(root / path) or "")
            unit = includes.setdefault(str(path.relative_to("src").with_suffix("")), set())
            unit |= {str(pathlib.Path(name).with_suffix("")) for mark, name in found if mark == '"'}
    places = {str(included_as(pathlib.Path(unit))): unit for unit in includes}
    known = {unit: {places[name] for name in names & places.keys()} - {unit} for unit, names in includes.items()}
    problems = [f"src: {', '.join(circle)} include each other; a circle has at most {CIRCLE} units"
                for circle in circles(known) if len(circle) > CIRCLE]
    problems += check_staircases(known)
    return problems + [f"{folder}: {count} files, more than {FILES}; a part of them is a folder of its own"
                       for folder, count in sorted(folders.items()) if count > FILES]


def check_modules(root):
    """Finds cycles of JavaScript modules."""
    texts = {str(path): sources.text_of(root / path) or "" for path in sources.files(root, ".js")}
    imports = {path: {os.path.normpath(os.path.join(os.path.dirname(path), name)) for name in IMPORT.findall(text)}
               for path, text in texts.items()}
    return [f"{', '.join(circle)} import each other: move what they share into a module that imports none of them"
            for circle in circles({path: names & texts.keys() for path, names in imports.items()})]


def check_includes(name, text, allowed, places):
    """Problems of one file of src/ (name relative to src/)."""
    own = folder_of(included_as(name), allowed)
    if own is None or places[own] != name.parts[0]:
        return [f"src/{name}: belongs to no folder of cmake/layers.cmake"]
    if name.name.endswith("_test.cpp"):
        return []
    problems = []
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        target = folder_of(pathlib.Path(match[2]), allowed)
        if match[1] == '"' and target and target != own and target not in allowed[own]:
            problems.append(f"src/{name}:{line}: {own} may not include {match[2]}; see cmake/layers.cmake")
        steps = pathlib.Path(match[2]).parts
        if match[1] == '"' and (".." in steps or steps[0] in set(places.values()) - NAMED):
            problems.append(f"src/{name}:{line}: name {match[2]} as others do, from its layer on and without '..'")
    return problems


def check_namespace(name, text):
    """A folder in a folder of src/ is a namespace; what a file opens last is its own."""
    opened, there = OPENED.findall(text), included_as(name)
    own = there.parts[0] if there.parts else "src"
    usual = None if own in NO_NAMESPACE else own
    expected = next((space for place, space in OTHER_NAMESPACE.items() if str(there).startswith(place)), usual)
    if expected is None or not opened or opened[-1] == expected:
        return []
    return [f"src/{name}: opens the namespace hexapla::{opened[-1]}, but its folder is {own}"]


def check(root):
    allowed, places, problems = layers(root)
    problems += check_rooms(root) + check_modules(root)
    users = {header: [] for header in ONE_FILE}
    defined, together, headers = {}, [], []
    for path in sources.files(root, ".h", ".cpp", ".inc", ".cu"):
        if path.parts[0] not in ("src", "include"):
            continue
        text = sources.text_of(root / path) or ""
        if path.parts[0] == "src":
            problems += check_includes(path.relative_to("src"), text, allowed, places)
            problems += check_namespace(path.relative_to("src"), text)
            there = included_as(path.relative_to("src"))
            if path.suffix == ".h" and not path.name.startswith("test_"):
                headers.append((folder_of(there, allowed), path, (OPENED.findall(text) or [""])[-1], text))
            if path.suffix == ".cpp" and not str(there).startswith(ALONE):
                together.append(((folder_of(there, allowed), path.name.endswith("_test.cpp")), path, text))
        for name in types_of(text):
            if defined.setdefault(name, path) != path:
                problems.append(f"{path}: {name} is a type of {defined[name]}, too; give one of them another name")
        if path.name.endswith("_test.cpp") or path.name.startswith("test_"):
            continue  # a test may write a compressed file
        for _, header in INCLUDE.findall(text):
            for wanted in ONE_FILE:
                if header == wanted or header.endswith("/" + wanted):
                    users[wanted].append(str(path))
    problems += check_hidden_names(together, headers, allowed)
    for header, where in users.items():
        if len(where) > 1:
            problems.append(f"{header} may be included by one file only, not by " + " and ".join(where))
    return problems


if __name__ == "__main__":
    sources.finish("includes", check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else sources.ROOT))
