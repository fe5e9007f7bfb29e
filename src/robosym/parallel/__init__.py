"""Parallel robots: a platform carried by legs (GS; RNE 5)."""

#: the public functions that take a `Parallel`
FUNCTIONS: tuple[str, ...] = ()
