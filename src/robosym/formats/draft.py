"""A robot as a draft: the texts of its description, row by row, which may be invalid for a while.

A draft holds the content of the native YAML format as mappings, lists and texts. The frames of a chain (a robot, a leg
of a parallel robot, an arm of a hybrid robot) are `rows`. Each row holds everything that belongs to one frame (`frame`,
`link`, `wrench`, `motion`), so a row can be moved as a whole. Entries that no table shows are passed on unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from robosym.algebra import Graph, parse, symbols
from robosym.errors import Error, InputError
from robosym.formats import dumps
from robosym.formats.yaml import read_description
from robosym.formats.yaml_nodes import ListNode, MapNode, Node, nodes_of, read_nodes
from robosym.mechanism import BASE_MOTION, DRIVE, INERTIA, JOINT_TYPES, MOTION, Robot

__all__ = [
    "Draft", "base_description", "chain_of", "chains", "copied", "draft_of", "platform_description",
    "rename_variables", "robot_of", "symbols_of", "variable_key", "variables",
]  # fmt: skip

Draft = dict[str, Any]


def draft_of(robot: Robot) -> Draft:
    """Return the draft of any robot, including parallel and hybrid ones."""
    root = read_nodes(dumps(robot, "yaml"), None)
    plain: Draft = _plain(root)
    if "modules" in plain:
        plain["modules"] = [_opened(module) for module in plain["modules"]]
        return plain
    return _opened(plain)


def robot_of(draft: Draft) -> Robot:
    """Return the robot of a draft; raise an error that describes the first invalid entry."""
    name = str(draft.get("name") or "")
    if not name:
        raise InputError("name: expected a name, found nothing")
    return read_description(nodes_of(_pruned(_closed(draft), draft), name), None, name)


def chains(draft: Draft) -> Iterator[tuple[str, Draft]]:
    """Return all lists of rows by key: "" for a robot, "leg2" for a leg, "module2" and "module1.leg3" for modules."""
    if "modules" in draft:
        for k, module in enumerate(draft["modules"], 1):
            for key, chain in chains(module):
                yield f"module{k}.{key}".rstrip("."), chain
    elif "legs" in draft:
        for k, leg in enumerate(draft["legs"], 1):
            yield f"leg{k}", leg
    elif "rows" in draft:
        yield "", draft


def chain_of(draft: Draft, key: str) -> Draft:
    """Return a list of rows by its key."""
    found = dict(chains(draft))
    if key not in found:
        raise InputError(f"there is no chain {key!r}")
    return found[key]


def platform_description(name: str, legs: int, joints: int) -> Draft:
    """Return the description of a platform on identical legs: revolute chains, the first joint actuated."""
    if not 2 <= legs <= 20 or not 2 <= joints <= 8:
        raise InputError(f"expected 2 to 20 legs of 2 to 8 joints, found {legs} of {joints}")

    def leg(k: int) -> Draft:
        start, turn = k * joints, f"{2 * k}*Pi/{legs}"
        frames = [{"theta": f"t{start + j}", "mu": int(j == 1), "d": f"L{j - 1}"} for j in range(1, joints + 1)]
        frames[0] |= {"gamma": turn, "d": "RB"}
        return {"frames": frames, "links": "symbolic", "place": {"gamma": turn, "d": "RP"}}

    every = [leg(k) for k in range(legs)]
    return {"name": name, "platform": "symbolic", "legs": every, "gravity": [0, 0, "G3"]}


def base_description(kind: str) -> Draft:
    """Return the entries of a base with symbolic inertia and motion; none for a fixed base."""
    if kind == "fixed":
        return {}
    motion = {key: [f"{key[:-1]}{axis}0" for axis in "XYZ"] for key in BASE_MOTION} if kind == "mobile" else {}
    return {"link": {name: f"{name}0" for name in INERTIA}, "type": kind, **motion}


@lru_cache(maxsize=60_000)
def symbols_of(text: str) -> frozenset[str]:
    """Return the symbols of an entry; none if it cannot be read."""
    try:
        return frozenset(symbols([parse(text, Graph())]))
    except Error:
        return frozenset()


def variable_key(sigma: str) -> str:
    """Return the key of the entry with the joint variable, given the text of sigma; "" if there is no joint."""
    kind = JOINT_TYPES.get(int(sigma)) if sigma.strip().isdigit() else None
    return kind.variable if kind is not None and kind.moves else ""


def variables(chain: Draft) -> list[str]:
    """Return the joint variables of a chain; an empty text where a cell is invalid."""
    found = []
    for row in chain["rows"]:
        frame = row["frame"]
        key = variable_key(str(frame.get("sigma", "0")))
        if key:
            found.append(next(iter(symbols_of(str(frame.get(key, "")))), ""))
    return found


def rename_variables(draft: Draft, before: Draft) -> None:
    """Rename joint variables in the stored positions and pictures after they were renamed in the tables."""
    old, new = ([name for _, chain in chains(one) for name in variables(chain)] for one in (before, draft))
    changed = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
    if len(old) != len(new) or len(changed) != 1 or not all(changed[0]) or changed[0][1] in old:
        return
    (was, now), owners = changed[0], [draft, *draft.get("modules", ())]
    for owner in owners:
        for key in ("position", "picture"):
            if was in owner.get(key, {}):
                owner[key] = {now if name == was else name: value for name, value in owner[key].items()}


def _pruned(closed: Draft, draft: Draft) -> Draft:
    """Return the description without positions and pictures of joints that no longer exist."""
    owners = [draft, *draft.get("modules", ())]
    if not any(key in owner for owner in owners for key in ("position", "picture")):
        return closed
    known = set(_words(draft))
    for owner in [closed, *closed.get("modules", ())]:
        for key in ("position", "picture"):
            if key in owner:
                kept = {"pose"} if "legs" in owner else set()  # of a platform, at the reference position
                owner[key] = {name: value for name, value in owner[key].items() if name in known | kept}
    return closed


def _words(part: Any) -> Iterator[str]:
    """Return all symbols in the entries of a draft."""
    if isinstance(part, str):
        yield from symbols_of(part)
    elif isinstance(part, list):
        for item in part:
            yield from _words(item)
    elif isinstance(part, dict):
        for key, item in part.items():
            if key not in ("name", "title", "source", "position", "picture", "joint", "robot", "suffix"):
                yield from _words(item)


def copied(part: Any) -> Any:
    """Return a deep copy of mappings and lists."""
    if isinstance(part, dict):
        return {key: copied(item) for key, item in part.items()}
    return [copied(item) for item in part] if isinstance(part, list) else part


def _plain(node: Node | None) -> Any:
    if isinstance(node, MapNode):
        return {str(key): _plain(item) for key, item in node.items()}
    if isinstance(node, ListNode):
        return [_plain(item) for item in node]
    return {} if node is None else str(node)


# --------------------------------------------------------------------------------------- the format's lists into rows


def _opened(part: Draft) -> Draft:
    """Return the description with lists of frames replaced by rows, and the keyword for symbols by the symbols."""
    if "legs" in part:
        legs = [_rows(leg, own_ants=False) for leg in part["legs"]]
        platform = part.get("platform", {})
        if platform == "symbolic":
            platform = {name: f"{name}P" for name in INERTIA}
        return {**part, "platform": platform, "legs": legs}
    if "frames" not in part:
        return part  # a module that is a robot of the library
    base = dict(part.get("base", {}))
    if base.get("link") == "symbolic":
        base["link"] = {name: f"{name}0" for name in INERTIA}
    wrench = part.get("wrench", {})
    if "0" in wrench:
        base["wrench"] = wrench["0"]
    return {**_rows(part, own_ants=True), "base": base}


def _rows(chain: Draft, own_ants: bool) -> Draft:
    links, motion, wrench = chain.get("links", {}), chain.get("motion", {}), chain.get("wrench", {})
    count = len(chain["frames"]) - 2 * len(chain.get("loops", ()))
    rows = []
    for j, given in enumerate(chain["frames"], 1):
        frame = {"ant": str(j - 1), **given} if own_ants else dict(given)
        if links == "symbolic":
            link = {name: f"{name}{j}" for name in (*INERTIA, *DRIVE)} if j <= count else {}
        else:
            link = dict(links.get(str(j), {}))
        row: Draft = {"frame": frame, "link": link}
        if str(j) in wrench:
            row["wrench"] = wrench[str(j)]
        rates = {key: values[j - 1] for key, values in motion.items() if j <= len(values)}
        if rates:
            row["motion"] = rates
        rows.append(row)
    rest = {key: item for key, item in chain.items() if key not in ("frames", "links", "wrench", "motion", "loops")}
    return {**rest, "rows": rows, **({"loops": len(chain["loops"])} if chain.get("loops") else {})}


# ------------------------------------------------------------------------------------ and back into the format's lists


def _closed(part: Draft) -> Draft:
    if "modules" in part:
        return {**part, "modules": [_closed(module) for module in part["modules"]]}
    if "legs" in part:
        return {**part, "legs": [_lists(leg) for leg in part["legs"]]}
    if "rows" not in part:
        return part
    made = _lists(part)
    base = dict(part.get("base", {}))
    own = base.pop("wrench", None)
    if own is not None and base.get("type", "fixed") != "fixed":
        made.setdefault("wrench", {})["0"] = own
    if base.get("type", "fixed") == "fixed":
        base.pop("link", None)
    made.pop("base", None)
    return {**made, "base": base} if base else made


def _lists(chain: Draft) -> Draft:
    rows = chain["rows"]
    loops = int(chain.get("loops", 0))
    made = {key: item for key, item in chain.items() if key not in ("rows", "loops")}
    made["frames"] = [row["frame"] for row in rows]
    made["links"] = {str(j): row["link"] for j, row in enumerate(rows, 1) if row["link"]}
    wrench = {str(j): row["wrench"] for j, row in enumerate(rows, 1) if "wrench" in row}
    if wrench:
        made["wrench"] = wrench
    joints = len(rows) - loops
    for key in MOTION:
        if any(key in row.get("motion", {}) for row in rows[:joints]):
            values = [row.get("motion", {}).get(key) or _usual(key, j, row) for j, row in enumerate(rows[:joints], 1)]
            made.setdefault("motion", {})[key] = values
    if loops:
        first = joints - loops + 1
        made["loops"] = [[str(j), str(j + loops)] for j in range(first, joints + 1)]
    return made


def _usual(key: str, j: int, row: Draft) -> str:
    """Return the default symbol of a velocity or acceleration that is not given; a fixed frame has none."""
    return "0" if key != "GAM" and row["frame"].get("sigma") == "2" else f"{key}{j}"
