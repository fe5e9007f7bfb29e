"""Tests of generated code: the self-test of a bundle, and the proof that a file computes the model of a robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from robosym.algebra import Expr
from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.dynamics import (
    bias_torques,
    coriolis_matrix,
    direct_dynamics,
    energy,
    gravity_torques,
    inertia_matrix,
    inverse_dynamics,
)
from robosym.errors import Error, InputError, PathPart, closest
from robosym.export.wrappers import array_sizes, others
from robosym.files import read_text
from robosym.formats import load
from robosym.kinematics import accelerations, direct_geometry, jacobian, velocities
from robosym.languages.reading import read_model, read_model_text
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.optimizer import optimize
from robosym.optimizer.certificates import Verification, verified
from robosym.optimizer.optimize import fastest, same_function
from robosym.solve.inverse_geometry import InverseGeometry

__all__ = ["self_test", "verify"]

_STATES = 5
_NEAR = "1e-6"  #: tolerance in rad or m of the position that gave a pose
_TOLERANCE = {"double": "1e-9", "single": "2e-3"}  #: relative to the largest result
#: functions whose models `verify` generates, by the first group of outputs
_FUNCTIONS: dict[str, Callable[..., Model]] = {
    "tau": inverse_dynamics, "A": inertia_matrix, "qdd": direct_dynamics, "H": bias_torques, "Q": gravity_torques,
    "C": coriolis_matrix, "energy": energy, "T": direct_geometry, "J": jacobian, "V": velocities, "VP": accelerations,
    "acceleration": direct_dynamics,
}  # fmt: skip


def verify(
    path: str | Path,
    against: Model | Robot | str | Path | None = None,
    model: str | None = None,
    level: str | None = None,
    language: str | None = None,
    symbolic: bool = False,
) -> Verification:
    """Prove that generated code computes the model of a robot.

    Parameters
    ----------
    path : str or Path
        File that robosym wrote as listing, C, Fortran, MATLAB, Mathematica or Maple.
    against : Model, Robot, str or Path
        Model that the code should compute, or the robot: an object, a description or a name of the library.
    model : str, optional
        Function that generated the model, such as "inverse_dynamics". Default: by the outputs of the file.
    level : str, optional
        Level of the optimizer with which the code was generated, if it is 3 or "max". Constants that the optimizer
        combines are found by optimizing again; levels 0 to 2 and the form for speed are always tried.
    language : str, optional
        Language of the file. Default: by its extension.
    symbolic : bool
        Expand the differences of the outputs to zero, which may take long, instead of evaluating them at a random point
        with an error probability below 2^-128. This also uses sqrt(x)^2 = x.

    Returns
    -------
    Verification
        Whether the code is equal to the model, with the certificate. It is true if there is a proof.

    Raises
    ------
    FormatError
        The file or the description cannot be parsed.
    InputError
        An option is invalid.

    Notes
    -----
    The text of the code is proven, with each constant replaced by the exact constant that was rounded to it. A constant
    that no form of the model contains keeps the value in the text, and so does a constant to which two exact constants
    are rounded. There is no proof in these cases. Comments are not checked, except names of inputs and outputs.

    Examples
    --------
    >>> import robosym as rs
    >>> paths = rs.inverse_dynamics("planar2r").write("planar2r.c")
    >>> bool(rs.verify("planar2r.c", "planar2r"))
    True
    """
    path = Path(path)
    text = read_text(path)
    if against is None:
        raise InputError("against: expected the robot or the model that the code should compute, found none")
    if not isinstance(against, Model):
        try:
            robot = against if isinstance(against, Robot) else load(against)
        except Error as error:
            raise error.within(PathPart("against")) from None
        group = next(iter(read_model(path, language).outputs))
        known = {function.__name__: function for function in _FUNCTIONS.values()}
        wanted = (model or _FUNCTIONS.get(group, inverse_dynamics).__name__).replace("-", "_")
        if wanted not in known:
            raise InputError(f"model: expected one of {', '.join(known)}, found {model!r}{closest(wanted, known)}")
        against = known[wanted](robot)

    def read(number: Callable[..., Expr]) -> Model:
        return read_model_text(text, language, name=path.name, number=number)

    return verified(
        read, partial(_forms, level=level, text=read_model_text(text, language, name=path.name)), against, symbolic
    )


def _forms(model: Model, level: str | None, text: Model) -> Iterator[Model]:
    """Yield the forms in which a model may have been written, the one that is derived fastest first."""
    yield model
    if not same_function(model, text):
        return
    for quick in (1, 2):
        yield optimize(model, quick)
    yield fastest(model)
    if level is not None:
        for goal in ("operations", "speed"):
            yield optimize(model, int(level) if level.isdigit() else level, goal=goal)


def self_test(
    prefix: str, scalar: str, models: Mapping[str, Model], solution: InverseGeometry | None,
    positions: Mapping[str, Array], motors: Sequence[int] = (),
) -> str:  # fmt: skip
    """Return the source of a program that exits with 0 if every function computes the stored results.

    `positions` are values of groups that must satisfy constraints: closed positions of a robot with loops ("q"),
    motions of a platform ("pose", "twist", "acceleration"). `motors` are the indices of the motors of a robot with
    loops.
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
        f"    const int failed = !(worst <= ({scalar}){_TOLERANCE[precision]}*largest);",
        '    (void)printf("%-20s %s, largest difference %.2g\\n", name, failed ? "FAILED" : "passed", (double)worst);',
        "    return failed;",
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
    return "\n".join([*lines, "int main(void)", "{", "    int failed = 0;", *body,
                      '    (void)printf(failed ? "self-test: FAILED\\n" : "self-test: passed\\n");',
                      "    return failed;", "}", ""])  # fmt: skip


def _states(model: Model, positions: Mapping[str, Array]) -> dict[str, Array]:
    """Return inputs of states, random unless positions are given."""
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
        f'        failed |= check("{name}, {group}", {size}, {group}_found, {name}_{group}_stored[i]);'
        for group, size in sizes.items()
    ]
    return [*lines, "    }"]


def _torques(prefix: str, scalar: str, model: Model, motors: Sequence[int]) -> list[str]:
    """Return a test with motor positions only: the passive joints start at a nearby position."""
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
        f"        failed |= {prefix}_torque(given, {', '.join(given)}, q, tau);",
        f'        failed |= check("torque", {size}, tau, inverse_dynamics_tau_stored[i]);',
        "    }",
    ]


def _pose_states(solution: InverseGeometry) -> tuple[Array, Array]:
    """Return positions, and the poses they reach."""
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
        '        (void)printf("%-20s %s, %d solutions\\n", "inverse geometry", bad ? "FAILED" : "passed", count);',
        "        failed |= bad;",
        "    }",
    ]
