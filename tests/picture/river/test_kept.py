"""What is kept of a river from the picture before is what would be drawn anew."""

from itertools import pairwise

import attrs
import numpy as np
import pytest

from explorer.picture.makers.river import river
from explorer.picture.marks import Bands
from explorer.picture.river.draw import draw_over, draw_river
from explorer.picture.river.grid import lay_out
from explorer.picture.river.ground import Colours
from explorer.picture.river.kept import KeptMarks, Same
from explorer.picture.river.pointing import of_lane, usual
from explorer.picture.river.river import River
from explorer.picture.river.scene import Drawn
from explorer.state.look import Look
from tests.picture.examples import asked, words

SIZE = (1172, 716)
CROSS = Look(attention="decoder.cross_attn", layer=1, head=2, position=1)
LOOKS = (
    CROSS,
    attrs.evolve(CROSS, head=0),
    attrs.evolve(CROSS, position=0),
    attrs.evolve(CROSS, layer=0),
    attrs.evolve(CROSS, attention="encoder.self_attn"),
    attrs.evolve(CROSS, attention="decoder.self_attn", head=1),
    attrs.evolve(CROSS, aligned="layer"),
    attrs.evolve(CROSS, aligned="layer_max"),
    attrs.evolve(CROSS, unit="words"),
    attrs.evolve(CROSS, sampling_temperature=0.5),
    attrs.evolve(CROSS, sampling_temperature=0.5, top_k=2),
    attrs.evolve(CROSS, top_p=0.5),
    attrs.evolve(CROSS, unit_colours="viridis", signed_colours="purple-orange"),
    CROSS,
)


def drawn(picture: River, kept: KeptMarks | None, language: str = "zh", size: tuple[int, int] = SIZE) -> Drawn:
    colours = Colours(picture.unit_colours, picture.signed_colours)
    return draw_river(picture, lay_out(picture, *size), words(language), colours, kept=kept)


def over(picture: River, kept: KeptMarks | None) -> Drawn:
    return draw_over(picture, lay_out(picture, *SIZE), words("zh"), usual(picture), kept=kept)


def plain(value: object) -> object:
    """A scene or an item as tuples, which can be compared."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if attrs.has(type(value)):
        return type(value).__name__, tuple(plain(getattr(value, field.name)) for field in attrs.fields(type(value)))
    return value


def scenes(one: Drawn) -> object:
    return plain(one.scene), plain(one.ground)


def test_the_comparison_tells_one_weight() -> None:
    """Two heads differ, and so does one number."""
    trace = asked("he likes it")
    first, second = (river(trace, attrs.evolve(CROSS, head=head), words("zh")) for head in (1, 2))
    assert scenes(drawn(first, None)) == scenes(drawn(first, None)) != scenes(drawn(second, None))


@pytest.mark.parametrize("backwards", [False, True])
def test_what_is_kept_is_what_would_be_drawn(backwards: bool) -> None:
    """Through heads, layers, steps, means, words, colours, models, and sentences of one shape and of others, there and back."""
    kept, kept_over = KeptMarks(), KeptMarks()
    traces = [asked("he likes it"), asked("he likes it", seed=5), asked("he likes us"), asked("he")]
    pictures = [river(trace, look, words("zh")) for trace in traces for look in LOOKS]
    for picture in reversed(pictures) if backwards else pictures:
        assert scenes(drawn(picture, kept)) == scenes(drawn(picture, None))
        assert plain(over(picture, kept_over).scene) == plain(over(picture, None).scene)


def test_what_is_known_of_a_trace_is_what_would_be_made() -> None:
    """A copy of the Trace, of which nothing is known, gives the same river for every Look, there and back."""
    trace = asked("he likes it")
    for look in (*LOOKS, *reversed(LOOKS)):
        known, anew = (river(each, look, words("zh")) for each in (trace, attrs.evolve(trace)))
        assert known.written is not anew.written
        assert scenes(drawn(known, None)) == scenes(drawn(anew, None))


def test_a_language_or_a_size_is_drawn_anew() -> None:
    """Nothing is kept of another one."""
    kept, picture = KeptMarks(), river(asked("he likes it"), CROSS, words("zh"))
    for language, size in (("zh", SIZE), ("en", SIZE), ("en", (900, 470)), ("zh", (2200, 1300))):
        assert scenes(drawn(picture, kept, language, size)) == scenes(drawn(picture, None, language, size))


def test_a_further_head_keeps_all_other_blocks() -> None:
    """The ground and the bands of all blocks but one are the same objects; of another sentence none but the ground is."""
    kept = KeptMarks()
    trace = asked("he likes it")
    shown = [drawn(river(trace, attrs.evolve(CROSS, head=head), words("zh")), kept) for head in (1, 2)]
    for first, second in pairwise(shown):
        assert first.ground is second.ground
        bands = [[item for item in each.scene if isinstance(item, Bands)] for each in (first, second)]
        assert sum(one is not other for one, other in zip(*bands, strict=True)) == 1


def test_what_is_pointed_at_is_drawn_anew() -> None:
    """Accents that were kept for one lane are not those of another."""
    kept, picture = KeptMarks(), river(asked("he likes it"), CROSS, words("zh"))
    grid = lay_out(picture, *SIZE)
    for lane in (0, 1, 0, 2):
        pointing = of_lane(picture, picture.halves[0], lane)
        found, anew = (draw_over(picture, grid, words("zh"), pointing, kept=each) for each in (kept, None))
        assert plain(found.scene) == plain(anew.scene)


def test_what_is_not_asked_for_is_let_go() -> None:
    """After two turns it is made again."""
    kept, made = KeptMarks(), []

    def make() -> int:
        made.append(1)
        return len(made)

    assert (kept.of("a", make), kept.of("a", make)) == (1, 1)
    kept.turn()
    assert kept.of("a", make) == 1
    kept.turn()
    kept.turn()
    assert kept.of("a", make) == 2


def test_the_same_object_is_the_same_key() -> None:
    """Equal arrays are two keys."""
    one, other = np.zeros(3), np.zeros(3)
    assert Same(one) == Same(one) and hash(Same(one)) == hash(Same(one)) and Same(one) != Same(other)
