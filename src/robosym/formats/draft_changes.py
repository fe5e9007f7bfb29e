"""Add, remove and move frames, loops and legs of a draft, and set its base; antecedents are renumbered."""

from __future__ import annotations

from math import tau

from robosym.algebra import Graph, numeric_value, parse
from robosym.errors import Error, InputError
from robosym.formats.draft import Draft, base_description, chain_of, copied
from robosym.mechanism import BASE_MOTION, DRIVE, INERTIA

__all__ = ["add_frame", "add_leg", "add_loop", "move_frame", "remove_frame", "remove_leg", "set_base"]

_EVEN = 1e-6  #: rad within which legs are distributed evenly


def _groups(chain: Draft) -> tuple[int, int]:
    """Return the number of frames of the tree and the number of loops."""
    loops = int(chain.get("loops", 0))
    return len(chain["rows"]) - 2 * loops, loops


def _renumber(chain: Draft, new: dict[int, int]) -> None:
    """Renumber the antecedents; texts that are not numbers stay unchanged."""
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
    """Return all words of the draft that could be symbols."""
    if isinstance(draft, dict):
        return {str(key) for key in draft} | {word for item in draft.values() for word in _taken(item)}
    if isinstance(draft, list):
        return {word for item in draft for word in _taken(item)}
    return {draft}


def add_frame(draft: Draft, chain_key: str = "", after: int | None = None) -> int:
    """Insert a revolute joint behind frame `after` of the tree, and return its number.

    The new frame carries the frames that `after` carried; `after` is 0 for the base and None for the last frame. Its
    link is symbolic if other links are.
    """
    chain = chain_of(draft, chain_key)
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


def remove_frame(draft: Draft, j: int, chain_key: str = "") -> None:
    """Remove frame j and attach its successors to its antecedent. The two frames of a loop are removed together."""
    chain = chain_of(draft, chain_key)
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


def move_frame(draft: Draft, j: int, step: int, chain_key: str = "") -> int:
    """Move frame j up (-1) or down (1) within the tree or the cut joints, and return its new number.

    A frame that moves past its own antecedent is exchanged with it in the chain; any other frame keeps its antecedent.
    """
    chain = chain_of(draft, chain_key)
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
    if j > tree:  # the fixed frames are in the order of their cuts
        up, low = upper + loops - 1, lower + loops - 1
        rows[up], rows[low] = rows[low], rows[up]
    return other


def add_loop(draft: Draft) -> None:
    """Add a cut joint on the last link and the coinciding frame on the base."""
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
    """Add a copy of the last leg with its own joint variables, turned about z: evenly, or halfway to the first leg."""
    if "legs" not in draft:
        raise InputError("only a parallel robot has legs")
    leg, turns = copied(draft["legs"][-1]), [_turn(one) for one in draft["legs"]]
    taken = {str(item) for one in draft["legs"] for row in one["rows"] for item in row["frame"].values()}
    frames = sum(len(one["rows"]) for one in draft["legs"])
    for number, row in enumerate(leg["rows"], frames + 1):
        key, letter = ("r", "r") if row["frame"].get("sigma") == "1" else ("theta", "t")
        name = f"{letter}{number}"
        row["frame"][key] = name if name not in taken else f"{name}_{len(draft['legs']) + 1}"
    draft["legs"].append(leg)
    if None in turns:  # a symbol: the user turns the leg
        return
    angles, count = [float(turn or 0.0) for turn in turns], len(draft["legs"])
    if all(abs(angle - tau * k / (count - 1)) < _EVEN for k, angle in enumerate(angles)):
        for k, one in enumerate(draft["legs"]):
            _set_turn(one, f"{2 * k}*Pi/{count}" if k else "0")
    else:
        _set_turn(leg, f"{(angles[-1] + angles[0] + tau) / 2:.6g}")


def _turn(leg: Draft) -> float | None:
    """Return the angle of a leg about z of the base; None if it has symbols."""
    try:
        return numeric_value(parse(str(leg["rows"][0]["frame"].get("gamma", "0")), Graph()))
    except Error:
        return None


def _set_turn(leg: Draft, angle: str) -> None:
    """Turn a leg, and its place on the platform if that was turned equally."""
    frame, place = leg["rows"][0]["frame"], leg.get("place", {})
    if place.get("gamma", "0") == frame.get("gamma", "0") and isinstance(place, dict):
        place["gamma"] = angle
    frame["gamma"] = angle


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
    stays = {key: item for key, item in draft.get("base", {}).items() if key not in ("type", *BASE_MOTION)}
    draft["base"] = base_description(kind) | stays
