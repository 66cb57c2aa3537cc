"""What the site adds to the pages of this folder: the README of each plugin, and their list.

Links between pages are written for readers of the repository; on the site, the READMEs live
below ``plugins/``, and links to source code become plain text.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
LIST = "reference/plugins.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each README of a plugin, and one that lists them."""
    readmes = sorted((ROOT / "plugins").glob("*/*/README.md"))
    for readme in readmes:
        path = readme.relative_to(ROOT).as_posix()
        page = File.generated(config, path, abs_src_path=str(readme))
        files.append(page)
    files.append(File.generated(config, LIST, content=_listing(readmes)))
    return files


def _listing(readmes: list[Path]) -> str:
    lines = ["# Plugins", "", "What each says of itself; `mfbpi show` lists parameters."]
    kind = ""
    for readme in readmes:
        if readme.parts[-3] != kind:
            kind = readme.parts[-3]
            lines += ["", f"## {kind.capitalize()}", ""]
        path = posixpath.relpath(readme.relative_to(ROOT).as_posix(), posixpath.dirname(LIST))
        lines.append(f"- [{readme.parts[-2]}]({path})")
    return "\n".join(lines)


def on_page_markdown(markdown: str, page: Page, files: Files, **_: Any) -> str:
    """Point each relative link to where its target is on the site."""
    source = page.file.src_uri
    home = source if source.startswith("plugins/") else f"docs/{source}"

    def moved(link: re.Match[str]) -> str:
        text, target, anchor = link[1], link[2], link[3] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(home), target))
        if path.startswith("plugins/") and (ROOT / path / "README.md").exists():
            path += "/README.md"
        on_site = path.removeprefix("docs/")
        if files.get_file_from_path(on_site) is None:
            return text
        return f"[{text}]({posixpath.relpath(on_site, posixpath.dirname(source) or '.')}{anchor})"

    return re.sub(r"(?<!!)\[([^\]]+)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)", moved, markdown)
