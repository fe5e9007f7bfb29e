"""Inject faults into optimized listings and into generated C, and count those that the checker accepts.

A mutant is a copy with one character replaced. Its outputs are evaluated with 60 digits by `mpmath`, which shares no
code with the checker: a mutant differs if its values do, or if it cannot be evaluated. `--count N` sets the number of
mutants.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import mpmath
from table import Row, print_table

import robosym as rs
from robosym.languages.reading import read_model_text
from robosym.optimizer.certificates import Verification, verified
from robosym.optimizer.checker import Rejected, certify

COUNT = 10_000
CHARACTERS = "0123456789+-*/()., ABCDGINPQRSTUVWXZacdinost=eE_"
#: robot, function, and the share of C among the mutants
CASES: tuple[tuple[str, Callable[..., rs.Model], float], ...] = (
    ("planar2r", rs.inverse_dynamics, 0.0),
    ("scara", rs.inverse_dynamics, 0.0),
    ("rx90", rs.gravity_torques, 0.4),
    ("stanford", rs.gravity_torques, 0.4),
    ("rx90", rs.inertia_matrix, 0.3),
    ("panda", rs.gravity_torques, 0.0),
    ("ur5e", rs.inertia_matrix, 0.0),
    ("gantry3p3r", rs.inverse_dynamics, 0.0),
    ("orthoglide", rs.inertia_matrix, 0.0),
    ("sr400", rs.gravity_torques, 0.3),
)
_NUMBER = re.compile(r"(?<![\w.])(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)")


@dataclass(frozen=True)
class Counts:
    """Numbers of mutants: all, those that differ, differing ones that were accepted, equal ones that were rejected."""

    mutants: int = 0
    differ: int = 0
    missed: int = 0
    alarms: int = 0
    seconds: float = 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


def evaluated(text: str, start: str, inputs: Mapping[str, Any], outputs: tuple[str, ...]) -> list[Any] | None:
    """Evaluate the statements of a listing or of C with many digits; None if that fails."""
    functions = {name: getattr(mpmath, name) for name in ("sin", "cos", "tan", "sqrt", "atan2")}
    names: dict[str, Any] = {**functions, "fabs": abs, "sign": mpmath.sign, "M": mpmath.mpf, "Pi": mpmath.pi, **inputs}
    body = re.sub(
        r"\(\*.*?\*\)|const double |\n[ \t]+(?=[^\n]*$)", " ", text[text.index(start) + len(start) :], flags=re.S
    )
    body = body.replace(";", "\n") if start == "{" else re.sub(r"\n[ \t]+", " ", body)
    body = re.sub(r"\n[ \t]*(?=[-+*/])", " ", body) if start == "{" else body
    lines = [line.strip() for line in body.strip().rstrip("}").split("\n")]
    try:
        exec("\n".join(_NUMBER.sub(r"M('\1')", line) if "[" not in line else _indexed(line) for line in lines), names)
        return [eval(name, names) for name in outputs]
    except Exception:
        return None


def _indexed(line: str) -> str:
    """Keep the integers in brackets, and convert the other numbers."""
    return "".join(part if part[:1] == "[" else _NUMBER.sub(r"M('\1')", part) for part in re.split(r"(\[\d+\])", line))


def accepted(plain: str, text: str, model: rs.Model | None) -> bool:
    """Return whether the checker accepts a mutant."""
    try:
        if model is None:
            certify(plain, text)
            return True
        found: Verification = verified(
            lambda number: read_model_text(text, name="code.c", number=number), lambda m: iter([m]), model
        )
        return bool(found)
    except (Rejected, rs.Error):
        return False


def judged(job: tuple[int, int]) -> Counts:
    """Judge the mutants of one case."""
    place, count = job
    robot, function, share = CASES[place]
    draw = random.Random(f"mutants {place}")
    mpmath.mp.dps = 60
    model = function(rs.load(robot))
    best = rs.optimize(model, 2, certificate=True)
    assert best.certificate is not None
    plain, listing, code = best.certificate.plain, best.certificate.optimized, best.code("c")
    total = Counts()
    values = {n: mpmath.mpf(draw.random()) + 1 for group in model.inputs.values() for n in group}
    arrays = {group: [values[n] for n in names] for group, names in best.inputs.items()}
    sizes = {group: len(best.select(group).output_names) for group in best.outputs}
    for _ in range(count):
        in_c = draw.random() < share
        text, start = (code, "{") if in_c else (listing, "(* Equations: *)")
        end = text.rindex("}") if in_c else text.rindex("(* *=* *)")
        at = draw.randrange(text.index(start) + len(start), end)
        new = draw.choice([c for c in CHARACTERS if c != text[at]])
        mutant = f"{text[:at]}{new}{text[at + 1 :]}"
        inputs = {**arrays, **{g: [None] * n for g, n in sizes.items()}} if in_c else values
        wanted = tuple(f"{g}[{k}]" for g, n in sizes.items() for k in range(n)) if in_c else best.output_names
        right = evaluated(text, start, {k: list(v) if in_c else v for k, v in inputs.items()}, wanted)
        assert right is not None
        found = evaluated(mutant, start, {k: list(v) if in_c else v for k, v in inputs.items()}, wanted)
        scale = max(map(abs, right), default=1)
        same = found is not None and all(
            isinstance(a, mpmath.mpf | mpmath.mpc) and abs(a - b) <= scale * mpmath.mpf(10) ** -45
            for a, b in zip(found, right, strict=True)
        )
        begun = time.perf_counter()
        yes = accepted(plain, mutant, model if in_c else None)
        seconds = time.perf_counter() - begun
        if yes and not same:
            print(f"{robot} {function.__name__}: accepted {text[at - 20 : at + 20]!r} with {new!r}", file=sys.stderr)
        total += Counts(1, not same, yes and not same, same and not yes, seconds)
    return total


def main() -> None:
    count = int(sys.argv[sys.argv.index("--count") + 1]) if "--count" in sys.argv else COUNT
    jobs = [(place, count // len(CASES)) for place in range(len(CASES))]
    with ProcessPoolExecutor(2) as pool:
        total = sum(pool.map(judged, jobs), Counts())
    rows = [
        Row("mutants", total.mutants, count, at_least=True),
        Row("mutants that differ", total.differ, count // 2, at_least=True),
        Row("mutants that differ and are accepted", total.missed, 0),
        Row("time per check, ms", 1000 * total.seconds / total.mutants, 200),
    ]
    print_table("Certificates: faults in optimized listings and in C", rows)
    print(f"equal mutants that are rejected, such as an output with another name: {total.alarms}")


if __name__ == "__main__":
    main()
