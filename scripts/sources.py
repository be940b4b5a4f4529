"""Shared by the checks: lists and reads files, and says what they found."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def files(root, *suffixes):
    """-> files of the project under root (all, or with these suffixes), relative to root"""
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
    """-> the text of a file; None if it is binary"""
    data = path.read_bytes()
    if b"\0" in data:
        return None
    return data.decode("utf-8", errors="replace")


def finish(what, problems):
    """Prints the problems and exits, with code 1 if there are any."""
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"-- {what}: " + (f"{len(problems)} to fix" if problems else "in order"), file=sys.stderr)
    sys.exit(1 if problems else 0)
