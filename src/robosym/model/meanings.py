"""Meanings of the output groups, by kind of model.

The same letter has different meanings in different models: A is the inertia matrix in `inertia_matrix` and a matrix of
coefficients in `general_equations`. Meanings that depend on the options of a model are in `Model.about`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["result_meaning", "with_base_first"]

_PLACE, _RATE, _CHANGE, _EFFORT = "rad, m", "rad/s, m/s", "rad/s^2, m/s^2", "N m, N"
_INERTIA = "kg m^2, kg m, kg"

#: groups with the same meaning in every model
_EVERYWHERE: Mapping[str, str] = {
    "tau": f"motor torques and forces ({_EFFORT})",
    "qdd": f"joint accelerations ({_CHANGE})",
    "contact": "forces of the ground, by contact: RX RY RZ on a foot along the axes of its frame, and moments TX TY TZ "
    "on a plane foot; on a wheel RL longitudinal, RT transverse, RN normal; RA along the axis of a roller (N, N m)",
    "qdd_passive": f"accelerations of the passive joints ({_CHANGE})",
    "qd": f"joint velocities ({_RATE})",
    "q": f"joint positions ({_PLACE})",
    "passive": f"positions of the passive joints ({_PLACE})",
    "rates": f"velocities of all joints of the tree ({_RATE})",
    "acceleration": "acceleration of the platform: linear, then angular (m/s^2, rad/s^2)",
    "base_acceleration": "acceleration of the base in frame 0: angular, then linear, without gravity (rad/s^2, m/s^2)",
    "Ji": "inverse of the Jacobian matrix",
    "Omega": "rates of the orientation coordinates from the angular velocity in frame 0",
    "OmegaInverse": "the angular velocity in frame 0 from the rates of the orientation coordinates",
}
_A = f"inertia matrix of tau = A qdd + H, symmetric ({_INERTIA})"
_Q = f"gravity torques ({_EFFORT})"
_H = f"H of tau = A qdd + H: torques of centrifugal, Coriolis and gravity effects, friction and wrenches ({_EFFORT})"
_BASE = f"inertia matrix of the moving base, symmetric: angular, then linear, in frame 0 ({_INERTIA})"
_COUPLING = f"inertia between the base (rows: angular, then linear, in frame 0) and the joints ({_INERTIA})"
_ON_BASE = "moment (N m), then force (N) on the moving base, in frame 0"
#: groups whose meaning depends on the kind of model
_BY_KIND: Mapping[str, Mapping[str, str]] = {
    "inm": {"A": _A, "Q": _Q, "base": _BASE, "coupling": _COUPLING},
    "mne": {"A": _A, "H": _H, "base": _BASE, "coupling": _COUPLING, "base_bias": f"{_ON_BASE}, at zero acceleration"},
    "lag": {
        "A": _A,
        "B": "Coriolis coefficients: B times the products q_i' q_j', i < j, are torques; one column per product",
        "C": "centrifugal coefficients: C times the squares of the joint velocities are torques",
        "Q": _Q,
    },
    "cor": {"C": "matrix of centrifugal and Coriolis effects: C q' are the torques"},
    "ccg": {"H": _H, "base": f"{_ON_BASE}, at zero acceleration"},
    "grav": {"Q": _Q, "base": f"{_ON_BASE} that balances gravity"},
    "ene": {
        "energy": "kinetic energy, gravitational energy (0 at the origin of frame 0), elastic energy (J)",
        "power": "powers: supplied by the motors, dissipated by friction, transferred to the environment (W)",
    },
    "cmm": {"center": "center of mass in frame 0 (m)"},
    "bve": {"velocity": "velocity of the base in frame 0: angular, then linear (rad/s, m/s)"},
    "lin": {
        "A": "matrix of x' = A x + B u: derivatives of velocities and accelerations by the state",
        "B": "matrix of x' = A x + B u: derivatives of velocities and accelerations by the motor torques",
        "C": "matrix of y = C x + D u: the positions in the state",
        "D": "matrix of y = C x + D u: zero, because torques do not act on positions directly",
    },
    "ach": {
        "qdd": f"achievable joint accelerations ({_CHANGE})",
        "motor": f"motor torques, within their limits ({_EFFORT})",
        "excess": f"motor torques beyond the limits for the desired motion, 0 within the limits ({_EFFORT})",
    },
    "vel": {
        "V": "velocity of the origin of frame j in frame j, one row per frame (m/s)",
        "W": "angular velocity of link j in frame j, one row per link (rad/s)",
    },
    "acc": {
        "VP": "acceleration of the origin of frame j in frame j, one row per frame (m/s^2)",
        "WP": "angular acceleration of link j in frame j, one row per link (rad/s^2)",
    },
    "jpqp": {
        "VPJ": "linear part of J' q' of the origin of the link's frame, in that frame (m/s^2)",
        "WPJ": "angular part of J' q', in the link's frame (rad/s^2)",
    },
    "opj": {
        "X": "operational coordinates: position in frame 0 (m), then orientation",
        "Jx": "Jacobian matrix of the operational coordinates: X' = Jx q'",
    },
    "det": {"DET": "determinant of the Jacobian matrix J; of J J^T or J^T J where J is not square"},
    "dim": {"D": f"one row per torque, one column per parameter: D times the parameters are the torques ({_EFFORT})"},
    "eim": {"h": "energy per parameter: h times the parameters is the energy (J)"},
    "pim": {"dh": "power per parameter: dh times the parameters is the power (W)"},
    "fdi": {
        "D1": "one row per torque, one column per parameter: torques = (d/dt D1 + D2) times the parameters",
        "D2": "one row per torque, one column per parameter: torques = (d/dt D1 + D2) times the parameters",
    },
    "ckel": {
        "Wa": "loop equations Wa q'a + Wp q'p = 0: columns of the active joints",
        "Wp": "loop equations Wa q'a + Wp q'p = 0: columns of the passive joints",
        "Wac": "further loop equations Wac q'a + Wpc q'p + Wc q'c = 0: columns of the active joints",
        "Wpc": "further loop equations Wac q'a + Wpc q'p + Wc q'c = 0: columns of the passive joints",
        "Wc": "further loop equations Wac q'a + Wpc q'p + Wc q'c = 0: columns of the cut joints",
        "Psi": "Psi of the derivative Wa q''a + Wp q''p + Psi = 0 of the loop equations",
        "Phi": "Phi of the derivative Wac q''a + Wpc q''p + Wc q''c + Phi = 0 of the further loop equations",
    },
    "int": {"N": "motor torques that do no work: one row per motor, one column per redundant motor"},
    "clo": {
        "next": f"joint positions after one Newton step towards closed loops ({_PLACE})",
        "gap": "square of the closure error, larger than 1 if a loop is closed in the opposite direction",
    },
    "obs": {
        "residual": f"estimated external torque or force on each joint ({_EFFORT})",
        "momentum_rate": f"derivative of the estimated momentum ({_EFFORT})",
    },
    "ada": {"estimate_rate": "derivatives of the estimated parameters: integrate them (SI/s)"},
    "fel": {"E": "ellipsoid of forces F: F^T E F <= 1 within the torque limits"},
    "cab": {
        "W": "forces along the degrees of freedom of the platform, one column per cable with unit tension",
        "n": "forces along the degrees of freedom of the platform that the motion requires (N, N m)",
    },
}


def with_base_first(kind: str, groups: Iterable[str]) -> dict[str, str]:
    """Return the meanings of groups with rows or columns of a moving base, followed by those of the joints."""
    first = "the rates q' begin with those of the base in frame 0: W1 W2 W3 angular, V1 V2 V3 linear"
    return {group: f"{result_meaning(kind, group)}; {first}" for group in groups}


def result_meaning(kind: str, group: str) -> str:
    """Return the meaning of an output group in a kind of model ("inm", or "ccg_inm" for a composition), or ""."""
    for part in (kind, *kind.split("_")):
        if group in _BY_KIND.get(part, {}):
            return _BY_KIND[part][group]
    return _EVERYWHERE.get(group, "")
