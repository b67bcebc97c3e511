"""The only place that imports pyarrow, which is an extra."""

from typing import Any

from explorer.errors import ExtraMissing


def parquet() -> Any:
    """pyarrow's module for Parquet files. Raises ExtraMissing where it is not installed."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ExtraMissing(name="pyarrow", extra="scan") from error
    return pyarrow.parquet


def arrow() -> Any:
    """pyarrow itself. Raises ExtraMissing where it is not installed."""
    parquet()
    import pyarrow

    return pyarrow
