"""Frames, loops and legs added, removed and moved in a draft, and its base; antecedents follow their frames."""

from __future__ import annotations

from robosym.app.session.draft import Draft, copied
from robosym.errors import InputError
from robosym.mechanism import BASE_MOTION, DRIVE, INERTIA

__all__ = ["add_leg", "add_loop", "add_row", "move_row", "remove_leg", "remove_row", "set_base"]


def _groups(chain: Draft) -> tuple[int, int]:
    """How many frames the tree has, and how many loops there are."""
    loops = int(chain.get("loops", 0))
    return len(chain["rows"]) - 2 * loops, loops


def _renumber(chain: Draft, new: dict[int, int]) -> None:
    """Antecedents by their new numbers; what cannot be read as a number stays as it is typed."""
    for row in chain["rows"]:
        text = str(row["frame"].get("ant", "")).strip()
        if text.isdigit():
            row["frame"]["ant"] = str(new.get(int(text), int(text)))


def _free(prefix: str, start: int, taken: set[str]) -> str:
    number = start
    while f"{prefix}{number}" in taken:
        number += 1
    return f"{prefix}{number}"


def _taken(draft: Draft) -> set[str]:
    """Every word in the draft, as far as it could be a symbol."""
    if isinstance(draft, dict):
        return {str(key) for key in draft} | {word for item in draft.values() for word in _taken(item)}
    if isinstance(draft, list):
        return {word for item in draft for word in _taken(item)}
    return {draft}


def add_row(chain: Draft, after: int | None, draft: Draft) -> int:
    """A revolute joint behind frame `after` of the tree, which carries what that frame carried before.

    `after` is 0 for the base, None for the last frame. Gives its number. Its link has symbols where other links have.
    """
    rows = chain["rows"]
    tree, _ = _groups(chain)
    after = tree if after is None else min(max(after, 0), tree)
    j = after + 1
    taken = _taken(draft)
    frame = {"theta": _free("t", j, taken)}
    symbolic = any(link.get("M", "0")[:1].isalpha() for link in (row["link"] for row in rows) if "M" in link)
    mark = _free("M", j, taken)[1:]
    link = {name: f"{name}{mark}" for name in (*INERTIA, *DRIVE)} if symbolic else {}
    if rows and "ant" in rows[0]["frame"]:
        _renumber(chain, {old: old + 1 for old in range(j, len(rows) + 1)})
        chained = after < tree and rows[after]["frame"].get("ant") == str(after)
        frame["ant"] = str(after)
        if chained:  # it comes between two frames of a chain
            rows[after]["frame"]["ant"] = str(j)
    rows.insert(after, {"frame": frame, "link": link})
    return j


def remove_row(chain: Draft, j: int) -> None:
    """Remove frame j; what it carried is carried by its antecedent. The two frames of a loop go together."""
    rows = chain["rows"]
    tree, loops = _groups(chain)
    if not 1 <= j <= len(rows):
        raise InputError(f"expected a frame from 1 to {len(rows)}, found {j}")
    if j > tree:
        cut = j if j <= tree + loops else j - loops
        gone = {cut, cut + loops}
        chain["loops"] = loops - 1
        if loops == 1:
            del chain["loops"]
    elif tree == 1:
        raise InputError("a robot needs at least one link: this is the last one")
    else:
        gone = {j}
    ant = str(rows[j - 1]["frame"].get("ant", "")).strip()
    kept = [number for number in range(1, len(rows) + 1) if number not in gone]
    new = {old: place for place, old in enumerate(kept, 1)}
    if ant.isdigit():
        for one in gone:
            new[one] = new.get(int(ant), int(ant))
    chain["rows"] = [rows[number - 1] for number in kept]
    _renumber(chain, new)


def move_row(chain: Draft, j: int, step: int) -> int:
    """Frame j one place up (-1) or down (1) within the tree, or within the cuts; gives its new number.

    A frame that passes the one that carries it changes places with it in the chain; any other keeps its antecedent.
    """
    rows = chain["rows"]
    tree, loops = _groups(chain)
    other = j + step
    first, last = (1, tree) if j <= tree else (tree + 1, tree + loops) if j <= tree + loops else (0, -1)
    if not first <= other <= last:
        return j
    upper, lower = min(j, other), max(j, other)
    a, b = rows[upper - 1], rows[lower - 1]
    if "ant" in a["frame"] and b["frame"].get("ant") == str(upper):
        a["frame"]["ant"], b["frame"]["ant"] = b["frame"]["ant"], a["frame"]["ant"]
    elif "ant" in a["frame"]:
        _renumber(chain, {upper: lower, lower: upper})
    rows[upper - 1], rows[lower - 1] = b, a
    if j > tree:  # the fixed frames stand in the order of their cuts
        up, low = upper + loops - 1, lower + loops - 1
        rows[up], rows[low] = rows[low], rows[up]
    return other


def add_loop(draft: Draft) -> None:
    """A cut joint on the last link, and the frame of the base that coincides with it."""
    if "rows" not in draft:
        raise InputError("loops are those of a robot in one table: this one has a platform")
    rows = draft["rows"]
    tree, loops = _groups(draft)
    taken = _taken(draft)
    _renumber(draft, {old: old + 1 for old in range(tree + loops + 1, len(rows) + 1)})
    cut = {"ant": str(tree), "mu": "0", "theta": _free("t", tree + loops + 1, taken)}
    rows.insert(tree + loops, {"frame": cut, "link": {}})
    rows.append({"frame": {"ant": "0", "sigma": "2"}, "link": {}})
    draft["loops"] = loops + 1


def add_leg(draft: Draft) -> None:
    """One more leg, like the last one, with variables of its own."""
    if "legs" not in draft:
        raise InputError("only a parallel robot has legs")
    leg = copied(draft["legs"][-1])
    taken = {str(item) for one in draft["legs"] for row in one["rows"] for item in row["frame"].values()}
    frames = sum(len(one["rows"]) for one in draft["legs"])
    for number, row in enumerate(leg["rows"], frames + 1):
        key, letter = ("r", "r") if row["frame"].get("sigma") == "1" else ("theta", "t")
        name = f"{letter}{number}"
        row["frame"][key] = name if name not in taken else f"{name}_{len(draft['legs']) + 1}"
    draft["legs"].append(leg)


def remove_leg(draft: Draft, number: int) -> None:
    """Remove a leg."""
    if len(draft.get("legs", ())) <= 2:
        raise InputError("a parallel robot has two legs or more")
    if not 1 <= number <= len(draft["legs"]):
        raise InputError(f"there is no leg {number}: expected 1 to {len(draft['legs'])}")
    draft["legs"].pop(number - 1)


def set_base(draft: Draft, kind: str) -> None:
    """Make the base fixed, mobile (its motion is given) or floating (its motion is unknown)."""
    if kind not in ("fixed", "mobile", "floating"):
        raise InputError(f"base: expected fixed, mobile or floating, found {kind!r}")
    if "rows" not in draft:
        raise InputError("the base of a parallel robot is fixed")
    base = {key: item for key, item in draft.get("base", {}).items() if key not in ("type", *BASE_MOTION)}
    if kind != "fixed":
        base = {"link": {name: f"{name}0" for name in INERTIA}, **base, "type": kind}
    if kind == "mobile":
        base |= {key: [f"{key[:-1]}{axis}0" for axis in "XYZ"] for key in BASE_MOTION}
    draft["base"] = base
