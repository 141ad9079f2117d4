"""Readers and writers: a file of any known format becomes a collection, and back."""

from convoscope.io.formats import (
    Format,
    Option,
    detect,
    format_for_suffix,
    format_names,
    get_format,
    load,
    register,
    save,
)
from convoscope.io.validation import Problem, Validation, validate

__all__ = [
    "Format",
    "Option",
    "Problem",
    "Validation",
    "detect",
    "format_for_suffix",
    "format_names",
    "get_format",
    "load",
    "register",
    "save",
    "validate",
]
