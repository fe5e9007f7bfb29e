"""Sine and cosine against mpmath, in units in the last place."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from test_values import narrow_hosts

from cases.hand_models import model_of
from robosym.runtime import Compiled
from robosym.runtime.kernel import Kernel
from robosym.runtime.plan import Plan

MODEL = model_of({"q": "x"}, {"f": ("S", "C")}, {"S": "sin(x)", "C": "cos(x)"})


@pytest.fixture(scope="module")
def both() -> Compiled:
    return MODEL.compile()


def near_quarter_turns(turns: np.ndarray, kind: type) -> np.ndarray:
    """Return the numbers next to multiples of pi/2, where sine or cosine cancels."""
    exact = (turns * np.longdouble(np.pi / 2) + turns * np.longdouble(6.123233995736766e-17)).astype(kind)
    return np.concatenate([exact, np.nextafter(exact, kind(np.inf)), np.nextafter(exact, kind(-np.inf))])


def arguments(kind: type) -> np.ndarray:
    rng = np.random.default_rng(2)
    tiny = np.finfo(kind).tiny
    parts = [
        rng.uniform(-4, 4, 700),
        rng.uniform(-1e5, 1e5, 700),
        rng.uniform(-3e5, 3e5, 300),
        10.0 ** rng.uniform(-12, 5, 500),
        near_quarter_turns(np.concatenate([np.arange(-40, 41), rng.integers(-63000, 63000, 300)]), kind),
        10.0 ** rng.uniform(5, 37 if kind is np.float32 else 300, 200),
        np.array([0.0, -0.0, tiny, -tiny, tiny / 8, 5e-324, 2.0**-27, 2.0**-26, 2.0**17, 131073.0]),
    ]
    return np.concatenate(parts).astype(kind)


def worst_error(x: np.ndarray, found: np.ndarray, function: object) -> float:
    """Return the largest error in units in the last place of the exact value."""
    worst = 0.0
    with mpmath.workprec(1400):  # 2/pi to more bits than the largest exponent
        for argument, value in zip(x, found, strict=True):
            exact = function(mpmath.mpf(float(argument)))  # type: ignore[operator]
            unit = float(np.spacing(np.abs(x.dtype.type(float(exact)))))
            worst = max(worst, abs(float((mpmath.mpf(float(value)) - exact) / mpmath.mpf(unit))))
    return worst


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_within_one_unit_in_the_last_place(both: Compiled, kind: type) -> None:
    x = arguments(kind)
    found = both(q=x[:, None])
    assert found.dtype == kind
    assert worst_error(x, found[:, 0], mpmath.sin) < 1
    assert worst_error(x, found[:, 1], mpmath.cos) < 1


@pytest.mark.parametrize("machine", narrow_hosts(), ids=lambda m: f"{m.cpu}-{m.vector_bytes}")
def test_on_other_processors(machine: object) -> None:
    entry = Kernel(Plan(MODEL), False, machine).full  # type: ignore[arg-type]
    x = arguments(np.float64)
    found = entry.batch(x[:, None])
    assert worst_error(x, found[:, 0], mpmath.sin) < 1
    assert worst_error(x, found[:, 1], mpmath.cos) < 1


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_special_values(both: Compiled, kind: type) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], kind)
    with np.errstate(all="raise"):
        sine, cosine = both(q=x[:, None]).T
    assert np.isnan(sine[:3]).all()
    assert np.isnan(cosine[:3]).all()
    np.testing.assert_array_equal(np.signbit(sine[3:5]), [False, True])
    np.testing.assert_array_equal(sine[3:5], 0)
    np.testing.assert_array_equal(cosine[3:5], 1)
    # one lane beyond the limit does not disturb the others
    far = np.where(np.arange(16) == 5, 1e22, 0.5).astype(kind)
    np.testing.assert_array_equal(np.delete(both(q=far[:, None])[:, 0], 5), both(q=np.full((15, 1), 0.5, kind))[:, 0])


def test_denormals_are_their_own_sine(both: Compiled) -> None:
    x = np.array([5e-324, -5e-324, 1e-310, -2e-308])
    np.testing.assert_array_equal(both(q=x[:, None])[:, 0], x)


ANGLES = [f"x{k}" for k in range(1, 6)]
SEVERAL = model_of(
    {"q": " ".join(ANGLES)},
    {"f": tuple(f"{kind}{k}" for k in range(1, 7) for kind in "SC")},
    {
        f"{kind}{k}": f"{'sin' if kind == 'S' else 'cos'}({angle})"
        for k, angle in enumerate([*ANGLES, "x1+x2"], 1)
        for kind in "SC"
    },
)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("odd", [1e5, 1e15, 1e30, np.nan, np.inf])
def test_several_angles_with_one_special_value(kind: type, odd: float) -> None:
    """Angles are interleaved; a special value in one state does not disturb the others."""
    rng = np.random.default_rng(4)
    x = rng.uniform(-7, 7, (23, 5)).astype(kind)
    x[9, 3] = odd
    angles = np.column_stack([x, x[:, 0] + x[:, 1]])
    with np.errstate(invalid="ignore"):
        expected = np.stack([np.sin(angles.astype(float)), np.cos(angles.astype(float))], axis=-1).reshape(23, 12)
    found = SEVERAL.compile()(q=x)
    assert found.dtype == kind
    np.testing.assert_allclose(found, expected, rtol=0, atol=np.finfo(kind).eps)
