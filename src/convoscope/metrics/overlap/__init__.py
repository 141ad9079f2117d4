"""Metrics that count words in common."""
