"""The package version, alone in a file so that building does not import the package."""

__version__ = "0.1.0"
