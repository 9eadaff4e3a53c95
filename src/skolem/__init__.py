"""Skolem grounds existentially quantified planning goals: it finds the objects, then plans."""

__version__ = "0.1.0"
