"""Solutions as programs: steps that each give one unknown, the roots of each type of equation, all branches."""
