"""Zero-phase low-pass filters and derivatives of sampled signals, and interpolation between samples.

A Butterworth filter of order n that runs forward and backward has zero phase and the gain 1 / (1 + (f/cut)^2n). Here
the gain is applied to the spectrum. The signal is extended at both ends by its point reflection, so that it has neither
a jump nor a kink there.
"""

from __future__ import annotations

import numpy as np

from robosym.algebra.arrays import Array

__all__ = ["between", "derivatives", "low_pass", "thinned"]


_ORDER = 4
_MEMORY = 6.0  #: cutoff periods after which the impulse response has decayed below 1e-6


def low_pass(signal: Array, step: float, cut: float) -> Array:
    """Return the signal (time along axis 0) low-pass filtered at `cut` Hz."""
    return derivatives(signal, step, cut, (0,))[0]


def derivatives(signal: Array, step: float, cut: float, orders: tuple[int, ...] = (0, 1, 2)) -> list[Array]:
    """Return the filtered signal and its time derivatives of the given orders.

    Differences of the filtered samples would lose the fraction (2 pi f step)^2 / 6 of a velocity at the frequency f;
    differentiating the spectrum is exact.
    """
    n = len(signal)
    whole, left = _extended(signal, step, cut, 1, 0)
    length = whole.shape[1]
    slope = (whole[:, -1:] - whole[:, :1]) / (length - 1)  # the periodic extension would jump without it
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
    """Return `low_pass(signal, step, cut)[kept]`, computed without frequencies above half the new sampling rate."""
    first, end, every = kept.indices(len(signal))
    count = len(range(first, end, every))
    if every == 1 or len(signal) < 8 * every:
        return low_pass(signal, step, cut)[kept]
    whole, left = _extended(signal, step, cut, every, first)
    length = whole.shape[1]
    slope = (whole[:, -1:] - whole[:, :1]) / (length - 1)
    spectrum = np.fft.rfft(whole - np.arange(length) * slope)
    frequency = np.fft.rfftfreq(length, step)[: length // every // 2 + 1]
    gain = 1 / (1 + (frequency / cut) ** (2 * _ORDER)) / every
    values = np.fft.irfft(spectrum[:, : len(frequency)] * gain, length // every)
    place = (left + first) // every
    chosen = values[:, place : place + count] + (left + first + every * np.arange(count)) * slope
    return np.ascontiguousarray(chosen.T).reshape((count, *signal.shape[1:]))


def _extended(signal: Array, step: float, cut: float, every: int, first: int) -> tuple[Array, int]:
    """Return the signals as rows, extended at both ends to a length that is fast to transform, and their start.

    The length and the position of the sample `first` are multiples of `every`.
    """
    n = len(signal)
    columns = np.ascontiguousarray(np.reshape(signal, (n, -1)).T)
    reach = min(n - 1, int(np.ceil(_MEMORY / (cut * step))))
    left = reach - (reach + first) % every
    length = every * _fft_length(-(-(n + left + reach) // every))
    right = min(n - 1, length - n - left)
    right -= (n + left + right) % every
    ends = columns[:, :1], columns[:, -1:]
    parts = [2 * ends[0] - columns[:, left:0:-1], columns, 2 * ends[1] - columns[:, -2 : -right - 2 : -1]]
    return np.concatenate(parts, axis=1), left


def _fft_length(length: int) -> int:
    """Return the next length whose prime factors are 2, 3 and 5."""
    while True:
        rest = length
        for factor in (2, 3, 5):
            while rest % factor == 0:
                rest //= factor
        if rest == 1:
            return length
        length += 1


def between(instants: Array, times: Array, values: Array) -> Array:
    """Interpolate values (time along axis 0) at other instants, by cubics with slopes from adjacent samples."""
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
