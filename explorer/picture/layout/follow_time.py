"""The times at which the beats of a followed cell happen. What is drawn at a time follows from the time alone."""

import math

import attrs

from explorer.picture.followed import BEATS, MOST_TERMS, Followed

HOLD_S = 0.8  # Each beat rests this long after its motion.
_MOVE_S = {"vectors": 1.6, "scaled": 0.7, "masked": 0.4, "softmax": 1.6, "mixed": 1.6}
_NOTHING_CLOSED_S = 0.0  # Without closed cells the mask does nothing.
_PRODUCT_S, _ALL_PRODUCTS_S = 0.11, 6.0


@attrs.frozen
class Moment:
    """A place in time: the beat's number, and how much of its motion has happened, from 0 to 1."""

    beat: int
    share: float

    @property
    def name(self) -> str:
        """The name of the beat."""
        return BEATS[self.beat]


@attrs.frozen
class Timetable:
    """How long each beat moves (seconds), and how many products are added one by one."""

    moves: tuple[float, ...]
    n_terms: int

    def start(self, beat: int) -> float:
        """When a beat begins (seconds)."""
        return sum(self.moves[:beat]) + HOLD_S * beat

    @property
    def total(self) -> float:
        """How long all beats take (seconds)."""
        return self.start(len(self.moves))

    def end(self, beat: int) -> float:
        """When a beat's motion has ended (seconds)."""
        return self.start(beat) + self.moves[beat]

    def at(self, time: float) -> Moment:
        """The moment at a time (seconds). Before the beginning it is the first one, after the end the last."""
        beat = next((beat for beat in range(len(self.moves) - 1, 0, -1) if time >= self.start(beat) - 1e-9), 0)
        gone = min(max(time - self.start(beat), 0.0), self.moves[beat])
        # A sum of beats is rounded: the end of a motion is its end all the same.
        return Moment(beat, 1.0 if self.moves[beat] - gone < 1e-9 else gone / self.moves[beat])

    def term(self, time: float) -> int | None:
        """The term that is being added at a time, counted from 0; None in other beats and when all are added."""
        moment = self.at(time)
        if moment.name != "products" or moment.share >= 1:
            return None
        return min(self.n_terms - 1, math.floor(moment.share * self.n_terms + 1e-6))

    def after_term(self, term: int) -> float:
        """When a term (counted from 0) has just been added, and the next one not begun (seconds)."""
        beat = BEATS.index("products")
        share = min(max(term + 1, 0), self.n_terms) / self.n_terms
        return self.start(beat) + self.moves[beat] * share - (0 if share in (0, 1) else 1e-3)


def timetable(followed: Followed) -> Timetable:
    """The timetable of a cell. More products are added faster, so that a wide head does not take minutes."""
    n_terms = min(len(followed.query), MOST_TERMS)
    moves = {
        **_MOVE_S,
        "products": min(_PRODUCT_S * n_terms, _ALL_PRODUCTS_S),
        "masked": _MOVE_S["masked"] if followed.closed.any() else _NOTHING_CLOSED_S,
    }
    return Timetable(tuple(moves[beat] for beat in BEATS), n_terms)
