"""Convoscope."""
