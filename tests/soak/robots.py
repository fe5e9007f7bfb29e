"""Random robots by seed: kind, size and numbers, from the generators of the tests."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cases.dynamic import draw
from cases.leg_kinds import KINDS as LEGS
from cases.leg_kinds import random_parallel
from cases.random_loops import random_loop
from robosym.formats import loads
from robosym.mechanism import INERTIA, Robot

#: keywords of languages, names that differ by case only, and names of robosym with other meanings
AWKWARD = (
    "lambda E I gamma Gamma double end int NULL True None self x_1 X_1 x1 _u pi_ e i N D C fn let mut type function "
    "return for while struct class import module subroutine program real integer sin_ S1 C1 W11 VP11 GAM W13 QDP "
    "std long float static register volatile extern goto switch case do if else print exec eval zeta beta psi"
).split()


@dataclass(frozen=True)
class Drawn:
    """A robot with values for its symbols; `seed` determines further random data."""

    kind: str
    seed: int
    robot: Robot
    values: dict[str, float]


def _tree(rng: random.Random, **options: Any) -> Drawn:
    options = {"symbolic": rng.random() < 0.5, "tree": rng.random() < 0.7} | options
    case = draw(rng.getrandbits(32), **options)
    return Drawn("tree", 0, case.robot, case.values)


def _long(rng: random.Random) -> Drawn:
    return _tree(rng, links=int(10 * 8 ** rng.random()))


def _massless(rng: random.Random) -> Drawn:
    """Remove the mass of some links, or of all except one."""
    drawn = _tree(rng)
    bare = rng.choice((0.2, 0.5, 0.9))
    links = [dict.fromkeys(INERTIA, 0) if rng.random() < bare else {} for _ in drawn.robot.links]
    robot = drawn.robot.with_links(links)
    return Drawn("", 0, robot, drawn.values)


def _scaled(rng: random.Random) -> Drawn:
    """Scale lengths and masses, from a watch to a crane; sometimes of one link only."""
    drawn = _tree(rng, symbolic=True, wrenches=rng.random() < 0.5)
    length, mass = (10.0 ** rng.uniform(-6, 6) for _ in range(2))
    alone = rng.randrange(1, drawn.robot.NL + 1) if rng.random() < 0.3 else 0
    values = dict(drawn.values)
    powers = {"M": (1, 0), "MX": (1, 1), "MY": (1, 1), "MZ": (1, 1), **dict.fromkeys(INERTIA[:6], (1, 2)), "IA": (1, 2)}
    powers |= dict.fromkeys(("D", "R", "B", "r"), (0, 1))
    for name in values:
        parts = re.fullmatch(r"([A-Za-z]+?)(\d+)", name)
        if parts and parts[1] in powers and alone in (0, int(parts[2])):
            m, l = powers[parts[1]]  # noqa: E741 - mass and length
            values[name] *= mass**m * length**l
    return Drawn("", 0, drawn.robot, values)


def _renamed(rng: random.Random) -> Drawn:
    """Rename parameters and variables to names that are problematic in some language."""
    drawn = _tree(rng, symbolic=True, links=rng.randint(1, 5))
    names = [*drawn.robot.variables, *drawn.robot.parameters]
    chosen = rng.sample([n for n in names if n], min(len(names) - 1, rng.randint(1, 40)))
    new = dict(zip(chosen, rng.sample(AWKWARD, len(AWKWARD)), strict=False))
    new = {old: name for old, name in new.items() if name not in names}
    robot = drawn.robot.with_values({n: v for n, v in new.items() if n in drawn.robot.parameters})
    text = re.sub(r"\b[A-Za-z]\w*\b", lambda word: new.get(word[0], word[0]), robot.dumps("yaml"))
    return Drawn("", 0, loads(text, "yaml"), drawn.values | {new[n]: v for n, v in drawn.values.items() if n in new})


def _loop(rng: random.Random) -> Drawn:
    robot, q = random_loop(rng)
    names = [robot.variable(j) for j in robot.tree_joints]
    return Drawn("", 0, robot.edit(position=dict(zip(names, map(float, q), strict=True))), {})


def _parallel(rng: random.Random) -> Drawn:
    kinds = [kind for kind in LEGS if kind not in ("SPS", "RSS", "CUS")]
    legs = [rng.choice(kinds)] * 6 if rng.random() < 0.5 else [rng.choice(kinds) for _ in range(6)]
    return Drawn("", 0, random_parallel(legs, rng.getrandbits(32), drives=rng.random() < 0.5), {})


#: weight and generator of each kind
KINDS: dict[str, tuple[int, Callable[[random.Random], Drawn]]] = {
    "tree": (35, _tree),
    "chain": (12, lambda rng: _tree(rng, tree=False, links=rng.randint(1, 7))),
    "mobile base": (8, lambda rng: _tree(rng, mobile=True)),
    "floating base": (10, lambda rng: _tree(rng, floating=True)),
    "elastic": (8, lambda rng: _tree(rng, elastic=True, floating=rng.random() < 0.2)),
    "long": (1, _long),
    "massless links": (6, _massless),
    "huge and tiny": (8, _scaled),
    "awkward names": (8, _renamed),
    "loop": (3, _loop),
    "parallel": (3, _parallel),
}


def drawn(seed: int, kind: str | None = None) -> Drawn:
    rng = random.Random(f"soak {seed}")
    kinds = list(KINDS)
    kind = kind or rng.choices(kinds, [KINDS[k][0] for k in kinds])[0]
    found = KINDS[kind][1](rng)
    return Drawn(kind, seed, found.robot, found.values)
