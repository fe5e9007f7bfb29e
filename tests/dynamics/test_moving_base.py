"""Models of robots on mobile and floating bases against Pinocchio with a free-flyer, and errors of other models."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.floating import closed, coupled, quadruped, tree
from evaluation import agree
from long_cases import each_once, quick_and_long
from oracles.pinocchio import Oracle
from oracles.reduced import Reduced
from oracles.regressor import base_difference
from random_robots import random_robot
from robosym.algebra import evaluate
from robosym.mechanism import INERTIA

Array = np.ndarray


class Moving(Reduced):
    """State of a robot on a moving base, and its inputs."""

    def __init__(self, robot: rs.Robot) -> None:
        rng = np.random.default_rng(3)
        q = rng.uniform(-1, 1, len(robot.tree_joints))
        if robot.loops:
            q = np.array(rs.loop_geometry(robot).solve([0.2, 1.3, 0.1])[0])
        elif robot.couplings:
            q[2] = 2 * q[1] + 0.1
        super().__init__(robot, q, rng)
        self.inputs = {
            "q": self.q, "qd": self.y, "qdd": self.yd, "base_velocity": self.base_velocity,
            "base_acceleration": self.base_acceleration,
        }  # fmt: skip

    def of(self, model: rs.Model, **more: Any) -> Any:
        found = model.compile()(**{group: {**self.inputs, **more}[group] for group in model.inputs})
        return found._asdict() if hasattr(found, "_asdict") else {next(iter(model.outputs)): found}


MAKERS = {"tree": tree, "coupled": coupled, "closed": closed}
ROBOTS = [f"{name} {kind}" for name in MAKERS for kind in ("mobile", "floating")]


@pytest.fixture(
    params=quick_and_long(ROBOTS, long=["tree floating", "coupled mobile", "closed mobile"]), scope="module"
)
def moving(request: pytest.FixtureRequest) -> Moving:
    name, kind = request.param.split()
    return Moving(MAKERS[name](kind))


def test_inertia_and_gravity(moving: Moving) -> None:
    found, M, (held, torques) = moving.of(rs.inertia_matrix(moving.robot, gravity=True)), moving.inertia, moving.gravity
    agree(found["A"], M[6:, 6:])
    agree(found["Q"], torques)
    alone = moving.of(rs.optimize(rs.gravity_torques(moving.robot), 1))
    agree(alone["Q"], torques)
    if moving.floating:
        agree(found["base"], M[:6, :6])
        agree(found["coupling"], M[:6, 6:])
        agree(found["base_gravity"], held)
        agree(alone["base"], held)
    assert ("base" in found) == ("base" in alone) == moving.floating


def test_bias_and_inverse_dynamics(moving: Moving) -> None:
    robot = moving.robot
    on_base, bias = moving.bias()
    found = moving.of(rs.bias_torques(robot))
    agree(found["H"], bias)
    inverse = moving.of(rs.inverse_dynamics(robot))
    if not moving.floating:
        agree(inverse["tau"], moving.efforts(moving.qdd, moving.base_a)[1])
        return
    agree(found["base"], on_base)
    yields = moving.yields
    agree(inverse["base_acceleration"], yields)
    agree(inverse["tau"], moving.free_tau)
    direct = moving.of(rs.direct_dynamics(robot), tau=inverse["tau"])
    agree(direct["qdd"], moving.yd)
    agree(direct["base_acceleration"], yields)


def test_regressor(moving: Moving) -> None:
    """D times the standard parameters gives the efforts, those on a floating base first."""
    D = rs.dynamic_identification(moving.robot)
    standard = rs.base_parameters(moving.robot, structure="tree" if moving.robot.couplings else None).standard
    K = {p.name: evaluate([p.entry], {})[0] for p in standard.inertial}
    for j in moving.robot.tree_joints:
        K |= {f"FV{j}": 0.2, f"FS{j}": 0.1, f"IA{j}": 0.05 * j}
    K |= {c: sum(K[name] * share for name, share in holds.items()) for c, holds in D.grouping.items()}
    on_base, torques = moving.efforts(moving.qdd, moving.base_a)
    right = np.concatenate([on_base, torques]) if moving.floating else torques
    for model in (D, rs.optimize(D, 1)):
        agree(moving.of(model)["D"] @ [K[name] for name in D.columns], right)
    assert len(D.rows) == len(right)


def test_motion_of_the_links(moving: Moving) -> None:
    robot, last = moving.robot, 3
    rates = {"qd": moving.qd, "qdd": moving.qdd}
    V, A = moving.frames(moving.base_a, moving.qdd)
    found = moving.of(rs.velocities(robot), **rates)
    agree(np.hstack([found["V"], found["W"]]), V)
    found = moving.of(rs.accelerations(robot), **rates)
    agree(np.hstack([found["VP"], found["WP"]]), A)
    found = moving.of(rs.jdot_qdot(robot, last), **rates)
    agree([*found["VPJ"], *found["WPJ"]], moving.frames(moving.still, 0 * moving.qdd)[1][last - 1])
    J = rs.jacobian(robot, last)
    found = moving.of(J)
    names = [robot.tree_joints[k] for k in moving.active]
    along = moving.y if robot.constrained else moving.qd
    own = found["J"] @ [along[(names if robot.constrained else list(robot.tree_joints)).index(j)] for j in J.joints]
    in_world = moving.frames(moving.base_a, moving.qdd, pin.LOCAL_WORLD_ALIGNED)[0][last - 1]
    agree(own + found["base"] @ moving.inputs["base_velocity"], in_world)
    assert len(rs.jacobian(robot, last, rows=(1, 6)).outputs["base"]) == 2


@pytest.mark.parametrize("kind", ["mobile", "floating"])
def test_modified_newton_euler_and_base_parameters(kind: str) -> None:
    m = Moving(tree(kind))
    found, M = m.of(rs.modified_newton_euler(m.robot)), m.inertia
    on_base, bias = m.bias()
    agree(found["A"], M[6:, 6:])
    agree(found["H"], bias)
    if m.floating:
        agree(found["base"], M[:6, :6])
        agree(found["coupling"], M[:6, 6:])
        agree(found["base_bias"], on_base)
    base = rs.base_parameters(m.robot)
    rank, apart = base_difference(m.robot, base, m.values, np.random.default_rng(4), joints_only=not m.floating)
    assert len(base.names) == rank and apart < 1e-12


def test_equivalent_tree_has_given_base_motion() -> None:
    m = Moving(tree("floating"))
    right = m.efforts(m.qdd, m.base_a)[1]
    for make in (rs.inverse_dynamics, rs.dynamic_identification):
        model = make(m.robot, structure="tree")
        assert model.inputs["base_acceleration"] == ("WP10", "WP20", "WP30", "VP10", "VP20", "VP30")
        assert len(next(iter(model.outputs.values()))) == 4
    agree(m.of(rs.inverse_dynamics(m.robot, structure="tree"))["tau"], right)


UNTREATED = {
    "manipulability": {"link": 3}, "inverse_kinematics": {"link": 3},
    "exciting_trajectory": {},
    "motor_loads": {"trajectory": None},
    "identify_drives": {"free": [], "loaded": [], "mass": 1.0},
}  # fmt: skip
FLOATING_ALONE: dict[str, Any] = {"pd_gravity": {}, "force_ellipsoid": {}, "adaptive_control": {}}


@pytest.mark.parametrize("kind", ["mobile", "floating"])
@pytest.mark.parametrize("name", [*UNTREATED, *FLOATING_ALONE])
def test_rejects_unsupported_moving_base(kind: str, name: str) -> None:
    options = (UNTREATED | FLOATING_ALONE)[name]
    function = getattr(rs, name)
    if kind == "mobile" and name in FLOATING_ALONE:
        function(tree(kind), **options)
        return
    with pytest.raises(rs.InputError, match=f"arm has a {kind} base: {name} supports"):
        function(tree(kind), **options)
    if "structure" in function.__wrapped__.__code__.co_varnames:
        with pytest.raises(rs.InputError, match="To hold the base at rest"):
            function(tree(kind), structure="tree", **options)


@pytest.mark.parametrize("kind", ["mobile", "floating"])
def test_jacobian_inverse_needs_fixed_base(kind: str) -> None:
    J = rs.jacobian(tree(kind), 4, rows=(1, 2, 3))
    for ask in (J.inverse, J.determinant, J.singularities):
        with pytest.raises(rs.InputError, match=f"arm has a {kind} base"):
            ask()


@pytest.mark.parametrize("kind", ["mobile", "floating"])
def test_cycle_simulation_needs_fixed_base(kind: str) -> None:
    motors = {j: rs.Actuator(50.0) for j in range(1, 5)}
    path = {"reference": lambda t: [np.zeros(4), np.zeros(4), np.zeros(4)], "actuators": motors}
    with pytest.raises(rs.InputError, match=f"{kind} base: simulate with method='cycle' supports a fixed base"):
        rs.simulate(tree(kind), until=0.1, step=0.01, method="cycle", **path)


@pytest.mark.parametrize("kind", ["mobile", "floating"])
def test_base_can_be_fixed(kind: str) -> None:
    """The suggested fix gives the arm on a fixed base."""
    held = tree(kind).edit({"base.type": "fixed"})
    assert not set(rs.inverse_dynamics(held).inputs) & {"base_velocity", "base_acceleration"}
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1, 1, (3, 4))
    agree(rs.inverse_dynamics(held).compile()(q=q, qd=qd, qdd=qdd), Oracle(held, {}).torques(q, qd, qdd, {}))
    rs.lagrange(held)


def drawn(seed: int, kind: str) -> rs.Robot:
    """Return a random tree on a base with symbolic velocity, every third one with massless links and base."""
    robot = random_robot(
        random.Random(seed), links=1 + seed % 6, floating=kind == "floating", mobile=kind == "mobile", wrenches=False
    )
    motion = {n: tuple(robot.graph.symbol(f"{n}{x}") for x in "xyz") for n in ("W0", "WP0", "V0", "VP0")}
    given = motion if kind == "mobile" else {name: motion[name] for name in ("W0", "V0")}
    robot = replace(robot, base=replace(robot.base, **given))
    if seed % 3 == 2:
        light = dict.fromkeys(("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M"), 0)
        robot = robot.edit({f"link1.{name}": 0 for name in light} | {f"base.{name}": 0 for name in light})
    return robot


@pytest.mark.parametrize(("seed", "kind"), each_once(range(12), ("mobile", "floating")))
def test_coriolis_and_lagrange_of_random_trees(seed: int, kind: str) -> None:
    """Pinocchio's Coriolis matrix is in axes that rotate with the base; the optimizer preserves values."""
    m = Moving(drawn(seed, kind))
    coriolis, rates = rs.coriolis_matrix(m.robot), m.velocity
    C, order = m.of(coriolis)["C"], [3, 4, 5, 0, 1, 2, *m.order]
    rows = len(C)
    assert rows == len(m.y) + 6 * m.floating and C.shape[1] == len(rates)
    agree(C, m.of(rs.optimize(coriolis, 2))["C"])
    own = pin.computeCoriolisMatrix(m.model, m.model.createData(), m.pin_q, m.pin_v)[np.ix_(order, order)]
    agree(C, (own - m.inertia @ m.turning)[-rows:])
    speed = np.concatenate(m.efforts(m.drift, m.still, friction=False)) - np.concatenate(m.gravity)
    agree(C @ rates, speed[-rows:])
    found = m.of(rs.lagrange(m.robot))
    agree(found["A"], m.inertia[-rows:])
    pairs = [a * b for a, b in itertools.combinations(rates, 2)]
    agree(found["B"] @ pairs + found["C"] @ rates**2, speed[-rows:])
    agree(found["Q"], np.concatenate(m.gravity)[-rows:])


def test_expanded_lagrange_on_a_floating_base() -> None:
    robot = tree("floating")
    short, long = (Moving(robot).of(rs.lagrange(robot, form=form)) for form in ("customized", "expanded"))
    for group, values in short.items():
        agree(long[group], values)


def test_equivalent_tree_has_base_columns_only() -> None:
    m = Moving(tree("floating"))
    whole, joints = m.of(rs.coriolis_matrix(m.robot))["C"], m.of(rs.coriolis_matrix(m.robot, structure="tree"))["C"]
    agree(joints, whole[6:])


def columns_of(model: Any, robot: rs.Robot, base: Mapping[str, float] | None = None) -> Array:
    """Return the values of the columns of an identification model; `base` are those of base parameters."""
    links = [(0, robot.base.link)] * (robot.base.kind == "floating") + list(enumerate(robot.links, 1))
    fields = (*INERTIA, "IA", "FV", "FS")
    K = {f"{f}{j}": evaluate([getattr(link, f)], {})[0] for j, link in links for f in fields if link is not None}
    K |= base or {}
    K |= {c: sum(K[name] * share for name, share in holds.items()) for c, holds in model.grouping.items()}
    return np.array([K[name] for name in model.columns])


IDENTIFIED = [f"{maker} {kind}" for kind in ("mobile", "floating") for maker in (*MAKERS, *range(6))]


#: each random robot is on one base in the short tests
IDENTIFIED_LONG = [
    "coupled mobile", "closed mobile", "coupled floating", *(f"{n} mobile" for n in (0, 2, 4)),
    *(f"{n} floating" for n in (1, 3, 5)),
]  # fmt: skip


@pytest.mark.parametrize("name", quick_and_long(IDENTIFIED, long=IDENTIFIED_LONG))
def test_power_and_filtered_models(name: str) -> None:
    """The rate of D1 follows from differences along the motion; the optimizer preserves values."""
    maker, kind = name.split()
    m = Moving(drawn(int(maker), kind) if maker.isdigit() else MAKERS[maker](kind))
    on_base, efforts = m.efforts(m.qdd, m.base_a)
    model = rs.power_identification(m.robot)
    power = efforts @ m.y + (on_base @ m.base_velocity if m.floating else 0)
    agree(m.of(model)["dh"] @ columns_of(model, m.robot), [power])
    model, step = rs.filtered_identification(m.robot), 1e-5
    K, found = columns_of(model, m.robot), m.of(model)
    ends = [m.later(sign * step) for sign in (1, -1)]
    plus, minus = (m.of(model, q=t.q, qd=t.y, base_velocity=t.base_velocity)["D1"] @ K for t in ends)
    agree((plus - minus) / (2 * step) + found["D2"] @ K, np.concatenate([on_base, efforts])[-len(plus) :], 1e-7)
    better = m.of(rs.optimize(model, 2))
    for group, values in found.items():
        agree(better[group], values)


@pytest.mark.parametrize("maker", [*MAKERS, *map(str, range(6))])
def test_energy_depends_on_base_height(maker: str) -> None:
    m = Moving(drawn(int(maker), "floating") if maker.isdigit() else MAKERS[maker]("floating"))
    down, lifted, data = m.model.gravity.linear, m.pin_q.copy(), m.model.createData()
    lifted[:3] = -0.7 * down / np.linalg.norm(down)
    kinetic = pin.computeKineticEnergy(m.model, data, lifted, m.pin_v) + m.entries("IA") @ m.qd**2 / 2
    right = kinetic + pin.computePotentialEnergy(m.model, data, lifted)
    model = rs.energy_identification(m.robot)
    for one in (model, rs.optimize(model, 2)):
        agree(m.of(one, base_height=[0.7])["h"] @ columns_of(model, m.robot), [right])


@pytest.mark.parametrize("maker", MAKERS)
def test_identification_with_base_parameters_on_floating_base(maker: str) -> None:
    """All columns are independent, and energies, powers and momenta equal those of the standard parameters."""
    m, rng = Moving(MAKERS[maker]("floating")), np.random.default_rng(2)
    values = rs.base_parameters(m.robot).values({})
    for make in (rs.energy_identification, rs.power_identification, rs.filtered_identification):
        options = {} if make is rs.energy_identification else {"friction": False}
        whole, base = make(m.robot, **options), make(m.robot, base_parameters=True, **options)
        K, reduced = columns_of(whole, m.robot), columns_of(base, m.robot, values)
        apart = []
        for _ in range(2):  # the energy is defined up to a constant
            motion = {
                "qd": rng.uniform(-1, 1, len(m.y)),
                "base_velocity": rng.uniform(-1, 1, 6),
                "base_height": rng.uniform(0, 1, 1),
            }
            for one, k in ((whole, K), (base, reduced)):
                apart.append(np.concatenate([np.ravel(part @ k) for part in m.of(one, **motion).values()]))
        agree(apart[2] - apart[0], apart[3] - apart[1], 1e-8)


def test_energy_identification_of_simulated_flight() -> None:
    """Work of the motors along a simulated motion of a rotating, falling base."""
    robot = tree("floating").edit({f"link{j}.{name}": 0 for j in range(1, 5) for name in ("FV", "FS")})
    torques, down = [3.0, -2.0, 1.0, 4.0], np.array([1.5, -3, -9])
    start = {"qd": [0.3, -0.5, 0.8, 0.1], "base_velocity": [0.4, -0.7, 0.9, 0.3, 0.2, -0.5]}
    run = rs.simulate(robot, torque=torques, until=0.4, step=0.002, **start)
    turned = robot.with_inputs("orientation")
    model, pose = rs.energy_identification(turned), run.state("base_pose")
    inputs = {
        "q": run.q, "qd": run.qd, "base_velocity": run.state("base_velocity"), "base_orientation": pose[:, 3:],
        "base_height": -pose[:, :3] @ down[:, None] / np.linalg.norm(down),
    }  # fmt: skip
    h = np.array(model.compile()(**{group: inputs[group] for group in model.inputs}))[:, 0]
    energy = h @ columns_of(model, robot)
    work = np.trapezoid(run.qd @ torques, run.t)
    assert np.abs(pose[-1, 4:]).max() > 0.1 and np.ptp(inputs["base_height"]) > 0.3
    assert abs(energy[-1] - energy[0] - work) < 1e-4 * abs(work)


def test_energy_identification_rejects_mobile_base() -> None:
    for robot, options in ((tree("mobile"), {}), (tree("floating"), {"structure": "tree"})):
        with pytest.raises(rs.InputError, match=r"does work in addition to the motors.*Use power_identification"):
            rs.energy_identification(robot, **options)
    for make in (rs.power_identification, rs.filtered_identification):
        assert len(next(iter(make(tree("floating"), structure="tree").outputs.values()))) in (1, 4)


def test_coriolis_and_gravity_of_a_quadruped_agree_with_mujoco() -> None:
    """MuJoCo's free joint translates along fixed axes and rotates about body axes, which coincide here."""
    m = Moving(quadruped())
    model = mujoco.MjModel.from_xml_string(m.robot.dumps("mjcf"))
    data = mujoco.MjData(model)
    places = [model.joint(name).qposadr[0] for name in m.robot.joint_names]
    rates = [model.joint(name).dofadr[0] for name in m.robot.joint_names]
    data.qpos[places], data.qvel[rates] = m.q, m.y
    data.qvel[:6] = [*m.base_velocity[3:], *m.base_velocity[:3]]
    assert np.array_equal(data.qpos[:7], [0, 0, 0, 1, 0, 0, 0])
    mujoco.mj_forward(model, data)
    Q = m.of(rs.gravity_torques(m.robot))
    found = m.of(rs.coriolis_matrix(m.robot))["C"] @ m.velocity + np.concatenate([Q["base"], Q["Q"]])
    agree(found, data.qfrc_bias[[3, 4, 5, 0, 1, 2, *rates]])


def branched_urdf(seed: int) -> str:
    """Return a trunk with two arms, one of them branched, with random links and axes."""
    rng = np.random.default_rng(seed)

    def three(low: float, high: float) -> str:
        return " ".join(map(str, rng.uniform(low, high, 3)))

    def link(name: str) -> str:
        x, y, z = rng.uniform(0.02, 0.05, 3)
        return (
            f'<link name="{name}"><inertial><origin xyz="{three(-0.2, 0.2)}" rpy="{three(-1, 1)}"/><mass value="'
            f'{rng.uniform(1, 4)}"/><inertia ixx="{x + y}" ixy="0" ixz="0" iyy="{y + z}" iyz="0" izz="{x + z}"/>'
            "</inertial></link>"
        )

    def joint(name: str, kind: str, parent: str) -> str:
        return (
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="after_{name}"/><origin xyz="'
            f'{three(-0.4, 0.4)}" rpy="{three(-1.5, 1.5)}"/><axis xyz="{three(-1, 1)}"/>'
            '<limit lower="-3" upper="3" effort="9" velocity="9"/></joint>'
        )

    joints = [
        ("a", "revolute", "trunk"), ("b", "revolute", "after_a"), ("c", "prismatic", "after_b"),
        ("d", "revolute", "trunk"), ("e", "revolute", "after_d"), ("f", "revolute", "after_a"),
    ]  # fmt: skip
    links = "".join(map(link, ["trunk", *(f"after_{name}" for name, *_ in joints)]))
    return f'<robot name="branched">{links}{"".join(joint(*one) for one in joints)}</robot>'


@pytest.mark.parametrize("seed", [1, 2])
def test_floating_robot_from_a_file_agrees_with_free_flyer(seed: int, tmp_path: Path) -> None:
    """Pinocchio reads the same file itself; its free-flyer takes v and w, and spatial accelerations of the body."""
    text, rng = branched_urdf(seed), np.random.default_rng(seed)
    (tmp_path / "branched.urdf").write_text(text)
    robot = rs.load(tmp_path / "branched.urdf", floating=True)
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    joints = [model.joints[model.getJointId(name)] for name in robot.joint_names]
    order = [3, 4, 5, 0, 1, 2, *(joint.idx_v for joint in joints)]
    given = {"q": rng.uniform(-1, 1, 6), "qd": rng.uniform(-1, 1, 6), "qdd": rng.uniform(-1, 1, 6)}
    given |= {"base_velocity": rng.uniform(-1, 1, 6), "base_acceleration": rng.uniform(-1, 1, 6), "base_height": [0.0]}
    rates = np.concatenate([given["base_velocity"], given["qd"]])
    q, v = pin.neutral(model), np.zeros(model.nv)
    q[[joint.idx_q for joint in joints]], v[order] = given["q"], rates
    turning = np.zeros(model.nv)
    turning[:3] = np.cross(rates[:3], rates[3:6])

    def efforts(accelerations: Array) -> Array:
        a = np.zeros(model.nv)
        a[order] = accelerations
        return pin.rnea(model, model.createData(), q, v, a - turning)[order]

    def of(model: rs.Model) -> Any:
        found = model.compile()(**{group: given[group] for group in model.inputs})
        return found._asdict() if hasattr(found, "_asdict") else found

    tau = efforts(np.concatenate([given["base_acceleration"], given["qdd"]]))
    gravity = pin.computeGeneralizedGravity(model, model.createData(), q)[order]
    M = pin.crba(model, model.createData(), q)
    M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)]
    D, base = (rs.dynamic_identification(robot, friction=False, base_parameters=b) for b in (False, True))
    agree(of(D) @ columns_of(D, robot), tau)
    values = rs.base_parameters(robot).values({})
    agree(of(base) @ [values[name] for name in base.columns if name in values], tau)
    power = rs.power_identification(robot, friction=False)
    agree(of(power) @ columns_of(power, robot), [tau @ rates])
    momenta = rs.filtered_identification(robot, friction=False)
    agree(of(momenta)["D1"] @ columns_of(momenta, robot), M @ rates)
    energy = rs.energy_identification(robot)
    kinetic = pin.computeKineticEnergy(model, model.createData(), q, v)
    agree(of(energy) @ columns_of(energy, robot), [kinetic + pin.computePotentialEnergy(model, model.createData(), q)])
    speed = efforts(np.zeros(model.nv)) - gravity
    agree(of(rs.coriolis_matrix(robot)) @ rates, speed)
    lagrange = of(rs.lagrange(robot))
    agree(lagrange["A"], M)
    agree(lagrange["B"] @ [a * b for a, b in itertools.combinations(rates, 2)] + lagrange["C"] @ rates**2, speed)
    agree(lagrange["Q"], gravity)
    inverse = of(rs.inverse_dynamics(robot))
    moved = efforts(np.concatenate([inverse["base_acceleration"], given["qdd"]]))
    agree(moved, [*np.zeros(6), *inverse["tau"]])


def test_base_edited_to_floating_moves() -> None:
    """Its velocity is an input, as that of a description; a velocity that is given remains."""
    described = tree("floating")
    held = described.edit({"base.type": "fixed"})
    edited = held.edit({"base.type": "floating"})
    for name in ("W0", "V0"):
        assert [*map(str, getattr(edited.base, name))] == [*map(str, getattr(described.base, name))]
    turning = held.edit({"base.type": "floating", "base.W0": [0, 0, "w"]})
    assert [str(entry) for entry in turning.base.W0] == ["0", "0", "w"]
    still = described.edit({"base.V0": [0, 0, 0]})
    assert [str(entry) for entry in still.edit({"base.type": "floating"}).base.V0] == ["0", "0", "0"]
