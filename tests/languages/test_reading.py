"""Reading models back: generated files of every language, and files in the format of SYMORO+."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cases import models
from evaluation import same_outputs
from random_robots import random_robot
from robosym.algebra import evaluate
from robosym.dynamics import direct_dynamics, gravity_torques
from robosym.errors import Error, FormatError, InputError
from robosym.kinematics import jacobian
from robosym.languages.reading import read_model, read_model_text
from robosym.model import Model
from robosym.optimizer.optimize import optimize

FILES = {
    "rx90.dyn": ("listing", {}),
    "rx90_dyn.f90": ("fortran", {}),
    "rx90_dyn.f": ("fortran", {"form": "fixed"}),
    "rx90_dyn.mh": ("mathematica", {}),
    "rx90_dyn.mp": ("maple", {}),
    "rx90_dyn.c": ("c", {}),
    "rx90_dyn.m": ("matlab", {}),
}


def wrenches() -> Model:
    """The description of the wrenches takes two lines, and the name of the base motion has two words."""
    robot = random_robot(random.Random(4), links=3, symbolic=True, floating=True)
    return direct_dynamics(robot)


def columns() -> Model:
    """The description of an output takes two lines."""
    return jacobian(random_robot(random.Random(2), links=4, symbolic=True), 4)


def letters() -> Model:
    """Outputs Q and inputs q, which are the same name in Fortran."""
    return gravity_torques(random_robot(random.Random(4), links=3, symbolic=True))


MAKERS = [models.rx90, models.awkward, models.read_and_written, wrenches, columns, letters]


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("make", MAKERS, ids=lambda m: m.__name__)
def test_generated_files_round_trip(file: str, make, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    model = make()
    language, options = FILES[file]
    (tmp_path / file).write_text(model.code(language, **options))
    found = read_model(tmp_path / file)
    assert dict(found.inputs) == dict(model.inputs)
    assert dict(found.outputs) == dict(model.outputs)
    assert found.title == model.title and found.name == model.name
    assert found.operations.total <= model.operations.total  # decimal constants fold where Pi did not
    same_outputs(model, found)


@pytest.mark.parametrize("file", ["rx90_dyn.f90", "rx90_dyn.f", "rx90_dyn.c"])
def test_split_functions_round_trip(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("robosym.languages.functions.STATEMENTS", 40)
    model = models.rx90()
    language, options = FILES[file]
    same_outputs(model, read_model_text(model.code(language, **options), name=file))


# ------------------------------------------------------------ format of SYMORO+

TABLES = """\
(********************************************)
(**               SYMORO+                  **)
(**========================================**)
(********************************************)

   Name of file : C:/robots/arm/arm.{kind}

     Geometric parameters

j     ant   mu    sigma gamma b     alpha d     theta r

1     0     1     0     0     0     0     0     t1    0
                                    Pi          -Pi
2     1     1     0     0     0     --    D2    --- + t2 0
                                    2            2
3     2     1     1     0     0     0     0     0     r3

             Inertial parameters

j     XX    XY    XZ    YY    YZ    ZZ    MX    MY    MZ    M     Ia

1     0     0     0     0     0     ZZ1   0     0     0     0     0

 External forces,friction parameters, joint velocities and accelerations

j      FX     FY     FZ     CX     CY     CZ     FS     FV     QP     QDP

1      0      0      0      0      0      0      FS1    FV1    QP1    QDP1

2      0      0      0      0      0      0      0      FV2    qd2    QDP2

3      0      0      0      0      0      0      0      0      QP3    QDP3

Base velocity, base accelerations, and gravity

  Dynamic model: Newton Euler method

Equations:
"""
EQUATIONS = {
    "S2": "-cos(t2)",
    "C2": "sin(t2)",
    "WI12": "QP1*S2",
    "DV112": "-WI12^2",
    "PIS12": "-YY2 + ZZ2",
    "No12": "DV112*PIS12 - (C2*QDP2) + (DV112 - WI12)*XY2",
    "GAM1": "No12 + FV1*QP1 + FS1*sign(QP1)",
    "GAM2": "-(No12*D2) + qd2*FV2*r3 + G3*MX2/2",
}
COUNT = "*=*\nNumber of operations : 7 '+' or '-', 12 '*' or '/'"


def expected(values: dict[str, float]) -> list[float]:
    from math import copysign, cos, sin

    v = values
    s2, c2 = -cos(v["t2"]), sin(v["t2"])
    w = v["QP1"] * s2
    no = -w * w * (v["ZZ2"] - v["YY2"]) - c2 * v["QDP2"] + (-w * w - w) * v["XY2"]
    one = no + v["FV1"] * v["QP1"] + v["FS1"] * copysign(1, v["QP1"])
    return [one, -no * v["D2"] + v["qd2"] * v["FV2"] * v["r3"] + v["G3"] * v["MX2"] / 2]


def symoro(kind: str) -> str:
    """Return the same equations in the format of SYMORO+: listing, C, MATLAB, Maple, Mathematica, Fortran."""
    head = TABLES.format(kind="dyn").splitlines()
    if kind == "listing":
        lines = [f"(* {line} *)" if line else "" for line in head]
        lines += [f"{n} = {e}" for n, e in EQUATIONS.items()]
        text = "\n".join([*lines, *(f"(* {line} *)" for line in COUNT.splitlines())])
        return text.replace("*PIS12 - ", "*PIS12\n*= - ")  # a split line
    if kind == "c":
        lines = [f"/* {line} */" if line else "" for line in head]
        lines += ["#include <math.h>", "#define sign(x) (x<0.0 ? -1.0 : (x==0.0 ? 0.0 : 1.0))", ""]
        lines += ["/* Declaration of global output variables */", "extern double GAM1, GAM2;", ""]
        lines += ["/* Declaration of the function */", "void arm_dyn()", "{"]
        lines += ["double S2, C2, WI12, DV112,", "PIS12, No12;"]
        lines += [f"\t{n}={e};".replace("WI12^2", "(WI12*WI12)") for n, e in EQUATIONS.items()]
        return "\n".join([*lines, "}", "", *(f"/* {line} */" for line in COUNT.splitlines())])
    if kind == "matlab":
        lines = [f"% {line}" if line else "" for line in head]
        lines += ["% Declaration of the function", "function arm_dyn()", "", "% Declaration of global input variables"]
        lines += ["global t2 QP1 YY2 ZZ2 XY2 FV1 FS1", "", "% Declaration of global output variables"]
        lines += ["global GAM1 GAM2", "", "% Function description:", ""]
        lines += [f"\t{n}={e};".replace("*", ".*").replace("^", ".^").replace("/", "./") for n, e in EQUATIONS.items()]
        return "\n".join([*lines, "", *(f"% {line}" for line in COUNT.splitlines())])
    if kind == "maple":
        return "\n".join([*(f"# {line}" for line in head), *(f"{n}:={e}:" for n, e in EQUATIONS.items())])
    if kind == "mathematica":
        lines = [f"(* {line} *)" if line else "" for line in head]
        swaps = {"sin(t2)": "Sin[t2]", "cos(t2)": "Cos[t2]", "sign(QP1)": "Sign[QP1]"}
        for name, equation in EQUATIONS.items():
            for old, new in swaps.items():
                equation = equation.replace(old, new)
            lines.append(f"{name}={equation};")
        return "\n".join(lines)
    lines = [f"C {line}" for line in head]
    lines += [f"      {n}={e}" for n, e in EQUATIONS.items()]
    text = "\n".join(lines).replace("^2", "**2").replace("sin(", "DSIN(").replace("cos(", "DCOS(")
    return text.replace("*PIS12 - ", "*PIS12\n     &  - ")


EXTENSION = {"listing": "arm.dyn", "c": "arm_dyn.c", "matlab": "arm_dyn.m", "maple": "arm_dyn.mp",
             "mathematica": "arm_dyn.mh", "fortran": "arm_dyn.f"}  # fmt: skip


@pytest.mark.parametrize("kind", EXTENSION)
def test_symoro_files(kind: str, tmp_path: Path) -> None:
    (tmp_path / EXTENSION[kind]).write_bytes(symoro(kind).encode("latin-1"))
    model = read_model(tmp_path / EXTENSION[kind])
    assert model.name == "arm" and model.kind == "dyn"
    assert dict(model.outputs) == {"tau": ("GAM1", "GAM2")}
    assert model.inputs["q"] == ("t2", "r3")  # t1 is not used
    assert model.inputs["qd"] == ("QP1", "qd2") and model.inputs["qdd"] == ("QDP2",)
    assert set(model.inputs["parameters"]) == {"YY2", "ZZ2", "XY2", "FV1", "FS1", "D2", "FV2", "G3", "MX2"}
    draw = random.Random(2)
    values = {n: draw.uniform(0.3, 1.2) for names in model.inputs.values() for n in names}
    assert evaluate(model.roots, values) == pytest.approx(expected(values), rel=1e-13)


def test_symoro_file_is_optimized_and_written() -> None:
    model = read_model_text(symoro("listing"), name=EXTENSION["listing"])
    draw = random.Random(2)
    values = {n: draw.uniform(0.3, 1.2) for names in model.inputs.values() for n in names}
    better = optimize(model.select("GAM"), "max")
    assert better.operations.total <= model.operations.total
    assert evaluate(better.roots, values) == pytest.approx(expected(values), rel=1e-12)
    again = read_model_text(better.code("listing"), name="arm.dyno")
    assert evaluate(again.roots, values) == pytest.approx(expected(values), rel=1e-12)


MATRIX = {"c": ("A[1][1]", "A[2][1]", "extern double A[3][3];"), "matlab": ("A(1,1)", "A(2,1)", "global A")}


@pytest.mark.parametrize("kind", MATRIX)
def test_symoro_matrix(kind: str) -> None:
    """Entries are assigned one by one, with indices from 1."""
    first, second, declared = MATRIX[kind]
    text = symoro(kind).replace("arm.dyn", "arm.inm").replace("GAM1=", f"{first}=").replace("GAM2=", f"{second}=")
    text = text.replace("extern double GAM1, GAM2;", declared).replace("global GAM1 GAM2", declared)
    model = read_model_text(text, name=EXTENSION[kind])
    assert model.kind == "inm" and dict(model.outputs) == {"A": ("A11", "A21")}
    values = {n: 0.7 for names in model.inputs.values() for n in names}
    assert evaluate(model.roots, values) == pytest.approx(expected(values), rel=1e-13)


def test_arguments_of_an_edited_function_are_inputs() -> None:
    """Users put `t2=u(2)+offset` above the equations."""
    head = "function GAM=arm(u)\nt2=u(2)+Offset;\nQP1=u(4);\nqd2=u(5);\nr3=u(3);\nQDP2=u(8);\n"
    text = symoro("matlab").replace("function arm_dyn()\n", head) + "\nGAM=[GAM1 GAM2];\n"
    model = read_model_text(text, name="arm_dyn.m")
    assert set(model.inputs["q"]) == {"u_2", "r3"} and "Offset" in model.inputs["parameters"]
    values = {n: 0.6 for names in model.inputs.values() for n in names}
    assert evaluate(model.roots, values) == pytest.approx(expected({**values, "t2": 1.2}), rel=1e-13)


def test_outputs_and_inputs_can_be_chosen() -> None:
    model = read_model_text(symoro("listing"), name="arm.dyn", outputs=["No12"], inputs={"wrench": ["XY2"]})
    assert dict(model.outputs) == {"tau": ("No12",)} and model.inputs["wrench"] == ("XY2",)
    with pytest.raises(InputError, match=r"unknown variable 'No21' of the model .did you mean 'No12'"):
        read_model_text(symoro("listing"), outputs=["No21"])
    with pytest.raises(InputError, match="q: unknown input 't9' of the model"):
        read_model_text(symoro("listing"), inputs={"q": ["t9"]})


@pytest.mark.parametrize(
    ("text", "file", "place", "message"),
    [
        ("A = 1\nW1 = 3 +* 2", "a.dyn", "a.dyn:2:9", "expected a number"),
        ("A = B +\n    (C*2", "a.dyn", "a.dyn:2:5", "for the bracket opened here"),
        ("A = B\nB = 3", "a.dyn", "a.dyn:2:5", "B is used before"),
        ("(* open\nA = 1", "a.dyn", "a.dyn:1:1", "unterminated comment"),
        ("A = 1\nfor i in x", "a.m", "a.m:2:1", "expected an assignment"),
        ("double a;\n  a = 2*;", "a.c", "a.c:2:9", "expected a number"),
        ("A = Foo[x]", "a.mh", "a.mh:1:5", "unknown function 'Foo'"),
        ("      A = 2 *\n     &  ) 3", "a.f", "a.f:2:9", "expected a number"),
        ("", "a.dyn", "a.dyn:1", "expected at least one assignment"),
        ("A =", "a.dyn", "a.dyn:1:4", "expected an expression after A =, found nothing"),
        ("A = 1\x00", "a.dyn", "a.dyn:1:6", "unexpected character"),
        (
            "c in qd[2]\nc           u v\n      P = qd(0)\n      M = P\n",
            "a.f",
            "a.f:3:11",
            "qd: expected an index from 1 to 2, found 0",
        ),
        ("// in q[2]\n//           x y\nP = q[2];\n", "a.c", "a.c:3:5", "q: expected an index from 0 to 1, found 2"),
        ("// out f[1]\n//           F1\nf[-1] = 2;\n", "a.c", "a.c:3:1", "expected an assignment"),
        (
            "// out A[2][2]\n//           A11 A12 A21 A22\nA[1][2] = 2;\n",
            "a.c",
            "a.c:3:1",
            "A: expected an index from 0 to 1, found 2",
        ),
        (
            "// out A[2][2]\n//           A11 A12 A21\nA11 = 1;\nA12 = 1;\nA21 = 1;\n",
            "a.c",
            "a.c:1",
            "2 x 2 output names",
        ),
    ],
)
def test_errors_have_line_and_column(text: str, file: str, place: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        read_model_text(text, name=file)
    assert str(caught.value).startswith(place)


def test_damaged_files_raise_our_errors() -> None:
    draw = random.Random(11)
    for kind, file in EXTENSION.items():
        whole = symoro(kind)
        for _ in range(60):
            place = draw.randrange(len(whole))
            cut = draw.choice((whole[:place], whole[:place] + draw.choice("()[]*=,;&%#@é\n\\'") + whole[place + 1 :]))
            try:
                read_model_text(cut, name=file)
            except Error as error:
                assert str(error)
