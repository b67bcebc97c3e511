"""Quantized numbers of GGUF files as float32: the library gguf dequantizes them, in NumPy alone."""

from collections.abc import Callable
from typing import Any

from explorer.errors import GgufNotInstalled

Unpack = Callable[[Any, str], Any]


def unpacking() -> Unpack:
    """The function that dequantizes bytes [row, byte] of a kind, such as "Q4_K", to float32 [row, number].

    Raises GgufNotInstalled; the function raises KeyError or NotImplementedError for a kind that the library does not know.
    """
    try:
        from gguf.constants import GGMLQuantizationType
        from gguf.quants import dequantize
    except ImportError as error:
        raise GgufNotInstalled(name="gguf") from error
    return lambda rows, kind: dequantize(rows, GGMLQuantizationType[kind])
