"""A chain of joints that must reach a pose or close a loop: its equations and the methods that solve them."""
