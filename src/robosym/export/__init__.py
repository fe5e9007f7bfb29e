"""Export of a robot for controllers, simulators (FMI), other processors (WebAssembly) and readers (derivations)."""

from robosym.export.bundle import bundle
from robosym.export.derivations import Derivation, derivation
from robosym.export.fmi import fmu
from robosym.export.processors import build
from robosym.export.self_test import verify

__all__ = ["Derivation", "build", "bundle", "derivation", "fmu", "verify"]
