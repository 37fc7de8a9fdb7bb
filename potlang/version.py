"""The version, as the package metadata has it."""

__version__ = "0.1.0"
