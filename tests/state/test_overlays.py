"""What a click on a head makes of the Look."""

import attrs
import pytest

from explorer.errors import BadField
from explorer.state.look import Look, alone, every, toggled
from tests.picture.examples import example


def after(look: Look, fields: dict[str, object]) -> Look:
    return attrs.evolve(look, **fields)


def test_a_click_adds_a_head_and_another_takes_it_away() -> None:
    """The chosen head stays what it is; of one head alone there is nothing overlaid."""
    two = after(Look(head=3), toggled(Look(head=3), 1))
    assert (two.head, two.overlaid, two.drawn_heads()) == (3, (1, 3), (1, 3))
    assert after(two, toggled(two, 1)) == Look(head=3)


def test_without_the_chosen_head_another_is_chosen() -> None:
    """The last of those that are left."""
    look = Look(head=1, overlaid=(1, 2, 5))
    assert after(look, toggled(look, 1)) == Look(head=5, overlaid=(2, 5))


def test_the_last_head_stays() -> None:
    """There is always something to see."""
    assert after(Look(head=2), toggled(Look(head=2), 2)) == Look(head=2)


def test_a_click_while_a_mean_stands_for_the_heads_shows_that_head() -> None:
    """Alone."""
    look = Look(head=1, aligned="layer_max", overlaid=(1, 2))
    assert look.drawn_heads() == ()
    assert after(look, toggled(look, 4)) == Look(head=4)


def test_a_head_is_seen_alone_and_all_again() -> None:
    """Twice alone is all of them; all of them twice is the chosen one."""
    look = Look(head=1, overlaid=(1, 2))
    one = after(look, alone(look, 2, 4))
    assert one == Look(head=2)
    whole = after(one, alone(one, 2, 4))
    assert whole == Look(head=2, overlaid=(0, 1, 2, 3))
    assert after(whole, every(whole, 4)) == one
    assert after(Look(), every(Look(), 1)) == Look()


@pytest.mark.parametrize("heads", [(3, 1), (1, 1), (-1, 2), tuple(range(2000))])
def test_overlaid_heads_are_a_set_in_order(heads: tuple[int, ...]) -> None:
    """Files come from strangers."""
    with pytest.raises(BadField):
        Look(overlaid=heads)


def test_heads_that_a_model_lacks_are_no_longer_overlaid() -> None:
    """The example has four."""
    assert Look(head=3, overlaid=(0, 3, 7)).fitted(example()).overlaid == (0, 3)
    assert Look(head=9, overlaid=(9, 12)).fitted(example()).drawn_heads() == (3,)
