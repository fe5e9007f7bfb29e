"""Derivations of models in steps, for readers: each quantity with its equation, substituted and simplified."""

from robosym.export.derivations.derive import derivation
from robosym.export.derivations.written import Derivation, DerivationStep, DerivedFormula

__all__ = ["Derivation", "DerivationStep", "DerivedFormula", "derivation"]
