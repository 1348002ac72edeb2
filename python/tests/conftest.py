"""Pins the process before any test imports torch."""

import parity  # noqa: F401
