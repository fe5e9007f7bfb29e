"""Export of a robot for controllers (C functions with a self-test) and simulators (functional mock-up units)."""

from robosym.export.bundle import bundle
from robosym.export.fmi import fmu
from robosym.export.self_test import verify

__all__ = ["bundle", "fmu", "verify"]
