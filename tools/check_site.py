"""Check a built site: every link has a target and an anchor, and no page loads anything from another host.

`python tools/check_site.py build/site` prints the problems and the number of links.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}


class Page(HTMLParser):
    """The links, anchors and loaded resources of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        for name, value in given.items():
            canonical = tag == "link" and given.get("rel") in ("canonical", "prev", "next")
            if (tag, name) in LOADS and not canonical:
                self.loaded.append(value)


def wrong(site: Path) -> tuple[list[str], int]:
    """Return the problems and the number of links."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html") if path.name != "404.html"}
    found, count = [], 0
    for path, page in pages.items():
        for target in (*page.links, *page.loaded):
            parts = urlsplit(target)
            count += 1
            if parts.scheme in ("http", "https") or target.startswith("//"):
                if target in page.loaded:
                    found.append(f"{path.relative_to(site)} loads {target}")
                continue
            if parts.scheme:
                continue
            place = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
            place = place / "index.html" if place.is_dir() else place
            if not place.exists():
                found.append(f"{path.relative_to(site)}: {target} has no target")
            elif parts.fragment and place.suffix == ".html" and not parts.fragment.startswith("__"):
                anchors = next((p.anchors for other, p in pages.items() if other.resolve() == place), None)
                if anchors is not None and unquote(parts.fragment) not in anchors:
                    found.append(f"{path.relative_to(site)}: {target} has no anchor of this name")
    return found, count


def main() -> None:
    found, count = wrong(Path(sys.argv[1]))
    print("\n".join([*found, f"{count} links, {len(found)} problems"]))
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
