"""Zero-phase low-pass filters and derivatives of sampled signals, and values between samples.

A Butterworth filter of order n that runs forward and backward has no phase and the gain 1 / (1 + (f/cut)^2n). Here that
gain is applied to the spectrum. The signal is continued at both ends by its mirror image through the end point, as
usual, so that the ends neither jump nor bend.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["between", "derivatives", "low_pass"]

Array = NDArray[np.float64]

_ORDER = 4
_MEMORY = 6.0  #: cut-off periods after which the response of the filter is gone (below 1e-6)


def low_pass(signal: Array, step: float, cut: float) -> Array:
    """The signal (time first) without what is above `cut` hertz, at the same instants."""
    return derivatives(signal, step, cut, (0,))[0]


def derivatives(signal: Array, step: float, cut: float, orders: tuple[int, ...] = (0, 1, 2)) -> list[Array]:
    """The filtered signal and its derivatives by time.

    Differences of the filtered samples would lose (2 pi f step)^2 / 6 of a velocity at the frequency f; the derivative
    of the spectrum loses nothing.
    """
    n = len(signal)
    pad = min(n - 1, int(np.ceil(_MEMORY / (cut * step))))
    whole = np.concatenate([2 * signal[:1] - signal[pad:0:-1], signal, 2 * signal[-1:] - signal[-2 : -pad - 2 : -1]])
    length = len(whole)
    slope = (whole[-1] - whole[0]) / (length - 1)  # without it the continued signal would jump where its ends meet
    ramp = np.arange(length).reshape((-1,) + (1,) * (signal.ndim - 1))
    spectrum = np.fft.rfft(whole - ramp * slope, axis=0)
    frequency = np.fft.rfftfreq(length, step)
    gain = 1 / (1 + (frequency / cut) ** (2 * _ORDER))
    found = []
    for order in orders:
        factor = (gain * (2j * np.pi * frequency) ** order).reshape(ramp.shape[:0] + (-1,) + (1,) * (signal.ndim - 1))
        values = np.fft.irfft(spectrum * factor, length, axis=0)[pad : pad + n]
        if order == 0:
            values = values + ramp[pad : pad + n] * slope
        elif order == 1:
            values = values + slope / step
        found.append(np.ascontiguousarray(values))
    return found


def between(instants: Array, times: Array, values: Array) -> Array:
    """Values (time first) at other instants, by cubics through the samples with slopes of their neighbours."""
    if len(times) == len(instants) and np.array_equal(times, instants):
        return values
    slopes = np.gradient(values, times, axis=0)
    at = np.clip(np.searchsorted(times, instants, side="right") - 1, 0, len(times) - 2)
    width = (times[at + 1] - times[at]).reshape((-1,) + (1,) * (values.ndim - 1))
    x = np.clip((instants - times[at]).reshape(width.shape) / width, 0.0, 1.0)
    left, right = values[at], values[at + 1]
    return np.asarray(
        left * (1 + 2 * x) * (1 - x) ** 2
        + slopes[at] * width * x * (1 - x) ** 2
        + right * x**2 * (3 - 2 * x)
        + slopes[at + 1] * width * x**2 * (x - 1)
    )
