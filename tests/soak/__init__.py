"""Soak tests: random robots of every kind through every model; failures are shrunk and stored."""
