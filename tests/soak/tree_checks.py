"""Every model of a tree against Pinocchio, MuJoCo, forward substitution, energy balance and rank."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

import mujoco
import numpy as np
import pinocchio as pin

import robosym as rs
from cases.dynamic import Case, values_of
from cases.forward import gap, place
from cases.kinematic import Case as Moved
from cases.kinematic import numbers
from evaluation import on_graph
from oracles.energy import EnergyOracle
from oracles.mujoco_files import compared_with_mujoco
from oracles.regressor import base_difference
from oracles.urdf_files import compared_floating, compared_with_pinocchio
from robosym.algebra import evaluate
from robosym.errors import InputError
from robosym.model import Model
from soak.findings import BAR, Array, Finding, compare, magnification
from soak.ways import by_another_way

_ORDER = [3, 4, 5, 0, 1, 2]
_SOLVED = 1e-12  #: smallest reciprocal condition of a regular inertia matrix


class Tree:
    """One robot: its cached models, and the values of the oracle."""

    def __init__(self, robot: rs.Robot, values: Mapping[str, float], seed: int) -> None:
        self.case = Case(robot, dict(values))
        self.robot, self.values = robot, self.case.values
        self.rng = random.Random(seed)
        self.kind = robot.base.kind
        self.n = self.case.n
        self.models: dict[str, Model] = {}
        self.conditions: dict[str, float] = {}  # of models that solve a system of equations

    def parts(self, name: str, model: Model) -> dict[str, Array]:
        self.models[name] = model
        return self.case.number(model)

    def condition(self, model: Model) -> Callable[[], float]:
        names = {n for group in model.inputs.values() for n in group}
        return lambda: magnification(
            lambda at: on_graph(model, at), {n: v for n, v in self.values.items() if n in names}
        )

    def compare(self, name: str, model: Model, group: str, expected: object, scale: float = 0.0) -> Finding:
        return compare(name, self.parts(name, model)[group], expected, self.condition(model), scale)

    @cached_property
    def spread(self) -> float:
        """Return the ratio of the largest and smallest mass or inertia, which articulated bodies lose in precision."""
        entries = [getattr(link, n) for link in self.robot.links for n in ("M", "XX", "YY", "ZZ")]
        sizes = [abs(m) for m in evaluate(entries, self.values) if m]
        return max(sizes, default=1.0) / min(sizes, default=1.0)

    def base_rates(self) -> Array:
        base = self.robot.base
        return np.array(evaluate([*base.W0, *base.V0], self.values))

    def base_bias(self) -> Array:
        """Return force and moment on the base, and joint efforts, at zero acceleration of the base origin."""
        zeros = 3 * (self.robot.graph.zero,)
        still = replace(self.robot, base=replace(self.robot.base, WP0=zeros, VP0=zeros))
        torques, base = Case(still, self.values).bias()
        return np.concatenate([base, torques])


def kinematics(t: Tree) -> Iterator[Finding]:
    robot = t.robot
    still_base = dict.fromkeys(("W0", "WP0", "V0", "VP0"), 3 * (robot.graph.zero,))
    at_rest = replace(robot, base=replace(robot.base, kind="fixed", link=None, **still_base))
    rates = {n: t.values.get(n, 0.0) for j in robot.tree_joints for n in (f"QP{j}", f"QDP{j}")}
    moved = Moved(at_rest, t.values | rates)
    i, j = (t.rng.randrange(robot.NL + 1) for _ in range(2))
    T = moved.transform(i, j)
    # the oracle computes through frame 0 and loses small distances
    far = [float(np.abs(moved.placement(k)).max()) for k in range(robot.NL + 1)]
    for name, model in (("transform", rs.transform), ("direct geometry", rs.direct_geometry)):
        yield t.compare(f"{name} {i} {j}", model(robot, i, j), "T", T, max(far[i], far[j]))
    count, still = range(1, robot.NL + 1), Moved(at_rest, t.values | {n: 0.0 for n in rates if n.startswith("QDP")})
    for name, model, truth in (
        ("velocities", rs.velocities(at_rest), moved.velocity),
        ("accelerations", rs.accelerations(at_rest), moved.acceleration),
        ("jdot_qdot", rs.jdot_qdot(at_rest), still.acceleration),
    ):
        t.models[name] = model
        linear, angular = numbers(model, t.values)
        right = np.array([truth(k) for k in count])
        fastest = max(1.0, *(float(np.abs(moved.velocity(k)).max()) ** 2 for k in count))
        yield compare(f"{name}, linear", linear, right[:, :3], t.condition(model), fastest * max(far))
        yield compare(f"{name}, angular", angular, right[:, 3:], t.condition(model), fastest)
    joints = [k for k in count if robot.frame(k).is_joint]
    link, frame = t.rng.choice(joints), t.rng.randrange(robot.NL + 1)
    J = rs.jacobian(robot, link, projection=frame)
    t.models["jacobian"] = J
    columns = [robot.tree_joints.index(k) for k in J.joints]
    right = moved.jacobian(link, frame)[:, columns]
    yield compare("jacobian", numbers(J, t.values)[0], right, t.condition(J), max(far))


def dynamics(t: Tree) -> Iterator[Finding]:
    """Check inverse model, inertia, bias, gravity, and direct model by both routes, with springs."""
    robot, case, n = t.robot, t.case, t.n
    q, qd, qdd, tau = (case.vector(f) for f in ("q", "QP", "QDP", "GAM"))
    free = 6 if t.kind == "floating" else 0
    full = case.inertia()
    A, H = (full, t.base_bias()) if free else (full[-n:, -n:], case.bias()[0])
    springs = [k for k, j in enumerate(robot.tree_joints) if robot.joint(j).eta]
    stiffness = np.array(evaluate([robot.joint(j).k for j in robot.tree_joints], t.values))
    torques = np.concatenate([np.zeros(free), np.where([k in springs for k in range(n)], -stiffness * q, tau)])
    scale = float(
        np.abs(A).max() * np.abs(qdd).max() + np.abs(H).max(initial=0) + np.abs(A).max() * np.abs(qd).max() ** 2
    )
    yield t.compare("inertia matrix", rs.inertia_matrix(robot), "A", full[-n:, -n:])
    bias = rs.bias_torques(robot)
    fastest = float(max(np.abs(qd).max(), np.abs(t.base_rates()).max(initial=0)) ** 2)
    yield t.compare("bias torques", bias, "H", H[free:], float(np.abs(H).max() + np.abs(A).max() * fastest))
    if free:
        order = np.array(_ORDER)
        parts = t.parts("inertia matrix", rs.inertia_matrix(robot))
        yield compare("inertia of the base", parts["base"], A[np.ix_(order, order)])
        yield compare("inertia, coupling", parts["coupling"], A[order, 6:], scale=float(np.abs(A).max()))
    elif t.kind == "fixed":
        gravity = pin.computeGeneralizedGravity(case.oracle.model, case.oracle.data, case.oracle.q(q))
        weights = float(np.abs(H).max() + np.abs(A).max() * np.abs(case.oracle.model.gravity.linear).max())
        yield t.compare("gravity torques", rs.gravity_torques(robot), "Q", case.oracle.back(gravity), weights)
    unknown = [*range(free), *(free + k for k in springs)]
    known = [k for k in range(free + n) if k not in unknown]
    given = np.concatenate([np.zeros(free), qdd])
    solvable = not unknown or np.linalg.cond(A[np.ix_(unknown, unknown)]) * _SOLVED < 1
    condition = 1.0
    if unknown and solvable:
        part = A[np.ix_(unknown, unknown)]
        condition = float(np.linalg.cond(part))
        given[unknown] = np.linalg.solve(part, torques[unknown] - H[unknown] - A[np.ix_(unknown, known)] @ given[known])
    for reduced in (False, True):
        try:
            model = rs.inverse_dynamics(robot, base_parameters=reduced)
        except InputError as error:
            yield from rejected(f"inverse dynamics, base parameters {reduced}", error, not solvable or reduced)
            continue
        if reduced:
            grouped = rs.base_parameters(robot)
            values = t.values | grouped.values({n: t.values[n] for n in robot.parameters})
            found = dict(zip(model.output_names, evaluate(model.roots, values), strict=True))
            ours = np.array([found[name] for name in model.outputs["tau"]])
        else:
            ours = t.parts("inverse dynamics", model)["tau"]
        if solvable:
            right = A @ given + H
            spread = max(scale, float(np.abs(right).max()), float(np.abs(A).max() * np.abs(given).max()))
            yield compare(f"inverse dynamics, base parameters {reduced}", ours, right[known], condition, spread)
    conditioned = float(np.linalg.cond(A))
    right = np.linalg.solve(A, torques - H) if conditioned * _SOLVED < 1 else None
    for route in ("recursive", "cholesky"):
        try:
            model = rs.direct_dynamics(robot, route=route)
        except InputError as error:
            yield from rejected(f"direct dynamics, {route}", error, right is None)
            continue
        found = t.parts(f"direct dynamics, {route}", model)["qdd"]
        t.conditions[f"direct dynamics, {route}"] = conditioned
        if right is not None:
            largest = float(np.abs(right).max(initial=0))
            spread = t.spread if route == "recursive" else 1.0
            # velocity torques that cancel leave rounding errors of their magnitude
            cancels = max(1.0, scale / max(float(np.abs(torques - H).max()), 1e-300))
            yield compare(f"direct dynamics, {route}", found, right[free:], conditioned * max(spread, cancels), largest)


def rejected(name: str, error: InputError, rightly: bool) -> Iterator[Finding]:
    yield Finding(f"{name} rejected: {error}", 0.0 if rightly else np.inf)


def matrices(t: Tree) -> Iterator[Finding]:
    """Check the Coriolis matrix, Lagrange coefficients, and the modified Newton-Euler model."""
    robot, case = t.robot, t.case
    if t.kind != "fixed" or any(robot.joint(j).eta for j in robot.tree_joints):
        return
    q, qd, qdd, n = case.vector("q"), case.vector("QP"), case.vector("QDP"), t.n
    A, H = case.inertia(), case.bias()[0]
    bare = robot.with_links([dict.fromkeys(("FX", "FY", "FZ", "CX", "CY", "CZ", "FV", "FS"), 0)] * robot.NL)
    plain = Case(bare, t.values)
    still = plain.oracle.torques(q, 0 * qd, 0 * qd, t.values)
    speed = plain.bias()[0] - still
    scale = float(np.abs(speed).max() + np.abs(still).max() + np.abs(A).max() * np.abs(qd).max() ** 2)
    found = t.parts("modified Newton-Euler", rs.modified_newton_euler(robot))
    yield compare("modified Newton-Euler, A", found["A"], A)
    yield compare("modified Newton-Euler, H", found["H"], H, scale=scale)
    if n > 12:
        return
    C = t.parts("coriolis matrix", rs.coriolis_matrix(robot))["C"]
    yield compare("coriolis matrix", C @ qd, speed, scale=max(scale, float(np.abs(C).max() * np.abs(qd).max())))
    parts = t.parts("lagrange", rs.lagrange(robot))
    pairs = np.array([qd[j] * qd[k] for j in range(n) for k in range(j + 1, n)])
    found = parts["A"] @ qdd + (parts["B"] @ pairs if n > 1 else 0) + parts["C"] @ qd**2 + parts["Q"]
    yield compare("lagrange", found, A @ qdd + speed + still, scale=max(scale, float(np.abs(A).max())))


def energies(t: Tree) -> Iterator[Finding]:
    """Compare with Pinocchio, and check d(energy)/dt = powers along the direct model, by exact derivatives."""
    robot, case = t.robot, t.case
    if t.kind != "fixed":
        return
    model = rs.energy(robot)
    found = t.parts("energy", model)
    terms = EnergyOracle(robot, t.values)(case.vector("q"), case.vector("QP"))
    entries = evaluate([getattr(robot.link(j), field) for j, field in terms], t.values)
    parts = np.array(entries) * list(terms.values())
    springs = found["energy"][2]
    total = float(np.abs(parts).sum())
    yield compare("energy", [found["energy"][:2].sum()], [parts.sum()], t.spread, max(total, 1e-300))
    try:
        direct = rs.direct_dynamics(robot, route="cholesky")
    except InputError:
        return
    qdd = case.number(direct)["qdd"]
    A = case.inertia()
    if np.linalg.cond(A) * _SOLVED > 1:
        return
    slopes = [case.number(model.derivative(group))[f"denergy_d{group}"] for group in ("q", "qd")]
    change = np.sum(slopes[0] @ case.vector("QP") + slopes[1] @ qdd)
    given, taken, passed = found["power"]
    size = sum(float(np.abs(part).max(initial=0)) for part in (slopes[0] * case.vector("QP"), slopes[1] * qdd))
    rates = float(np.abs(case.vector("QP")).max())  # velocity forces that cancel leave rounding errors of their power
    size = max(size, *map(abs, (given, taken, passed, springs)), float(np.abs(A).max()) * rates**3)
    yield compare("balance of power", [change], [given - taken - passed], float(np.linalg.cond(A)), max(size, 1e-300))


def parameters(t: Tree) -> Iterator[Finding]:
    """Check the number and the torques of base parameters, and identification matrices."""
    robot, case = t.robot, t.case
    if robot.NL > 12 or t.kind == "mobile":
        return
    found = rs.base_parameters(robot)
    seed = t.rng.getrandbits(32)
    rank, apart = base_difference(robot, found, t.values, np.random.default_rng(seed))
    if rank != len(found.names):  # large ratios of lengths hide a parameter from NumPy: the symbols decide
        ordinary = values_of(random.Random(seed), robot)
        rank, _ = base_difference(robot, found, ordinary, np.random.default_rng(seed))
    if rank != len(found.names):
        yield Finding(f"base parameters: {len(found.names)} found, rank {rank}", np.inf)
    yield Finding("torques of base parameters", apart, t.spread)
    if t.kind != "fixed" or any(robot.joint(j).eta for j in robot.tree_joints):
        return
    bare = robot.with_links([dict.fromkeys(("FX", "FY", "FZ", "CX", "CY", "CZ"), 0)] * robot.NL)
    D = rs.dynamic_identification(robot)
    t.models["dynamic identification"] = D
    known = {p.name: p.entry for p in found.standard.at.values()}
    K = np.array(evaluate([known[name] for name in D.columns], t.values))
    torques = Case(bare, t.values).oracle.torques(case.vector("q"), case.vector("QP"), case.vector("QDP"), t.values)
    ours = case.number(D)["D"]
    yield compare("dynamic identification", ours @ K, torques, scale=float((np.abs(ours) @ np.abs(K)).max()))
    dh = case.number(rs.power_identification(robot))["dh"]
    scale = max(float((np.abs(dh) @ np.abs(K)).max()), 1e-300)
    yield compare("power identification", dh @ K, [torques @ case.vector("QP")], scale=scale)


def inverse(t: Tree) -> Iterator[Finding]:
    """Check that every solution reaches the pose, and that the original position is among them."""
    robot = t.robot
    if t.kind != "fixed" or t.n > 6 or any(f.ant != j for j, f in enumerate(robot.frames)):
        return
    values = {n: v for n, v in t.values.items() if n in robot.parameters}
    try:
        model = rs.inverse_geometry(robot)
    except InputError as error:
        yield from rejected("inverse geometry", error, "free" in str(error))
        return
    lengths = [joint.prismatic for joint in model.problem.chain.joints]
    q = np.array([t.values[n] for n in model.joints])
    T = place(robot, t.values, robot.NF)
    solutions = model.solve(T, parameters={n: values[n] for n in model.parameters})
    size = max(1.0, float(np.abs(T).max()))
    for solution in solutions:
        reached = place(robot, values | dict(zip(model.joints, solution, strict=True)), robot.NF)
        yield Finding("inverse geometry: pose reached", float(np.abs(reached - T).max()) / size / 1e3)  # bar 1e-8
    if not solutions.singular:
        yield Finding("inverse geometry: solution missed", gap(solutions, q, lengths) / 1e6)  # bar 1e-5


def texts(t: Tree) -> Iterator[Finding]:
    """Check the round trip of texts, and URDF and MJCF against Pinocchio and MuJoCo."""
    robot = t.robot
    for form in ("yaml", "par", "opensymoro"):
        try:
            text = robot.dumps(form)
        except rs.Error as error:
            if form == "yaml":
                yield Finding(f"{form} cannot be written: {error}", np.inf)
            continue
        if rs.loads(text, form) != robot:
            yield Finding(f"{form} read again is another robot", np.inf)
    if robot.parameters or t.kind == "mobile" or any(robot.joint(j).eta for j in robot.tree_joints):
        symbols = [n for n in robot.parameters if not n.startswith(("QP", "QDP", "GAM"))]
        if symbols or t.kind == "mobile" or robot.NL > 40:
            return
    floats = t.kind == "floating"
    if any(np.linalg.norm(evaluate([link.M], t.values)) == 0 for link in robot.links) or robot.NL > 40:
        return
    plain = robot.with_links([dict.fromkeys(("FX", "FY", "FZ", "CX", "CY", "CZ"), 0)] * robot.NL)
    try:
        text = plain.dumps("urdf")
        again = rs.loads(text, "urdf")
        model = pin.buildModelFromXML(text)  # a floating base is written as a joint
        model.gravity.linear = np.array(evaluate(again.gravity, {}))
        yield Finding(
            "URDF against Pinocchio", (compared_floating if floats else compared_with_pinocchio)(again, model).worst
        )
    except rs.Error as error:
        yield Finding(f"no URDF: {error}", 0.0)
    try:
        text = plain.dumps("mjcf")
        again = rs.loads(text, "mjcf")
        yield Finding("MJCF against MuJoCo", compared_with_mujoco(again, mujoco.MjModel.from_xml_string(text)).worst)
    except rs.Error as error:
        yield Finding(f"no MJCF: {error}", 0.0)


CHECKS = (kinematics, matrices, energies, parameters, inverse, texts)
CHECKED = 3  #: number of checks per robot: many robots find more than many checks of one


def check_tree(robot: rs.Robot, values: Mapping[str, float], seed: int) -> Iterator[Finding]:
    tree = Tree(robot, values, seed)
    for check in (dynamics, *tree.rng.sample(CHECKS, CHECKED)):
        excused = False
        for found in _asked(check, tree):
            excused |= BAR < found.gap <= found.allowed
            yield found
        if excused and robot.parameters:  # the same models with numbers of ordinary size, where no condition excuses
            ordinary = Tree(robot, values_of(random.Random(seed), robot), seed)
            yield from (replace(f, name=f"{f.name}, ordinary numbers") for f in _asked(check, ordinary))
    name = tree.rng.choice(list(tree.models))
    yield from by_another_way(name, tree.models[name], tree.values, tree.rng, tree.conditions.get(name, 1.0))


def _asked(check: Callable[[Tree], Iterator[Finding]], tree: Tree) -> Iterator[Finding]:
    try:
        yield from check(tree)
    except InputError as error:
        yield from rejected(check.__name__, error, "cannot be a symbol of the robot" in str(error))
