"""Closed-form solutions as programs: steps for one unknown each, roots of each type of equation, all branches."""
