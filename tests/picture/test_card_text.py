"""A ModelCard in words."""

import attrs
import pytest

from explorer.config import Config
from explorer.lang import Words
from explorer.picture.card_text import absent_rows, card_rows, kind_and_size, lacking, rounded
from explorer.trace.model_card import ModelCard, SideCard
from explorer.trace.own_card import card_of

EN = Words.load("en")


def card(**fields: object) -> ModelCard:
    side = SideCard(name="decoder", n_layers=30, n_heads=9, n_kv_heads=3, d_ff=384, vocab_size=50257, attentions=("self_attn",))
    known: dict[str, object] = {
        "name": "x",
        "family": "llama",
        "sides": (side,),
        "d_model": 144,
        "d_head": 16,
        "vocab_size": 50257,
        "max_len": 512,
        "position": "rotary",
        "position_added": False,
        "norm_kind": "rms",
        "activation": "silu",
        "parameters": 134_515_008,
    }
    return ModelCard(**(known | fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (0, "0"),
        (999, "999"),
        (27_776, "27.8 k"),
        (999_600, "1 M"),
        (22_713_216, "22.7 M"),
        (134_515_008, "135 M"),
        (7 * 10**9, "7 G"),
    ],
)
def test_counts_have_three_figures(count: int, told: str) -> None:
    """And a unit of their size."""
    assert rounded(count) == told


def test_the_header_says_family_kind_and_size() -> None:
    """In a narrow window, without the kind."""
    assert kind_and_size(card(), EN) == "llama · decoder only · 135 M"
    assert kind_and_size(card(), EN, short=True) == "llama · 135 M"


def test_rows_say_the_sizes_that_the_card_has() -> None:
    """Heads of keys and values where they are fewer; what is unknown has no row."""
    rows = dict(card_rows(card(), EN))
    assert (rows["Layers"], rows["Heads"], rows["KV heads"]) == ("30", "9", "3")
    assert (rows["Parameters"], rows["Positions"], rows["Norm"]) == ("134,515,008", "rotary (RoPE)", "pre-norm · RMSNorm")
    assert rows["Self-check: largest difference"].startswith("0")
    assert dict(card_rows(card(difference=2.34e-7), EN))["Self-check: largest difference"] == "2.3e-07"
    alike = attrs.evolve(card().sides[0], n_kv_heads=9, d_ff=0)
    rows = dict(card_rows(card(sides=(alike,), activation=""), EN))
    assert not {"KV heads", "Activation", "d_ff"} & set(rows)


def test_sides_that_differ_have_both_values() -> None:
    """The encoder's first."""
    decoder = card().sides[0]
    encoder = attrs.evolve(decoder, name="encoder", n_layers=6)
    rows = dict(card_rows(card(sides=(encoder, decoder)), EN))
    assert (rows["Layers"], rows["Heads"]) == ("6 + 30", "9")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_kind_of_our_own_has_a_name(language: str) -> None:
    """Of positions and norms, as of models of others."""
    words = Words.load(language)
    for config in (Config(), Config(position="alibi"), Config(norm_kind="std-eps"), Config(architecture="decoder-only")):
        assert all(name and value for name, value in card_rows(card_of(config), words))
    for position in ("relative-bias", "sinusoidal-halves", "unknown", "learned"):
        assert card_rows(card(position=position), words)


def test_taps_are_told_by_their_reason() -> None:
    """One sentence for all taps that are absent for it."""
    absent = {
        "norm": "absent.no_final_norm",
        "embedding.positions": "absent.no_positions",
        "embedding.scaled": "absent.no_positions",
    }
    told = absent_rows(card(absent=absent), EN)
    assert [taps for _reason, taps in told] == [("norm",), ("embedding.positions", "embedding.scaled")]
    assert lacking(card(absent=absent), "decoder.norm", EN).endswith(told[0][0])
    assert lacking(card(), "decoder.norm", EN) == "This model has no norm."
