"""Hooks of mkdocs (mkdocs.yml): names with * in the navigation, folded solutions, formulas without a script."""
import html
import pathlib
import re

from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError

ROW = re.compile(r"^\|.*$", re.MULTILINE)
CODE = re.compile(r"`[^`\n]*`")
FENCED = re.compile(r"(^ *```.*?^ *```)", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)


def expanded(entry, pages):
    """-> the entry of the navigation as a list, a name with * replaced by all pages of that name"""
    if isinstance(entry, dict):
        (title, value), = entry.items()
        if isinstance(value, str):
            return [{title: expanded(value, pages)}] if "*" in value else [entry]
        return [{title: [one for part in value for one in expanded(part, pages)]}]
    if "*" not in entry:
        return [entry]
    found = sorted(str(p.relative_to(pages)) for p in pages.glob(entry))
    if not found:
        raise PluginError(f"navigation: no page is called {entry}")
    return found


def on_config(config):
    pages = pathlib.Path(config.docs_dir)
    config.nav = [one for entry in config.nav for one in expanded(entry, pages)]
    return config


def on_page_markdown(markdown, **_):
    """Text inside of <details> is Markdown, and \\| in the code of a table is |, as on the forges."""
    parts = FENCED.split(markdown)
    parts[::2] = [part.replace("<details>", '<details markdown="1">') for part in parts[::2]]
    parts[::2] = [ROW.sub(lambda row: CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0]), part) for part in parts[::2]]
    return "".join(parts)


def on_page_content(content, page, **_):
    """Formulas become MathML, which browsers draw themselves."""
    def formula(match, display):
        drawn = convert(html.unescape(match[1]).strip(), display=display)
        if "\\" in drawn:
            raise PluginError(f"{page.file.src_uri}: a command of this formula is unknown: {match[1]}")
        return drawn
    content = BLOCK.sub(lambda match: formula(match, "block"), content)
    return INLINE.sub(lambda match: formula(match, "inline"), content)
