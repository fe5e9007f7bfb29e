"""Linear algebra over expressions: symmetric systems, blocks, Cramer's rule, minors, echelon forms."""
