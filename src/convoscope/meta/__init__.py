"""Meta-evaluation: which metrics can be believed."""
