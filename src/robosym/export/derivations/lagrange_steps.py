"""The Lagrange model step by step: velocities, energies, and from them the matrices of the equations of motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.calculus import derivatives
from robosym.algebra.textbook import textbook
from robosym.coordinates.joint_motion import joint_motion
from robosym.errors import InputError
from robosym.export.derivations.written import DerivationStep, DerivedFormula, formulas_of
from robosym.mechanism import Robot
from robosym.mechanism.motion import velocity_pass, weight_pass
from robosym.spatial import Vec3

__all__ = ["lagrange_steps"]

_GROUPS = ("q", "qd", "qdd", "wrench", "gravity", "parameters")
_MOST = 4  #: largest number of joints; formulas of more have thousands of terms
_AXES = (1, 2, 3)
_CONSTANT = "All are zero: the inertia matrix is constant."
_INERTIA = DerivationStep(
    "Inertia matrix", "Aij = d2E / dqdi dqdj",
    r"A_{ij} = \frac{\partial^2 E}{\partial\dot q_i\,\partial\dot q_j}", part="Equations of motion",
)  # fmt: skip
_CHRISTOFFEL = DerivationStep(
    "Christoffel symbols of the Coriolis and centrifugal torques", "ci,jk = (dAij/dqk + dAik/dqj - dAjk/dqi) / 2",
    r"c_{i,jk} = \tfrac12\left(\frac{\partial A_{ij}}{\partial q_k} + \frac{\partial A_{ik}}{\partial q_j}"
    r" - \frac{\partial A_{jk}}{\partial q_i}\right)",
)  # fmt: skip
_GRAVITY = DerivationStep("Gravity torques", "Qi = dU / dqi", r"Q_i = \frac{\partial U}{\partial q_i}")
_TORQUES = DerivationStep(
    "Torques and forces of the motors",
    "GAMi = sum of Aij qddj + sum of ci,jk qdj qdk + Qi + FSi sign(qdi) + FVi qdi",
    r"\Gamma_i = \sum_j A_{ij}\,\ddot q_j + \sum_{j,k} c_{i,jk}\,\dot q_j\,\dot q_k + Q_i"
    r" + F_{si}\operatorname{sign}(\dot q_i) + F_{vi}\,\dot q_i",
)


def lagrange_steps(robot: Robot) -> tuple[DerivationStep, ...]:
    """Return the steps from the kinetic and potential energy of a tree to its equations of motion."""
    if len(robot.tree_joints) > _MOST:
        raise InputError(
            f"{robot.name}: subject lagrange: expected at most {_MOST} joints, found {len(robot.tree_joints)}; the "
            "formulas would have thousands of terms, choose the subject newton_euler"
        )
    motion = joint_motion(robot, _GROUPS)
    with motion.work as work:
        graph, value = work.graph, work.value
        tree = motion.tree({})
        joints = motion.active
        rates = {j: value(robot.joint(j).QP) for j in joints}
        q, qd = [robot.variable(j) for j in joints], [str(rates[j].value) for j in joints]
        speeds = velocity_pass(dict(tree.items()), tree.base, _simplified)
        weight = weight_pass(dict(tree.items()), Vec3(*map(value, robot.gravity)), _simplified)
        steps: list[DerivationStep] = []
        kinetic, potential = graph.zero, graph.zero
        for j, body in tree.items():
            w, v = speeds.w[j], speeds.v[j]
            linear, angular = body.inertia.momentum(w, v)
            E = graph.taken((v.dot(linear) + w.dot(angular) + body.IA * body.qd * body.qd) / 2)
            U = graph.taken(body.inertia.M * weight.u[j] - weight.g[j].dot(body.inertia.MS))
            if E.is_zero and U.is_zero:
                continue
            steps += _of_link(j, w, v, E, U)
            kinetic, potential = kinetic + E, potential + U
        first = derivatives([kinetic], qd)[0]
        A = [textbook(row) for row in derivatives(first, qd)]
        gravity = textbook(derivatives([potential], q)[0])
        symbols = _christoffel_symbols(A, q)
        n = range(len(joints))
        upper = [(i, j) for i in n for j in n if j >= i]
        inertia = _nonzero([f"A{i + 1}{j + 1}" for i, j in upper], [A[i][j] for i, j in upper])
        coriolis = tuple(DerivedFormula(f"c{i + 1}_{j + 1}{k + 1}", x) for (i, j, k), x in symbols.items())
        weights = _nonzero([f"Q{i + 1}" for i in n], gravity)
        steps.append(replace(_INERTIA, formulas=inertia))
        steps.append(replace(_CHRISTOFFEL, formulas=coriolis, note="" if coriolis else _CONSTANT))
        steps.append(replace(_GRAVITY, formulas=weights, note="" if weights else "All are zero."))
        torques = []
        for i, j in enumerate(joints):
            total = gravity[i] + tree.body(j).friction
            for k, other in enumerate(joints):
                total = total + A[i][k] * value(robot.joint(other).QDP)
            for (row, a, b), x in symbols.items():
                if row == i:
                    total = total + (x if a == b else 2 * x) * rates[joints[a]] * rates[joints[b]]
            torques.append(total)
        steps.append(replace(_TORQUES, formulas=formulas_of([f"GAM{j}" for j in joints], torques)))
    return tuple(steps)


def _christoffel_symbols(A: Sequence[Sequence[Expr]], q: Sequence[str]) -> dict[tuple[int, int, int], Expr]:
    """Return the nonzero symbols c_i,jk with k >= j."""
    n = range(len(q))
    slope = {(i, j): derivatives([A[i][j]], q)[0] for i in n for j in n}
    keys = [(i, j, k) for i in n for j in n for k in n if k >= j]
    found = textbook([(slope[i, j][k] + slope[i, k][j] - slope[j, k][i]) / 2 for i, j, k in keys])
    return {key: x for key, x in zip(keys, found, strict=True) if not x.is_zero}


def _simplified(prefix: str, j: int, value: Any) -> Any:
    """Simplify the components of a vector of the recursion instead of naming them."""
    if isinstance(value, Vec3) and (graph := next((x.graph for x in value if isinstance(x, Expr)), None)):
        return Vec3(*textbook([graph.taken(x) for x in value]))
    return value


def _of_link(j: int, w: Vec3, v: Vec3, E: Expr, U: Expr) -> list[DerivationStep]:
    """Return the steps of one link: velocities and energies."""
    graph = E.graph
    names = [f"W{a}{j}" for a in _AXES] + [f"V{a}{j}" for a in _AXES]
    moving = formulas_of(names, [graph.taken(x) for x in (*w, *v)])
    return [
        DerivationStep(
            f"Velocities of link {j}, in frame {j}", f"angular velocity W{j} and velocity V{j} of the origin",
            rf"{{}}^{{{j}}}\omega_{{{j}}},\quad {{}}^{{{j}}}V_{{{j}}}", moving, part=f"Link {j}",
        ),
        DerivationStep(
            f"Energies of link {j}", "E = (w'J w + M v'v + 2 MS'(v x w) + IA qd^2) / 2,  U = -g'(M P + A MS)",
            r"E_j = \tfrac12\left(\omega_j^T J_j\,\omega_j + M_j V_j^T V_j + 2\,MS_j^T (V_j \times \omega_j)"
            r" + I_{aj}\,\dot q_j^2\right),\quad U_j = -g^T\left(M_j\,{}^0P_j + {}^0A_j\,MS_j\right)",
            formulas_of([f"E{j}", f"U{j}"], [E, U]),
        ),
    ]  # fmt: skip


def _nonzero(names: Sequence[str], values: Sequence[Expr]) -> tuple[DerivedFormula, ...]:
    return tuple(formula for formula in formulas_of(names, values) if not formula.value.is_zero)
