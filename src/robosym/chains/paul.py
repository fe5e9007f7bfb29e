"""Paul's method (guide 2.3.3): equations of one matrix identity, taken one unknown at a time.

In each iteration, the simplest equation for one unknown becomes a step; the unknown is known from then on. With
`quartic`, equations of fourth degree are admitted too (Pieper's types 5 and 6, guide 2.3.6).

Pieper's 52 structures are 4 positions of a spherical joint with 8 kinds of the other three joints, and 20 positions
of three prismatic joints. The remaining equations are those of table 2.2: the distance of the center of the spherical
joint and its coordinate along an axis give two equations in two unknowns, of fourth degree at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from robosym.algebra import Expr, reachable
from robosym.algebra.generic import random_arrays
from robosym.algebra.graph import collector_paused
from robosym.algebra.linear.regular import minor
from robosym.algebra.samples import Array, Samples, evaluate_arrays
from robosym.algebra.tolerances import ZERO
from robosym.chains.chain import PoseProblem
from robosym.chains.equation_types import Univariate, eliminate, two_equations, univariate
from robosym.chains.matrix_equations import Equation, MatrixEquations
from robosym.chains.numeric_chain import NEAR, NumericChain, Solver
from robosym.chains.products import SolvedJoints
from robosym.chains.unknowns import Polynomial
from robosym.errors import InputError, Pass
from robosym.model.solution.roots import run, strength
from robosym.model.solution.steps import BRANCHES, Step, Variable

__all__ = ["ChainBranches", "KnownAngles", "chosen_form", "closed_form", "closed_form_solver"]

#: inputs of steps beside the pose that follow from the positions (m, joints) of a chain
KnownAngles = Callable[[NumericChain, Array], Mapping[str, Array]]

_PAIRS = 60  #: how many pairs of equations are tried for one pair of unknowns
_APART = 1e-6  #: the sine of the angle of two equations that differ, or the spread of the ratio of two divisors
_TRIALS = 16  #: poses of known joints by which steps are tried
_RECOVERED = 1e-7  #: how far from known joints a candidate may be
_ROUNDED = 1e-15  #: rounding error of the entries of a pose, lengths in units of the robot
_INEXACT = "loses too many digits, for axes that are nearly parallel or lengths that are nearly zero"
_ALTERNATIVES = 3  #: equations of the same kind kept for poses where the first one degenerates


@collector_paused()
def closed_form(equations: MatrixEquations, quartic: bool = False) -> tuple[Step, ...] | None:
    """Return the steps that solve every unknown of the equations, or None if none are found."""
    samples = equations.samples
    knowledge = SolvedJoints(equations.problem.known)
    steps: list[Step] = []
    open_joints = set(equations.problem.unknown)
    while open_joints:
        step = _difference(knowledge, samples, open_joints) or _next_step(equations, knowledge, quartic)
        if step is None:
            return None
        steps.append(step)
        terms = step.variable.terms
        value = sum(sign * samples.symbols[name] for name, sign in terms)
        if len(terms) == 1:
            knowledge.joints[terms[0][0]] = samples.graph.symbol(step.joint)
            open_joints.discard(terms[0][0])
        else:
            knowledge.sums[step.variable] = samples.define(step.joint, np.asarray(value))
    return tuple(steps)


def _difference(knowledge: SolvedJoints, samples: Samples, open_joints: set[str]) -> Step | None:
    """Solve for the only unknown joint in a known sum: t3 = t23 - t2."""
    graph = samples.graph
    for variable, symbol in knowledge.sums.items():
        others = SolvedJoints(knowledge.joints, {v: s for v, s in knowledge.sums.items() if v != variable})
        known, rest = others.resolve(variable.terms, graph.zero)
        if len(rest) == 1 and rest[0][0] in open_joints:
            name, sign = rest[0]
            value = symbol - known
            value = value if sign > 0 else -value
            text = (f"{variable.name} known",)
            return Step(name, Variable(((name, 1),)), "difference", "sum of angles", ((value,),), text, (1.0,))
    return None


def _next_step(equations: MatrixEquations, knowledge: SolvedJoints, quartic: bool) -> Step | None:
    samples = equations.samples
    best, candidates = None, []
    for most in (1, 2, 3):
        pool = _pool(equations, knowledge, most)
        candidates = [*_in_one_unknown(pool, samples), *_lengths(pool, samples)]
        best = _best(candidates, quartic, samples)
        best = best or _best(list(_in_two_unknowns(pool, samples, quartic)), quartic, samples)
        if best is not None:
            break
    if best is None:
        return None
    same = [c for c in candidates if c.variable == best.variable and c.form == best.form and c is not best]
    chosen = [best, *_best_conditioned(best, same, samples)]
    name = equations.name(best.variable)
    scales = tuple(_scale(c, samples) for c in chosen)
    return Step(name, best.variable, best.form, best.type, tuple(c.coefficients for c in chosen), best.origins, scales)


def _pool(equations: MatrixEquations, knowledge: SolvedJoints, most: int) -> list[Equation]:
    """Return the distinct equations with at most `most` unknown joints and two unknowns."""
    pool: dict[tuple[object, ...], Equation] = {}
    for place, depends in equations.dependence.items():
        left = depends - knowledge.joints.keys()
        if not left or len(left) > most + len(knowledge.sums):
            continue
        equation = equations.equation(place, knowledge)
        if equation is None or len(equation.polynomial.variables()) > max(2, most):
            continue
        key = _signature(equation.polynomial)
        if key not in pool or _length(equation.polynomial) < _length(pool[key].polynomial):
            pool[key] = equation
    return list(pool.values())


def _length(polynomial: Polynomial) -> int:
    return len(reachable(polynomial.terms.values()))


def _signature(polynomial: Polynomial) -> tuple[object, ...]:
    """Return a key that is equal for equations that differ by a constant factor which cannot vanish."""
    samples = polynomial.samples
    monomials = sorted(polynomial.terms)
    values = np.array([samples.array(polynomial.terms[m]) for m in monomials])
    ratios = np.round(values / values[np.argmax(np.abs(values[:, 0])), 0], 7) + 0.0
    return (tuple(monomials), ratios.tobytes())


def _in_one_unknown(pool: Sequence[Equation], samples: Samples) -> Iterator[Univariate]:
    singles: dict[Variable, list[Univariate]] = {}
    for equation in pool:
        single = univariate(equation)
        if single is not None:
            yield single
            if single.form == "sine":
                singles.setdefault(single.variable, []).append(single)
    for group in singles.values():
        yield from _pairs(group, samples)


def _pairs(group: list[Univariate], samples: Samples) -> Iterator[Univariate]:
    """Return the best pairs of equations of one angle: independent, and the shortest for each kind of divisor."""
    costs = [_cost(single) for single in group]
    values = np.array([[samples.array(c) for c in single.coefficients[:2]] for single in group])
    x, y = values[:, 0], values[:, 1]
    with np.errstate(all="ignore"):
        size = np.hypot(x, y)
        D = np.abs(x[:, None] * y - y[:, None] * x)
        dot = np.abs(x[:, None] * x + y[:, None] * y)
        both = size[:, None] * size
        independent = np.all(D / both > _APART, axis=-1)
        constant = np.ptp(D, axis=-1) <= ZERO * np.max(D, axis=-1)
        orthogonal = np.all(dot <= ZERO * both, axis=-1)
        equal = np.all(np.abs(size[:, None] - size) <= ZERO * size, axis=-1)
    risk = np.where(constant, 0, np.where(orthogonal & equal, 1, np.where(orthogonal, 2, 3))).tolist()
    known = np.argwhere(np.triu(independent, 1)).tolist()
    ranked = sorted((risk[i][j], costs[i] + costs[j], i, j) for i, j in known)
    for _, _, i, j in ranked[:12]:
        yield two_equations(group[i], group[j])


def _lengths(pool: Sequence[Equation], samples: Samples) -> Iterator[Univariate]:
    """Solve linear equations in two or three lengths for the first length by Cramer's rule."""
    graph = samples.graph
    linear: list[tuple[Equation, dict[Variable, Expr]]] = []
    for equation in pool:
        polynomial = equation.polynomial
        variables = polynomial.variables()
        if len(variables) > 1 and all(v.prismatic and polynomial.degree(v) == 1 for v in variables):
            row = {v: polynomial.coefficient((((v, "r"), 1),)) for v in variables}
            if len(polynomial.terms) <= len(row) + 1:
                linear.append((equation, row))
    lengths = sorted({v for _, row in linear for v in row})
    for size in (2, 3):
        for unknowns in combinations(lengths, size):
            rows = [(e, row) for e, row in linear if set(row) <= set(unknowns)]
            for group in combinations(rows, size):
                matrix = [[row.get(v, graph.zero) for v in unknowns] for _, row in group]
                D = minor(matrix, range(size), range(size))
                if samples.is_zero(D):
                    continue
                right = [[e.polynomial.known, *line[1:]] for (e, _), line in zip(group, matrix, strict=True)]
                origins = tuple(e.origin for e, _ in group)
                yield Univariate(unknowns[0], "linear", "type 1", (minor(right, range(size), range(size)), D), origins)
                break


def _in_two_unknowns(pool: Sequence[Equation], samples: Samples, quartic: bool) -> Iterator[Univariate]:
    groups: dict[tuple[Variable, ...], list[Equation]] = {}
    for equation in pool:
        variables = equation.polynomial.variables()
        if len(variables) == 2:
            groups.setdefault(variables, []).append(equation)
    for (x, y), group in groups.items():
        group.sort(key=lambda e: len(e.polynomial.terms))
        found = 0
        for first, second in list(combinations(group, 2))[:_PAIRS]:
            for a, b in ((x, y), (y, x)):
                for one, two in ((first, second), (second, first)) if b.prismatic else ((first, second),):
                    result = eliminate(one, two, a, b)
                    single = univariate(*result) if result is not None else None
                    if single is not None:
                        found += 1
                        yield single
            if found > (0 if quartic else 3):
                break


def _cost(candidate: Univariate) -> float:
    """Rank equations: few operations and few divisors that can vanish come first."""
    known = sum(1 for c in candidate.coefficients if c.args)
    return len(reachable(candidate.coefficients)) + 5 * known


def _best(candidates: Sequence[Univariate], quartic: bool, samples: Samples) -> Univariate | None:
    """Return the equation with the fewest solutions, then the fewest singular poses, then the fewest operations."""
    degrees = {"quartic", "sine2"}
    admitted = [c for c in candidates if quartic or c.form not in degrees]
    return min(admitted, key=lambda c: (BRANCHES[c.form], _risk(c, samples), _cost(c)), default=None)


def _risk(candidate: Univariate, samples: Samples) -> int:
    """Rank how often a divisor vanishes: 0 for a constant, then orthogonal equations of equal, then other length."""
    size = _leading(candidate, samples)
    if np.ptp(size) <= ZERO * np.max(size):
        return 0
    if candidate.form == "pair":
        x1, y1, _, x2, y2, _ = (samples.value(c) for c in candidate.coefficients)
        first, second = np.hypot(x1, y1), np.hypot(x2, y2)
        if np.all(np.abs(x1 * x2 + y1 * y2) <= ZERO * first * second):
            return 1 if np.all(np.abs(first - second) <= ZERO * first) else 2
    return 3


def _leading(candidate: Univariate, samples: Samples) -> Array:
    """Return the magnitude of the divisor of an equation at the sample points."""
    values = [samples.array(c) for c in candidate.coefficients]
    if candidate.form == "pair":
        return np.asarray(np.abs(values[0] * values[4] - values[1] * values[3]))
    if candidate.form == "sine":
        return np.asarray(np.hypot(values[0], values[1]))
    return np.asarray(np.max(np.abs(values[1:] if candidate.variable.prismatic else values[:-1]), axis=0))


def _scale(candidate: Univariate, samples: Samples) -> float:
    return float(np.median(_leading(candidate, samples)))


def _best_conditioned(best: Univariate, others: Sequence[Univariate], samples: Samples) -> list[Univariate]:
    """Return alternatives with another divisor than the first choice."""
    taken = [_leading(best, samples)]
    chosen: list[Univariate] = []
    for candidate in sorted(others, key=_cost):
        size = _leading(candidate, samples)
        if all(np.ptp(size / other) > _APART for other in taken):
            taken.append(size)
            chosen.append(candidate)
            if len(chosen) == _ALTERNATIVES - 1:
                break
    return chosen


# -------------------------------------------------------------------------- on numbers


def closed_form_solver(problem: PoseProblem, steps: Sequence[Step]) -> Solver:
    """Return a solver whose candidates are the branches of the steps."""
    branches = ChainBranches(problem, tuple(steps))
    return Solver(problem, branches.candidates, branches.sizes, branches.recover)


def recovers(problem: PoseProblem, steps: Sequence[Step]) -> bool:
    """Return whether the steps recover known joints from their poses with many digits."""
    sample = {name: float(values[0]) for name, values in problem.samples.symbols.items()}
    chain = NumericChain.of(problem.chain, sample, problem.columns, problem.unknown)
    return ChainBranches(problem, tuple(steps)).recover(
        chain, {name: sample[name] for name in problem.chain.parameters}
    )


@dataclass
class ChainBranches:
    """The branches of a closed form at poses; the divisors of the steps are computed once per set of parameters."""

    problem: PoseProblem
    steps: tuple[Step, ...]
    angles: KnownAngles | None = None
    _known: dict[tuple[tuple[str, float], ...], list[list[float]]] = field(default_factory=dict, repr=False)
    _tried: dict[tuple[tuple[str, float], ...], bool] = field(default_factory=dict, repr=False)

    def sizes(self, chain: NumericChain, parameters: Mapping[str, float]) -> list[list[float]]:
        key = tuple(parameters.items())
        if key not in self._known:
            self._known.clear()
            self._known[key] = _usual_sizes(self.problem, self.steps, chain, parameters, self.angles)
        return self._known[key]

    def recover(self, chain: NumericChain, parameters: Mapping[str, float]) -> bool:
        """Return whether known joints are recovered from their poses, rounded like those of users.

        With nearly parallel axes, a term may be negligible in one equation and yet determine the next joint, or a step
        divides by it and loses the digits that the next step needs. If joints are at right angles, several solutions
        may lead to one pose, and any of them is accepted.
        """
        key = tuple(parameters.items())
        if key not in self._tried:
            self._tried.clear()
            self._tried[key] = self._recover(chain, parameters)
        return self._tried[key]

    def _recover(self, chain: NumericChain, parameters: Mapping[str, float]) -> bool:
        rng = random_arrays("known joints")
        q = rng.uniform(-3, 3, (2 * _TRIALS, len(chain.joints)))
        q[_TRIALS:] = np.round(q[_TRIALS:]) * (np.pi / 2)
        q *= np.where(chain.prismatic, chain.length / 3, 1.0)
        T = chain.forward(q)
        units = np.array([1, 1, 1, chain.length])
        noisy = T + _ROUNDED * units * rng.uniform(-1, 1, T.shape)
        noisy[:, 3] = T[:, 3]
        with np.errstate(all="ignore"):
            pose, found, suspect = self.candidates(chain, noisy, q, parameters)
            apart = np.where(chain.prismatic, (found - q[pose]) / chain.length, 2 * np.sin((found - q[pose]) / 2))
            back = np.abs(apart).max(axis=1, initial=0) <= _RECOVERED
            reached = chain.error(found, T[pose]) <= NEAR * max(1.0, chain.length)
        special = np.flatnonzero(suspect)
        return {*pose[back & (pose < _TRIALS)], *pose[reached & (pose >= _TRIALS)], *special} >= {*range(2 * _TRIALS)}

    def candidates(
        self, chain: NumericChain, T: Array, known: Array, parameters: Mapping[str, float]
    ) -> tuple[Array, Array, Array]:
        problem, joints = self.problem, self.problem.chain.names
        inputs = {name: np.asarray(value) for name, value in parameters.items()}
        inputs |= {name: T[:, place // 4, place % 4] for place, name in enumerate(problem.entries)}
        inputs |= {name: known[:, p] for p, name in enumerate(joints) if name not in problem.unknown}
        pose, values, suspect = run(self.steps, inputs, len(T), self.sizes(chain, parameters))
        return pose, np.stack([values[name] for name in joints], axis=1), suspect


def _usual_sizes(
    problem: PoseProblem, steps: Sequence[Step], chain: NumericChain, parameters: Mapping[str, float],
    angles: KnownAngles | None,
) -> list[list[float]]:  # fmt: skip
    """Return the typical magnitude of each divisor at random configurations, by which small ones are judged."""
    rng = random_arrays("usual sizes")
    q = rng.uniform(-3, 3, (32, len(chain.joints))) * np.where(chain.prismatic, chain.length / 3, 1.0)
    T = chain.forward(q)
    values: dict[str, float | Array] = dict(parameters)
    values |= {joint.name: q[:, place] for place, joint in enumerate(chain.joints)}
    values |= {name: T[:, place // 4, place % 4] for place, name in enumerate(problem.entries)}
    values |= {} if angles is None else angles(chain, q)
    sizes = []
    for step in steps:
        values[step.joint] = sum(sign * values[name] for name, sign in step.variable.terms)
        row = []
        for equation in step.coefficients:
            numbers = [np.broadcast_to(value, (32,)) for value in evaluate_arrays(equation, values)]
            usual = float(np.median(strength(step.form, numbers)))
            row.append(usual if np.isfinite(usual) and usual > 0 else 1.0)
        sizes.append(row)
    return sizes


# -------------------------------------------------------------------------- Pieper's condition


def structure(problem: PoseProblem) -> str | None:
    """Describe which of Pieper's conditions a chain of six unknown joints satisfies; None if none."""
    chain, samples = problem.chain, problem.samples
    joints = chain.joints
    if len(problem.unknown) != 6 or len(joints) != 6 or problem.columns != "snaP":
        return None
    for i in range(4):
        if any(joint.prismatic for joint in joints[i : i + 3]):
            continue
        first, second = chain.constants[i + 1], chain.constants[i + 2]
        # origins are feet of common normals: axes i, i+1 meet where the foot lies on axis i, i+2 where it does not move
        meet = [first.P.x, first.P.y, *second.P]
        bent = [not samples.is_one(constant.A.rows[2].z * constant.A.rows[2].z) for constant in (first, second)]
        if all(samples.is_zero(entry) for entry in meet) and all(bent):
            names = ", ".join(joint.name for joint in joints[i : i + 3])
            return f"The axes of {names} meet in a point, whose position depends on three joints only."
    prismatic = [joint.name for joint in joints if joint.prismatic]
    if len(prismatic) == 3:
        return f"{', '.join(prismatic)} are prismatic: the orientation depends on the three other joints only."
    return None


# -------------------------------------------------------------------------- which of the two


def chosen_form(name: str, problem: PoseProblem, method: str) -> tuple[tuple[Step, ...], str, str] | None:
    """Return the steps, their method and the reason; None if only the general method applies."""
    if method == "general":
        return None
    equations = MatrixEquations(problem)
    if method in ("auto", "paul"):
        steps = closed_form(equations)
        if steps is not None and recovers(problem, steps):
            return steps, "paul", _tables(steps)
        if method == "paul":
            what = "finds no equation of a known type" if steps is None else _INEXACT
            others = ("try ", Pass("method", "pieper"), " or ", Pass("method", "general"))
            raise InputError(f"{name}: Paul's method {what}", hint=others)
    if method in ("auto", "pieper"):
        why = structure(problem)
        if why is None and method == "pieper":
            raise InputError(f"{name}: Pieper's method needs three revolute axes that meet, or three prismatic joints")
        steps = closed_form(equations, quartic=True)
        if steps is not None and recovers(problem, steps):
            return steps, "pieper", why or "Every joint follows from equations of table 2.2."
        if method == "pieper":
            what = "no equation of table 2.2 follows" if steps is None else f"the method {_INEXACT}"
            raise InputError(f"{name}: {why} Yet {what}", hint=("try ", Pass("method", "general")))
    return None


def _tables(steps: Sequence[Step]) -> str:
    """Return the tables of the guide that contain the equations of the steps."""
    others = [step.joint for step in steps if step.form in ("quadratic", "quartic", "sine2")]
    if not others:
        return "Every joint follows from equations of table 2.1."
    return f"Every joint follows from equations of table 2.1, but {', '.join(others)} from one of table 2.2."
