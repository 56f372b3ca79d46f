"""Changing a pin: every place that names it, the lock, and nothing half."""
