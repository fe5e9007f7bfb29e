"""The inputs of a model that is read: what is used and never assigned, by groups."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from robosym.errors import InputError, closest
from robosym.languages.reading.assignments import Assignments
from robosym.languages.reading.headers import joint_variables
from robosym.model import is_online
from robosym.model.groups import GROUPS

__all__ = ["group_inputs"]

#: SYMORO+'s names of what moves; any other is a parameter
_USUAL = {"qd": r"QP\d+", "qdd": r"QDP\d+", "tau": r"GAM\d+"}


def group_inputs(found: Assignments, given: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """By the header, by SYMORO+'s tables, or as given; what is left by its name."""
    header = found.header
    used, angles = _used(found)
    groups: dict[str, tuple[str, ...]] = {group: tuple(names) for group, names in header.inputs.items()}
    wanted = {**({} if groups else _moving(found, angles)), **given}
    for group, names in wanted.items():
        missing = [name for name in names if name not in used] if group in given else []
        if missing:
            raise InputError(f"{group}: the model has no input {missing[0]}{closest(missing[0], used)}")
        chosen = tuple(dict.fromkeys(name for name in names if name in used))
        groups = {g: tuple(name for name in old if name not in chosen) for g, old in groups.items()}
        groups[group] = chosen
    taken = {name for names in (*groups.values(), *header.inputs.values()) for name in names}
    for name in used:
        if name not in taken:
            group = next((g for g, pattern in _USUAL.items() if re.fullmatch(pattern, name)), "parameters")
            groups[group] = (*groups.get(group, ()), name)
    order = [*filter(is_online, GROUPS), "gravity", "parameters"]
    ranked = sorted(groups, key=lambda g: order.index(g) if g in order else len(order))
    return {g: groups[g] for g in dict.fromkeys([*header.inputs, *ranked]) if groups[g]}


def _used(found: Assignments) -> tuple[dict[str, None], dict[str, None]]:
    """Names that are used and have no value, and names in sines and cosines, in the order of their use."""
    made = set(found.bound)
    used: dict[str, None] = {}
    angles: dict[str, None] = {}
    for name, value in found.values:
        for word in re.findall(r"(?<![\w.])[A-Za-z_]\w*(?!\w*\s*[(\[])", value.text):
            if word not in made and word not in ("Pi", "pi"):
                used.setdefault(word)
        for argument in re.findall(r"(?i)\b(?:sin|cos)[(\[]([^()\[\]]*)", value.text):
            angles.update(dict.fromkeys(re.findall(r"[A-Za-z_]\w*", argument)))
        if name in used:
            raise found.wrong(f"{name} is used before it has a value", value)
        made.add(name)
    return used, angles


def _moving(found: Assignments, angles: Iterable[str]) -> dict[str, list[str]]:
    """Joint variables without a header of ours: by SYMORO+'s tables, else what stands in sines and cosines."""
    q, qd, qdd = joint_variables(found.header, angles)
    groups = {"q": q or list(angles), "qd": qd, "qdd": qdd}
    for name, value in found.values if found.elements else ():  # t2=u(2)+offset: u(2) is what moves
        entries = [word for word in re.findall(r"\w+", value.text) if word in found.elements]
        for group, names in groups.items():
            if name in names or re.fullmatch(_USUAL.get(group, "(?!)"), name):
                names += entries
    return groups
