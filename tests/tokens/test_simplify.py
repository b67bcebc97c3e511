"""Traditional to simplified, offsets kept."""

from hypothesis import given

from explorer.tokens.simplify import Simplifier
from tests.tokens.texts import anything, unhurried


def test_traditional_characters_become_simplified() -> None:
    """Phrases are seen in their context: the emperor's name stays."""
    assert Simplifier().simplified("乾隆在圖書館") == "乾隆在图书馆"


def test_a_conversion_of_another_length_falls_back_to_characters() -> None:
    """The places of all characters stay, whatever the converter does."""
    longer = {"乾燥": "干燥的", "乾": "干", "燥": "很燥"}

    assert Simplifier(lambda text: longer.get(text, text)).simplified("乾燥") == "干燥"


@unhurried
@given(anything)
def test_the_length_never_changes(text: str) -> None:
    """An offset into the one is an offset into the other."""
    assert len(Simplifier().simplified(text)) == len(text)
