"""The Newton-Euler algorithm step by step (equations 4.1 to 4.10 of the guide), with the quantities of each link."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from robosym.algebra import Expr
from robosym.coordinates.joint_motion import joint_motion
from robosym.dynamics.newton_euler import newton_euler
from robosym.export.derivations.written import DerivationStep, DerivedFormula, formulas_of
from robosym.mechanism import Robot
from robosym.spatial import Vec3

__all__ = ["newton_euler_steps"]

_GROUPS = ("q", "qd", "qdd", "base_velocity", "base_acceleration", "wrench", "gravity", "parameters")
_FORWARD, _BACKWARD = "Forward recursion: motion of the links", "Backward recursion: forces and moments"
#: heading, equation and its LaTeX for each quantity that the recursion names
_QUANTITIES = {
    "WI": ("Angular velocity of link {i} in frame {j}", "(4.1)  jwi = jAi iwi",
           r"{}^{j}\omega_i = {}^{j}A_i\,{}^{i}\omega_i \quad (4.1)"),
    "W": ("Angular velocity of link {j}", "(4.2)  jwj = jwi + (1 - sigma_j) qd_j jaj",
          r"{}^{j}\omega_j = {}^{j}\omega_i + \bar\sigma_j\,\dot q_j\,{}^{j}a_j \quad (4.2)"),
    "WP": ("Angular acceleration of link {j}",
           "(4.3)  jwpj = jAi iwpi + (1 - sigma_j) (qdd_j jaj + jwi x qd_j jaj)",
           r"{}^{j}\dot\omega_j = {}^{j}A_i\,{}^{i}\dot\omega_i + \bar\sigma_j"
           r"\left(\ddot q_j\,{}^{j}a_j + {}^{j}\omega_i \times \dot q_j\,{}^{j}a_j\right) \quad (4.3)"),
    "VSP": ("Acceleration of the origin of frame {j}, in frame {i}", "ivpi + iUi iPj",
            r"{}^{i}\dot V_i + {}^{i}U_i\,{}^{i}P_j"),
    "VP": ("Acceleration of the origin of frame {j}, less gravity",
           "(4.4)  jvpj = jAi (ivpi + iUi iPj) + sigma_j (qdd_j jaj + 2 jwi x qd_j jaj)",
           r"{}^{j}\dot V_j = {}^{j}A_i\left({}^{i}\dot V_i + {}^{i}U_i\,{}^{i}P_j\right) + \sigma_j"
           r"\left(\ddot q_j\,{}^{j}a_j + 2\,{}^{j}\omega_i \times \dot q_j\,{}^{j}a_j\right) \quad (4.4)"),
    "F": ("Inertial force of link {j}", "(4.5)  jFj = Mj jvpj + jUj jMSj",
          r"{}^{j}F_j = M_j\,{}^{j}\dot V_j + {}^{j}U_j\,{}^{j}MS_j \quad (4.5)"),
    "NO": ("Inertial moment of link {j}, without the part of the acceleration of the origin",
           "(4.6)  jJj jwpj + jwj x (jJj jwj)",
           r"{}^{j}J_j\,{}^{j}\dot\omega_j + {}^{j}\omega_j \times \left({}^{j}J_j\,{}^{j}\omega_j\right) \quad (4.6)"),
    "E": ("Force on link {j}", "(4.7)  jfj = jFj + sum of jfs(j) + jfej",
          r"{}^{j}f_j = {}^{j}F_j + \sum {}^{j}f_{s(j)} + {}^{j}f_{ej} \quad (4.7)"),
    "N": ("Moment on link {j} about the origin of frame {j}",
          "(4.9)  jmj = jMj + sum of (jAs(j) s(j)ms(j) + jPs(j) x jfs(j)) + jmej",
          r"{}^{j}m_j = {}^{j}M_j + \sum\left({}^{j}A_s\,{}^{s}m_s + {}^{j}P_s \times {}^{j}f_s\right)"
          r" + {}^{j}m_{ej} \quad (4.9)"),
    "SDJ": ("Force on link {j}, in frame {i}", "(4.8)  ifj = iAj jfj",
            r"{}^{i}f_j = {}^{i}A_j\,{}^{j}f_j \quad (4.8)"),
}  # fmt: skip
_TORQUE = (
    "(4.10)  GAMj = (sigma_j jfj + (1 - sigma_j) jmj)' jaj + FSj sign(qd_j) + FVj qd_j + IAj qdd_j",
    r"\Gamma_j = \left(\sigma_j\,{}^{j}f_j + \bar\sigma_j\,{}^{j}m_j\right)^T {}^{j}a_j"
    r" + F_{sj}\operatorname{sign}(\dot q_j) + F_{vj}\,\dot q_j + I_{aj}\,\ddot q_j \quad (4.10)",
)


@dataclass
class _Recorder:
    """Give every quantity of the recursion its name in the guide and store it as a step."""

    robot: Robot
    steps: list[DerivationStep] = field(default_factory=list)

    def note(self, prefix: str, j: int, value: Any) -> Any:
        if prefix not in _QUANTITIES or not isinstance(value, Vec3) or j == 0:
            return value
        heading, equation, general = _QUANTITIES[prefix]
        antecedent = self.robot.frame(j).ant
        graph = next((entry.graph for entry in value if isinstance(entry, Expr)), None)
        if graph is None:
            return value
        names = [f"{prefix}{component}{j}" for component in (1, 2, 3)]
        formulas = formulas_of(names, [graph.taken(entry) for entry in value])
        part = _BACKWARD if prefix in ("E", "N", "SDJ") else _FORWARD
        known = {step.part for step in self.steps}
        if any(formula.value.args for formula in formulas):
            self.steps.append(
                DerivationStep(
                    heading.format(i=antecedent, j=j), equation, general, formulas, part="" if part in known else part
                )
            )
        return Vec3(*(graph.symbol(f.name, True) if _is_long(f.value) else f.value for f in formulas))


def _is_long(value: Expr) -> bool:
    """Return whether later equations use the name of a quantity instead of its value."""
    return bool(value.args) and value.op != "number"


def newton_euler_steps(robot: Robot) -> tuple[DerivationStep, ...]:
    """Return the steps of the Newton-Euler algorithm of a tree, each in terms of the quantities before it."""
    recorder = _Recorder(robot)
    motion = joint_motion(robot, _GROUPS)
    with motion.work:
        tree = motion.tree()
        along = newton_euler(tree, recorder.note).along
        torques: dict[int, Any] = {j: tree.body(j).torque(along[j]) for j in motion.motors}
        graph = motion.work.graph
        formulas: tuple[DerivedFormula, ...] = formulas_of(
            [f"GAM{j}" for j in torques], [graph.taken(value) for value in torques.values()]
        )
    last = DerivationStep("Torques and forces of the motors", *_TORQUE, formulas)
    return (*recorder.steps, last)
