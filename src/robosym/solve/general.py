"""The general method: every real solution of any chain of up to six joints, on numbers (guide 2.3.7, Appendix 4.1).

The elimination is in `chains/elimination`. Its conditioning depends on which joint comes first and which is hidden,
so a few choices are tried on poses with known solutions, and the best ones are used. If three axes meet or are
parallel, the equations degenerate for every choice. Then a slightly perturbed geometry is solved, and the solutions
are polished on the true one. A chain of fewer joints is extended to six by virtual joints whose solution is zero; if
only one axis of the pose is given, the rotation about it is such a joint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from robosym.algebra import Graph, substitute
from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.chains.chain import ChainJoint, PoseProblem, Rigid, fold_joints
from robosym.chains.elimination import MODULES
from robosym.chains.elimination.all_solutions import MOST
from robosym.chains.numeric_chain import NumericChain, Solver
from robosym.spatial import Transform
from robosym.spatial.numeric import rigid, rigid_inverse

__all__ = [
    "EliminationPlan",
    "GeneralStep",
    "Prepared",
    "choose",
    "compiled_plain",
    "elimination_data",
    "elimination_sources",
    "general_rows",
    "general_solver",
    "polished_solutions",
    "prepared",
    "six_joints",
]

_ROWS = ("branch_rows", "polished_solutions", "general_rows")  #: modules beside those of the elimination
_PLANS = 3  #: number of choices; the second and third are used if the first may have lost a solution
_TRIALS = 4  #: poses on which a choice is tried
_UNSURE_PLANS = 5  #: number of choices whose solutions are combined if none is well conditioned
_PERTURBATIONS = (0.0, 1e-5, 1e-4)
_FOUND = 1e-8  #: the error of a candidate of a sure plan
_ALLOWED = 1e-6  #: the error, in units of the robot, of a candidate that is looked at closely


@dataclass(frozen=True)
class GeneralStep:
    """A description of the general method for readers; it has no closed formula."""

    joint: str
    type: str
    equations: tuple[str, ...]
    formula: str
    branches: int
    singular: str = "the elimination is repeated from another equation A1-16, or with the geometry perturbed"

    def explain(self) -> str:
        head = f"{self.joint}: {self.type}, up to {self.branches} values, from {' and '.join(self.equations)}"
        return f"{head}\n    {self.formula}\n    singular: {self.singular}"

    def latex(self) -> str:
        return f"&\\text{{{self.joint}: {self.type}}}"


def general_solver(problem: PoseProblem) -> tuple[Solver, tuple[GeneralStep, ...], str]:
    """Return a solver for the problem, its description, and the reason for its choice."""
    solver = Solver(problem, _Elimination().candidates)
    joints = ", ".join(problem.unknown)
    steps = (
        GeneralStep(
            joints, "general", ("A X1 = B Y (14 equations)", "Sigma X = 0"),
            "eigenvalues of the 24x24 companion matrix of Sigma, back substitution, Newton's method", 16,
        ),
    )  # fmt: skip
    return solver, steps, "No closed form was asked for or found: all joints together, by Raghavan and Roth's method."


def prepared(chain: NumericChain, known: Array, before: Prepared | None = None) -> Prepared:
    """Return the data of a chain for the kernel, with its known joints at these values.

    The plans of `before`, the same chain with other values, are reused if the first of them recovers a known solution.
    """
    six = six_joints(chain, known)
    chosen = [] if before is None else before.chosen
    return Prepared(six, len(chain.unknown), chain.columns, chosen if _fits(six, chosen) else choose(six))


def _fits(chain: NumericChain, plans: Sequence[EliminationPlan]) -> bool:
    """Return whether the first plan finds the known solution of a pose of a chain."""
    if not plans or not plans[0].sure:
        return False
    q = _trial_positions(chain)[0]
    return 0 <= Prepared(chain, 6, range(4), plans[:1]).trial(q)[0] < _FOUND


def _trial_positions(chain: NumericChain) -> Array:
    rng = random_arrays("general method, trial poses")
    return np.asarray(rng.uniform(-1, 1, (_TRIALS, 6)) * np.where(chain.prismatic, 0.5 * chain.length, np.pi))


class _Elimination:
    """Candidates by elimination; the plans are cached per set of parameters."""

    def __init__(self) -> None:
        self._plans: dict[tuple[object, ...], Prepared] = {}

    def __reduce__(self) -> tuple[type[_Elimination], tuple[()]]:
        return _Elimination, ()  # plans are made again

    def candidates(
        self, chain: NumericChain, T: Array, known: Array, parameters: Mapping[str, float]
    ) -> tuple[Array, Array, Array]:
        plans = self._plans
        fixed = chain.fixed
        groups: dict[tuple[float, ...], list[int]] = {}
        for number in range(len(T)):
            groups.setdefault(tuple(known[number, fixed]), []).append(number)
        poses, rows, lost = [np.zeros(0, int)], [np.zeros((0, len(chain.joints)))], np.zeros(len(T), bool)
        for group in groups.values():
            members = np.array(group)
            row = known[members[0]]
            key = (tuple(parameters.items()), tuple(row[fixed]))
            if key not in plans:
                before = next(iter(plans.values()), None)
                plans.clear()
                plans[key] = prepared(chain, row, before)
            q, _, _, counts = plans[key].solve(T[members], np.array(_ALLOWED))
            lost[members] = (counts == 0) | (counts % 2 == 1)
            pose, place = np.nonzero(np.arange(q.shape[1]) < counts[:, None])
            whole = np.tile(row, (len(pose), 1))
            whole[:, chain.unknown] = q[pose, place, : len(chain.unknown)]
            poses.append(members[pose])
            rows.append(whole)
        return np.concatenate(poses), np.concatenate(rows), lost


def six_joints(chain: NumericChain, known: Array) -> NumericChain:
    """Return the chain with its known joints merged into the constants and virtual joints added up to six."""
    motions = {place: chain.joints[place].motion(known[place]) for place in chain.fixed}
    joints, constants = _six(chain, *fold_joints(chain.joints, chain.constants, motions), lambda matrix: matrix)
    return NumericChain(joints, constants, "snaP", range(6))


def _six(
    chain: NumericChain, joints: list[ChainJoint], constants: list[Rigid], lift: Callable[[Array], Rigid]
) -> tuple[list[ChainJoint], list[Rigid]]:
    """Return the unknown joints and constants of a chain, with virtual joints up to six; `lift` makes constants."""
    rng = random_arrays("general method, virtual joints")
    axes = [column for column in chain.columns if column < 3]
    if len(axes) == 1 and len(joints) < 6:
        turn = np.roll(np.eye(4)[:3, :3], axes[0] - 2, axis=0)  # the given axis becomes z of the virtual joint
        frame = np.eye(4)
        frame[:3, :3] = turn
        constants[-1] = constants[-1] @ lift(frame)
        constants.append(lift(rigid_inverse(frame)))
        joints.append(ChainJoint("virtual0", False))
    while len(joints) < 6:
        axis = rigid(rng.normal(size=3), rng.normal(size=3) * 0.3 * chain.length)
        constants[-1] = constants[-1] @ lift(axis)
        constants.append(lift(rigid_inverse(axis)))
        joints.append(ChainJoint(f"virtual{len(joints)}", False))
    return joints, constants


def elimination_data(problem: PoseProblem, values: Mapping[str, float]) -> dict[str, Any]:
    """Return the data for code of the general method; `values` are the known parameters.

    With parameters, the geometry may be special for some values. Then all plans are followed, those for general and,
    perturbed, those for special geometry. If the only parameters are known joints, plans are tried at many of their
    values, including right angles, and a plan that suits all of them is certain.
    """
    sample = {name: float(numbers[0]) for name, numbers in problem.samples.symbols.items()} | dict(values)
    numeric = NumericChain.of(problem.chain, sample, problem.columns, problem.unknown)
    graph = problem.chain.graph

    def lift(matrix: Array) -> Transform:
        return Transform.of(*(graph.number(float(entry)) for entry in matrix[:3].ravel()))

    motions = {place: numeric.joints[place].in_symbols(graph) for place in numeric.fixed}
    _, constants = _six(numeric, *fold_joints(numeric.joints, problem.chain.constants, motions), lift)
    six = six_joints(numeric, np.array([sample[name] for name in problem.chain.names]))
    plans = choose(six, *(six_joints(numeric, known) for known in _known_values(numeric)))
    if problem.chain.parameters or (problem.known and not plans[0].sure):
        special = [plan for amount in _PERTURBATIONS[1:] for plan in _perturbed(plans[:2], amount)]
        plans = [*(replace(plan, sure=False) for plan in plans), *special]
    ready = Prepared(six, len(problem.unknown), numeric.columns, plans)
    rows = [graph.zero + entry for constant in constants for row in constant.rows[:3] for entry in row]
    offline = Graph()  # in the code, a known joint is a parameter like any other
    entries = substitute(rows, offline, {name: offline.symbol(name) for name in problem.known})
    return {
        "shape": tuple(map(int, ready.shape)), "constants": tuple(entries),
        "plans": tuple(map(float, ready.plans)), "sources": tuple(elimination_sources()), "graph": offline,
        "most": MOST,
    }  # fmt: skip


def _known_values(chain: NumericChain) -> Array:
    """Return values (k, joints) of the joints of a chain, at which its known ones are at many values."""
    if not len(chain.fixed):
        return np.zeros((0, len(chain.joints)))
    spread = np.concatenate([np.arange(-1, 2.5) * np.pi / 2, random_arrays("known joints").uniform(-np.pi, np.pi, 4)])
    return np.outer(spread, np.where(chain.prismatic, chain.length / np.pi, 1.0))


def _perturbed(plans: Sequence[EliminationPlan], amount: float) -> list[EliminationPlan]:
    """Return plans like the given ones on a perturbed geometry, without a guarantee."""
    return [replace(plan, moves=_perturbing(amount, number), sure=False) for number, plan in enumerate(plans)]


def choose(*chains: NumericChain) -> list[EliminationPlan]:
    """Return the plans that find the known solutions of a few poses, best first; perturbed plans if too few do.

    With several chains, which differ in their lengths and angles only, the plans are for all of them.
    """
    chain = chains[0]
    trials = [(one, q) for one in chains for q in _trial_positions(one)]
    found: list[tuple[tuple[int, bool, int, float], EliminationPlan]] = []
    for amount in _PERTURBATIONS:
        for number, (first, hidden) in enumerate(_starts(chain)):
            plan = EliminationPlan(first, hidden, _offsets(chain, number), _perturbing(amount, number))
            results = [Prepared(one, 6, range(4), [plan]).trial(q) for one, q in trials]
            missed, error = sum(error < 0 for error, _ in results), max(error for error, _ in results)
            plan = replace(plan, sure=missed == 0 and error < _FOUND)
            found.append(((missed, not plan.sure, sum(shared for _, shared in results), error), plan))
            sure = [rank[2] for rank, plan in found if plan.sure]
            if len(sure) >= _PLANS and min(sure) == 0:
                break
        if sum(missed == 0 for (missed, *_), _ in found) >= 2:
            break
    found.sort(key=lambda item: item[0])
    plans = [plan for _, plan in found[: _PLANS if found[0][1].sure else _UNSURE_PLANS]]
    return plans if plans[0].sure else [*plans, *_perturbed(plans[:2], _PERTURBATIONS[-1])]


def _starts(chain: NumericChain) -> list[tuple[int, int]]:
    """Return the choices of first and hidden joint for which the fourth joint is revolute.

    Similar choices tend to fail together, so they are spread over the list.
    """
    choices = [(first, hidden) for first in range(6) for hidden in range(3) if not chain.prismatic[(first + 3) % 6]]
    return sorted(choices, key=lambda choice: ((choice[0] * 7 + choice[1] * 5) % 18, choice[0]))


def _offsets(chain: NumericChain, seed: int) -> tuple[float, ...]:
    """Return offsets of the unknowns for which no relevant solution is at infinity or zero."""
    rng = random_arrays("general method, unknowns", seed)
    return tuple(
        float(rng.uniform(-0.3, 0.3) if joint.prismatic else rng.uniform(-np.pi, np.pi)) for joint in chain.joints
    )


def _perturbing(amount: float, seed: int) -> Array:
    """Return small motions, with lengths in units of the robot's length."""
    rng = random_arrays("general method, perturbations", seed)
    return np.stack([rigid(rng.normal(size=3) * amount, rng.normal(size=3) * amount) for _ in range(7)])


# -------------------------------------------------------------------------- machine code


def elimination_sources() -> list[str]:
    """Return the source texts of the plain functions."""
    folder = files("robosym.chains.elimination")
    return [folder.joinpath(f"{name}.py").read_text("utf-8") for name in MODULES]


def compiled_plain(sources: Sequence[str], entries: Sequence[str]) -> dict[str, Callable[..., Any]]:
    """Return plain functions as machine code."""
    from robosym.runtime.plain_llvm import plain_functions  # LLVM takes long to load

    return plain_functions(sources, entries)


@cache
def _functions() -> dict[str, Callable[..., Any]]:
    """Compile the functions once for all robots, whose geometry is data."""
    folder = files("robosym.chains.elimination")
    more = [folder.joinpath(f"{name}.py").read_text("utf-8") for name in _ROWS]
    entries = ("general_rows", "many_solutions", "polished_rows", "polished_solutions", "trial")
    return compiled_plain([*elimination_sources(), *more], entries)


def general_rows() -> Callable[..., Any]:
    """Return the compiled general method with sorted rows of the joints of a chain."""
    return _functions()["general_rows"]


def polished_solutions() -> Callable[..., Any]:
    """Return the compiled function that refines the solutions of a geometry near to the true one."""
    return _functions()["polished_solutions"]


@dataclass(frozen=True)
class EliminationPlan:
    """The start of an elimination: a choice of equation A1-16, joint offsets, and perturbations of the constants."""

    first: int  #: the joint that comes first
    hidden: int  #: hidden joint among the first three
    offsets: tuple[float, ...]  #: origins of the half-angle tangents
    moves: Array  #: seven motions (7, 4, 4), lengths in units of the robot's; the identity without perturbation
    sure: bool = True  #: whether it has found every known solution, to many digits

    @property
    def numbers(self) -> list[float]:
        """Offsets and motions as a flat list, for the kernel."""
        return [*self.offsets, *self.moves[:, :3].ravel()]


class Prepared:
    """A chain of six joints and its plans in the form of the kernel.

    The joints after the first `real` ones are virtual; `columns` are the given columns of the pose.
    """

    def __init__(
        self, chain: NumericChain, real: int, columns: Sequence[int], plans: Sequence[EliminationPlan]
    ) -> None:
        shape = [real, sum(1 << column for column in columns), len(plans)]
        shape += [int(joint.prismatic) for joint in chain.joints] + [joint.sign for joint in chain.joints]
        for plan in plans:
            shape += [plan.first, plan.hidden, int(plan.sure)]
        self.real, self.chosen = real, list(plans)
        self.shape = np.array(shape, dtype=np.intc)
        self.constants = np.ascontiguousarray(np.stack(chain.constants)[:, :3]).ravel()
        self.plans = np.array([number for plan in plans for number in plan.numbers])

    def solve(self, T: Array, tolerance: Array) -> tuple[Array, Array, Array, Array]:
        """Return solutions (m, 16, 6) of poses (m, 4, 4), their errors, masks of free joints, and their numbers."""
        poses = np.ascontiguousarray(T[:, :3], dtype=float)
        tolerances = np.ascontiguousarray(np.broadcast_to(tolerance, len(T)), dtype=float)
        q, errors = np.empty((len(T), MOST, 6)), np.empty((len(T), MOST))
        free, counts = np.zeros((len(T), MOST), np.intc), np.zeros(len(T), np.intc)
        given = (self.shape, self.constants, self.plans)
        _functions()["many_solutions"](
            *(part.ctypes.data for part in given), len(T), poses.ctypes.data, tolerances.ctypes.data, q.ctypes.data,
            errors.ctypes.data, free.ctypes.data, counts.ctypes.data,
        )  # fmt: skip
        return q, errors, free, counts

    def polish(self, T: Array, owners: Array, q: Array, turns: int) -> tuple[Array, Array, Array]:
        """Return joints (k, real) polished at the poses of their owners, the errors, and the joint steps."""
        poses, owners = np.ascontiguousarray(T[:, :3], dtype=float), np.ascontiguousarray(owners, dtype=np.intc)
        rows, errors, moves = np.zeros((len(q), 6)), np.empty(len(q)), np.empty(len(q))
        rows[:, : self.real] = q
        arrays = (owners, poses, rows, errors, moves)
        _functions()["polished_rows"](
            self.shape.ctypes.data, self.constants.ctypes.data, turns, len(q), *(part.ctypes.data for part in arrays)
        )
        return rows[:, : self.real], errors, moves

    def trial(self, q: Array) -> tuple[float, bool]:
        """Return the error, before Newton's method, with which the first plan finds known joints; -1 if it fails.

        The second value tells whether two candidates share the hidden joint: the plan then takes twice as long.
        """
        known, shared = np.ascontiguousarray(q, dtype=float), np.zeros(1, np.intc)
        given = (self.shape, self.constants, self.plans, known, shared)
        return float(_functions()["trial"](*(part.ctypes.data for part in given))), bool(shared[0])
