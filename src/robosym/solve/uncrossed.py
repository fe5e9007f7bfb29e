"""Loops that are parallelograms, solved in their uncrossed mode only (guide 2.2.2).

Opposite links stay parallel, so that joints follow from sums of angles: t3 = Pi/2 - t2 + t7.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from robosym.algebra import Expr, Graph
from robosym.algebra.generic import generic_values
from robosym.algebra.samples import Array, Samples
from robosym.algebra.subspaces import null_space
from robosym.algebra.tolerances import CLOSED
from robosym.chains.chain import JointChain, PoseProblem, chain_between
from robosym.chains.matrix_equations import MatrixEquations
from robosym.chains.paul import closed_form
from robosym.chains.products import checks
from robosym.coordinates.closed_samples import assembled_parallelograms
from robosym.coordinates.closing import Closing
from robosym.coordinates.loops import Side, parallelogram_of
from robosym.mechanism import Robot
from robosym.mechanism.motion import frame_places
from robosym.model.solution.steps import Step
from robosym.solve.stages import Stage
from robosym.spatial import Transform, Vec3

__all__ = ["UncrossedSteps", "linear_relations", "uncrossed"]

_SAMPLES = 3  #: positions and lengths at which the relations must be the same
_PARTS = 12  #: constants are looked for among the multiples of this part of Pi
_ROUNDED = 1e-6
_PARALLEL = 1e-6  #: tolerance of the entries of a rotation that should be the identity


@dataclass(frozen=True)
class UncrossedSteps:
    """Steps that compute the joints of a stage, and problems that verify that its links are parallel."""

    steps: tuple[Step, ...]
    problems: tuple[PoseProblem, ...]

    def checks(self, after: int) -> list[tuple[int, Expr]]:
        """Return the checks of a stage after `after` steps."""
        return [check for problem in self.problems for check in checks(problem, after)]


def uncrossed(stages: Sequence[Stage], known: Collection[str]) -> list[UncrossedSteps] | None:
    """Return the uncrossed mode of each stage; None if a loop is no parallelogram or the reference is crossed."""
    done, found = set(known), []
    for stage in stages:
        one = None if stage.idle else _of_stage(stage, done)
        if one is None:
            return None
        found.append(one)
        done |= {*stage.unknown}
    return found


def _of_stage(stage: Stage, done: set[str]) -> UncrossedSteps | None:
    robot = stage.robot
    shape = parallelogram_of(robot, frame_places(robot, Graph())[0], stage.loop)
    if shape is None:
        return None
    tree = {robot.variable(j) for j in robot.tree_joints}
    left, known = [name for name in stage.unknown if name in tree], set(done)
    chains = [_parallel(robot, *pair) for pair in shape.pairs]
    steps: list[Step] = []
    problems: list[PoseProblem] = []
    while chains:  # chains without unknowns are verified later
        chain = min(chains, key=lambda chain: len({*chain.names} - known))
        problem = _problem(chain, known, stage)
        found = None if problem is None or len(problem.unknown) > 1 else closed_form(MatrixEquations(problem))
        if problem is None or found is None:
            return None
        steps += found
        problems.append(problem)
        chains.remove(chain)
        known |= {*problem.unknown}
    return UncrossedSteps(tuple(steps), tuple(problems)) if known.issuperset(left) else None


def _parallel(robot: Robot, one: Side, other: Side) -> JointChain:
    """Return the chain from a link to the link that stays parallel to it: its rotation is the identity."""

    def turned(graph: Graph) -> Transform:
        R = (other.basis @ one.basis.T).map(lambda e: graph.copy([e])[0] if isinstance(e, Expr) else graph.number(e))
        return Transform(R, Vec3(graph.zero, graph.zero, graph.zero))

    return chain_between(robot, one.link, other.link, turned)


def _problem(chain: JointChain, known: Collection[str], stage: Stage) -> PoseProblem | None:
    values = stage.problem.samples.symbols
    names = [*chain.names, *chain.parameters]
    if any(name not in values for name in names):
        return None
    everywhere = Samples(chain.graph, {name: values[name] for name in names})
    kept = np.flatnonzero(_off(chain, everywhere) < _PARALLEL)  # of all modes
    position = {name: np.full(everywhere.points, value) for name, value in stage.robot.position.items()}
    reference = Samples(chain.graph, everywhere.symbols | {n: v for n, v in position.items() if n in chain.names})
    if not len(kept) or (position and _off(chain, reference).max() >= _PARALLEL):
        return None
    samples = Samples(chain.graph, {name: np.asarray(values[name])[kept] for name in names})
    unknown = tuple(name for name in chain.names if name not in known)
    target = Transform.identity().map(chain.graph.number)
    return PoseProblem(chain.normalized(samples), unknown, "sna", target, (), samples)


def _off(chain: JointChain, samples: Samples) -> Array:
    """Return the distance of the rotation of the chain from the identity at each point."""
    return np.asarray(np.abs(chain.reached(samples)[:, :3, :3] - np.eye(3)).max(axis=(1, 2)))


# -------------------------------------------------------------------------- sums of angles


def linear_relations(robot: Robot, known: Sequence[str]) -> dict[str, str]:
    """Return parallelogram joints that are linear in the known ones, by name, as texts.

    The parallelograms are in the mode that the models assume. Rates give the factors, which must be 1 or -1 at
    generic samples, and the samples give the constants, which must be rational multiples of Pi.
    """
    shapes = assembled_parallelograms(robot)
    if not shapes:
        return {}
    closing = Closing(robot, tuple(shapes.values()))
    found = [_at(closing, known, seed) for seed in range(_SAMPLES)]
    first = found[0]
    if first is None or any(other is None for other in found):
        return {}
    same = {name: value for name, value in first.items() if all(o is not None and o.get(name) == value for o in found)}
    return {name: _text(factors, constant) for name, (factors, constant) in same.items()}


def _at(closing: Closing, known: Sequence[str], seed: int) -> dict[str, tuple[tuple[tuple[str, int], ...], int]] | None:
    """Return the relations at one sample: factors by known joint, constant over Pi; None if the loop is open."""
    gaps = closing.gaps
    values, gap = closing.move(generic_values([*gaps.parameters, *gaps.names], seed))
    if gap > CLOSED:
        return None
    _, slope = gaps.linearized(gaps.geometry(values), gaps.position(values))
    free = null_space(slope[0])  # (joints, motions)
    given = [gaps.names.index(name) for name in known if name in gaps.names]
    found = {}
    for column, name in enumerate(gaps.names):
        factors, *_ = np.linalg.lstsq(free[given].T, free[column], rcond=None)
        whole: list[int] = np.round(factors).astype(int).tolist()
        exact = np.abs(free[given].T @ whole - free[column]).max() < _ROUNDED
        if column in given or not exact or max(map(abs, whole), default=0) != 1:
            continue
        turn = values[name] - sum(f * values[gaps.names[k]] for f, k in zip(whole, given, strict=True))
        parts = turn / (math.pi / _PARTS)
        if abs(parts - round(parts)) < _ROUNDED:
            terms = tuple((gaps.names[k], f) for f, k in zip(whole, given, strict=True) if f)
            found[name] = terms, _PARTS - (_PARTS - round(parts)) % (2 * _PARTS)  # within a turn, Pi rather than -Pi
    return found


def _text(terms: Sequence[tuple[str, int]], parts: int) -> str:
    """Return a relation as text: `Pi/2 - t2 + t7`."""
    share = Fraction(parts, _PARTS)
    pieces = []
    if share:
        above = "Pi" if abs(share.numerator) == 1 else f"{abs(share.numerator)}*Pi"
        pieces.append(("-" if share < 0 else "+", above if share.denominator == 1 else f"{above}/{share.denominator}"))
    pieces += [("-" if factor < 0 else "+", name) for name, factor in terms]
    first = next((place for place, (sign, _) in enumerate(pieces) if sign == "+"), 0)
    (sign, head), *rest = [pieces[first], *pieces[:first], *pieces[first + 1 :]]
    return ("-" if sign == "-" else "") + head + "".join(f" {sign} {name}" for sign, name in rest)
