"""A robot edited in tables: every entry by the package's own readers, undone, redone, reordered, saved."""

from __future__ import annotations

import math
from random import Random

import pytest

import robosym as rs
from robosym.algebra import Graph, parse
from robosym.algebra.interpret import evaluate
from robosym.app.session import Document
from robosym.drawing.posture import Posture
from robosym.formats.draft_changes import add_frame, add_leg, add_loop, move_frame, remove_frame, remove_leg, set_base
from robosym.formats.templates import TEMPLATES
from robosym.mechanism import INERTIA


@pytest.mark.parametrize("name", rs.library())
def test_tables_represent_the_whole_robot(name: str) -> None:
    document = Document.load(name)
    shown = document.tables()
    assert not document.unsaved and not document.problems
    assert shown and shown[-1]["key"] == "gravity"
    first = shown[0]
    cell = first["rows"][0]["cells"][0]["text"]
    document.edit(first["key"], 0, "d", "HEIGHT")
    assert document.unsaved and not document.errors and "HEIGHT" in document.robot.parameters
    document.undo()
    assert not document.unsaved and document.robot == rs.load(name)
    document.redo()
    assert "HEIGHT" in document.robot.parameters
    assert document.tables()[0]["rows"][0]["cells"][0]["text"] == cell


@pytest.mark.parametrize(
    ("table", "row", "column", "typed", "message", "fix"),
    [
        ("frames", 5, "theta", "t4", "The variable t4 is already used by frame 4", "t6"),
        ("frames", 5, "theta", "0", "Expected the variable of the revolute joint, found the constant 0", "t6"),
        ("frames", 3, "ant", "7", "Expected an antecedent from 0 to 3, found 7", "3"),
        ("frames", 3, "r", "0,45", "Unexpected ',', in 0,45", "0.45"),
        ("frames", 3, "alpha", "π/2", "Unexpected character 'π', in π/2", "Pi/2"),
        ("frames", 3, "alpha", "90°", "Unexpected character '°', in 90°", "90deg"),
        ("frames", 3, "alpha", "2*(a+b", "Expected ')' for the bracket opened here, found none, in 2*(a+b", "2*(a+b)"),
        ("links", 1, "M", "<b>", "Unexpected character '<', in <b>", ""),
        ("links", 1, "M", "=1+1", "Unexpected character '='", ""),
        ("links", 1, "M", "__import__('os')", "Unknown function '__import__'", ""),
        ("links", 1, "M", "9**9**9", "pow(9, 387420489) has no finite value".capitalize(), ""),
        ("links", 2, "XX", "t1", "T1 is the variable of frame 1: expected a parameter", ""),
        ("wrench", 2, "FY", "2**", "Expected a number, a name", ""),
        ("joints", 2, "QP", "sin(", "", ""),
        ("joints", 0, "lower", "a", "Expected a number, found a", ""),
        ("gravity", 0, "z", "((", "Expected a number, a name", ""),
        ("gravity", 0, "z", "t1", "T1 is the variable of frame 1", ""),
    ],
)
def test_invalid_entry_is_reported_at_its_cell(
    table: str, row: int, column: str, typed: str, message: str, fix: str
) -> None:
    document = Document.load("rx90")
    before = document.robot
    tried = document.trial(table, row, column, typed)
    assert tried is not None and not document.unsaved
    document.edit(table, row, column, typed)
    (problem,) = document.errors
    assert (problem.table, problem.row, problem.column) == (table, row, column)
    assert message.lower() in problem.message.lower() and problem.fix == fix
    assert document.robot == before  # pictures and models keep to what was right
    cell = next(t for t in document.tables() if t["key"] == table)["rows"][row]["cells"]
    assert sum("problem" in one for one in cell) == 1
    with pytest.raises(rs.Error, match="correct it before saving"):
        document.text("yaml")
    if fix:
        document.edit(table, row, column, fix)
        assert not document.errors


def test_warns_about_angles_in_degrees() -> None:
    document = Document.load("rx90")
    document.edit("frames", 1, "alpha", "90")
    (problem,) = document.problems
    assert problem.is_warning and problem.fix == "Pi/2" and not document.errors


def test_accepts_words_for_codes_and_pasted_blocks() -> None:
    document = Document.load("rx90")
    document.edit("frames", 2, "mu", "passive")
    assert document.robot.frame(3).mu == 0
    document.paste("frames", 4, "d", [["A", "t5", "B"], ["C", "t6", "D", "beyond"], ["below"]])
    assert [str(document.robot.frame(j).d) for j in (5, 6)] == ["A", "C"]
    assert [str(document.robot.frame(j).r) for j in (5, 6)] == ["B", "D"]
    document.undo()
    assert document.robot.frame(6).d.is_zero
    with pytest.raises(rs.InputError, match="2001 characters"):
        document.edit("frames", 0, "d", "1" * 2001)


def test_renamed_joint_keeps_its_position() -> None:
    document = Document.load("delta")
    document.edit("leg1.frames", 0, "theta", "motor")
    assert not document.errors and document.robot.position["motor"] == 0.3
    removed = Document.load("rx90")
    removed.change(remove_frame, 6)
    assert not removed.errors and "t6" not in removed.robot.picture and removed.robot.NF == 5


def test_moved_frames_keep_their_data() -> None:
    document = Document.load("rx90")
    assert document.change(move_frame, 4, -1) == 3
    names = [document.robot.variable(j) for j in range(1, 7)]
    assert names == ["t1", "t2", "t4", "t3", "t5", "t6"]
    assert [frame.ant for frame in document.robot.frames] == [0, 1, 2, 3, 4, 5]  # still a chain
    assert str(document.robot.link(3).M) == "M4" and str(document.robot.frame(3).r) == "RL4"
    document.change(move_frame, 3, 1)
    assert document.robot == rs.load("rx90")
    tree = Document.load("gs_tree")
    before = [tree.robot.frame(j).ant for j in range(1, tree.robot.NF + 1)]
    assert before[6] == 0  # the second leg
    tree.change(move_frame, 7, -1)
    assert not tree.errors
    assert tree.robot.variable(6) == "t7" and tree.robot.frame(6).ant == 0 and tree.robot.frame(8).ant == 6


def test_inserts_and_removes_frame_in_a_chain() -> None:
    document = Document.load("rx90")
    assert document.change(add_frame, after=3) == 4
    assert not document.errors and document.robot.structure == "simple" and document.robot.NF == 7
    assert document.robot.variable(4) == "t7" and str(document.robot.link(4).XX) == "XX7"
    document.change(remove_frame, 4)
    assert document.robot == rs.load("rx90")
    assert document.change(add_frame) == 7
    one = Document.new("one", 1)
    with pytest.raises(rs.InputError, match="the last one"):
        one.change(remove_frame, 1)


def test_adds_moves_and_removes_loops() -> None:
    document = Document.load("sr400")
    document.change(add_frame, after=6)
    assert not document.errors and document.robot.loops == ((10, 11),)
    document.undo()
    document.change(add_loop)
    assert document.robot.loops == ((9, 11), (10, 12)) and not document.errors
    document.change(move_frame, 9, 1)
    assert document.robot.variable(10) == "t9" and document.robot.frame(12).ant == 3 and not document.errors
    document.change(remove_frame, 11)  # its cut joint goes with it
    assert document.robot.loops == ((9, 10),) and document.robot == rs.load("sr400")


def test_edits_platforms_legs_and_positions() -> None:
    document = Document.load("gough")
    keys = [table["key"] for table in document.tables()]
    assert {"leg6.frames", "leg6.links", "places", "platform", "load", "position", "gravity"} <= set(keys)
    document.edit("platform", 0, "M", "7.5")
    document.edit("places", 2, "b", "0.01")
    document.edit("load", 0, "FZ", "F")
    assert str(document.robot.platform.M) == "7.5" and str(document.robot.places[2].b) == "0.01"
    assert str(document.robot.platform.FZ) == "F"
    document.edit("leg2.frames", 0, "theta", "t1")
    assert document.errors[0].table == "leg2.frames" and document.errors[0].row == 0
    document.undo()
    document.change(add_leg)
    assert len(document.robot.legs) == 7 and not document.errors
    document.change(remove_leg, 7)
    assert len(document.robot.legs) == 6


def test_links_at_the_center_of_mass_and_at_the_frame() -> None:
    document = Document.load("ur5e")
    table = document.grid("links")
    assert table.form == "center"
    document.show_links("links", "frame")
    shown = document.grid("links")
    assert float(shown.read(1, "MX")) == pytest.approx(float(document.robot.link(2).MX.number))
    document.edit("links", 1, "MX", "3")
    assert str(document.robot.link(2).MX) == "3" and document.robot.link(3) is not None
    document.show_links("links", "center")
    again = document.grid("links")
    mass = float(document.robot.link(2).M.number)
    assert float(again.read(1, "com x")) == pytest.approx(3 / mass)
    ours = rs.load("ur5e").link(2)
    assert float(document.robot.link(2).YY.number) == pytest.approx(float(ours.YY.number))


def test_edits_moving_bases() -> None:
    document = Document.load("rx90")
    for kind in ("floating", "mobile", "fixed"):
        document.change(set_base, kind)
        assert not document.errors and document.robot.base.kind == kind
    document.change(set_base, "mobile")
    keys = [table["key"] for table in document.tables()]
    assert {"Z", "motion", "baselink"} <= set(keys)
    document.edit("motion", 0, "y", "W")
    document.edit("Z", 0, "4", "X0")
    document.edit("baselink", 0, "M", "12")
    assert str(document.robot.base.W0[1]) == "W" and str(document.robot.base.Z[3]) == "X0"
    with pytest.raises(rs.InputError, match="parallel robot is fixed"):
        Document.load("gough").change(set_base, "floating")


@pytest.mark.parametrize("form", ["yaml", "par", "urdf"])
def test_saved_files_round_trip(form: str) -> None:
    document = Document.load("ur5e")
    document.edit("frames", 0, "r", "0.2")
    again = Document.read(document.file_name(form), document.text(form).encode())
    assert again.robot.NL >= 6 and not again.errors
    if form != "urdf":  # whose frames lie elsewhere on the same axes
        assert [str(frame.r) for frame in again.robot.frames] == [str(frame.r) for frame in document.robot.frames]


def test_rejects_paths_in_names_and_long_files() -> None:
    document = Document.load("rx90")
    document.rename("../../etc/<script>")
    with pytest.raises(rs.InputError, match="expected a name of letters"):
        document.text("yaml")
    document.rename("../../etc/(script)")
    assert document.file_name("yaml") == "etc_script.yaml"
    text = document.text("yaml").encode()
    again = Document.read("..\\..\\secret/../x.yaml", text)
    assert again.origin == "x.yaml" and again.name == "../../etc/(script)"
    for file, data, words in (
        ("a.exe", b"", "expected a file with the extension"),
        ("a.yaml", b"x" * 8_000_001, "longer than 8000000 bytes"),
        ("a.yaml", b"\0\1", "a.yaml:1: expected text"),
        ("a.yaml", b"frames: [{theta: t1}, {theta: t1}]\ngravity: [0, 0, 0]\n", "a.yaml:1:31: frame 2: theta"),
        ("a.par", b"NF = 3", "a.par"),
        ("a.urdf", b"<robot/>", "a.urdf"),
        ("a.xml", b"<!DOCTYPE a [<!ENTITY b 'c'>]><robot>&b;</robot>", "a.xml"),
    ):
        with pytest.raises(rs.FormatError) as raised:
            Document.read(file, data)
        assert words in str(raised.value)


def test_undoes_changes_in_any_order() -> None:
    """A hundred changes at random, right and wrong ones: undone, the robot is what it was."""
    numbers = Random(16)
    document = Document.load("sr400")

    def below(n: int) -> int:
        return numbers.randrange(n)

    for _ in range(60):
        rows = len(document.draft["rows"])
        action = below(5)
        try:
            if action == 0:
                document.change(add_frame, after=below(rows))
            elif action == 1:
                document.change(remove_frame, 1 + below(rows))
            elif action == 2:
                document.change(move_frame, 1 + below(rows), 1 if below(2) else -1)
            else:
                texts = ("0", "t2", "Pi/2", "L + 1", "((", "", "9")
                document.edit("frames", below(rows), ("ant", "alpha", "d", "theta")[below(4)], texts[below(7)])
        except rs.InputError:
            continue
        document.tables()
    while document.can_undo:
        document.undo()
    assert document.robot == rs.load("sr400") and not document.unsaved and not document.errors


HYBRID = b"""
name: two
modules:
  - {frames: [{sigma: 1, alpha: -Pi/2, r: x1}, {sigma: 1, alpha: Pi/2, theta: Pi/2, r: x2}], links: symbolic}
  - {robot: delta, suffix: _d}
gravity: [0, 0, G3]
"""


@pytest.mark.parametrize(
    ("table", "row", "column", "text", "words"),
    [
        ("module1.frames", 0, "r", "0", "Expected the variable"),
        ("module2.leg1.frames", 1, "theta", "t1_d", "is already used by frame 1"),
        ("module2.leg2.frames", 1, "theta", "0", "Expected the variable"),
        ("module2.leg3.frames", 0, "alpha", "90", "larger than 2 Pi"),
        ("module2.leg1.frames", 1, "theta", "x1", "also a joint variable of module 1"),
    ],
)
def test_modules_have_their_own_frame_numbers(table: str, row: int, column: str, text: str, words: str) -> None:
    document = Document.read("two.yaml", HYBRID)
    document.edit(table, row, column, text)
    problem = document.problems[0]
    assert (problem.table, problem.row, problem.column) == (table, row, column)
    assert words in problem.message


def test_shows_warnings_of_a_file_on_opening() -> None:
    text = "name: odd\nframes: [{theta: q1}]\nlinks: {1: {XX: 9, YY: 1, ZZ: 1, M: 2}}\ngravity: [0, 0, -9.81]\n"
    (problem,) = Document.read("odd.yaml", text.encode()).problems
    assert (problem.table, problem.row, problem.is_warning) == ("links", 0, True)
    assert "principal moment" in problem.message


def test_edits_parallelogram_in_a_leg() -> None:
    leg = """
  - frames:
      - {gamma: %s, alpha: -Pi/2, d: 0.16, theta: %s}
      - {type: parallelogram, mu: 0, d: 0.5, length: 1.2, width: 0.2, variables: [%s]}
      - {mu: 0, theta: %s}
    links: {1: {M: 1}}
    place: {gamma: %s, alpha: -Pi/2, d: 0.04}"""
    legs = "".join(leg % (g, f"a{k}", f"b{k}", f"c{k}", g) for k, g in enumerate(("0", "2*Pi/3", "4*Pi/3"), 1))
    text = f"name: delta\nplatform: symbolic\nlegs:{legs}\ngravity: [0, 0, -9.81]\n"
    document = Document.read("delta.yaml", text.encode())
    grid = document.grid("leg2.frames")
    assert (grid.read(1, "sigma"), grid.read(1, "length"), bool(grid.locked(0, "length"))) == (
        "parallelogram",
        "1.2",
        True,
    )
    document.edit("leg2.frames", 1, "length", "1.1")
    document.edit("leg2.frames", 1, "d", "0.52")
    assert not document.errors
    row = document.draft["legs"][1]["rows"][1]["frame"]
    assert (row["length"], row["d"], row["type"]) == ("1.1", "0.52", "parallelogram")
    assert "length: 1.1" in document.text("yaml")
    document.edit("leg2.frames", 1, "length", "1.1 +")
    assert (document.errors[0].table, document.errors[0].row, document.errors[0].column) == ("leg2.frames", 1, "length")


def test_joint_type_moves_variable() -> None:
    document = Document.new("arm", 3)
    document.edit("frames", 1, "r", "0.2")
    document.edit("frames", 1, "theta", "t2 + Pi/2")
    document.edit("frames", 1, "sigma", "1")
    frame = document.draft["rows"][1]["frame"]
    assert (frame["theta"], frame["r"]) == ("Pi/2", "r2 + 0.2") and not document.problems
    assert document.robot.joint_names == ("t1", "r2", "t3")
    document.edit("frames", 1, "sigma", "0")
    frame = document.draft["rows"][1]["frame"]
    assert (frame["theta"], frame["r"]) == ("t2 + Pi/2", "0.2") and not document.problems


@pytest.mark.parametrize(("links", "loops", "motors"), [(3, 1, 1), (4, 1, 2), (5, 2, 1)])
def test_new_closed_robot_has_one_motor_per_dof(links: int, loops: int, motors: int) -> None:
    document = Document.new("closed", links, loops, "closed")
    assert len(document.robot.motors) == motors and not document.errors


def test_new_leg_is_turned() -> None:
    document = Document.new_parallel("three", 3, 3)
    document.change(add_leg)
    turns = [leg["rows"][0]["frame"]["gamma"] for leg in document.draft["legs"]]
    assert turns == ["0", "2*Pi/4", "4*Pi/4", "6*Pi/4"]
    assert [leg["place"]["gamma"] for leg in document.draft["legs"]] == turns
    document.edit("leg4.frames", 0, "gamma", "4")  # no longer even: halfway between the last leg and the first
    document.change(add_leg)
    assert float(document.draft["legs"][-1]["rows"][0]["frame"]["gamma"]) == pytest.approx((4 + 2 * math.pi) / 2)


def test_formulas_about_center_of_mass_agree_with_numbers() -> None:
    document = Document.load("rx90")
    document.show_links("links", "center")
    row = document.tables()[1]["rows"][1]["cells"]
    draw, graph = Random(3), Graph()
    values = {f"{name}2": draw.uniform(1, 3) for name in INERTIA}
    found = evaluate([parse(cell["text"], graph) for cell in row[:10]], values)
    numeric = Document(rs.load("rx90").with_values(values), "rx90")
    numeric.show_links("links", "center")
    cells = numeric.tables()[1]["rows"][1]["cells"][:10]
    assert found == pytest.approx([float(cell["text"]) for cell in cells], rel=1e-9)
    document.edit("links", 1, "M", "5")  # the other entries stay
    assert document.draft["rows"][1]["link"]["MX"] == "MX2" and not document.problems


def test_pasted_block_adds_rows() -> None:
    document = Document.new("arm", 1)
    document.paste("frames", 0, "theta", [["a1"], ["a2"], ["a3"]])
    assert document.robot.joint_names == ("a1", "a2", "a3") and not document.problems


@pytest.mark.parametrize("structure", TEMPLATES)
def test_templates_are_robots_that_can_be_drawn(structure: str) -> None:
    document = Document.of_template("mine", structure)
    assert document.name == "mine" and document.unsaved and not document.errors
    posture = Posture(document.robot)
    if structure == "Four-bar linkage":  # the crank turns fully
        assert not any(posture.move("t1", 0.3 * k) for k in range(1, 22))
