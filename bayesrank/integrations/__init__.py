"""Hooks of other tools: scikit-learn, Inspect, pytest and Every Eval Ever."""
