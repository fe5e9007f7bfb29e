"""Random robots: every kind of frame, branches, loops, moving bases, numbers or symbols."""

from __future__ import annotations

import random

from robosym.algebra import Expr, Graph, parse
from robosym.mechanism import (
    BASE_MOTION,
    DRIVE,
    FIXED,
    INERTIA,
    PRISMATIC,
    REVOLUTE,
    WRENCH,
    Base,
    Frame,
    Joint,
    Link,
    Robot,
)

__all__ = ["random_robot"]

_ANGLES = ("Pi/2", "-Pi/2", "Pi", "Pi/4", "-2*Pi/3")


def random_robot(
    rng: random.Random,
    *,
    links: int,
    tree: bool = True,
    loops: int = 0,
    symbolic: bool = False,
    floating: bool = False,
    mobile: bool = False,
    fixed_frames: bool = True,
    prismatic: bool = True,
    wrenches: bool = True,
    elastic: bool = False,
    drives: bool = True,
    expressions: bool = False,
    name: str = "random",
) -> Robot:
    """A robot of `links` links.

    Without `tree` it is one chain. Each loop adds a passive cut joint and its fixed frame. `symbolic` draws names for
    some lengths and for the inertial parameters, which otherwise are those of real bodies: a positive mass and a
    tensor at the origin that some mass distribution has. `expressions` adds sums, products, powers and functions,
    for tests of reading and writing; the models of such a robot are legal but nobody's.
    """
    return _Draw(rng, symbolic, expressions).robot(locals())


class _Draw:
    """Generator of one robot."""

    def __init__(self, rng: random.Random, symbolic: bool, expressions: bool) -> None:
        self.rng = rng
        self.symbolic = symbolic
        self.expressions = expressions
        self.graph = Graph()

    def read(self, text: str) -> Expr:
        return parse(text, self.graph)

    def zeros(self, count: int) -> tuple[Expr, ...]:
        return count * (self.graph.zero,)

    def number(self, low: float, high: float) -> Expr:
        return self.graph.number(round(self.rng.uniform(low, high), 4))

    def length(self, symbol: str) -> Expr:
        """Return zero, a number, or a symbol."""
        choice = self.rng.random()
        if choice < 0.3:
            return self.graph.zero
        if self.expressions and choice < 0.6:
            return self.read(self.expression(symbol))
        if self.symbolic and choice < 0.7:
            return self.graph.symbol(symbol)
        return self.number(-0.6, 0.6)

    def angle(self, symbol: str) -> Expr:
        choice = self.rng.random()
        if choice < 0.25:
            return self.graph.zero
        if choice < 0.7:
            return self.read(self.rng.choice(_ANGLES))
        return self.length(symbol) if choice < 0.8 else self.number(-3, 3)

    def expression(self, symbol: str) -> str:
        """Return the text of an expression of three parameters, one of them `symbol`."""
        x, y, z = self.rng.sample([symbol, "L1", "L2", "w"], 3)
        forms = (
            f"{x} - {y}", f"{x} + {y} - {z}", f"2*{x}/3", f"-({x} + {y})*{z}", f"{x}^2 + {y}^3/{z}",
            f"sqrt({x}^2 + {y}^2)", f"atan2({x}, {y} - {z})", f"{x}*cos({y} - {z}) + 0.25", f"1/({x} - {y})",
            f"{x}*({y}*{z})", f"{x} - ({y} - {z})", f"-{x}^2", f"{x}^{y}", f"3*({x}/{z})/7", f"sin({x} + {y} - 1/3)",
            f"abs({x} - {y})*1e-7", f"({x} + 1e22)/{y}", f"exp(-{x}) + log({y})*sign({z})",
        )  # fmt: skip
        return self.rng.choice(forms)

    def frame(self, j: int, ant: int, sigma: int, mu: int) -> Frame:
        theta, r = self.angle(f"th{j}"), self.length(f"R{j}")
        if sigma == REVOLUTE:
            theta = self.offset(f"t{j}", self.rng.choice(("0", "0", "Pi/2", "-0.3", "-Pi")))
        elif sigma == PRISMATIC:
            r = self.offset(f"r{j}", self.rng.choice(("0", "0", "0.2", "-1/8")))
        branched = self.rng.random() < 0.4  # a frame with several successors needs gamma and b
        return Frame(
            ant=ant,
            sigma=sigma,
            mu=mu,
            gamma=self.angle(f"g{j}") if branched else self.graph.zero,
            b=self.length(f"B{j}") if branched else self.graph.zero,
            alpha=self.angle(f"a{j}"),
            d=self.length(f"D{j}"),
            theta=theta,
            r=r,
        )

    def offset(self, variable: str, offset: str) -> Expr:
        return self.graph.symbol(variable) + self.read(offset)

    def inertia(self, j: int) -> dict[str, Expr]:
        """Return symbols, or the ten parameters of five random point masses, which are physically consistent."""
        if self.symbolic:
            return {name: self.graph.symbol(f"{name}{j}") for name in INERTIA}
        values = dict.fromkeys(INERTIA, 0.0)
        for _ in range(5):
            m, x, y, z = self.rng.uniform(0.1, 2), *(self.rng.uniform(-0.3, 0.3) for _ in range(3))
            point = (m * (y * y + z * z), -m * x * y, -m * x * z, m * (x * x + z * z), -m * y * z, m * (x * x + y * y))
            for name, value in zip(INERTIA, (*point, m * x, m * y, m * z, m), strict=True):
                values[name] += value
        return {name: self.graph.number(value) for name, value in values.items()}

    def link(self, j: int, sigma: int, *, drives: bool, wrenches: bool) -> Link:
        driven = drives and sigma != FIXED
        return Link(
            **self.inertia(j),
            **{name: self.parameter(name, j) if driven else self.graph.zero for name in DRIVE},
            **{
                name: self.parameter(name, j) if wrenches and self.rng.random() < 0.5 else self.graph.zero
                for name in WRENCH
            },
        )

    def parameter(self, name: str, j: int) -> Expr:
        return self.graph.symbol(f"{name}{j}") if self.symbolic else self.number(0.01, 2)

    def joint(self, j: int, sigma: int, elastic: bool) -> Joint:
        moving = sigma != FIXED
        bends = elastic and moving and self.rng.random() < 0.5
        return Joint(
            QP=self.graph.symbol(f"QP{j}") if moving else self.graph.zero,
            QDP=self.graph.symbol(f"QDP{j}") if moving else self.graph.zero,
            GAM=self.graph.symbol(f"GAM{j}"),
            eta=int(bends),
            k=self.parameter("K", j) if bends else self.graph.zero,
        )

    def base(self, kind: str, wrenches: bool) -> Base:
        motion = {name: self.zeros(3) for name in BASE_MOTION}
        if kind != "fixed":
            for name in BASE_MOTION:
                short = name[:-1]
                motion[name] = tuple(
                    self.graph.symbol(f"{short}{axis}0") if self.symbolic else self.number(-1, 1) for axis in "xyz"
                )
        identity = tuple(self.graph.number(int(i % 5 == 0)) for i in range(16))
        link = None if kind == "fixed" else self.link(0, FIXED, drives=False, wrenches=wrenches)
        return Base(kind=kind, Z=identity, link=link, **motion)

    def robot(self, wanted: dict[str, object]) -> Robot:
        rng = self.rng
        links, loops = int(wanted["links"]), int(wanted["loops"])  # type: ignore[call-overload]
        kinds = [REVOLUTE, REVOLUTE, REVOLUTE] + [PRISMATIC] * bool(wanted["prismatic"])
        kinds += [FIXED] * bool(wanted["fixed_frames"])
        sigmas = [rng.choice(kinds) for _ in range(links)]
        sigmas[0] = rng.choice([kind for kind in kinds if kind != FIXED])
        ants = [rng.randrange(max(0, j - 3), j) if wanted["tree"] else j - 1 for j in range(1, links + 1)]
        ants[0] = 0
        for _ in range(loops):
            ants.append(rng.randrange(1, links + 1))
            sigmas.append(rng.choice([kind for kind in kinds if kind != FIXED]))
        for loop in range(loops):
            ants.append(rng.choice([link for link in range(links + 1) if link != ants[links + loop]]))
            sigmas.append(FIXED)
        passive = set(range(links + 1, len(ants) + 1)) | set(rng.sample(range(2, links + 1), min(2 * loops, links - 1)))
        frames = [
            self.frame(j, ant, sigma, int(sigma != FIXED and j not in passive))
            for j, (ant, sigma) in enumerate(zip(ants, sigmas, strict=True), 1)
        ]
        kind = "floating" if wanted["floating"] else "mobile" if wanted["mobile"] else "fixed"
        drives, wrenches = bool(wanted["drives"]), bool(wanted["wrenches"])
        return Robot(
            name=str(wanted["name"]),
            frames=tuple(frames),
            links=tuple(self.link(j, sigmas[j - 1], drives=drives, wrenches=wrenches) for j in range(1, links + 1)),
            joints=tuple(self.joint(j, sigmas[j - 1], bool(wanted["elastic"])) for j in range(1, links + loops + 1)),
            base=self.base(kind, wrenches),
            gravity=tuple(self.read(g) for g in ("0", "0", "G3" if self.symbolic else "-9.81")),  # type: ignore[arg-type]
            graph=self.graph,
        )
