"""Where the segments of the architecture strip stand: in order, apart, inside the width, with names that fit."""

from itertools import pairwise

import pytest

from explorer.config import Config
from explorer.lang import LANGUAGES, Words
from explorer.picture.layout.strip import Strip, groups_of, in_line, lay_out, place_at
from explorer.picture.layout.strip_names import LABEL_PX, NAME_PX, SMALL_LABEL_PX, Names, compact
from explorer.presets import load_preset
from explorer.trace.architecture import Architecture, architecture_of
from explorer.trace.own_card import card_of
from tests.trace.runs import small

MODELS = {
    "translator": load_preset("translator").config,
    "encoder-only": small(architecture="encoder-only"),
    "decoder-only": small(architecture="decoder-only", n_layers=12),
    "one layer": small(n_layers=1),
    "64 layers": small(n_layers=64),
}
WIDTHS = (636, 780, 1148, 2300)


def width_of(text: str, px: float) -> float:
    """A Chinese character is as wide as it is high, a letter about half as wide."""
    return sum(px if letter > "\u2e7f" else 0.56 * px for letter in text)


def named(config: Config, language: str = "zh") -> Names:
    return Names(architecture(config), Words.load(language), width_of)


def architecture(config: Config) -> Architecture:
    return architecture_of(card_of(config), config)


def faults(strip: Strip, names: Names, left: float, right: float) -> list[str]:
    """What somebody would find wrong with a strip."""
    found = []
    segments = strip.segments
    for before, after in pairwise(segments):
        if after.left < before.right:
            found.append(f"{before.key} and {after.key} overlap")
    for segment in segments:
        if not left <= segment.left <= segment.right <= right:
            found.append(f"{segment.key} reaches out")
        if segment.label and names.measure(segment.label, strip.label_px) > segment.width:
            found.append(f"{segment.label!r} is wider than its segment")
    by_key = {segment.key: segment for segment in segments}
    for heading in strip.headings:
        end = heading.left + names.measure(heading.text, NAME_PX)
        beyond = [segment for segment in segments if by_key[heading.keys[-1]].right <= segment.left < end]
        if beyond or end > right:
            found.append(f"{heading.text!r} is wider than its group")
        if heading.left != by_key[heading.keys[0]].left:
            found.append(f"{heading.text!r} stands elsewhere")
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("model", MODELS)
def test_segments_stand_apart_in_order_and_names_fit(model: str, width: float, language: str) -> None:
    """Every Block has its segment between the two ends, the last one ends where the strip ends, and nothing overlaps."""
    names = named(MODELS[model], language)
    for here in ("tokens", "encoder.layers.0.self_attn", "decoder.layers.7.self_attn", "generator", "nothing"):
        strip = lay_out(names, here, 12, width)
        assert [segment.key for segment in strip.segments] == [block.key for block in names.architecture.blocks]
        assert faults(strip, names, 12, 12 + width) == []
        assert strip.segments[0].left == 12
        assert strip.segments[-1].right == pytest.approx(12 + width, abs=1)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("model", MODELS)
def test_segments_of_one_kind_have_one_name(model: str, language: str) -> None:
    """At every width: a strip in which one layer says feed-forward and the next one FFN reads as two things. Folded layers
    have their least name."""
    names = named(MODELS[model], language)
    for width in range(600, 2500, 50):
        for here in ("", "decoder.layers.0.feed_forward", "encoder.layers.0.self_attn"):
            strip = lay_out(names, here, 12, width)
            said: dict[tuple[str, bool], set[str]] = {}
            for segment in strip.segments:
                block = names.architecture.block(segment.key)
                assert block is not None
                if segment.label not in ("", names.block(block, "least")):
                    said.setdefault((block.kind, block.causal), set()).add(segment.label)
            assert {kind: labels for kind, labels in said.items() if len(labels) > 1} == {}, (width, here)


def test_faults_are_found() -> None:
    """So that the test above can fail: segments put over each other, a strip too long, and letters wider than was measured."""
    names = named(MODELS["translator"])
    strip = lay_out(names, "tokens", 0, 1148)
    assert any("overlap" in fault for fault in faults(place_at(names, {"tokens": (0, 20), "sum": (19, 20)}), names, 0, 99))
    assert any("reaches out" in fault for fault in faults(strip, names, 0, 1100))
    wide = Names(names.architecture, names.words, lambda text, px: 3 * width_of(text, px))
    assert any("wider" in fault for fault in faults(strip, wide, 0, 1148))


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_there_is_room_everything_has_its_name_and_its_count(language: str) -> None:
    """The translator at the usual width: a name in every segment and above every group, and the number of all parameters."""
    strip = lay_out(named(MODELS["translator"], language), "decoder.layers.1.cross_attn", 12, 1148)

    assert all(segment.label for segment in strip.segments)
    assert len(strip.headings) == len(groups_of(architecture(MODELS["translator"]))) == 11
    assert [sign for sign, _x in strip.signs] == ["+", "="]
    assert "9.19 M" in strip.whole
    assert {heading.count for heading in strip.headings if "0" in heading.text} == {"790 k", "1.05 M"}


def test_layers_without_room_share_a_name() -> None:
    """64 layers fold to thin segments; the one in focus keeps its names, and the others say from where to where they are."""
    strip = lay_out(named(MODELS["64 layers"]), "encoder.layers.20.feed_forward", 12, 1148)
    by_key = {segment.key: segment for segment in strip.segments}

    assert [by_key[f"encoder.layers.20.{part}"].label for part in ("self_attn", "feed_forward")] == ["自注意力", "前馈"]
    assert by_key["encoder.layers.50.self_attn"].label == ""
    texts = [heading.text for heading in strip.headings]
    assert "编码器 20" in texts
    assert any(text.startswith("编码器 0–") for text in texts) and "解码器 0–63" in texts


def test_going_from_layer_to_layer_moves_no_segment_where_all_have_room() -> None:
    """A second click on the same place hits the same segment."""
    names = named(MODELS["translator"])
    first, second = (lay_out(names, here, 12, 1148) for here in ("encoder.layers.0.self_attn", "decoder.layers.2.cross_attn"))

    assert first == second


def test_a_page_can_put_the_segments_in_line_with_its_own() -> None:
    """Only Blocks that have a place have a segment; edges are whole pixels; names are those that fit there."""
    names = named(MODELS["translator"])
    spans = {"tokens": (16.2, 92.0), "position": (190.0, 64.0), "sum": (272.0, 64.0)}
    spans |= {"decoder.layers.1.cross_attn": (743.4, 78.3), "decoder.layers.1.feed_forward": (824.0, 10.0)}
    strip = place_at(names, spans)

    assert {segment.key: (segment.left, segment.width) for segment in strip.segments} == {
        "tokens": (16, 92),
        "position": (190, 64),
        "sum": (272, 64),
        "decoder.layers.1.cross_attn": (743, 79),
        "decoder.layers.1.feed_forward": (824, 10),
    }
    assert [segment.label for segment in strip.segments] == ["文字 · 编号", "正弦波", "相加", "交叉注意力", ""]
    assert [heading.text for heading in strip.headings] == ["词元", "位置", "输入", "解码器 1"]
    assert strip.signs == (("+", 149.0), ("=", 263.0))
    assert strip.whole == ""


def test_layers_that_the_page_does_not_show_yet_stand_where_its_layers_are() -> None:
    """While a model of more or fewer layers is still computed: all within the side's own places, the rest where it was."""
    before = lay_out(named(MODELS["translator"]), "tokens", 12, 1148)
    spans = {segment.key: (segment.left, segment.width) for segment in before.segments}
    for n_layers in (1, 2, 3, 5, 12):
        names = named(MODELS["translator"].changed(n_layers=n_layers))
        strip = in_line(names, "tokens", spans, 12, 1148)
        assert [segment.key for segment in strip.segments] == [block.key for block in names.architecture.blocks]
        assert faults(strip, names, 12, 1160) == []
        by_key = {segment.key: segment for segment in strip.segments}
        assert by_key["generator"].left == before.segments[-1].left
        assert by_key["encoder.layers.0.self_attn"].left == spans["encoder.layers.0.self_attn"][0]
        last = by_key[f"encoder.layers.{n_layers - 1}.feed_forward"]
        assert last.right == pytest.approx(sum(spans["encoder.layers.2.feed_forward"]), abs=1)
    assert in_line(named(MODELS["translator"]), "tokens", spans, 12, 1148) == before


def test_a_model_of_other_sides_has_the_strip_for_itself() -> None:
    """Until the page shows it: one side has no place, or a place of the other side has no Block."""
    both, one = named(MODELS["translator"]), named(MODELS["decoder-only"])
    for shown, wished in ((both, one), (one, both)):
        spans = {segment.key: (segment.left, segment.width) for segment in lay_out(shown, "tokens", 300, 800).segments}
        assert in_line(wished, "tokens", spans, 12, 1148) == lay_out(wished, "tokens", 12, 1148)


def test_narrow_segments_have_smaller_letters_if_more_names_fit_then() -> None:
    """All in one size: Chinese characters of 10 px where those of 11 px have no room, and no smaller ones."""
    names = named(MODELS["translator"])
    keys = [block.key for block in names.architecture.blocks if block.layer == 0]

    def made(width: float) -> Strip:
        return place_at(names, {key: (place * 60, width) for place, key in enumerate(keys)})

    assert (made(50).label_px, [segment.label for segment in made(50).segments][:2]) == (LABEL_PX, ["自注意力", "前馈"])
    assert (made(43).label_px, made(43).segments[0].label) == (SMALL_LABEL_PX, "自注意力")
    assert [segment.label for segment in made(19).segments][:2] == ["自", "馈"]
    assert {segment.label for segment in made(9).segments} == {""}


def test_a_place_belongs_to_the_segment_that_is_there_or_just_beside_it() -> None:
    """The two pixels between two segments belong to one of them, a wide gap to none."""
    strip = place_at(
        named(MODELS["translator"]), {"encoder.layers.0.self_attn": (10, 20), "encoder.layers.0.feed_forward": (32, 8)}
    )
    found = [strip.at(x) for x in (9, 10, 29, 31.5, 39, 43)]

    assert [None if segment is None else segment.key.rpartition(".")[2] for segment in found] == [
        *("self_attn", "self_attn", "self_attn", "feed_forward", "feed_forward", None)
    ]
    assert Strip().at(5) is None


def test_counts_have_three_figures() -> None:
    """With the sign of a thousand, a million, or a thousand million; what rounds up gets the next sign."""
    assert [compact(count) for count in (0, 512, 6000, 789_760, 999_499, 999_500, 9_190_256, 478_497_672, 7_241_732_096)] == [
        *("0", "512", "6 k", "790 k", "999 k", "1 M", "9.19 M", "478 M", "7.24 G")
    ]
