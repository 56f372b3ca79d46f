"""Measuring paired gathers, and launch policies from measurements. `python -m pinproof.kernels.measure` runs it.

Importing this loads the standard library only; torch is loaded when something is measured.
"""
