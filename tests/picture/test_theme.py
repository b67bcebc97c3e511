"""Colours of heads: told apart on both grounds, with every kind of colour vision (simulated by Machado et al. 2009)."""

from itertools import combinations

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.picture.alignment_lines import head_colour
from explorer.picture.scales import LEVELS, SEQUENTIAL, hexadecimal, table
from explorer.picture.theme import THEMES, Theme

SEEN = {
    "usual": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])


def linear(colour: str) -> NDArray[np.float64]:
    """Linear red, green and blue of a hexadecimal colour (IEC 61966-2-1)."""
    share = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def lab(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIE L*a*b* under D65."""
    x, y, z = TO_XYZ @ light / [0.95047, 1.0, 1.08883]
    x, y, z = (np.cbrt(v) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in (x, y, z))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def nearest(colours: tuple[str, ...], kind: str) -> float:
    """The smallest distance of two colours, as they are seen."""
    seen = [lab(np.clip(np.array(SEEN[kind]) @ linear(each), 0, 1)) for each in colours]
    return min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2))


@pytest.mark.parametrize("kind", SEEN)
@pytest.mark.parametrize("theme", THEMES)
def test_any_two_heads_are_told_apart(theme: str, kind: str) -> None:
    """A distance of 2 is just visible; these are ten times as far."""
    assert len(THEMES[theme].heads) == 8
    assert nearest(THEMES[theme].heads, kind) > 20


@pytest.mark.parametrize("kind", SEEN)
@pytest.mark.parametrize("theme", THEMES)
def test_right_and_wrong_are_told_apart(theme: str, kind: str) -> None:
    """Their signs are the same without colours, but are found sooner with them. The dark theme's pair was once alike."""
    assert nearest((THEMES[theme].right, THEMES[theme].warning), kind) > 20
    assert nearest(("#6fcf8e", "#ff8a80"), "deuteranopia") < 10


def test_the_check_sees_red_and_green_that_are_alike() -> None:
    """They are far apart for most people, and not for those who lack a cone."""
    red_green = ("#c0504d", "#007848")
    assert nearest(red_green, "usual") > 80 and nearest(red_green, "protanopia") < 10


GROUNDS = ("window", "card", "field", "pale", "soft", "closed")
LEAST = {  # the least contrast of WCAG 2.2, rules 1.4.3 and 1.4.11: of texts, and of what one must see to use or read it
    4.5: {"text": GROUNDS, "faint": GROUNDS, "accent": GROUNDS, "warning": GROUNDS, "right": GROUNDS, "on_accent": ("accent",)},
    3.0: {"edge": ("window", "card", "field"), "grey": GROUNDS, "band": ("card",), "unknown": ("card",), "heads": ("card",)},
}


def contrast(one: str, other: str) -> float:
    """WCAG's contrast of two colours, 1 to 21."""
    low, high = sorted(float(linear(each) @ TO_XYZ[1]) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


def hardly_seen(theme: Theme) -> list[str]:
    """The pairs of a theme's colours whose contrast is too small, with it."""
    return [
        f"{name} {colour} on {ground}: {found:.2f} < {least}"
        for least, pairs in LEAST.items()
        for name, grounds in pairs.items()
        for ground in grounds
        for colour in (theme.heads if name == "heads" else (getattr(theme, name),))
        if (found := contrast(colour, getattr(theme, ground))) < least
    ]


@pytest.mark.parametrize("theme", THEMES)
def test_texts_edges_and_data_stand_out(theme: str) -> None:
    """On each ground on which they stand."""
    assert hardly_seen(THEMES[theme]) == []


def test_the_contrasts_are_wcags_and_the_check_sees_small_ones() -> None:
    """#767676 is the lightest grey that WCAG's own examples allow for texts on white; the other colours were once used."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21) and contrast("#767676", "#ffffff") == pytest.approx(
        4.54, abs=0.01
    )
    once = attrs.evolve(THEMES["light"], faint="#68717d", edge=THEMES["light"].hairline, heads=("#69a5d2",))
    found = hardly_seen(once)
    assert "faint #68717d on closed: 3.96 < 4.5" in found and "edge #dfe2e7 on field: 1.30 < 3.0" in found
    assert "heads #69a5d2 on card: 2.65 < 3.0" in found and len(found) == 8


def from_table(accent: str, colours: str, kind: str) -> float:
    """The smallest distance of the accent from a colour of a table, as they are seen."""
    return min(nearest((accent, hexadecimal(row)), kind) for row in table(colours)[:LEVELS:4])


@pytest.mark.parametrize("kind", ["usual", "protanopia", "deuteranopia"])
@pytest.mark.parametrize("theme", THEMES)
def test_what_is_chosen_is_seen_on_signed_data(theme: str, kind: str) -> None:
    """The accent frames cells of every colour. The dark theme's accent was the orange of its own data."""
    assert from_table(THEMES[theme].accent, THEMES[theme].signed_colours, kind) > 15
    assert from_table(THEMES["dark"].accent, "blue-orange-dark", kind) < 15


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("colours", SEQUENTIAL)
def test_what_is_chosen_is_seen_on_weights(theme: str, colours: str) -> None:
    """For colour vision that lacks no cone."""
    assert from_table(THEMES[theme].accent, colours, "usual") > 20


@pytest.mark.parametrize("theme", THEMES)
def test_further_heads_have_the_colours_again_with_dashes(theme: str) -> None:
    """Twenty-four heads are told apart by colour and line."""
    assert len({head_colour(head, THEMES[theme]) for head in range(24)}) == 24
    assert head_colour(24, THEMES[theme]) == head_colour(0, THEMES[theme])
