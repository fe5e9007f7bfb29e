"""Errors of damaged .par files: position, expected and found value."""

import sys
import time

import pytest

from robosym.errors import Error, FormatError
from robosym.formats import dumps, load, loads

RX90 = dumps(load("rx90"), "opensymoro")
SR400 = dumps(load("sr400"), "opensymoro")
LINE = {line.split(" = ")[0]: number for number, line in enumerate(RX90.split("\n"), 1)}


def error(text: str) -> FormatError:
    with pytest.raises(FormatError) as caught:
        loads(text)
    return caught.value


def with_line(key: str, value: str, text: str = RX90) -> str:
    """Return the text with the value of one key replaced."""
    lines = [f"{key} = {value}" if line.startswith(f"{key} = ") else line for line in text.split("\n")]
    assert f"{key} = {value}" in lines
    return "\n".join(lines)


CASES = {
    # key, its value, column, part of the message
    "antecedent of a later frame": ("ant", "{0,1,2,7,4,5}", 14,
        "frame 4: ant: expected an antecedent from 0 to 3, found 7"),
    "antecedent of itself": ("ant", "{0,1,3,3,4,5}", 12, "frame 3: ant: expected an antecedent from 0 to 2, found 3"),
    "negative antecedent": ("ant", "{-1,1,2,3,4,5}", 8, "frame 1: ant: expected an antecedent from 0 to 0, found -1"),
    "unknown sigma": ("sigma", "{0,0,4,0,0,0}", 14,
        "frame 3: sigma: expected 0 (revolute), 1 (prismatic), 2 (fixed) or 3 (helical), found 4"),
    "sigma is a symbol": ("sigma", "{0,0,s,0,0,0}", 14, "frame 3: sigma: expected an integer, found s"),
    "sigma is a fraction": ("sigma", "{0,0,0.5,0,0,0}", 14, "frame 3: sigma: expected an integer, found 0.5"),
    "unknown mu": ("mu", "{1,1,1,1,1,2}", 17, "frame 6: mu: expected 1 (active) or 0 (passive), found 2"),
    "too few entries": ("d", "{0,0,D3,0,0}", 1, "d: expected 6 entries (NF), found 5"),
    "too many entries": ("XX", "{1,2,3,4,5,6,7}", 1, "XX: expected 6 entries (NL), found 7"),
    "no entries": ("QP", "{}", 1, "QP: expected 6 entries (NJ), found 0"),
    "short matrix": ("Z", "{1,0,0,0}", 1, "Z: expected 16 entries, found 4"),
    "empty entry": ("d", "{0,0,,0,0,0}", 10, "frame 3: d: expected a number or an expression, found nothing"),
    "trailing comma": ("d", "{0,0,0,0,0,}", 16, "frame 6: d: expected a number or an expression, found nothing"),
    "joint without variable": ("theta", "{t1,t2,0,t4,t5,t6}", 16,
        "frame 3: theta: expected the variable of the revolute joint, found the constant 0"),
    "two variables": ("theta", "{t1,t2,t3+u,t4,t5,t6}", 16,
        "frame 3: theta: expected one variable and a constant offset, found 2 symbols in t3 + u"),
    "variable times two": ("theta", "{t1,t2,2*t3,t4,t5,t6}", 16,
        "frame 3: theta: expected a variable plus a constant, such as t3 + Pi/2, found 2*t3"),
    "variable used twice": ("theta", "{t1,t2,t1,t4,t5,t6}", 16,
        "frame 3: theta: the variable t1 is already used by frame 1"),
    "variable is a length": ("d", "{0,0,t2,0,0,0}", 10,
        "frame 3: d: t2 is the variable of frame 2: expected a parameter"),
    "variable is a mass": ("M", "{M1,M2,M3,M4,t1,M6}", 18,
        "frame 5: M: t1 is the variable of frame 1: expected a parameter"),
    "variable is a velocity": ("QP", "{t1,QP2,QP3,QP4,QP5,QP6}", 7,
        "frame 1: QP: t1 is the variable of frame 1: expected a parameter"),
    "variable is gravity": ("G", "{0,0,t1}", 10,
        "G[3]: gravity: t1 is the variable of frame 1: expected a parameter"),
    "variable moves the base": ("W0", "{0,t2,0}", 9,
        "W0[2]: base: t2 is the variable of frame 2: expected a parameter"),
    "unknown function": ("r", "{0,0,0,foo(RL4),0,0}", 12, "frame 4: r: unknown function 'foo'"),
    "almost a function": ("r", "{0,0,0,coss(RL4),0,0}", 12,
        "frame 4: r: unknown function 'coss' (did you mean 'cos'?)"),
    "stray character": ("r", "{0,0,0,RL4$2,0,0}", 15, "frame 4: r: unexpected character '$'"),
    "two numbers": ("r", "{0,0,0,1 2,0,0}", 14, "frame 4: r: expected an operator, found '2'"),
    "half an expression": ("r", "{0,0,0,1+,0,0}", 14, "frame 4: r: expected a number, a name or '(', found the end"),
    "division by zero": ("r", "{0,0,0,1/0,0,0}", 13, "frame 4: r: division by zero"),
    "no value": ("r", "{0,0,0,log(0),0,0}", 15, "frame 4: r: log(0) has no finite value"),
    "infinite": ("r", "{0,0,0,1e999,0,0}", 12, "frame 4: r: expected a finite number, found inf"),
    "missing argument": ("r", "{0,0,0,atan2(1),0,0}", 17, "frame 4: r: expected 2 argument(s) of atan2, found 1"),
    "open bracket": ("r", "{0,0,0,(RL4,0,0}", 12, "r: unmatched bracket"),
    "closing bracket": ("r", "{0,0,0,RL4),0,0}", 15, "r: unmatched ')'"),
    "wrong bracket": ("r", "{0,0,0,cos(RL4],0,0}", 19, "frame 4: r: unexpected ']'"),
    "not an array": ("d", "0", 1, "d: expected entries between braces, '{...}'"),
    "array for a number": ("NF", "{6}", 1, "NF: expected one value"),
    "no value for a key": ("d", "", 1, "d: expected entries between braces"),
    "text after a value": ("NF", "6 frames", 8, "expected the end of the line after the value of NF, found 'frames'"),
    "text after an array": ("d", "{0,0,0,0,0,0};", 18, "expected the end of the line after the value of d, found ';'"),
    "size is a word": ("NL", "six", 6, "NL: expected an integer, found six"),
    "size is a fraction": ("NL", "6.5", 6, "NL: expected an integer, found 6.5"),
    "no link": ("NL", "0", 6, "NL: expected at least 1, found 0"),
    "negative size": ("NL", "-6", 6, "NL: expected at least 1, found -6"),
    "fewer joints than links": ("NJ", "5", 6, "NJ: expected at least NL = 6, found 5"),
    "sizes disagree": ("NF", "7", 6, "NF: expected 2 NJ - NL = 6 (each loop adds a cut joint"),
    "huge size": ("NF", "1000000000", 6, "NF: expected 2 NJ - NL = 6"),
    "unknown type": ("Type", "3", 8, "Type: expected 0 (simple), 1 (tree) or 2 (closed), found 3"),
    "closed without a loop": ("Type", "2", 8, "Type = 2 (closed) needs a loop, NJ > NL, found NJ = NL = 6"),
    "not a truth": ("is_mobile", "maybe", 13, "is_mobile: expected True or False, found maybe"),
    "base moves": ("is_mobile", "True", None, "XX: expected 7 entries (NL + 1: the base moves, link 0 first), found 6"),
    "not elastic or rigid": ("eta", "{0,0,0,0,0,2}", 18, "frame 6: eta: expected 1 (elastic) or 0 (rigid), found 2"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_damaged_line(case: str) -> None:
    key, value, column, message = CASES[case]
    found = error(with_line(key, value))
    assert message in found.message
    if column is not None and value:
        assert (found.line, found.column) == (LINE[key], column)


def test_type_of_a_branched_chain() -> None:
    found = error(with_line("ant", "{0,1,2,1,4,5}"))
    assert found.message == "Type = 0 (simple) needs ant = 3 for frame 4, found 1: expected Type = 1 (tree)"
    assert found.line == LINE["Type"]
    assert loads(with_line("Type", "1")) == loads(RX90)  # a chain is a tree


def test_type_of_a_closed_robot() -> None:
    found = error(with_line("Type", "1", SR400))
    assert "Type = 1 (tree) has no loop, NJ = NL, found NJ = 9 and NL = 8: expected Type = 2" in found.message


def test_rejects_loops_with_wrong_frames() -> None:
    found = error(with_line("ant", "{0,1,2,3,4,5,1,7,8,8}", SR400))
    assert found.message == "frame 10: ant: frames 9 and 10 close a loop: expected different links, found the same"
    assert (found.line, found.column) == (LINE["ant"], 26)
    found = error(with_line("sigma", "{0,0,0,0,0,0,0,0,0,0}", SR400))
    assert "frame 10: sigma: expected 2 (fixed), because it closes the loop of frame 9" in found.message
    found = error(with_line("ant", "{0,1,2,3,4,5,1,7,8,9}", SR400))
    assert "frame 10: ant: expected a link, found 9, the frame of a cut joint" in found.message


def test_rejects_huge_sizes() -> None:
    text = RX90
    for key in ("NF", "NL", "NJ"):
        text = with_line(key, "1000000000", text)
    start = time.process_time()
    assert "ant: expected 1000000000 entries (NF), found 6" in error(text).message
    assert "NF" in error(with_line("NF", "9" * 5000)).message
    assert time.process_time() - start < 1


def test_unknown_duplicate_and_missing_keys() -> None:
    assert error(RX90.replace("theta =", "teta =")).message == "unknown key teta (did you mean 'theta'?)"
    assert error(RX90.replace("theta =", "teta =")).line == LINE["theta"]
    assert error(RX90.replace("alpha =", "theta =")).message == "duplicate key theta"
    assert error(RX90 + "B = {0,0,0,0,0,0}\n").message == "duplicate key B"  # b in SYMORO+'s spelling
    without = "\n".join(line for line in RX90.split("\n") if not line.startswith(("XX", "W0")))
    assert error(without).message == "missing keys XX, W0"
    assert error(RX90 + "7\n").message == "expected a key such as NF or Theta, found '7'"
    assert error(RX90 + "extra\n").message == "expected '=' after extra, found the end of the file"
    assert error(RX90 + "NF == 6\n").message.startswith("NF: expected a value, found '='")


def test_defaults_of_opensymoro_keys() -> None:
    keys = ("eta", "k", "GAM", "is_floating", "is_mobile")
    without = "\n".join(line for line in RX90.split("\n") if line.split(" = ")[0] not in keys)
    assert loads(without) == loads(RX90)


def test_braces_and_comments() -> None:
    found = error(RX90.replace("alpha = {0,pi/2,0,-pi/2,pi/2,-pi/2}", "alpha = {0,pi/2,0,-pi/2,pi/2,-pi/2"))
    assert found.message == "alpha: unterminated array: expected '}' before the end"
    assert (found.line, found.column) == (LINE["alpha"], 9)
    found = error(RX90.replace("(* End of definition *)", "(* End of definition"))
    assert found.message == "unterminated comment: expected '*)' before the end"
    assert found.line == RX90.split("\n").index("(* End of definition *)") + 1
    assert error("NF = {" + "{" * 50_000).message.startswith("NF: unterminated array")


def test_comments_anywhere() -> None:
    text = RX90.replace("0,0,D3", "0,(* over\ntwo lines, with = {braces} *)0,D3").replace("NF = 6", "NF = (* six *) 6")
    assert loads(text) == loads(RX90)
    assert loads(RX90.replace(" = {", "\n=\n{\n").replace(",", "\n,\n")) == loads(RX90)
    assert loads(RX90.replace("\n", "\r\n")) == loads(RX90.replace("\n", "\r")) == loads(RX90)
    assert loads("\ufeff" + RX90) == loads(RX90)
    assert error(RX90.replace("0,0,D3", "0,\n0,D3+").replace("\n", "\r\n")).line == LINE["d"] + 1


def test_name() -> None:
    assert loads(RX90.replace("Robotname = 'rx90'", "nothing"), name="mine").name == "mine"
    assert loads(RX90.replace("Robotname = 'rx90'", "nothing")).name == "robot"
    assert loads(RX90.replace("'rx90'", "''"), name="mine").name == "mine"
    assert loads(RX90.replace("'rx90'", "'a b-c'")).name == "a b-c"
    assert "Robotname: expected a name" in error(RX90.replace("'rx90'", f"'{'x' * 200}'")).message


def test_functions_with_commas_and_mathematica_spelling() -> None:
    text = with_line("gamma", "{0,0,-atan2(b, d6) + pi,ArcTan[d6, b],Sqrt[2],x**2}")
    robot = loads(text)
    assert str(robot.frame(4).gamma) == "atan2(b, d6)"
    assert robot == loads(dumps(robot))


def test_empty_and_foreign_texts() -> None:
    for text in ("", " \n\t\n", "\ufeff"):
        assert error(text).message == "expected a robot description, found an empty file"
    assert "missing keys NF, NL" in error("(* nothing but this *)").message
    assert "expected '='" in error("<robot name='x'></robot>"[1:]).message
    with pytest.raises(Error, match="text: expected a string, found bytes"):
        loads(b"NF = 6")  # type: ignore[arg-type]
    with pytest.raises(Error, match=r"unknown format 'pra' .did you mean 'par'"):
        loads(RX90, format="pra")


HOSTILE = {
    "long line": "NF = " + "9" * 200_000,
    "long text": "x" * 9_000_000,
    "many short lines": "\n" * 2_000_000,
    "many comments": "(* *)" * 19_000 + "\n" + "(**)\n" * 300_000,
    "many unclosed comments": "(*\n" * 500_000,
    "many braces": "{\n" * 500_000,
    "many brackets": "NF = {" + "(\n" * 400_000 + "}",
    "many entries": "NF = {" + "0,\n" * 300_000 + "}",
    "many keys": "NFF = 1\n" * 100_000,
    "deep functions": with_line("r", "{0,0,0," + "exp(" * 4000 + "1" + ")" * 4000 + ",0,0}"),
    "deep brackets": with_line("r", "{0,0,0," + "(" * 9000 + ",0,0}"),
    "tower of powers": with_line("r", "{0,0,0," + "(" * 9 + "x" + "^64)" * 9 + ",0,0}"),
    "tower of numbers": with_line("r", "{0,0,0," + "^9" * 90 + ",0,0}"),
    "variable to a power": with_line("theta", "{t1^64,t2,t3,t4,t5,t6}"),
    "long expression": with_line("r", "{0,0,0," + "+x" * 30_000 + ",0,0}"),
    "long number": with_line("r", "{0,0,0," + "7" * 5_000 + ",0,0}"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_texts_are_rejected_quickly(case: str) -> None:
    start = time.process_time()
    found = error(HOSTILE[case])
    assert len(str(found)) < 300
    assert time.process_time() - start < (2 if sys.gettrace() is None else 20)  # coverage is slow


def test_long_line_is_named() -> None:
    found = error(RX90 + "(* " + "x" * 100_000 + " *)")
    assert found.message == "expected lines of at most 100000 characters, found 100006"
    assert found.line == RX90.count("\n") + 1
