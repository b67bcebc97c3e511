"""Questions to Qt in a process of its own, and diagnoses from its answers or its end."""

import json
import subprocess
import tempfile
from collections.abc import Mapping
from typing import Any

import attrs

from explorer.install.diagnosis import Diagnosis
from explorer.picture.theme import FAMILY
from explorer.resources import OWN_FOLDERS, own_command, own_environment

_PATIENCE_S = 180
_LONGEST_REASON = 300  # characters


@attrs.frozen
class Probed:
    """What a probe answered before it ended, its exit status, and its last words on stderr."""

    answers: Mapping[str, Any]
    status: int
    reason: str


def probed(*flags: str, **environment: str) -> Probed:
    """Run the hidden command `probe` with the preferences of a first start; its files are thrown away."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        try:
            done = subprocess.run(
                [*own_command(), "probe", *flags],
                env=own_environment(**{OWN_FOLDERS: home}, **environment),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=_PATIENCE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Probed({}, -1, f"> {_PATIENCE_S} s")
        except OSError as error:
            return Probed({}, -1, str(error))
    return Probed(_joined(done.stdout), done.returncode, _last_words(done.stderr))


def _joined(out: str) -> dict[str, Any]:
    """All answers together, each of which is one line of JSON; other lines are ignored."""
    found: dict[str, Any] = {}
    for line in out.splitlines():
        if line.startswith("{"):
            found |= json.loads(line)
    return found


def _last_words(err: str) -> str:
    """The line with the reason: the last one before the list of plugins with which Qt ends."""
    lines = [line.strip() for line in err.splitlines() if line.strip() and not line.startswith("Available platform plugins")]
    return lines[-1][:_LONGEST_REASON] if lines else ""


def screen(found: Probed) -> Diagnosis:
    """Whether Qt starts on this machine's screen, as the probe found it."""
    values = {"qt": "", "platform": "", **found.answers, "status": found.status, "reason": found.reason}
    values["screens"] = ", ".join(found.answers.get("screens", ()))
    if found.status or "platform" not in found.answers:
        return Diagnosis("screen", "fault", "screen.broken", values, "screen.broken_advice")
    if "no_screen" in found.answers:
        return Diagnosis("screen", "note", "screen.none", values, "screen.none_advice")
    return Diagnosis("screen", "well", "screen.well", values)


def fonts(found: Probed) -> Diagnosis | None:
    """Whether the bundled font is used; None if Qt did not get that far."""
    if "font" not in found.answers:
        return None
    values = {"font": found.answers["font"], "families": found.answers["families"], "wanted": FAMILY}
    if values["font"] != FAMILY:
        return Diagnosis("fonts", "fault", "fonts.other", values, "fonts.advice")
    return Diagnosis("fonts", "well", "fonts.well", values)


def picture(found: Probed) -> Diagnosis:
    """Whether the window shows its first picture, and when."""
    ms = found.answers.get("picture_ms")
    if ms is None:
        values = {"status": found.status, "reason": found.reason}
        return Diagnosis("picture", "fault", "picture.none", values, "picture.advice")
    return Diagnosis("picture", "well", "picture.well", {"seconds": f"{ms / 1e3:.1f}", "ms": ms})
