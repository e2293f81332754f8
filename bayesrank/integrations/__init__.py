"""Hooks of other tools: comparisons and displays for users of scikit-learn."""
