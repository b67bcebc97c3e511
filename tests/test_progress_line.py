"""What a progress line writes where no terminal is."""

import time

import pytest

from explorer.progress_line import ProgressLine


@pytest.mark.parametrize(("plain_s", "written"), [(None, ""), (30.0, "c\n")])
def test_into_a_file_a_line_is_written_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, plain_s: float | None, written: str
) -> None:
    """Every half minute, if it is asked for; else nothing."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    line = ProgressLine(plain_s=plain_s)
    for text, at in (("a", 1.0), ("b", 29.0), ("c", 31.0), ("d", 59.0)):
        now[0] = at
        line.show(text)
    line.end()

    assert capsys.readouterr() == ("", written)
