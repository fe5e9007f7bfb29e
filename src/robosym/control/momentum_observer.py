"""An observer of generalized momentum: efforts from outside, a collision say, without any acceleration being measured.

The momentum p = A qd changes by tau - H + (C + C^T) qd and by what acts from outside. The observer integrates the
former, to which it adds r = K (p - what it expects): r follows the effort from outside with the time constant 1 / K.
"""

from __future__ import annotations

from robosym.algebra.matrix import sum_of
from robosym.control.compensation import compensation
from robosym.control.drafting import Draft, Gain, axes_of
from robosym.coordinates.accepts import accepts
from robosym.dynamics import bias_torques, coriolis_matrix, inertia_matrix
from robosym.mechanism import Robot, need_rigid
from robosym.model import Model, compose

__all__ = ["momentum_observer"]


@accepts("fixed", loops=False)
def momentum_observer(robot: Robot, gain: Gain = None, friction: bool | str = "smooth") -> Model:
    """Outputs "residual" (the effort from outside on each joint) and "momentum_rate"; inputs q, qd, tau, momentum.

    Composed with a law, `compose(law, momentum_observer(robot))`, it is part of a controller; the momentum that it
    expects begins at A qd, which is 0 at rest. `friction` is "smooth" (tanh in the place of the sign of measured
    velocities, which would make the residual chatter), "yes" (as described) or "no".
    """
    need_rigid(robot, "momentum_observer")
    treated = compensation(robot, friction, desired=False)
    below = compose(inertia_matrix(robot), bias_torques(treated.robot), coriolis_matrix(robot), wires={})
    axes = axes_of(robot, below)
    n = len(axes.q)
    draft = Draft(robot, {"tau": axes.labelled("GAM"), "momentum": axes.labelled("PO")}, below)
    A, C, H, qd = draft.out("A"), draft.out("C"), draft.out("H"), draft["qd"]
    residual, rate = {}, {}
    for i, (k, j) in enumerate(zip(draft.gains("KO", gain, axes.numbers), axes.numbers, strict=True)):
        p = sum_of(A[i * n + m] * qd[m] for m in range(n))
        drawn = sum_of((C[i * n + m] + C[m * n + i]) * qd[m] for m in range(n))
        residual[f"RES{j}"] = k * (p - draft["momentum"][i])
        rate[f"POP{j}"] = draft["tau"][i] - H[i] + drawn + residual[f"RES{j}"]
    model = draft.model("obs", "Observer of momentum", {"residual": residual, "momentum_rate": rate})
    return treated.said(model, "residual")
