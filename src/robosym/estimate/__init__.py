"""Parameters of a real robot from logs of its motion."""

from robosym.estimate.drive import Drive
from robosym.estimate.estimate import Estimate, FitError
from robosym.estimate.identify import identify
from robosym.estimate.log import Log
from robosym.estimate.payload import identify_drives, identify_payload
from robosym.estimate.prepare import Motion, prepare
from robosym.estimate.recursive import Recursive

__all__ = [
    "Drive",
    "Estimate",
    "FitError",
    "Log",
    "Motion",
    "Recursive",
    "identify",
    "identify_drives",
    "identify_payload",
    "prepare",
]
