"""Symbolic equations of the general method, up to a chosen step (guide, Appendix 4.1).

A X1 = B Y has fourteen rows. Y contains products of the cosines and sines (lengths) of the fifth and sixth joint, X1
those of the second and third, and A depends on the first joint, the hidden one. Eliminating Y gives E X1 = 0. In
half-angle tangents, and doubled by multiplication with one of them, this becomes Sigma X = 0. Columns of A that vanish
or are multiples of each other are merged, and so are their products (A1-17); six or fewer columns form a square system
C. Pivots are chosen by their values at sample points, and entries that vanish there are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from robosym.algebra import Expr
from robosym.algebra.generic import negligible, random_arrays
from robosym.algebra.polynomial import times
from robosym.algebra.samples import Samples
from robosym.algebra.tolerances import PIVOT, TINY, ZERO
from robosym.chains.chain import ChainJoint, JointChain, PoseProblem, chain_between, pose_problem
from robosym.chains.unknowns import Monomial, Polynomial
from robosym.coordinates.accepts import accepts
from robosym.errors import InputError, Pass
from robosym.mechanism import Robot
from robosym.mechanism.added_frame import tool_frame
from robosym.mechanism.path import check_frame
from robosym.model import Layout, Model
from robosym.model.solution.steps import Variable
from robosym.spatial import Transform, Vec3

__all__ = ["STOPS", "GeneralEquations", "general_equations"]

_LARGEST = 9  #: rows of a matrix whose determinant is expanded in powers of x
_NUDGE = 1e-3  #: perturbs the sample point at which rows are chosen, to make it generic
STOPS = ("AB", "E", "Sigma", "determinant")
Matrix = list[list[Expr]]
#: The coefficients of 1, C and S (1, r and r^2) of the hidden joint.
Three = list[Matrix]


@dataclass(frozen=True, repr=False)
class GeneralEquations:
    """The derivation up to the requested stage; later stages are None. Matrices are lists of rows of expressions."""

    robot: Robot
    hidden: str  #: the joint whose polynomial this is; `x` is its half-angle tangent, or itself where it is a length
    A: Matrix
    X1: tuple[str, ...]
    B: Matrix
    Y: tuple[str, ...]
    E: Matrix | None
    Sigma: Matrix | None  #: in `x`; the smaller square matrix C where columns of A depend on each other
    X: tuple[str, ...]
    determinant: Expr | None
    x: str
    problem: PoseProblem
    #: coefficients p0, p1, .. of the determinant of a small Sigma as a polynomial in x; None if Sigma is large
    polynomial: tuple[Expr, ...] | None = None

    def __repr__(self) -> str:
        parts = {"A": self.A, "B": self.B, "E": self.E, "Sigma": self.Sigma}
        sizes = [f"{name} {len(matrix)}x{len(matrix[0])}" for name, matrix in parts.items() if matrix]
        sizes += ["determinant"] if self.determinant is not None else []
        return f"<GeneralEquations {self.robot.name}: {', '.join(sizes)}; hidden: {self.hidden}>"

    def __str__(self) -> str:
        return str(self.model)

    def _repr_html_(self) -> str:
        return self.model._repr_html_()

    @property
    def model(self) -> Model:
        """The matrices as a model, to print in any language."""
        definitions: dict[str, Expr] = {}
        outputs: dict[str, Layout] = {}
        parts = {"A": self.A, "B": self.B, "E": self.E, "Sigma": self.Sigma}
        parts["determinant"] = None if self.determinant is None else [[self.determinant]]
        for name, matrix in parts.items():
            if matrix is not None:
                rows = tuple(
                    tuple(f"{name}_{r}_{c}" for c in range(1, len(row) + 1)) for r, row in enumerate(matrix, 1)
                )
                outputs[name] = rows
                for labels, row in zip(rows, matrix, strict=True):
                    definitions.update(zip(labels, row, strict=True))
        if self.polynomial is not None:
            outputs["polynomial"] = tuple(f"p{power}" for power in range(len(self.polynomial)))
            definitions.update(zip(outputs["polynomial"], self.polynomial, strict=True))  # type: ignore[arg-type]
        chain = self.problem.chain
        others = {*chain.names, *self.problem.entries, self.x}
        parameters = tuple(name for name in self.problem.samples.symbols if name not in others)
        q = tuple(dict.fromkeys([self.hidden, self.x]))  # one and the same where it is a length
        inputs = {"T": self.problem.entries, "q": q, "parameters": parameters}
        title = "Inverse geometric model: general method"
        about = {
            "A": f"coefficients of the fourteen equations A X1 = B Y; columns X1: {', '.join(self.X1)}",
            "B": f"coefficients of the fourteen equations A X1 = B Y; columns Y: {', '.join(self.Y)}",
            "E": f"coefficients of E X1 = 0, without Y; columns X1: {', '.join(self.X1)}",
            "Sigma": f"coefficients of Sigma X = 0 in tangents of half the angles; columns X: {', '.join(self.X)}",
            "determinant": f"determinant of Sigma, zero at the solutions for {self.x}",
            "polynomial": f"characteristic polynomial of degree {len(self.polynomial or ()) - 1}: det(Sigma) is "
            f"p0 + p1*{self.x} + p2*{self.x}^2 + ...",
        }
        about |= {"in T": f"desired pose of {chain.goal}: the first three rows of a 4x4 matrix, row by row (1, m)"}
        tangent = f" and {self.x}, the tangent of half of it" if self.x != self.hidden else ""
        about["in q"] = f"the joint {self.hidden} that is sought first{tangent} (rad, m, 1)"
        return Model(self.robot.name, "rag", title, inputs, outputs, definitions, chain.graph, self.robot, about=about)


@accepts("floating")
def general_equations(
    robot: Robot,
    stop: Literal["AB", "E", "Sigma", "determinant"] = "Sigma",
    first: int = 1,
    frame: int | str | None = None,
    tool: object = None,
) -> GeneralEquations:
    """Return the equations of the general method for a robot with six joints, up to a chosen step.

    Parameters
    ----------
    robot
        Robot with six joints between frame 0 and `frame`.
    stop
        Step after which the elimination stops: AB, E, Sigma or determinant.
    first
        Joint (1 to 6 along the chain) at which equation A1-16 starts and whose polynomial is computed. The joint three
        places after it must be revolute.
    frame
        Number or name of the frame. Default: the end of the arm.
    tool
        Pose of a tool frame in that frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.

    Returns
    -------
    GeneralEquations
        The equations up to `stop`, which print as a listing and as text.

    Raises
    ------
    InputError
        If the robot does not have six joints, or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> equations = rs.general_equations(rs.load("ur5e"), stop="E")
    >>> len(equations.E)
    6
    """
    if stop not in STOPS:
        raise InputError(f"stop: expected one of {', '.join(STOPS)}, found {stop!r}")
    robot, frame = tool_frame(robot, frame, tool)
    chain = chain_between(robot, 0, check_frame(robot, frame, 1))
    if len(chain.joints) != 6:
        raise InputError(f"the general method needs six joints, {robot.name} has {len(chain.joints)}")
    if first not in range(1, 7):
        raise InputError(f"first: expected a joint from 1 to 6, found {first!r}")
    problem = pose_problem(chain, chain.names, "snaP")
    if problem.chain.joints[(first + 2) % 6].prismatic:
        raise InputError(f"first: joint {(first + 2) % 6 + 1}, three after it, is prismatic; start with another")
    return _Derivation(robot, problem, first - 1).until(stop)


class _Derivation:
    def __init__(self, robot: Robot, problem: PoseProblem, first: int) -> None:
        self.robot, self.problem, self.samples = robot, problem, problem.samples
        chain = problem.chain
        a, b, c, d, e, f = ((first + k) % 6 for k in range(6))
        K = _round(chain, problem.target)
        joints = chain.joints
        self.square: list[list[list[Expr]]] = []  #: the entries of a square Sigma as powers of x
        self.hidden, self.shown = joints[a], (joints[b], joints[c])
        inverses = K[f].inverse(), joints[f].inverse(), K[e].inverse(), joints[e].inverse(), K[d].inverse()
        lhs = self._fourteen((joints[a], K[a], joints[b], K[b], joints[c], K[c]))
        rhs = self._fourteen(inverses)
        self.X1 = _products(*self.shown)
        self.Y = _products(joints[e], joints[f])[1:]
        self.parts: Three = [[[] for _ in range(14)] for _ in range(3)]
        self.B: Matrix = []
        atoms = [(), *_atoms(self.hidden)]
        for row, (one, two) in enumerate(zip(lhs, rhs, strict=True)):
            for monomial in self.X1:
                for part, atom in zip(self.parts, atoms, strict=True):
                    value = one.coefficient(times(atom, monomial))
                    if not monomial and not atom:
                        value = value - two.known
                    part[row].append(self._simple(value))
            self.B.append([self._simple(two.coefficient(monomial)) for monomial in self.Y])

    def until(self, stop: str) -> GeneralEquations:
        place = STOPS.index(stop)
        labels = self._reduce()
        A = self._whole(self.parts, *self._functions())
        E = Sigma = determinant = polynomial = None
        X: tuple[str, ...] = ()
        x = self.hidden.name if self.hidden.prismatic else f"x_{self.hidden.name}"
        if not self.hidden.prismatic:
            self.samples.define(x, np.tan(self.samples.symbols[self.hidden.name] / 2))
        if place >= 1:
            parts = self._eliminated()
            E = self._whole(parts, *self._functions())
            if place >= 2:
                Sigma, X = self._sigma(parts, labels, x)
            if place >= 3 and Sigma is not None:
                determinant = self._determinant(Sigma, x)
                polynomial = self._polynomial()
        Y = tuple(_label(monomial) for monomial in self.Y)
        return GeneralEquations(
            self.robot, self.hidden.name, A, labels, self.B, Y, E, Sigma, X, determinant, x, self.problem, polynomial
        )

    # ------------------------------------------------------------------ A and B

    def _fourteen(self, factors: Sequence[Transform | ChainJoint]) -> list[Polynomial]:
        """Return a, P, a.P, P.P, a x P, (P.P) a - 2 (a.P) P of a product, in cosines and sines of its joints."""
        samples, graph = self.samples, self.problem.chain.graph

        def column(start: Sequence[int], point: bool) -> Vec3:
            v = Vec3(*(Polynomial.constant(samples, graph.number(n)) for n in start))
            for factor in reversed(factors):
                if isinstance(factor, Transform):
                    v = Vec3(*(v.x * row.x + v.y * row.y + v.z * row.z for row in factor.A.rows))
                    v = v + factor.P if point else v
                elif factor.prismatic:
                    r = Polynomial.atom(samples, Variable(((factor.name, 1),), prismatic=True), "r")
                    v = Vec3(v.x, v.y, v.z + r * factor.sign) if point else v
                else:
                    variable = Variable(((factor.name, 1),))
                    c, s = (Polynomial.atom(samples, variable, kind) for kind in "cs")
                    s = s * factor.sign
                    v = Vec3(c * v.x - s * v.y, s * v.x + c * v.y, v.z)
            return Vec3(*(entry.reduced() for entry in v))

        a, P = column((0, 0, 1), False), column((0, 0, 0), True)
        aP, PP = a.dot(P), P.dot(P)
        values = [*a, *P, aP, PP, *a.cross(P), *(PP * x - aP * y * 2 for x, y in zip(a, P, strict=True))]
        return [value.reduced() for value in values]

    def _simple(self, value: Expr) -> Expr:
        return self.samples.simplified(value)

    def _functions(self) -> tuple[Expr, Expr]:
        """C and S of the hidden joint, or r and r^2."""
        graph = self.problem.chain.graph
        q = graph.symbol(self.hidden.name)
        return (q, q * q) if self.hidden.prismatic else (graph.function("cos", q), graph.function("sin", q))

    def _whole(self, parts: Three, second: Expr, third: Expr) -> Matrix:
        rows = zip(*parts, strict=True)
        return [[a + b * second + c * third for a, b, c in zip(*three, strict=True)] for three in rows]

    def _reduce(self) -> tuple[str, ...]:
        """Omit columns of A that vanish, and merge those that are multiples of each other."""
        samples = self.samples
        numbers = np.array([[[samples.array(e) for e in row] for row in part] for part in self.parts])
        columns = np.moveaxis(numbers, 2, 0).reshape(9, -1, samples.points)
        labels = [_label(monomial) for monomial in self.X1]
        kept: list[int] = []
        names: list[str] = []
        for place in range(9):
            if negligible(columns[place]):
                continue
            for number, other in enumerate(kept):
                largest = np.argmax(np.abs(columns[other, :, 0]))
                ratio = columns[place, largest] / columns[other, largest]
                if np.allclose(columns[place], ratio * columns[other], atol=ZERO):
                    k, row = divmod(int(largest), 14)
                    factor = self._simple(self.parts[k][row][place] / self.parts[k][row][other])
                    names[number] += f" + ({factor})*{labels[place]}"
                    break
            else:
                kept.append(place)
                names.append(labels[place])
        self.kept = kept
        self.parts = [[[row[p] for p in kept] for row in part] for part in self.parts]
        return tuple(names)

    # --------------------------------------------------------------- E and Sigma

    def _size(self, value: Expr) -> float:
        return float(np.abs(self.samples.value(value)).min())

    def _eliminated(self) -> Three:
        """Eliminate Y with pivots chosen by size, and return the remaining rows."""
        B = [list(row) for row in self.B]
        parts = [[list(row) for row in part] for part in self.parts]
        left = list(range(14))
        for column in range(8):
            sizes = [self._size(B[row][column]) for row in left]
            if max(sizes) < ZERO:
                continue
            pivot = left.pop(int(np.argmax(sizes)))
            for row in left:
                if self.samples.is_zero(B[row][column]):
                    continue
                factor = B[row][column] / B[pivot][column]
                B[row] = [self._simple(x - factor * y) for x, y in zip(B[row], B[pivot], strict=True)]
                for part in parts:
                    part[row] = [self._simple(x - factor * y) for x, y in zip(part[row], part[pivot], strict=True)]
        return [[part[row] for row in left] for part in parts]

    def _sigma(self, parts: Three, labels: tuple[str, ...], name: str) -> tuple[Matrix, tuple[str, ...]]:
        graph = self.problem.chain.graph
        x = graph.symbol(name, online=True)
        E0, E1, E2 = parts
        if self.hidden.prismatic:
            powers = [[[a, b, c] for a, b, c in zip(*rows, strict=True)] for rows in zip(E0, E1, E2, strict=True)]
        else:  # 1 + x^2, 1 - x^2, 2 x
            powers = [
                [[a + b, c * 2, a - b] for a, b, c in zip(*rows, strict=True)] for rows in zip(E0, E1, E2, strict=True)
            ]
        E = [[self._simple(k0) + self._simple(k1) * x + self._simple(k2) * x * x for k0, k1, k2 in r] for r in powers]
        size = len(labels)
        if size <= len(E):  # C X1R = 0, square
            square = self._independent(E, size)
            places = [next(k for k, other in enumerate(E) if other is row) for row in square]
            self.square = [powers[k] for k in places]
            return square, labels
        if size < 9:
            raise InputError(
                f"A has {size} independent columns of 9", hint=("start with another joint, ", Pass("first"))
            )
        rows = [self._half_angles(row) for row in E]
        zero = graph.zero
        doubled = [[*row, zero, zero, zero] for row in rows] + [[zero, zero, zero, *row] for row in rows]
        u, v = (joint.name if joint.prismatic else f"x_{joint.name}" for joint in self.shown)
        return self._independent(doubled, 12), tuple(f"{u}^{i}*{v}^{j}" for i in range(4) for j in range(3))

    def _polynomial(self) -> tuple[Expr, ...] | None:
        """Return the coefficients of det(Sigma) in powers of x, by minors of its first rows and sets of columns."""
        size = len(self.square)
        if not 0 < size <= _LARGEST:
            return None
        graph = self.problem.chain.graph
        minors: dict[frozenset[int], list[Expr]] = {frozenset(): [graph.one]}
        for row in self.square:
            wider: dict[frozenset[int], list[Expr]] = {}
            for columns, minor in minors.items():
                for column, entry in enumerate(row):
                    if column in columns or all(part.is_zero for part in entry):
                        continue
                    odd = sum(other > column for other in columns) % 2
                    total = wider.setdefault(columns | {column}, [])
                    for a, part in enumerate(entry):
                        for b, factor in enumerate(minor if not part.is_zero else ()):
                            total.extend(graph.zero for _ in range(a + b + 1 - len(total)))
                            total[a + b] = total[a + b] + part * (-factor if odd else factor)
            minors = {columns: [self._simple(part) for part in total] for columns, total in wider.items()}
        found = minors.get(frozenset(range(size)), [graph.zero])
        while len(found) > 1 and found[-1].is_zero:
            found.pop()
        return tuple(found)

    def _half_angles(self, row: list[Expr]) -> list[Expr]:
        """Return nine products of 1, C, S of two joints, times (1 + u^2)(1 + v^2), in powers of half-angle tangents."""
        table = [[row[3 * i + j] for j in range(3)] for i in range(3)]
        for axis, joint in enumerate(self.shown):
            lines = table if axis else [list(line) for line in zip(*table, strict=True)]
            if not joint.prismatic:
                lines = [[a + b, c * 2, a - b] for a, b, c in lines]
            table = lines if axis else [list(line) for line in zip(*lines, strict=True)]
        return [self._simple(entry) for line in table for entry in line]

    def _independent(self, rows: Matrix, size: int) -> Matrix:
        """Return as many independent rows as columns if possible (Gram-Schmidt, largest first)."""
        numbers = np.array([[float(self.samples.array(e)[0]) for e in row] for row in rows])
        rng = random_arrays("general equations")
        numbers = numbers + _NUDGE * rng.normal(size=numbers.shape) * (numbers != 0)
        chosen: list[int] = []
        rest = numbers.copy()
        while len(chosen) < size:
            lengths = np.linalg.norm(rest, axis=1)
            lengths[chosen] = -1
            best = int(np.argmax(lengths))
            chosen.append(best)
            unit = rest[best] / max(lengths[best], TINY)
            rest = rest - np.outer(rest @ unit, unit)
        return [rows[row] for row in sorted(chosen)]

    def _determinant(self, matrix: Matrix, name: str) -> Expr:
        """Return the determinant by elimination, with pivots that are large if x is not a root."""
        graph = self.problem.chain.graph
        away = Samples(graph, {**self.samples.symbols, name: np.array([0.37, -1.3, 2.1])})
        M = [list(row) for row in matrix]
        result = graph.one
        for column in range(len(M)):
            sizes = [float(np.abs(away.value(M[row][column])).min()) for row in range(column, len(M))]
            pivot = column + int(np.argmax(sizes))
            if max(sizes) < PIVOT:
                return graph.zero
            if pivot != column:
                M[column], M[pivot] = M[pivot], M[column]
                result = -result
            result = result * M[column][column]
            for row in range(column + 1, len(M)):
                if not M[row][column].is_zero:
                    factor = M[row][column] / M[column][column]
                    M[row] = [x - factor * y for x, y in zip(M[row], M[column], strict=True)]
        return result


def _round(chain: JointChain, target: Transform) -> list[Transform]:
    """K1 .. K6 of the closed chain J1 K1 .. J6 K6 = 1."""
    closing = chain.constants[-1] @ target.inverse() @ chain.constants[0]
    return [*chain.constants[1:-1], closing]


def _atoms(joint: ChainJoint) -> tuple[Monomial, Monomial]:
    """C and S of a joint, or r and r^2."""
    variable = Variable(((joint.name, 1),), joint.prismatic)
    if joint.prismatic:
        return (((variable, "r"), 1),), (((variable, "r"), 2),)
    return (((variable, "c"), 1),), (((variable, "s"), 1),)


def _products(first: ChainJoint, second: ChainJoint) -> list[Monomial]:
    """Return the products of 1, C, S of one joint with 1, C, S of the other."""
    return [times(a, b) for a in ((), *_atoms(first)) for b in ((), *_atoms(second))]


def _label(monomial: Monomial) -> str:
    names = {"c": "cos({})", "s": "sin({})", "r": "{}"}
    return "*".join(names[k].format(v.name) + (f"^{power}" if power > 1 else "") for (v, k), power in monomial) or "1"
