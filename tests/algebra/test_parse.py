"""Test the parser of expressions: values, error messages and canonical text."""

import random
import time

import pytest

from robosym.algebra import Graph, evaluate, parse
from robosym.algebra.canonical import canonical_text
from robosym.errors import ExpressionError

VALUES = {"a": 1.7, "b": -0.6, "x": 0.3, "y": 2.1, "E": 5.0, "I": 7.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3*4", 14), ("2 - 3 - 4", -5), ("-2^2", -4), ("2^3^2", 512), ("2**-1", 0.5), ("6/3/2", 1),
        ("-a^2", -2.89),
        ("2^-3*4", 0.5), ("--a", 1.7), ("+a", 1.7), ("a*-b", 1.02), (".5e1", 5), ("3.", 3), ("2E3", 2000),
        ("E + I", 12), ("1.5*^-3", 0.0015), ("2*^3*a", 3400), ("3*^+1", 30),
        ("cos(Pi/3)", 0.5), ("cos(pi)", -1), ("ArcTan[2, 2]", 0.7853981633974483), ("atan2(1, 1)", 0.7853981633974483),
        ("Sqrt[a^2]", 1.7), ("pow(2, 0.5)", 2**0.5), ("abs(b)", 0.6), ("sign(b)", -1), ("((a))", 1.7),
        ("cos(x)^2 + sin(x)^2", 1), ("0.1", 0.1), ("1/3", 1 / 3), ("\n a \t+\n b", 1.1),
    ],
)  # fmt: skip
def test_values(text: str, value: float) -> None:
    assert evaluate([parse(text, Graph())], VALUES)[0] == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "expected a number, a name or '(', found the end"), ("1 +", 4, "found the end"),
        ("2 3", 3, "expected an operator, found '3'"), ("2x", 2, "expected an operator, found 'x'"),
        ("a $ b", 3, "unexpected character '$'"), ("(a", 1, "expected ')' for the"), ("a)", 2, "unexpected ')'"),
        ("cos(a]", 6, "unexpected ']'"), ("foo(a)", 1, "unknown function 'foo'"), ("sine(a)", 1, "did you mean 'sin'"),
        ("cos(a, b)", 4, "expected 1 argument(s) of cos, found 2"), ("a, b", 2, "unexpected ','"),
        ("(a, b)", 3, "unexpected ','"),
        ("1/0", 2, "division by zero"), ("1/(a - a)", 2, "division by zero"), ("log(0)", 4, "no finite value"),
        ("1e999", 1, "finite"), ("1*^999", 1, "finite"), ("2*^a", 3, "expected a number"),
        ("\u0663", 1, "unexpected character"),
        ("2\u00a0+ 3", 2, "unexpected character '\\xa0'"),
        ("sin[a]", 1, "unknown function"), ("a..b", 2, "unexpected character"), ("a.b", 2, "unexpected character"),
        ("__import__('os')", 1, "unknown function"), ("()", 2, "expected a number"),
        ("f()", 1, "unknown function"),
        ("cos()", 5, "expected a number"), ("*a", 1, "expected a number"), ("a=b", 2, "unexpected character"),
        ("2*nan", 3, "expected a finite number, found 'nan'"), ("-Inf", 2, "expected a finite number, found 'Inf'"),
        ("9" * 401, 1, "found 401 digits"), ("9^9^9^9", None, "no finite value"),
    ],
)  # fmt: skip
def test_error_messages(text: str, column: int | None, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text, Graph())
    assert message in str(caught.value)
    if column is not None:
        assert caught.value.column == column


@pytest.mark.parametrize(
    "text",
    [
        "(" * 9_000 + "x" + ")" * 9_000, "-" * 19_000 + "x", "+".join(["x"] * 9_000), "*".join(["x"] * 9_000),
        "x^" * 9_000 + "x", "a-(" * 4_500 + "x" + ")" * 4_500, "(" * 19_000,
        "sin(" * 4_000, "exp(-" * 3_000 + "1" + ")" * 3_000, "(" * 9 + "x" + "^64)" * 9,
        "(" * 3_000 + "x" + "^2+1)" * 3_000,
        "2^64*" * 3_000 + "2", "(1/3)^64*" * 2_000 + "x", "x" * 20_001, " " * 19_999, "1" * 20_000,
    ],
)  # fmt: skip
def test_parses_long_texts_quickly(text: str) -> None:
    start = time.process_time()
    try:
        canonical_text(parse(text, Graph()))
    except ExpressionError as error:
        assert len(str(error)) < 200
    assert time.process_time() - start < 2


def random_text(rng: random.Random, depth: int) -> str:
    if depth == 0:
        return rng.choice(["a", "b", "x", "y", "Pi", "2", "3", "0.5", "1/2", "1e-5", "7.25"])
    left, right = random_text(rng, depth - 1), random_text(rng, rng.randrange(depth))
    return rng.choice(
        [
            f"({left})+({right})", f"({left})-({right})", f"({left})*({right})", f"({left})/({right})", f"-({left})",
            f"({left})^{rng.randrange(-3, 9)}", f"abs({left})^({right})", f"sqrt(2+abs({left}))", f"sin({left})",
            f"cos({left})", f"atan({left})",
        ]
    )  # fmt: skip


def test_canonical_text_reads_back_as_the_same_value() -> None:
    rng = random.Random(11)
    for _ in range(1500):
        try:
            expression = parse(random_text(rng, rng.randrange(1, 5)), Graph())
            value = evaluate([expression], VALUES)[0]
            for power, pi in (("^", "Pi"), ("**", "pi")):
                again = parse(canonical_text(expression, power=power, pi=pi), Graph())
                assert evaluate([again], VALUES)[0] == pytest.approx(value, rel=1e-9, abs=1e-9)
        except ExpressionError:
            continue  # no finite value, for example a division by zero


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("Pi/2 - t2", "Pi/2 - t2"), ("Pi/2 + t1", "t1 + Pi/2"), ("b + a", "a + b"), ("y*x", "x*y"),
        ("-3*Pi/4", "-3*Pi/4"),
        ("x*x*x*x*x", "x^2*x^2*x"), ("x^5", "x^5"), ("1/x^2", "1/x^2"), ("x^y", "x^y"), ("pow(x, 2)", "pow(x, 2)"),
        ("-(a + b)", "-a - b"), ("1e-5", "0.00001"), ("1e22", "10000000000000000000000.0"),
        ("(b-a)*(x-y)", "(a - b)*(y - x)"),
    ],
)  # fmt: skip
def test_canonical_text(text: str, canonical: str) -> None:
    graph = Graph()
    parse("y + b + x", graph)  # the order of nodes must not matter
    assert canonical_text(parse(text, Graph())) in (canonical, canonical_text(parse(text, graph)))
    assert canonical_text(parse(text, Graph())) == canonical_text(parse(text, graph))
