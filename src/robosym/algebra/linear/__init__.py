"""Linear algebra with expressions: symmetric systems, block decomposition, Cramer's rule, minors, echelon forms."""
