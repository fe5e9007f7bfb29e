"""The general method: every real solution of any chain of up to six joints, on numbers (guide 2.3.7, Appendix 4.1).

Which joint comes first and which is hidden decides whether the elimination is well conditioned, so a few choices are
tried on poses whose solution is known, and the best of them kept. Where three axes meet or are parallel the equations
degenerate for every choice: then the geometry is perturbed a little, solved, and the solutions polished on the true
one. A chain of fewer joints is made one of six by joints that turn out to be zero; where only one axis of the pose is
given, the turn about it is such a joint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.chains.chain import ChainJoint, PoseProblem
from robosym.chains.numeric_chain import Candidates, NumericChain, Solver, distinct, wrapped
from robosym.chains.raghavan_roth import Start, eliminate_all, starts
from robosym.spatial.numeric import rigid, rigid_inverse

__all__ = ["GeneralStep", "general_solver"]

_PLANS = 3  #: choices kept: the second and third serve where the first seems to have lost a solution
_TRIALS = 4  #: poses on which a choice is tried
_UNSURE_PLANS = 5  #: where none is well conditioned, the solutions of several are put together
_PERTURBATIONS = (0.0, 1e-5, 1e-4)
_NUDGE = 1e-4  #: of a pose two solutions of which share the hidden joint
_NEAR = 1e-2  #: a candidate with a larger error, in units of the robot, is none; nor one whose virtual joints moved
_FOUND = 1e-8  #: the error of a candidate that Newton's method brings to a solution
_HIT = 1e-6  #: how near a solution that is known must be found
_SAME = 1e-3  #: values of the hidden joint too close to tell their solutions apart


@dataclass(frozen=True)
class GeneralStep:
    """What the general method does, for people; it has no closed formula."""

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
    """A solver for the problem, what it does, and why."""
    solver = Solver(problem, _general_candidates())
    joints = ", ".join(problem.unknown)
    steps = (
        GeneralStep(
            joints, "general", ("A X1 = B Y (14 equations)", "Sigma X = 0"),
            "eigenvalues of the 24x24 companion matrix of Sigma, back substitution, Newton's method", 16,
        ),
    )  # fmt: skip
    return solver, steps, "No closed form was asked for or found: all joints together, by Raghavan and Roth's method."


@dataclass(frozen=True)
class _Plan:
    start: Start
    chain: NumericChain  #: the chain, or a perturbed copy
    seed: int
    sure: bool = True  #: whether it has found every known solution, to many digits

    def candidates(self, T: Array) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            pose, q = eliminate_all(self.chain, T, self.start, self.seed)
        fine = np.isfinite(q).all(axis=1)
        return pose[fine], q[fine]

    def shared(self, pose: Array, q: Array) -> Array:
        """Poses two candidates of which have one value of the hidden joint: an eigenvalue's vectors are then mixed."""
        hidden = (self.start.first + self.start.hidden) % 6
        value = q[:, hidden] if self.chain.prismatic[hidden] else np.mod(q[:, hidden], 2 * np.pi)
        order = np.lexsort((value, pose))
        pose, value = pose[order], value[order]
        return np.unique(pose[1:][(np.diff(pose) == 0) & (np.diff(value) < _SAME)])


def _general_candidates() -> Candidates:
    """Candidates by elimination; the plans for a set of parameters are made once."""
    plans: dict[tuple[object, ...], tuple[NumericChain, list[_Plan]]] = {}

    def candidates(
        chain: NumericChain, T: Array, known: Array, parameters: Mapping[str, float]
    ) -> tuple[Array, Array, Array]:
        fixed = [place for place in range(len(chain.joints)) if place not in chain.unknown]
        groups: dict[tuple[float, ...], list[int]] = {}
        for number in range(len(T)):
            groups.setdefault(tuple(known[number, fixed]), []).append(number)
        found = []
        for group in groups.values():
            members = np.array(group)
            row = known[members[0]]
            key = (tuple(parameters.items()), tuple(row[fixed]))
            if key not in plans:
                plans.clear()
                six = six_joints(chain, row)
                plans[key] = six, choose(six)
            poses, rows, lost = _planned(*plans[key], T[members])
            real = len(chain.unknown)  # the virtual joints come last; a turn about a given axis is not zero
            zero = rows[:, real if chain.columns == [0, 1, 2, 3] else real + 1 :]
            keep = np.abs(np.sin(zero / 2)).max(axis=1, initial=0) < _NEAR
            whole = np.tile(row, (len(rows), 1))
            whole[:, chain.unknown] = rows[:, :real]
            found.append((members[poses[keep]], whole[keep], members[lost]))
        if not found:
            return np.zeros(0, int), np.zeros((0, len(chain.joints))), np.zeros(0, bool)
        poses, rows, lost = (np.concatenate(part) for part in zip(*found, strict=True))
        return poses, rows, np.isin(np.arange(len(T)), lost)

    return candidates


def _planned(six: NumericChain, plans: list[_Plan], T: Array) -> tuple[Array, Array, Array]:
    """Solutions by the first plan, by the next ones too where the number is odd; and the poses where it stays so.

    A plan that is not well conditioned may lose two solutions at once, so then all are used. So may two solutions
    with one value of the hidden joint, frequent in poses at right angles; near such a pose they are apart.
    """
    poses, rows = np.zeros(0, int), np.zeros((0, 6))
    left = np.arange(len(T))
    nudge = rigid(_NUDGE * np.array([0.6, -1.0, 0.8]), _NUDGE * six.length * np.array([-0.7, 0.9, 0.5]))
    for plan in plans:
        pose, q = plan.candidates(T[left])
        shared = plan.shared(pose, q)
        near, others = plan.candidates(T[left[shared]] @ nudge) if len(shared) else (pose[:0], q[:0])
        pose, q = np.concatenate([pose, shared[near]]), np.concatenate([q, others])
        pose, q = _polished(six, left[pose], q, T)
        poses, rows = np.concatenate([poses, pose]), np.concatenate([rows, q])
        if plan.sure:
            left = left[_unpaired(six, poses, rows, left)]
        if not len(left):
            break
    return poses, rows, left[_unpaired(six, poses, rows, left)]


def _polished(chain: NumericChain, poses: Array, q: Array, T: Array) -> tuple[Array, Array]:
    """Candidates after Newton, those that do not converge left out."""
    near = chain.error(q, T[poses]) < _NEAR * max(1.0, chain.length)
    poses = poses[near]
    q, errors = chain.polish(q[near], T[poses], turns=8)
    good = errors < _FOUND * max(1.0, chain.length)
    return poses[good], wrapped(q[good], chain.prismatic)


def _unpaired(chain: NumericChain, poses: Array, q: Array, wanted: Array) -> Array:
    """Which of the wanted poses have no or an odd number of solutions: one was lost, for complex ones come in pairs."""
    result = np.zeros(len(wanted), bool)
    for number, pose in enumerate(wanted):
        rows = q[poses == pose]
        result[number] = not len(rows) or len(distinct(rows, chain.prismatic, chain.length)) % 2 == 1
    return result


def six_joints(chain: NumericChain, known: Array) -> NumericChain:
    """The chain with its known joints among the constants, and virtual joints up to six."""
    constants, joints = [chain.constants[0]], []
    for place, joint in enumerate(chain.joints):
        if place in chain.unknown:
            joints.append(joint)
            constants.append(chain.constants[place + 1])
        else:
            constants[-1] = constants[-1] @ joint.motion(known[place]) @ chain.constants[place + 1]
    rng = random_arrays("general method, virtual joints")
    axes = [column for column in chain.columns if column < 3]
    if len(axes) == 1 and len(joints) < 6:
        turn = np.roll(np.eye(4)[:3, :3], axes[0] - 2, axis=0)  # the given axis becomes z of the virtual joint
        frame = np.eye(4)
        frame[:3, :3] = turn
        constants[-1] = constants[-1] @ frame
        constants.append(rigid_inverse(frame))
        joints.append(ChainJoint("virtual0", False))
    while len(joints) < 6:
        axis = rigid(rng.normal(size=3), rng.normal(size=3) * 0.3 * chain.length)
        constants[-1] = constants[-1] @ axis
        constants.append(rigid_inverse(axis))
        joints.append(ChainJoint(f"virtual{len(joints)}", False))
    return NumericChain(joints, constants, "snaP", range(6))


def choose(chain: NumericChain) -> list[_Plan]:
    """The plans that find the known solutions of a few poses, best first; perturbed ones where too few do."""
    rng = random_arrays("general method, trial poses")
    size = np.where(chain.prismatic, 0.5 * chain.length, np.pi)
    q = rng.uniform(-1, 1, (_TRIALS, 6)) * size
    T = chain.forward(q)
    found: list[tuple[int, float, _Plan]] = []
    for amount in _PERTURBATIONS:
        for number, start in enumerate(_ordered(chain)):
            plan = _Plan(start, _perturbed(chain, amount, number) if amount else chain, number)
            missed, error = _trial(plan, chain, q, T)
            plan = replace(plan, sure=missed == 0 and error < _FOUND)
            found.append((missed, error, plan))
            if sum(plan.sure for *_, plan in found) >= _PLANS:
                break
        if sum(missed == 0 for missed, *_ in found) >= 2:
            break
    found.sort(key=lambda item: item[:2])
    return [plan for *_, plan in found[: _PLANS if found[0][2].sure else _UNSURE_PLANS]]


def _ordered(chain: NumericChain) -> list[Start]:
    """A change of the first joint before a change of the hidden one: neighbours fail together."""
    return sorted(starts(chain), key=lambda start: ((start.first * 7 + start.hidden * 5) % 18, start.first))


def _trial(plan: _Plan, chain: NumericChain, q: Array, T: Array) -> tuple[int, float]:
    """How many of the known solutions the plan misses, and how far from the others it is before Newton."""
    try:
        pose, rows = plan.candidates(T)
    except np.linalg.LinAlgError:
        return len(T), 0.0
    raw = chain.error(rows, T[pose])
    near = raw < _NEAR * max(1.0, chain.length)
    pose, rows, raw = pose[near], rows[near], raw[near]
    rows, _ = chain.polish(rows, T[pose], turns=8)
    missed, worst = 0, 0.0
    for number in range(len(T)):
        gaps = np.where(chain.prismatic, (rows - q[number]) / chain.length, 2 * np.sin((rows - q[number]) / 2))
        hits = (pose == number) & (np.abs(gaps).max(axis=1, initial=0) < _HIT)
        if hits.any():
            worst = max(worst, float(raw[hits].min()))
        else:
            missed += 1
    return missed, worst


def _perturbed(chain: NumericChain, amount: float, seed: int) -> NumericChain:
    rng = random_arrays("general method, perturbations", seed)
    moved = [
        constant @ rigid(rng.normal(size=3) * amount, rng.normal(size=3) * amount * chain.length)
        for constant in chain.constants
    ]
    return NumericChain(chain.joints, moved, "snaP", range(6))
