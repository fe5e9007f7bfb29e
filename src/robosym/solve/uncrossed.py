"""Loops that are parallelograms, solved in their uncrossed mode alone: opposite links stay parallel, so that joints
follow from sums of angles."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from robosym.algebra import Expr, Graph
from robosym.algebra.samples import Array, Samples
from robosym.chains.chain import JointChain, PoseProblem, chain_between
from robosym.chains.matrix_equations import MatrixEquations
from robosym.chains.paul import closed_form
from robosym.chains.products import checks
from robosym.coordinates.parallelogram import Side, parallelogram_of
from robosym.mechanism import Robot
from robosym.mechanism.motion import frame_places
from robosym.model.solution.steps import Step
from robosym.solve.stages import Stage
from robosym.spatial import Transform, Vec3

__all__ = ["Uncrossed", "uncrossed"]

_PARALLEL = 1e-6  #: of the entries of a rotation that should be the identity


@dataclass(frozen=True)
class Uncrossed:
    """What gives the joints of a stage, and what verifies them: links that should be parallel."""

    steps: tuple[Step, ...]
    problems: tuple[PoseProblem, ...]

    def checks(self, after: int) -> list[tuple[int, Expr]]:
        """As of a stage, once `after` steps are done."""
        return [check for problem in self.problems for check in checks(problem, after)]


def uncrossed(stages: Sequence[Stage], known: Collection[str]) -> list[Uncrossed] | None:
    """For each stage its uncrossed mode; None where a loop is no parallelogram or the reference is another mode."""
    done, found = set(known), []
    for stage in stages:
        one = None if stage.idle else _of_stage(stage, done)
        if one is None:
            return None
        found.append(one)
        done |= {*stage.unknown}
    return found


def _of_stage(stage: Stage, done: set[str]) -> Uncrossed | None:
    robot = stage.robot
    shape = parallelogram_of(robot, frame_places(robot, Graph())[0], stage.loop)
    if shape is None:
        return None
    tree = {robot.variable(j) for j in robot.tree_joints}
    left, known = [name for name in stage.unknown if name in tree], set(done)
    chains = [_parallel(robot, *pair) for pair in shape.pairs]
    steps: list[Step] = []
    problems: list[PoseProblem] = []
    while chains:  # what has no unknown is left to be verified
        chain = min(chains, key=lambda chain: len({*chain.names} - known))
        problem = _problem(chain, known, stage)
        found = None if problem is None or len(problem.unknown) > 1 else closed_form(MatrixEquations(problem))
        if problem is None or found is None:
            return None
        steps += found
        problems.append(problem)
        chains.remove(chain)
        known |= {*problem.unknown}
    return Uncrossed(tuple(steps), tuple(problems)) if known.issuperset(left) else None


def _parallel(robot: Robot, one: Side, other: Side) -> JointChain:
    """From one link to that which stays parallel to it: its rotation is the identity."""

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
    return PoseProblem(chain.normalised(samples), unknown, "sna", target, (), samples)


def _off(chain: JointChain, samples: Samples) -> Array:
    """How far the rotation of the chain is from the identity at each point."""
    constants = chain.sampled(samples)
    T = constants[0]
    for joint, constant in zip(chain.joints, constants[1:], strict=True):
        T = T @ joint.motion(samples.symbols[joint.name]) @ constant
    return np.asarray(np.abs(T[:, :3, :3] - np.eye(3)).max(axis=(1, 2)))
