"""Names of frames and joints in the place of their numbers: `ant: tool0`, `links: {forearm: ..}`, `loops: [[a, b]]`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from robosym.errors import closest
from robosym.formats.yaml_nodes import ListNode, MapNode, Node, TextNode

__all__ = ["with_numbers"]

_NAME = re.compile(r"[^\W\d][\w./ -]*")  #: what is a name where a number is expected
_KEYED = ("links", "wrench")  #: mappings from links


def with_numbers(root: MapNode, reader: Any) -> None:
    """Replace names by the numbers of their frames, each where it stands in the file."""
    frames = root.items.get("frames")
    if not isinstance(frames, ListNode):
        return
    names = _names(root, frames)

    def numbered(node: Any, what: str) -> Any:
        text = node.text.strip() if isinstance(node, TextNode) else ""
        if text in names:
            return TextNode(node.line, node.column, str(names[text]))
        if _NAME.fullmatch(text):
            known = f" or a name of {', '.join(list(names)[:20])}" if names else "; the frames have no names"
            reader.fail(f"{what}: unknown frame {text[:60]}{closest(text[:60], names)}: expected a number{known}", node)
        return node

    for j, frame in enumerate(frames.items, 1):
        if isinstance(frame, MapNode) and "ant" in frame.items:
            frame.items["ant"] = numbered(frame.items["ant"], f"frame {j}: ant")
    loops = root.items.get("loops")
    for k, pair in enumerate(loops.items if isinstance(loops, ListNode) else (), 1):
        if isinstance(pair, ListNode):
            pair.items[:] = [numbered(one, f"loops[{k}]") for one in pair.items]
    for key in _KEYED:
        table = root.items.get(key)
        if isinstance(table, MapNode):
            table.keys.update({name: numbered(place, key) for name, place in table.keys.items()})


def _names(root: MapNode, frames: ListNode) -> dict[str, int]:
    """Names of frames and, where no frame is called so, of their joints."""
    base = root.items.get("base")
    owners: list[tuple[int, Any]] = [(0, base), *enumerate(frames.items, 1)]
    found: dict[str, int] = {}
    for key in ("name", "joint"):
        for j, owner in owners:
            if isinstance(owner, MapNode):
                for name in _texts(owner.items.get(key)):
                    found.setdefault(name, j)
    return found


def _texts(node: Node | None) -> Iterator[str]:
    for item in node.items if isinstance(node, ListNode) else [node]:
        if isinstance(item, TextNode) and item.text.strip():
            yield item.text.strip()
