"""Makes `src/robosym/parallel/forty.json`: the forty poses of one complex instance of the six-distance problem.

The instance is made from a pose, so one solution is known. Distances that go round loops in the complex numbers
permute the solutions (monodromy): each loop may lead from known ones to new ones, until there are forty, which is all
(Ronga and Vust 1992). The trace of the certificate is in the tests: forty points, distinct, each with alpha below the
bound of Smale.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from robosym.parallel.continuation import Instance, follow, matrices, refined

TARGET = Path(__file__).resolve().parent.parent / "src" / "robosym" / "parallel" / "forty.json"
Array = np.ndarray[Any, np.dtype[Any]]


def main() -> None:
    draw = np.random.default_rng(1)

    def numbers(*shape: int) -> Array:
        return np.round(draw.normal(size=shape) + 1j * draw.normal(size=shape), 3)

    a, b, e, p = numbers(6, 3), numbers(6, 3), numbers(4), numbers(3)
    B = matrices(a, b)
    h = np.array([-(p @ e[1:]), *(p * e[0] + np.cross(p, e[1:]))])
    d = ((h + B @ e) ** 2).sum(1) / (e @ e)
    found, size = np.concatenate([e, h])[None], 2 * np.sqrt(np.abs(d).mean())
    while len(found) < 40:
        corners = [d, d + size * numbers(6), d + size * numbers(6), d]
        x = found
        for start, end in pairwise(corners):
            paths = follow(x, Instance(B, start), Instance(B, end), 0.3)
            x = paths.x[paths.arrived]
        x, corrections = refined(x, Instance(B, d))
        for point in x[corrections < 1e-11]:
            if np.all(np.abs(found.conj() @ point) < (1 - 1e-7) * np.linalg.norm(found, axis=1)):
                found = np.vstack([found, point])
        print(len(found))
    assert len(found) == 40
    found /= np.linalg.norm(found, axis=1, keepdims=True)

    def rows(values: Array, digits: int) -> list[Any]:
        return np.stack([values.real, values.imag], -1).round(digits).tolist()  # type: ignore[no-any-return]

    data = {"a": rows(a, 3), "b": rows(b, 3), "d": rows(d, 15), "x": rows(found, 9)}
    lines = ",\n".join(f'"{name}": {json.dumps(value)}' for name, value in data.items())
    TARGET.write_text("{\n" + lines.replace("]], [[", "]],\n [[") + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
