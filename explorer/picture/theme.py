"""The font and the colours outside the data, light and dark, for the window and for exported figures."""

import attrs

FAMILY = "TX Sans SC"
STACK = f"{FAMILY}, Noto Sans CJK SC, PingFang SC, Microsoft YaHei, sans-serif"


@attrs.frozen(cache_hash=True)
class Theme:
    """Hexadecimal colours. `closed` is for masked cells, `unknown` for NaN.

    Texts stand out from every ground by a contrast of 4.5 at least, edges and colours of data by 3 (WCAG 2.2).

    `grey` is for bars that have no sign, `pale` for their empty part, `soft` behind what is chosen.

    `right` and `warning` are told apart with every kind of colour vision too; a sign stands beside them all the same.

    `heads` are for heads whose lines lie over one another. Any two are told apart with every kind of colour vision: simulated
    (Machado et al. 2009), their distance in CIE Lab is at least 20.
    """

    name: str
    window: str
    card: str
    field: str
    text: str
    faint: str
    disabled: str
    hairline: str  # only parts
    edge: str  # the border of what is typed into, chosen or pressed
    accent: str
    on_accent: str
    closed: str
    closed_line: str  # hatching and rails, which say nothing alone: what is closed has no colour of the data, and its name
    unknown: str
    warning: str
    right: str  # the verdict on a right answer
    signed_colours: str
    water: str  # lanes of the river, which join what has a name at both ends; their lengths are told as well
    band: str  # attention weights as bands, and bars
    tiles: str  # the colour table of magnitudes in the river
    grey: str
    pale: str
    soft: str
    heads: tuple[str, ...]
    on_dark: str = "#ffffff"  # numbers in dark cells
    on_light: str = "#000000"


LIGHT = Theme(
    name="light",
    window="#f3f4f6",
    card="#ffffff",
    field="#ffffff",
    text="#1b1f24",
    faint="#5f6873",
    disabled="#a3abb5",
    hairline="#dfe2e7",
    edge="#848c96",
    accent="#a84b06",
    on_accent="#ffffff",
    closed="#e4e6ea",
    closed_line="#c3c8d0",
    unknown="#cf74bd",
    warning="#b3261e",
    right="#107058",
    signed_colours="blue-red",
    water="#b7c6d6",
    band="#1d4a86",
    tiles="tiles-light",
    grey="#575d6d",
    pale="#eef0f3",
    soft="#fbf1ea",
    heads=("#6969d2", "#ba8d23", "#5f9ac6", "#964b78", "#8a9a6e", "#695a00", "#5a0f69", "#1e3c1e"),
)
DARK = Theme(
    name="dark",
    window="#14171b",
    card="#1b1f24",
    field="#23282e",
    text="#e4e7eb",
    faint="#98a1ad",
    disabled="#59626d",
    hairline="#2d333b",
    edge="#6f7884",
    accent="#f0954a",
    on_accent="#14171b",
    closed="#2e343c",
    closed_line="#474f5a",
    unknown="#b06aa3",
    warning="#ff8a80",
    right="#78e8b8",
    signed_colours="blue-red-dark",
    water="#3b5064",
    band="#8fb4de",
    tiles="tiles-dark",
    grey="#8791a0",
    pale="#23282e",
    soft="#2e241b",
    heads=("#87b4ff", "#e1c34b", "#69f0f0", "#875a87", "#d2e1a5", "#a55a0f", "#4b69d2", "#788769"),
)
THEMES = {"light": LIGHT, "dark": DARK}
