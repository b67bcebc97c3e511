"""The bundled translators: what is true of one must be true of each. One that reads English is there before it is bundled."""

import os
from pathlib import Path

import pytest

from explorer.presets import FILE, load_preset, preset_names, reader_of
from tests.engine.sources.bundles import an_english_preset

TRANSLATORS = [name for name in preset_names() if load_preset(name).translates and load_preset(name).reads]
ENGLISH = "english-translator"
_EXAMPLES = """
[[sentence]]
text = "I love Cats."
written = "…"
zh = "大小写"
en = "capitals"
"""


def bundle_english(monkeypatch: pytest.MonkeyPatch, folder: Path) -> str:
    """The name of the bundled translator that reads English. Where there is none, the one in the folder that ENGLISH_PRESET
    names is bundled for a test, or a tiny one with random weights."""
    name = reader_of("en")
    if name is not None:
        return name
    given = os.environ.get("ENGLISH_PRESET")
    home = Path(given) if given else Path(an_english_preset(folder / ENGLISH))
    if not given:
        told = '\n[heads]\n"encoder.self_attn" = [0, 1]\n"decoder.cross_attn" = [0, 1]\n'
        (home / FILE).write_text(f'reads = "en"\n{(home / FILE).read_text("utf-8")}{told}', "utf-8")
        (home / "examples.toml").write_text(_EXAMPLES, "utf-8")
    bundled = {each: path for each in preset_names() if (path := _file(each)) is not None}
    monkeypatch.setattr("explorer.presets._bundled", lambda: {**bundled, ENGLISH: home / FILE})
    return ENGLISH


def _file(name: str) -> Path | None:
    from explorer.resources import asset

    folder = asset("presets")
    return next((path for path in (folder / name / FILE, folder / f"{name}.toml") if path.exists()), None)
