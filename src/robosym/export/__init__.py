"""Export of a robot for controllers (C with a self-test), simulators (FMI) and other processors (WebAssembly)."""

from robosym.export.bundle import bundle
from robosym.export.fmi import fmu
from robosym.export.processors import build
from robosym.export.self_test import verify

__all__ = ["build", "bundle", "fmu", "verify"]
