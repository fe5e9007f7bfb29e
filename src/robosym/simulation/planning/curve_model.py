"""Piecewise polynomials of time as models: straight-line code, which can be exported, simulated and differentiated.

Each piece adds its own change up to the current time, which is clipped to the piece. This avoids powers of long times
and cancellation.
"""

from __future__ import annotations

from collections.abc import Sequence

from robosym.algebra import Expr, Graph
from robosym.algebra.matrix import sum_of
from robosym.mechanism import Robot
from robosym.model import Layout, Model
from robosym.model.groups import declare
from robosym.simulation.planning.piecewise import PiecewisePolynomial

__all__ = ["MOTION", "TIME", "at_least", "clipped", "curve_entries", "model_of_curve"]

TIME = "time"
MOTION = {"q": "Q", "qd": "QP", "qdd": "QDP"}  #: groups of outputs, and the prefix of their names


def clipped(x: Expr, length: Expr | float) -> Expr:
    """Return x within 0 and a length."""
    size = x.graph.function
    return (size("abs", x) - size("abs", x - length) + length) / 2


def at_least(x: Expr, least: Expr | float) -> Expr:
    """Return 1 where x >= least, else 0."""
    side = x.graph.function("sign", x - least)
    return 1 + side * (1 - side) / 2


def _power_sum(coefficients: Sequence[float], x: Expr) -> Expr:
    """Return a polynomial by Horner's scheme, ascending powers."""
    value = x.graph.zero
    for coefficient in reversed(coefficients):
        value = value * x + float(coefficient) if not value.is_zero else x.graph.number(float(coefficient))
    return value


def curve_entries(curve: PiecewisePolynomial, t: Expr, orders: int = 3) -> list[list[Expr]]:
    """Return the values and derivatives of a curve at a time, one row per order."""
    graph, breaks, pieces = t.graph, curve.breaks, len(curve.coefficients)
    local = [clipped(t - float(breaks[k]), float(breaks[k + 1] - breaks[k])) for k in range(pieces)]
    reached = [at_least(t, float(start)) for start in breaks[:-1]]
    after = 1 - at_least(-t, float(-breaks[-1]))  # 1 beyond the end
    within = [reached[k] - (reached[k + 1] if k + 1 < pieces else after) for k in range(pieces)]
    rows: list[list[Expr]] = []
    for order in range(orders):
        part = curve.derivative(order)
        row = []
        for joint in range(part.coefficients.shape[2]):
            terms = [graph.number(float(part.coefficients[0, 0, joint]))] if order == 0 else []
            for k in range(pieces):
                powers = part.coefficients[k, :, joint]
                if order == 0:
                    terms.append(_power_sum([0.0, *powers[1:]], local[k]))
                else:
                    terms.append(within[k] * _power_sum(list(powers), local[k]))
            row.append(graph.zero + sum_of(terms))
        rows.append(row)
    return rows


def model_of_curve(curve: PiecewisePolynomial, name: str, title: str, robot: Robot | None) -> Model:
    """Return the model of positions, velocities and accelerations at a time."""
    graph, inputs = Graph(), {TIME: (TIME,)}
    declare(graph, inputs)
    rows = curve_entries(curve, graph.symbol(TIME))
    outputs: dict[str, Layout] = {}
    definitions: dict[str, Expr] = {}
    for (group, prefix), row in zip(MOTION.items(), rows, strict=True):
        names = tuple(f"{prefix}{k}" for k in range(1, len(row) + 1))
        outputs[group] = names
        definitions |= dict(zip(names, row, strict=True))
    return Model(name, "trj", title, inputs, outputs, definitions, graph, robot)
