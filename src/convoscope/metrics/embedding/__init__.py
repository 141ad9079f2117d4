"""Metrics that compare word vectors."""
