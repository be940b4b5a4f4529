#!/usr/bin/env -S python3 -B
"""Lays out the pages of the documentation site in FOLDER: the Markdown pages and pictures of the repository at their own
paths; for every other file or folder to which a page links, a page with its text (sources/PATH); and api/, the lists of what
C++ and Python offer.
Usage: stage.py FOLDER [DOXYGEN'S HTML]"""
import ast
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import sources  # noqa: E402
from command_pages import cell  # noqa: E402

PICTURES = (".png", ".svg")
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)]*)?\))")
CODE = re.compile(r"(^ *```.*?^ *```|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
LANGUAGES = {".h": "cpp", ".cpp": "cpp", ".py": "python", ".sh": "sh", ".json": "json", ".yaml": "yaml", ".conf": "nginx",
             ".cmake": "cmake"}


def is_page(path):
    """-> whether a file of the repository is a page of the site, or a picture on one"""
    if path.parts[0] in ("docs", "examples"):
        return path.suffix in (".md", *PICTURES)
    return len(path.parts) == 1 and path.suffix == ".md"


class Stage:
    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.files = sources.files(root)
        self.written = set()  # paths of the repository that have a page in sources/

    def pages(self):
        for path in filter(is_page, self.files):
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".md":
                target.write_text(self.with_links((self.root / path).read_text(), path))
            else:
                shutil.copyfile(self.root / path, target)

    def with_links(self, text, page):
        """-> the text of `page` in which links to files and folders without a page lead to their pages in sources/"""
        def link(match):
            target = pathlib.Path(os.path.normpath(page.parent / match[2]))
            there = self.target(target)
            return match[0] if there == target else match[1] + os.path.relpath(there, page.parent) + match[3]
        parts = CODE.split(text)
        parts[::2] = [LINK.sub(link, part) for part in parts[::2]]
        return "".join(parts)

    def target(self, path):
        """-> the page that shows a path of the repository; the path itself where it is a page, or leads elsewhere"""
        if path in self.files:
            return path if is_page(path) else self.source(path)
        if path / "README.md" in self.files:
            return path / "README.md"
        return self.listing(path) if any(path in f.parents for f in self.files) else path

    def source(self, path):
        """-> the page with the text of a file"""
        page = pathlib.Path("sources", f"{path}.md")
        text = sources.text_of(self.root / path)
        fence = "`" * 4
        self.write(path, page, f"# {path}\n\n{fence}{LANGUAGES.get(path.suffix, 'text')}\n{text}{fence}\n")
        return page

    def listing(self, path):
        """-> the page with the list of a folder's files"""
        page = pathlib.Path("sources", path, "index.md")
        if path in self.written:
            return page
        self.write(path, page, "")  # first, because files may be listed by several
        names = sorted({path / f.relative_to(path).parts[0] for f in self.files if path in f.parents})
        rows = [f"- [{name.name}]({os.path.relpath(self.target(name), page.parent)})" for name in names]
        (self.folder / page).write_text(f"# {path}\n\n" + "\n".join(rows) + "\n")
        return page

    def write(self, path, page, text):
        if path in self.written:
            return
        self.written.add(path)
        (self.folder / page).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / page).write_text(text)

    def assets(self):
        (self.folder / "assets").mkdir()
        for name in ("iframe-worker.js", "site.css"):
            shutil.copyfile(pathlib.Path(__file__).parent / name, self.folder / "assets" / name)

    def python_api(self):
        """Writes the page from which mkdocstrings makes the Python reference: every name that the package exports."""
        tree = ast.parse((self.root / "python/hexapla/__init__.py").read_text())
        names = next(ast.literal_eval(node.value) for node in tree.body
                     if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__")
        intro = ast.get_docstring(tree)
        parts = [f"::: hexapla.{name}" for name in names if not name.startswith("_")]
        self.write("api/python", "api/python.md", f"# Python reference\n\n{intro}\n\n" + "\n\n".join(parts) + "\n")

    def cpp_api(self, doxygen):
        """Writes the list of the public headers, and puts Doxygen's pages beside it."""
        text = "# C++ reference\n\nOne header per purpose; [the library](../docs/library.md) says how to use them. "
        if doxygen:
            shutil.copytree(doxygen, self.folder / "api/cpp")
            text += "[Every class and function](cpp/annotated.html), written by Doxygen from these headers.\n\n"
        rows = [f"| [{path.name}](../{self.source(path)}) | {self.first_sentence(path)} |"
                for path in self.files if path.parts[:2] == ("include", "hexapla")]
        self.write("api/cpp", "api/cpp.md", text + "\n\n| header | |\n|---|---|\n" + "\n".join(rows) + "\n")

    def first_sentence(self, path):
        """-> the first sentence of a header's comment, or what precedes its first code, as Markdown"""
        comment = re.search(r"(?:^// .*\n)+", (self.root / path).read_text(), re.MULTILINE)
        text = " ".join(re.sub(r"^// ", "", comment[0], flags=re.MULTILINE).split()) if comment else ""
        return cell(re.sub(r":$", ".", re.split(r"(?<=\.) ", text)[0]))


def main():
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stage = Stage(sources.ROOT, folder)
    stage.pages()
    stage.assets()
    stage.python_api()
    stage.cpp_api(sys.argv[2] if len(sys.argv) > 2 else None)


if __name__ == "__main__":
    main()
