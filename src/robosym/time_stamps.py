"""Times of a log that are written as dates and times of day instead of seconds."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["is_time_stamp", "seconds_after_the_first"]

_STAMP = re.compile(
    r"(?:(\d{4})-(\d\d)-(\d\d)[T ])?(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,18}))?\s?(Z|[+-]\d\d(?::?\d\d)?)?", re.IGNORECASE
)
_NANO = 10**9
_START = datetime(1970, 1, 1, tzinfo=timezone.utc)


def is_time_stamp(text: str) -> bool:
    """Whether a text has the form of an ISO 8601 date with a time of day, or of a time of day alone."""
    return _STAMP.fullmatch(text.strip()) is not None


def seconds_after_the_first(times: Any) -> NDArray[np.float64] | None:
    """Return the seconds after the first of the time stamps; None where the times are no stamps.

    An empty stamp gives NaN. The stamps are NumPy dates or texts of ISO 8601.

    Raises
    ------
    ValueError
        With a message that names the sample, where a stamp is none or does not go with the others.
    """
    array = np.asarray(times)
    if array.dtype.kind == "M":
        steps = array - array[~np.isnat(array)][:1]
        return np.asarray(steps / np.timedelta64(1, "ns") / _NANO) if steps.size else None
    if array.dtype.kind not in "US" or array.ndim != 1:
        return None
    texts = [str(text).strip() for text in array.tolist()]
    if not any(map(is_time_stamp, texts)):
        return None
    found = [_nanoseconds(text, sample) if text else None for sample, text in enumerate(texts)]
    given = [one for one in found if one is not None]
    if len(kinds := {kind for _, kind in given}) > 1:
        raise ValueError(f"expected time stamps of one kind, found {' and '.join(sorted(kinds))}")
    first = given[0][0]
    return np.array([np.nan if one is None else (one[0] - first) / _NANO for one in found])


def _nanoseconds(text: str, sample: int) -> tuple[int, str]:
    """Since a fixed instant, and the kind of the stamp."""
    match = _STAMP.fullmatch(text)
    if match is None:
        raise ValueError(f"sample {sample}: expected an ISO 8601 time stamp like the others, found {text[:40]!r}")
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        day_of = datetime(int(year or 1970), int(month or 1), int(day or 1), tzinfo=_zone(zone))
        whole = day_of.replace(hour=int(hour), minute=int(minute), second=int(second))
    except ValueError as error:
        raise ValueError(f"sample {sample}: expected a date and a time of day, found {text[:40]!r} ({error})") from None
    kind = f"{'dates' if year else 'times of day'} {'with' if zone else 'without'} a time zone"
    nanoseconds = int((fraction or "0").ljust(9, "0")[:9])
    return (whole - _START) // timedelta(seconds=1) * _NANO + nanoseconds, kind


def _zone(text: str | None) -> timezone:
    if not text or text in "zZ":
        return timezone.utc
    digits = text[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if text[0] == "-" else offset)
