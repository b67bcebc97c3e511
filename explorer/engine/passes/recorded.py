"""The answer to a Wish for a pass that was recorded before: the Trace in its file. No model runs."""

import time
from pathlib import Path

import attrs

from explorer.engine.devices import devices
from explorer.engine.request import Frame, Request
from explorer.errors import BadRecording, RecordedOnly, RecordingFault
from explorer.trace.files.agreement import check_agreement
from explorer.trace.recorded_pass import THIS_PROGRAM
from explorer.trace.trace import Trace


class RecordedFiles:
    """Reads files of Traces, and keeps the last one until its file changes."""

    def __init__(self) -> None:
        self._kept: tuple[Path, tuple[int, int] | None, Trace] | None = None

    def frame(self, request: Request, path: Path) -> Frame:
        """The answer from a file. A Trace that was read is still shown when its file is gone.

        Raises BadFile, and RecordedOnly where changes are wished for.
        """
        if request.wish.changes:
            raise RecordedOnly(path=str(path))
        start_s = time.perf_counter()
        trace = self.trace(path)
        build_ms = (time.perf_counter() - start_s) * 1e3
        return Frame(request=request, trace=trace, tokens_ms=0.0, build_ms=build_ms, pass_ms=0.0, devices=devices())

    def trace(self, path: Path) -> Trace:
        """The Trace in a file, which agrees with itself. Raises BadFile."""
        version = _version(path)
        if self._kept is not None and self._kept[0] == path and version in (None, self._kept[1]):
            return self._kept[2]
        trace = Trace.load(path)
        try:
            check_agreement(trace)
        except RecordingFault as error:
            raise BadRecording(path=str(path), reason=error) from error
        # The window says that it did not compute this pass, also where this program recorded it before.
        trace = attrs.evolve(trace, preset=str(path), recorded_by=trace.recorded_by or THIS_PROGRAM)
        self._kept = path, version, trace
        return trace


def _version(path: Path) -> tuple[int, int] | None:
    """The size and time of a file, which change when it is written; None if it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
