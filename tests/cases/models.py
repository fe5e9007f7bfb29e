"""Models for printing: of a robot, with all functions and awkward names, and too long for a single function."""

from __future__ import annotations

import random

from robosym.algebra import Expr, Graph, parse, substitute
from robosym.dynamics import inverse_dynamics
from robosym.mechanism import DRIVE, INERTIA, MOTION, WRENCH, Base, Frame, Joint, Link, Robot
from robosym.model import Model


def arm(name: str, rows: list[dict[str, str]], wrench: bool = False) -> Robot:
    """A chain of revolute joints with symbolic inertia."""
    graph = Graph()

    def read(text: str) -> object:
        return parse(text, graph)

    frames, links, joints = [], [], []
    for j, row in enumerate(rows, 1):
        geometry = [row.get(key, "0") for key in ("gamma", "b", "alpha", "d")] + [f"t{j}", row.get("r", "0")]
        frames.append(Frame(j - 1, 0, 1, *map(read, geometry)))
        entries = [f"{key}{j}" for key in (*INERTIA, *DRIVE)] + [f"{key}{j}" if wrench else "0" for key in WRENCH]
        links.append(Link(*map(read, entries)))
        joints.append(Joint(*(read(f"{key}{j}") for key in MOTION), 0, graph.zero))
    still = (graph.zero,) * 3
    base = Base("fixed", tuple(read(str(int(i % 5 == 0))) for i in range(16)), still, still, still, still, None)
    return Robot(name, tuple(frames), tuple(links), tuple(joints), base, (graph.zero, graph.zero, read("G3")), graph)


RX90 = [
    {},
    {"alpha": "Pi/2"},
    {"d": "D3"},
    {"alpha": "-Pi/2", "r": "RL4"},
    {"alpha": "Pi/2"},
    {"alpha": "-Pi/2"},
]


def rx90() -> Model:
    return inverse_dynamics(arm("rx90", RX90))


def long_chain(n: int = 80) -> Model:
    return inverse_dynamics(arm("chain", [{"alpha": f"al{j}", "d": f"D{j}", "r": f"R{j}"} for j in range(1, n + 1)]))


def awkward() -> Model:
    """All functions, reserved names and names that differ by case only, a matrix, constants."""
    graph = Graph()
    inputs = {
        "q": ("E", "I", "lambda", "end", "double", "x_1", "X_1", "x1", "_u"),
        "parameters": (
            "gamma", "Gamma", "D", "N", "in", "fn", "beta2", "Pi_", "sin", "None", "p", "X1", "X1_", "function", "PI",
            "pi_", "parameters", "program", "pi__",
        ),
        "gravity": ("C", "e", "i"),
    }  # fmt: skip
    for group, names in inputs.items():
        for name in names:
            graph.symbol(name, online=group == "q")
    texts = {
        "K": "gamma*Gamma + D/N",
        "O": "K*E + sin(I + 1/3)*cos(lambda) - tan(end/5)",
        "A1": "atan2(E, I) + atan(double) + exp(x_1/10)*log(1 + X_1*X_1)",
        "A2": "sqrt(2 + x1*x1)*abs(_u) + 2.5e-7*sign(_u)*beta2 + 1234567.891*O",
        "A3": "asin(E/10) - acos(I/10) + (2 + X_1*X_1)^(1.3) - Pi*in + tanh(E/3)",
        "A4": "fn*(sin*e + i) + None*p - X1*X1_*E + function*PI + C*pi_ - parameters*program*E + pi__",
        "y1": "-(O*A1) - (A2 - A3)*(A2 + A3)",
        "y2": "K",
        "z1": "A1*A2/(3 + x1*x1)/(Pi_*Pi_ + 2) + sqrt(2)*A4/7",
    }
    definitions: dict[str, Expr] = {}
    for name, text in texts.items():
        value = parse(text, graph)
        definitions[name] = substitute([value], graph, definitions)[0]
    outputs = {"A": (("A1", "A2"), ("A3", "A4"), ("O", "K")), "y": ("y1", "y2", "z1")}
    return Model("awkward-1", "fun", "every function", inputs, outputs, definitions, graph)


def read_and_written() -> Model:
    """Some joint accelerations are inputs, others outputs, as in an elastic robot."""
    graph = Graph()
    inputs = {"qdd": ("a1",), "parameters": ("M", "K")}
    for group, names in inputs.items():
        for name in names:
            graph.symbol(name, online=group == "qdd")
    definitions = {"GAM1": parse("M*K*a1", graph), "a2": parse("-a1/(M + K)", graph), "a3": parse("a1*M", graph)}
    return Model("elastic", "dyn", "one given", inputs, {"tau": ("GAM1",), "qdd": ("a2", "a3")}, definitions, graph)


def states(model: Model, count: int = 3, seed: int = 1) -> list[dict[str, list[float]]]:
    random_ = random.Random(seed)

    def number() -> float:
        return random_.uniform(0.2, 1.5) * random_.choice((-1, 1))

    return [{group: [number() for _ in names] for group, names in model.inputs.items()} for _ in range(count)]
