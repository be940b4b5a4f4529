#!/usr/bin/env -S python3 -B
"""Checks the pages of a site: no link or anchor leads nowhere within it, and no page loads anything from elsewhere.
Usage: check.py FOLDER"""
import html.parser
import os
import pathlib
import re
import sys
import urllib.parse

LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("object", "data")}
NOT_LOADED = {"canonical", "next", "prev", "alternate", "edit"}  # kinds of <link> that browsers do not fetch
IMPORTED = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:https?:)?//[^"')\s]+)""")


class Page(html.parser.HTMLParser):
    """The links, the loaded files and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.anchors = set(), set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        for name, value in given.items():
            if (tag, name) in LOADED and not (tag == "link" and given.get("rel") in NOT_LOADED):
                self.loaded.add(value)
            elif (tag, name) == ("a", "href"):
                self.links.add(value)


def target(folder, page, link):
    """-> the file and the anchor to which a link of `page` leads; None if it leads out of the site"""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = urllib.parse.unquote(parts.path)
    file = (folder / path.lstrip("/")) if path.startswith("/") else pathlib.Path(os.path.normpath(page.parent / path))
    return (file if path else page), urllib.parse.unquote(parts.fragment)


def check(folder):
    """-> what is wrong with the site; Doxygen's pages (api/cpp) are not asked for their anchors, of which it forgets one"""
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    problems = []
    for path, page in pages.items():
        name = path.relative_to(folder)
        for link in sorted(page.links | page.loaded):
            found = target(folder, path, link)
            if found is None:
                if link in page.loaded and not link.startswith(("data:", "javascript:")):
                    problems.append(f"{name}: loads {link} from elsewhere")
            elif not found[0].is_file():
                problems.append(f"{name}: links to {link}, which is not there")
            elif found[1] and found[0] in pages and found[1] not in pages[found[0]].anchors and "api/cpp" not in str(name):
                problems.append(f"{name}: links to {link}, which has no such anchor")
    for path in sorted(folder.rglob("*.css")):
        problems += [f"{path.relative_to(folder)}: loads {address} from elsewhere"
                     for address in IMPORTED.findall(path.read_text(encoding="utf-8"))]
    return problems


def main():
    problems = check(pathlib.Path(sys.argv[1]).resolve())
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"-- site: {len(problems)} to fix" if problems else "-- site: links, anchors and loaded files are in order", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
