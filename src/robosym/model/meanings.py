"""What the groups of a model's outputs mean, for people: one table by the kind of model.

One letter stands for different things in different models: A is an inertia matrix in `inertia_matrix` and a matrix of
coefficients in `general_equations`. A meaning therefore holds for the kinds that it names; what depends on options of a
model is said by the model itself (`Model.about`).
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["result_meaning"]

_PLACE, _RATE, _CHANGE, _EFFORT = "rad, m", "rad/s, m/s", "rad/s^2, m/s^2", "N m, N"
_INERTIA = "kg m^2, kg m, kg"

#: of groups that mean the same in every model
_EVERYWHERE: Mapping[str, str] = {
    "tau": f"motor torques and forces ({_EFFORT})",
    "qdd": f"joint accelerations ({_CHANGE})",
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
#: by the kinds of models that have the group
_BY_KIND: Mapping[str, Mapping[str, str]] = {
    "inm": {"A": _A, "Q": _Q, "base": _BASE, "coupling": _COUPLING},
    "mne": {"A": _A, "H": _H, "base": _BASE, "coupling": _COUPLING, "base_bias": f"{_ON_BASE}, at zero acceleration"},
    "lag": {
        "A": _A,
        "B": "Coriolis coefficients: B times the products q_i' q_j', i < j, are torques; a column for each product",
        "C": "centrifugal coefficients: C times the squares of the joint velocities are torques",
        "Q": _Q,
    },
    "cor": {"C": "matrix of centrifugal and Coriolis effects: C q' are the torques"},
    "ccg": {"H": _H, "base": f"{_ON_BASE}, at zero acceleration"},
    "grav": {"Q": _Q, "base": f"{_ON_BASE} that holds it against gravity"},
    "ene": {
        "energy": "kinetic energy, energy of weight (0 at the origin of frame 0), energy of springs (J)",
        "power": "powers: given by the motors, taken by friction, given to the environment by wrenches (W)",
    },
    "ach": {
        "qdd": f"joint accelerations that the motors can reach ({_CHANGE})",
        "motor": f"torques of the motors, within their limits ({_EFFORT})",
        "excess": f"torques that the motors lack for the desired motion, 0 where it is within their limits ({_EFFORT})",
    },
    "vel": {
        "V": "velocity of the origin of frame j in frame j, a row for each (m/s)",
        "W": "angular velocity of link j in frame j, a row for each (rad/s)",
    },
    "acc": {
        "VP": "acceleration of the origin of frame j in frame j, a row for each (m/s^2)",
        "WP": "angular acceleration of link j in frame j, a row for each (rad/s^2)",
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
    "dim": {
        "D": f"a row for each torque, a column for each parameter: D times the parameters are the torques ({_EFFORT})"
    },
    "eim": {"h": "energy by parameter: h times the parameters is the energy (J)"},
    "pim": {"dh": "power by parameter: dh times the parameters is the power (W)"},
    "fdi": {
        "D1": "a row for each torque, a column for each parameter: torques = (d/dt D1 + D2) times the parameters",
        "D2": "a row for each torque, a column for each parameter: torques = (d/dt D1 + D2) times the parameters",
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
    "int": {"N": "torques of the motors that do no work: a row for each motor, a column for each one to spare"},
    "clo": {
        "next": f"joint positions after one step of Newton's method towards closed loops ({_PLACE})",
        "gap": "square of what is open in the loops, and more than 1 where a loop is closed the wrong way round",
    },
    "obs": {
        "residual": f"effort from outside on each joint, as the observer sees it ({_EFFORT})",
        "momentum_rate": f"derivative of the momentum that the observer expects ({_EFFORT})",
    },
    "ada": {"estimate_rate": "derivatives of the estimated parameters: integrate them (SI/s)"},
    "fel": {"E": "ellipsoid of forces F: F^T E F <= 1 within the torque limits"},
    "cab": {
        "W": "forces along the freedom of the platform, a column for each cable of unit tension",
        "n": "forces along the freedom of the platform that the motion needs (N, N m)",
    },
}


def result_meaning(kind: str, group: str) -> str:
    """What a group of outputs means in a model of a kind ("inm", or "ccg_inm" of a composition); "" if unknown."""
    for part in (kind, *kind.split("_")):
        if group in _BY_KIND.get(part, {}):
            return _BY_KIND[part][group]
    return _EVERYWHERE.get(group, "")
