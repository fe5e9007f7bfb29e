"""A chain of joints that must reach a pose, or close: its equations, and every way to solve them."""
