"""Presets: named starting points, as data in `assets/presets/<name>.toml`. Needs no torch.

A file holds `order`, the sentence `text`, and a table `knobs` of what differs from the defaults.
Titles and notes stand in the language files under `preset.<name>`.
"""

import tomllib
from functools import cache, lru_cache

import attrs

from explorer.config import Config
from explorer.errors import UnknownPreset
from explorer.resources import asset, asset_text

DEFAULT = "tiny"


@attrs.frozen
class Preset:
    """A name, the sentence it opens with, and its Config."""

    name: str
    text: str
    config: Config
    order: int = 0


@lru_cache(maxsize=1)
def preset_names() -> tuple[str, ...]:
    """All presets in the order in which they are offered."""
    return tuple(sorted((path.stem for path in asset("presets").glob("*.toml")), key=lambda n: load_preset(n).order))


@cache  # frozen values from files that do not change; the window asks at each keystroke
def load_preset(name: str) -> Preset:
    """Read one preset. Raises UnknownPreset."""
    known = {path.stem for path in asset("presets").glob("*.toml")}
    if name not in known:
        raise UnknownPreset(name=name, known=", ".join(sorted(known)))
    table = tomllib.loads(asset_text(f"presets/{name}.toml"))
    return Preset(name=name, text=table["text"], config=Config(**table["knobs"]), order=table["order"])
