"""The version, apart from the package's own module, which reaches down to torch on demand."""

__version__ = "0.2.0"
