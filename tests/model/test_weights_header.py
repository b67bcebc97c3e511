"""The header of a safetensors file, whatever the file is."""

from pathlib import Path

import pytest

from explorer.errors import CannotRead
from explorer.model.weights_header import read_header


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="only Linux has a file of a process's memory")
def test_a_regular_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """The memory of a process is a regular file that tells no size and lets nobody go to its end."""
    (tmp_path / "weights.safetensors").symlink_to("/proc/self/mem")
    with pytest.raises((CannotRead, ValueError)):
        read_header(tmp_path / "weights.safetensors")


@pytest.mark.parametrize("content", [b"", b"\x01", b"\xff" * 8, b"\x02" + 7 * b"\0" + b"{"])
def test_a_file_that_is_too_short_is_no_header(content: bytes, tmp_path: Path) -> None:
    """Of whatever length."""
    path = tmp_path / "weights.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError):
        read_header(path)
