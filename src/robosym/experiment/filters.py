"""Zero-phase low-pass filters and derivatives of sampled signals, and values between samples.

A Butterworth filter of order n that runs forward and backward has no phase and the gain 1 / (1 + (f/cut)^2n). Here that
gain is applied to the spectrum. The signal is continued at both ends by its mirror image through the end point, as
usual, so that the ends neither jump nor bend.
"""

from __future__ import annotations

import numpy as np

from robosym.algebra.arrays import Array

__all__ = ["between", "derivatives", "low_pass", "thinned"]


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
    whole, left = _continued(signal, step, cut, 1, 0)
    length = whole.shape[1]
    slope = (whole[:, -1:] - whole[:, :1]) / (length - 1)  # without it the continued signal would jump at its ends
    ramp = np.arange(length)
    spectrum = np.fft.rfft(whole - ramp * slope)
    frequency = np.fft.rfftfreq(length, step)
    gain = 1 / (1 + (frequency / cut) ** (2 * _ORDER))
    found = []
    for order in orders:
        factor = gain * (2j * np.pi * frequency) ** order if order else gain
        values = np.fft.irfft(spectrum * factor, length)[:, left : left + n]
        if order == 0:
            values = values + ramp[left : left + n] * slope
        elif order == 1:
            values = values + slope / step
        found.append(np.ascontiguousarray(values.T).reshape(signal.shape))
    return found


def thinned(signal: Array, step: float, cut: float, kept: slice) -> Array:
    """`low_pass(signal, step, cut)[kept]`, frequencies above half the rate of what is kept left out of the sum."""
    first, end, every = kept.indices(len(signal))
    count = len(range(first, end, every))
    if every == 1 or len(signal) < 8 * every:
        return low_pass(signal, step, cut)[kept]
    whole, left = _continued(signal, step, cut, every, first)
    length = whole.shape[1]
    slope = (whole[:, -1:] - whole[:, :1]) / (length - 1)
    spectrum = np.fft.rfft(whole - np.arange(length) * slope)
    frequency = np.fft.rfftfreq(length, step)[: length // every // 2 + 1]
    gain = 1 / (1 + (frequency / cut) ** (2 * _ORDER)) / every
    values = np.fft.irfft(spectrum[:, : len(frequency)] * gain, length // every)
    place = (left + first) // every
    chosen = values[:, place : place + count] + (left + first + every * np.arange(count)) * slope
    return np.ascontiguousarray(chosen.T).reshape((count, *signal.shape[1:]))


def _continued(signal: Array, step: float, cut: float, every: int, first: int) -> tuple[Array, int]:
    """A row a signal, continued at both ends, and where it begins: a length that is quick to transform.

    The length is a multiple of `every`, and so is the place of the sample `first`.
    """
    n = len(signal)
    columns = np.ascontiguousarray(np.reshape(signal, (n, -1)).T)
    reach = min(n - 1, int(np.ceil(_MEMORY / (cut * step))))
    left = reach - (reach + first) % every
    length = every * _quick(-(-(n + left + reach) // every))
    right = min(n - 1, length - n - left)
    right -= (n + left + right) % every
    ends = columns[:, :1], columns[:, -1:]
    parts = [2 * ends[0] - columns[:, left:0:-1], columns, 2 * ends[1] - columns[:, -2 : -right - 2 : -1]]
    return np.concatenate(parts, axis=1), left


def _quick(length: int) -> int:
    """The next length whose factors are 2, 3 and 5."""
    while True:
        rest = length
        for factor in (2, 3, 5):
            while rest % factor == 0:
                rest //= factor
        if rest == 1:
            return length
        length += 1


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
