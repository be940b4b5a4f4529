"""What the checks beside this file share: which files there are, and C++ without its comments and strings,
or nothing but these."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def files(root, *suffixes):
    """Every file of the project under root (all, or with these suffixes), as paths relative to root."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True)
    if listed.returncode == 0:
        names = [pathlib.Path(n) for n in listed.stdout.split("\0") if n]
    else:  # an unpacked archive
        names = [p.relative_to(root) for p in root.rglob("*")]
        names = [n for n in names if not n.parts[0].startswith((".git", "build"))]
    return sorted(n for n in set(names)
                  if (root / n).is_file() and not (root / n).is_symlink() and (not suffixes or n.suffix in suffixes))


def text_of(path):
    """The text of a file, or None for a binary one."""
    data = path.read_bytes()
    if b"\0" in data:
        return None
    return data.decode("utf-8", errors="replace")


_TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^()\\\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'',
                     re.DOTALL)


def code_only(text):
    """C++ with comments and literals emptied; every newline stays where it was."""
    def blank(match):
        token = match.group(0)
        filler = "" if token.startswith("/") else token[0] + token[0] if token[0] in "\"'" else '""'
        return filler + "\n" * token.count("\n")
    return _TOKENS.sub(blank, text)


def prose_only(text):
    """C++ with everything but comments and literals taken away; every newline stays where it was."""
    kept, end = [], 0
    for match in _TOKENS.finditer(text):
        kept += ["\n" * text.count("\n", end, match.start()), match[0], " "]
        end = match.end()
    return "".join(kept)


def finish(what, problems):
    """Prints the problems and ends the program: 1 when there are any."""
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"-- {what}: " + (f"{len(problems)} to fix" if problems else "in order"), file=sys.stderr)
    sys.exit(1 if problems else 0)
