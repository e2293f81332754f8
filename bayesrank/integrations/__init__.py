"""Hooks of other tools: scikit-learn, Inspect and pytest."""
