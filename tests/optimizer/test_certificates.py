"""Certificates: proofs of equality, their independent checker, and what they reject."""

import math
import re
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy

import robosym as rs
from long_cases import each_once
from robosym.optimizer import checker, symbolic
from robosym.optimizer.certificates import certificate_of, exact_model, exact_robot, is_exact
from robosym.optimizer.checker import Rejected, certify
from robosym.optimizer.symbolic import prove

_HEAD = "(* in  q[3] inputs *)\n(*       a b x *)\n(* out y[1] output *)\n(*       y *)\n"


def _proven(one: str, other: str) -> bool:
    try:
        certify(f"{_HEAD}\ny = {one}\n", f"{_HEAD}\ny = {other}\n")
    except Rejected:
        return False
    return True


_ROBOTS = ("rx90", "panda", "lwr", "sr400", "gough", "planar2r", "stanford", "delta", "cable8")
_MODELS = ("inverse_dynamics", "inertia_matrix", "direct_dynamics")


@pytest.mark.parametrize(("robot", "function"), each_once(_ROBOTS, _MODELS))
def test_proves_models_of_all_kinds_of_robots(robot: str, function: str) -> None:
    model = getattr(rs, function)(rs.load(robot))
    best = rs.optimize(model, 2, certificate=True)
    assert best.certificate is not None and best.certificate.check()
    assert best.certificate.error < 2**-128
    assert best.operations.total <= rs.optimize(model, 2).operations.total


def test_certified_model_has_the_values_of_the_plain_one() -> None:
    model = rs.inverse_dynamics(rs.load("panda"))
    best = rs.optimize(model, 2, certificate=True)
    q = np.random.default_rng(1).uniform(-1, 1, (5, 7))
    assert np.allclose(best.compile()(q=q, qd=q, qdd=q), model.compile()(q=q, qd=q, qdd=q), rtol=1e-12, atol=1e-12)


def test_derived_model_has_no_certificate() -> None:
    best = rs.optimize(rs.gravity_torques(rs.load("planar2r")), certificate=True)
    assert best.certificate is not None
    assert best.select("Q1").certificate is None
    assert best.derivative("q").certificate is None
    assert rs.optimize(rs.gravity_torques(rs.load("planar2r"))).certificate is None


def test_proves_derivatives_and_selected_outputs() -> None:
    model = rs.inverse_dynamics(rs.load("lwr"))
    for plain in (model.derivative("q"), model.select("GAM3", "GAM5")):
        best = rs.optimize(plain, 1, certificate=True)
        assert best.output_names == plain.output_names and best.certificate is not None


def test_side_conditions_name_divisors_and_square_roots() -> None:
    found = rs.optimize(rs.inverse_dynamics(rs.load("gough")), 1, certificate=True).certificate
    assert found is not None
    assert any(line.startswith("nonnegative") for line in found.conditions)
    assert any(line.startswith("nonzero") for line in found.conditions)


def test_checker_runs_alone(tmp_path: Path) -> None:
    found = rs.optimize(rs.inverse_dynamics(rs.load("planar2r")), certificate=True).certificate
    assert found is not None
    alone = tmp_path / "copied.py"
    alone.write_text(Path(checker.__file__).read_text("utf-8"), "utf-8")
    paths = found.write(tmp_path)

    def run() -> tuple[int, str]:
        done = subprocess.run([sys.executable, "-I", alone, *paths], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    assert run()[0] == 0
    text = paths[1].read_text("utf-8")
    paths[1].write_text(text.replace("C2*", "S2*", 1), "utf-8")
    assert run() == (1, "no: GAM1 differs\n")
    paths[1].write_text(text, "utf-8")
    paths[2].write_text(found.text.replace("2^-1", "2^-2"), "utf-8")
    assert run() == (1, "no: the certificate belongs to other listings\n")
    paths[2].unlink()
    assert run()[0] == 2


def test_checker_is_short_and_imports_the_standard_library_only() -> None:
    lines = Path(checker.__file__).read_text("utf-8").splitlines()
    assert len(lines) <= 400
    imported = {line.split()[1].split(".")[0] for line in lines if line.startswith(("import ", "from "))}
    assert imported <= {*sys.stdlib_module_names}


_EQUAL = (
    ("cos(a)*cos(a) + sin(a)*sin(a)", "1"),
    ("cos(a + b)", "cos(a)*cos(b) - sin(a)*sin(b)"),
    ("sin(2*a)", "2*sin(a)*cos(a)"),
    ("cos(a/2)*cos(a/2)", "(1 + cos(a))/2"),
    ("sin(a + Pi/2)", "cos(a)"),
    ("cos(Pi/4)*cos(Pi/4) + sin(Pi/6)", "1"),
    ("2*cos(Pi/5)*cos(Pi/5) - cos(Pi/5)/2", "3/4 + 1/4*(2*cos(2*Pi/5)*2 + 1 - 2*cos(Pi/5))"),
    ("sin(a + 0.3)*sin(0.3)", "(cos(a) - cos(a + 0.6))/2"),
    ("tan(a)", "sin(a)/cos(a)"),
    ("0.1*a + 0.2*a", "0.3*a"),
    ("a/3 + a/6", "a/2"),
    ("1/(1 + 1/x)", "x/(x + 1)"),
    ("(a*a - b*b)/(a - b)", "a + b"),
    ("sqrt((a + b)*(a + b) + x)", "sqrt(x + a*a + 2*a*b + b*b)"),
    ("sign(a - b)*abs(b - a)", "-sign(b - a)*abs(a - b)"),
    ("cos(a*(b + x) + b)", "cos(a*b + x*a)*cos(b) - sin(b)*sin(a*b + a*x)"),
    ("atan2(a*b, x)", "atan2(b*a, x)"),
    ("Pi*a", "a*Pi"),
)


@pytest.mark.parametrize(("one", "other"), _EQUAL)
def test_proves_identities(one: str, other: str) -> None:
    symbols = dict(zip("abx", sympy.symbols("a b x", positive=True), strict=True))
    names = {**symbols, "Pi": sympy.pi, "abs": sympy.Abs}
    difference = sympy.sympify(f"({one}) - ({other})", {**names, "sign": sympy.sign}, rational=True)
    values = {symbols["a"]: Fraction(7, 5), symbols["b"]: Fraction(2, 3), symbols["x"]: Fraction(5, 4)}
    assert abs(sympy.N(difference.subs({k: sympy.Rational(v) for k, v in values.items()}), 30)) < 1e-25
    assert _proven(one, other)


_DIFFERENT = (
    ("0.1*a + 0.2*a", "0.30000000000000004*a"),
    ("a/3", "0.3333333333333333*a"),
    ("cos(a)*cos(a) + sin(b)*sin(b)", "1"),
    ("cos(a + b)", "cos(a - b)"),
    ("sin(Pi/4)", "0.7071067811865476"),
    ("sqrt(a)", "sqrt(b)"),
    ("abs(a)", "a"),
    ("sqrt(a)", "abs(a)"),
    ("sin(a)", "a"),
    ("sin(0.3)", "sin(0.30000000000000004)"),
    ("atan2(a, b)", "atan2(b, a)"),
    ("a - b - x", "a - (b - x)"),
    ("a/b/x", "a/(b/x)"),
    ("-a*a", "(-a)*(-a)"),
    ("1/(a - a)", "1/(a - a)"),
)


@pytest.mark.parametrize(("one", "other"), _DIFFERENT)
def test_rejects_what_differs(one: str, other: str) -> None:
    assert not _proven(one, other)


@pytest.mark.parametrize(
    "listing",
    [
        "y = a\ny = a\n", "a = b\ny = a\n", "z = a\n", "y = c\n", "y = a b\n", "y = a +\n", "y = (a\n", "y = a)\n",
        "y = a $ b\n", "y = a**b\n", "y = f(a)\n", "y = sin(a, b)\n", "y = (a, b)\n", "y\n", "(* y = a\n",
        "sin = a\ny = a\n", "y = ²\n", "",
    ],
)  # fmt: skip
def test_rejects_listings_without_a_meaning(listing: str) -> None:
    with pytest.raises(Rejected):
        certify(f"{_HEAD}\ny = a\n", f"{_HEAD}\n{listing}")


def _expanded(one: str, other: str) -> bool:
    try:
        prove(f"{_HEAD}\ny = {one}\n", f"{_HEAD}\ny = {other}\n")
    except Rejected:
        return False
    return True


@pytest.mark.parametrize(("one", "other"), _EQUAL)
def test_expands_identities(one: str, other: str) -> None:
    assert _expanded(one, other)


@pytest.mark.parametrize(("one", "other"), _DIFFERENT)
def test_symbolic_proof_rejects_what_differs(one: str, other: str) -> None:
    assert not _expanded(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("sqrt(x)*sqrt(x)", "x"), ("1/sqrt(x)", "sqrt(x)/x"), ("1/(sqrt(x) - a)", "(sqrt(x) + a)/(x - a*a)"),
        ("sqrt(a)*(b + sqrt(a)) - a", "b*sqrt(a)"), ("sqrt(a/b)*sqrt(a/b)*b", "a"),
        ("cos(Pi/7)*2*sin(Pi/7)", "sin(2*Pi/7)"),
    ],
)  # fmt: skip
def test_expands_squares_of_roots(one: str, other: str) -> None:
    values = {"a": 1.4, "b": 0.7, "x": 1.25}
    names = {"sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "Pi": math.pi, **values}
    assert eval(one, names) == pytest.approx(eval(other, names), rel=1e-13)
    assert _expanded(one, other)
    assert not _expanded(one, f"{other} + x/1000000")


def test_symbolic_proof_bounds_exponents() -> None:
    """Exponents share an integer: one that would reach into the next is rejected."""
    squares = "\n".join(f"x{k + 1} = x{k}*x{k}" for k in range(1, 20))
    text = f"{_HEAD}\nx1 = x\n{squares}\ny = x20\n"
    with pytest.raises(Rejected, match="exponent"):
        prove(text, text)


@pytest.mark.parametrize(
    ("robot", "function"), [("rx90", "inertia_matrix"), ("sr400", "gravity_torques"), ("orthoglide", "inertia_matrix")]
)
def test_symbolic_certificates_of_models(robot: str, function: str, tmp_path: Path) -> None:
    model = getattr(rs, function)(rs.load(robot))
    found = rs.optimize(model, 1, certificate="symbolic").certificate
    assert found is not None and found.symbolic and found.error == 0 and found.check() and found.degree > 3
    paths = found.write(tmp_path)
    for source in (checker, symbolic):
        (tmp_path / Path(source.__file__).name).write_text(Path(source.__file__).read_text("utf-8"), "utf-8")
    command = [sys.executable, tmp_path / "symbolic.py", *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("yes: robosym symbolic certificate")
    text = paths[1].read_text("utf-8")
    paths[1].write_text(text.replace("C2*", "S2*", 1) if "C2*" in text else text.replace(" + ", " - ", 1), "utf-8")
    assert subprocess.run(command, capture_output=True, check=False, cwd=tmp_path).returncode == 1


def test_verifies_code_symbolically(tmp_path: Path) -> None:
    path = rs.gravity_torques(rs.load("rx90")).write(tmp_path / "code.c")[0]
    assert "symbolic proof" in str(rs.verify(path, "rx90", symbolic=True))
    path.write_text(path.read_text("utf-8").replace("= C3*", "= S3*", 1), "utf-8")
    assert not rs.verify(path, "rx90", symbolic=True)


def test_certificate_names_its_values() -> None:
    with pytest.raises(rs.InputError, match='certificate: expected True, False or "symbolic"'):
        rs.optimize(rs.gravity_torques("planar2r"), 1, certificate="proof")


def test_seed_depends_on_both_texts() -> None:
    one = certify(f"{_HEAD}\ny = a\n", f"{_HEAD}\ny = a\n")
    other = certify(f"{_HEAD}\ny = a\n", f"{_HEAD}\ny = a \n")
    assert one.split("prime")[1] != other.split("prime")[1]


def test_bound_covers_large_degrees_and_coefficients() -> None:
    squares = "\n".join(f"x{k + 1} = x{k}*x{k}" for k in range(1, 400))  # the degree is 2^399
    text = f"{_HEAD}\nx1 = 3*x + 0.7\n{squares}\ny = x400\n"
    found = certify(text, text)
    degree = int(found.split("degree ")[1].split()[0])
    assert degree >= 2**399
    assert int(found.split("prime ")[1].split()[0], 16) > 2**128 * degree


def test_exact_robot_takes_decimals_as_rational_numbers() -> None:
    robot = exact_robot(rs.load("panda"))
    assert robot.frame(4).d.number == Fraction(825, 10000)
    assert is_exact(exact_model(rs.inverse_dynamics(rs.load("panda"))))
    model = rs.inverse_dynamics(rs.load("rx90"))
    assert exact_model(model) is model


def test_rejects_a_model_with_other_values() -> None:
    robot = rs.load("rx90")
    with pytest.raises(rs.InputError, match=r"not proven equal: GAM\d differs"):
        certificate_of(rs.inverse_dynamics(robot), rs.inverse_dynamics(robot.with_values({"D3": "2*RL4"})))


@cache
def _panda_forms() -> tuple[rs.Model, rs.Model]:
    model = rs.inertia_matrix(rs.load("panda"))
    return model, rs.optimize(model, 2, certificate=True)


@pytest.mark.parametrize("extension", [".c", ".f90", ".f", ".m", ".wl", ".mpl", ".txt"])
def test_verifies_code_in_every_language_that_is_read(extension: str, tmp_path: Path) -> None:
    robot = rs.load("panda")
    for form in _panda_forms():
        path = form.write(tmp_path / f"code{extension}")[0]
        found = rs.verify(path, robot)
        assert found and found.certificate is not None and found.rounding < 1e-13


def test_verifies_rounded_constants_and_finds_a_changed_last_digit(tmp_path: Path) -> None:
    model = rs.inverse_dynamics(rs.load("lwr"))
    path = rs.optimize(model, 1).write(tmp_path / "code.c")[0]
    text = path.read_text("utf-8")
    assert rs.verify(path, "lwr")
    start = text.index("{\n")
    constants = re.findall(r"(?<![\w.])0\.\d{15,17}(?=\*)", text[start:])
    assert len(constants) > 10
    for constant in constants[:3]:
        changed = constant[:-1] + str((int(constant[-1]) + 4) % 10)
        path.write_text(text[:start] + text[start:].replace(constant, changed, 1), "utf-8")
        assert not rs.verify(path, model)


def test_verify_finds_changed_code(tmp_path: Path) -> None:
    model = rs.gravity_torques(rs.load("rx90"))
    path = model.write(tmp_path / "code.c")[0]
    text = path.read_text("utf-8")
    for old, new in ((" + ", " - "), ("S2", "C2"), ("q[1]", "q[2]"), ("Q[1]", "Q[2]"), ("t2 = q", "t7 = q")):
        head, tail = text.split("{\n", 1)
        path.write_text(head + "{\n" + tail.replace(old, new, 1), "utf-8")
        try:
            found = rs.verify(path, "rx90")
        except rs.Error:
            continue
        assert not found and found.reason
        with pytest.raises(rs.InputError, match="not proven equal"):
            found.confirmed()


def test_verify_reports_missing_arguments(tmp_path: Path) -> None:
    path = rs.gravity_torques("planar2r").write(tmp_path / "code.c")[0]
    with pytest.raises(rs.InputError, match="against: expected the robot"):
        rs.verify(path)
    with pytest.raises(rs.InputError, match="model: expected one of"):
        rs.verify(path, "planar2r", model="gravity")
    assert "expected the outputs GAM1" in rs.verify(path, "planar2r", model="inverse_dynamics").reason


def test_reading_rejects_inputs_that_the_code_does_not_load(tmp_path: Path) -> None:
    path = rs.gravity_torques(rs.load("rx90")).write(tmp_path / "code.c")[0]
    path.write_text(path.read_text("utf-8").replace("double MX3 = ", "double MX = ", 1), "utf-8")
    with pytest.raises(rs.FormatError, match="MX3 is used before it is assigned"):
        rs.read_model(path)
