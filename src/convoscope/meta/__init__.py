"""Meta-evaluation: which metrics can be believed."""

from convoscope.meta.correlation import CorrelationResult, correlation, kendall_tau_b
from convoscope.meta.fidelity import FidelityResult, FidelityRow, fidelity
from convoscope.meta.pairs import PreferencePairs, predictive_power, preference_pairs
from convoscope.meta.study import StudyResult

__all__ = [
    "CorrelationResult",
    "FidelityResult",
    "FidelityRow",
    "PreferencePairs",
    "StudyResult",
    "correlation",
    "fidelity",
    "kendall_tau_b",
    "predictive_power",
    "preference_pairs",
]
