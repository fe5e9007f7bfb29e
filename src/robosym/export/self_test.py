"""The self-test of a bundle: states and results that were stored when it was made, compared with what its C gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.export.wrappers import array_sizes, others
from robosym.model import Model
from robosym.solve.inverse_geometry import InverseGeometry

__all__ = ["self_test"]

_STATES = 5
_NEAR = "1e-6"  #: radians or metres by which the position that gave a pose must come back
_TOLERANCE = {"double": "1e-9", "single": "2e-3"}  #: in what is printed, as parts of the largest result


def self_test(
    prefix: str, scalar: str, models: Mapping[str, Model], solution: InverseGeometry | None,
    positions: Mapping[str, Array], motors: Sequence[int] = (),
) -> str:  # fmt: skip
    """The source of a program that gives 0 where every function computes what was stored.

    `positions`: groups that cannot be any numbers, closed positions of a robot with loops ("q"), motions of a platform
    ("pose", "twist", "acceleration"); `motors` are the places of the motors of a robot with loops.
    """
    precision = "double" if scalar == "double" else "single"
    lines = [f'#include "{prefix}.h"', "#include <math.h>", "#include <stdio.h>", ""]
    lines += [f"#define STATES {_STATES}", ""]
    lines += [
        f"static int check(const char *name, int n, const {scalar} *found, const {scalar} *stored)",
        "{",
        f"    {scalar} worst = 0, largest = 1;",
        "    for (int i = 0; i < n; ++i) {",
        f"        const {scalar} off = found[i] - stored[i];",
        '        if (!(off == off)) { (void)printf("%s: not a number\\n", name); return 1; }',
        "        if (off > worst) worst = off;",
        "        if (-off > worst) worst = -off;",
        "        if (stored[i] > largest) largest = stored[i];",
        "        if (-stored[i] > largest) largest = -stored[i];",
        "    }",
        f"    const int wrong = !(worst <= ({scalar}){_TOLERANCE[precision]}*largest);",
        '    (void)printf("%-20s %s, largest difference %.2g\\n", name, wrong ? "WRONG" : "right", (double)worst);',
        "    return wrong;",
        "}",
        "",
    ]
    body: list[str] = []
    for name, model in models.items():
        states = _states(model, positions)
        lines += _arrays(name, scalar, model, states)
        body += _calls(prefix, name, scalar, model)
    if motors:
        body += _torques(prefix, scalar, models["inverse_dynamics"], motors)
    if solution is not None:
        lines += _poses(solution)
        body += _solved(prefix, solution)
    return "\n".join([*lines, "int main(void)", "{", "    int wrong = 0;", *body,
                      '    (void)printf(wrong ? "self-test: WRONG\\n" : "self-test: right\\n");',
                      "    return wrong;", "}", ""])  # fmt: skip


def _states(model: Model, positions: Mapping[str, Array]) -> dict[str, Array]:
    """Inputs of states, groups of numbers at random where no positions are given."""
    rng = random_arrays("self-tests of bundles")
    states = {group: rng.uniform(-0.9, 0.9, (_STATES, len(names))) for group, names in model.inputs.items()}
    return states | {group: values for group, values in positions.items() if group in states}


def _array(head: str, values: Array) -> list[str]:
    suffix = "f" if head.startswith("float") else ""
    rows = (", ".join(f"{float(value)!r}{suffix}" for value in row) for row in np.reshape(values, (len(values), -1)))
    return [f"static const {head} = {{", *(f"    {{{row}}}," for row in rows), "};"]


def _arrays(name: str, scalar: str, model: Model, states: dict[str, Array]) -> list[str]:
    lines = []
    cast = np.float32 if scalar == "float" else np.float64
    states = {group: values.astype(cast).astype(float) for group, values in states.items()}
    for group, values in states.items():
        lines += _array(f"{scalar} {name}_{group}[STATES][{values.shape[1]}]", values)
    found = model.compile()(**states)
    parts = list(found) if isinstance(found, tuple) else [found]
    for (group, size), values in zip(array_sizes(model)[1].items(), parts, strict=True):
        lines += _array(f"{scalar} {name}_{group}_stored[STATES][{size}]", np.reshape(values, (_STATES, size)))
    return [*lines, ""]


def _calls(prefix: str, name: str, scalar: str, model: Model) -> list[str]:
    sizes = array_sizes(model)[1]
    lines = ["    for (int i = 0; i < STATES; ++i) {"]
    lines += [f"        {scalar} {group}_found[{size}];" for group, size in sizes.items()]
    given = [f"{name}_{group}[i]" for group in model.inputs] + [f"{group}_found" for group in sizes]
    lines += [f"        {prefix}_{name}({', '.join(given)});"]
    lines += [
        f'        wrong |= check("{name}, {group}", {size}, {group}_found, {name}_{group}_stored[i]);'
        for group, size in sizes.items()
    ]
    return [*lines, "    }"]


def _torques(prefix: str, scalar: str, model: Model, motors: Sequence[int]) -> list[str]:
    """From the motors alone: the passive joints start a little away."""
    joints, count = len(model.inputs["q"]), len(motors)
    given = [f"inverse_dynamics_{group}[i]" if group in model.inputs else "given" for group in ("qd", "qdd")]
    given += [f"inverse_dynamics_{group}[i]" for group in others(model)]
    size = array_sizes(model)[1]["tau"]
    off = "0.02f" if scalar == "float" else "0.02"
    return [
        "    for (int i = 0; i < STATES; ++i) {",
        f"        {scalar} q[{joints}], given[{count}], tau[{size}];",
        f"        for (int j = 0; j < {joints}; ++j) q[j] = inverse_dynamics_q[i][j] + {off};",
        *(f"        given[{k}] = inverse_dynamics_q[i][{place}];" for k, place in enumerate(motors)),
        f"        wrong |= {prefix}_torque(given, {', '.join(given)}, q, tau);",
        f'        wrong |= check("torque", {size}, tau, inverse_dynamics_tau_stored[i]);',
        "    }",
    ]


def _pose_states(solution: InverseGeometry) -> tuple[Array, Array]:
    """Positions, and the poses that they reach."""
    chain = solution.solver.numeric({})
    q = random_arrays("self-tests of bundles", 1).uniform(-1.5, 1.5, (_STATES, len(solution.joints)))
    return q, chain.forward(q)


def _poses(solution: InverseGeometry) -> list[str]:
    q, poses = _pose_states(solution)
    counts = [len(solution.solve(T)) for T in poses]
    return [
        *_array("double solved_q[STATES][" + str(q.shape[1]) + "]", q),
        *_array("double solved_T[STATES][16]", poses),
        f"static const int solved_count[STATES] = {{{', '.join(map(str, counts))}}};",
        "",
    ]


def _solved(prefix: str, solution: InverseGeometry) -> list[str]:
    n = len(solution.joints)
    return [
        "    for (int i = 0; i < STATES; ++i) {",
        f"        double solutions[{prefix.upper()}_IGM_MOST][{n}], nearest[{n}];",
        "        int count = 0, same = 1;",
        f"        const int status = {prefix}_igm(solved_T[i], solutions, &count);",
        f"        const int near_status = {prefix}_igm_nearest(solved_T[i], solved_q[i], NULL, nearest);",
        f"        for (int j = 0; j < {n}; ++j) same = same && fabs(nearest[j] - solved_q[i][j]) < {_NEAR};",
        "        const int bad = status != 0 || near_status != 0 || count != solved_count[i] || !same;",
        '        (void)printf("%-20s %s, %d solutions\\n", "inverse geometry", bad ? "WRONG" : "right", count);',
        "        wrong |= bad;",
        "    }",
    ]
