"""The prompt that a chat template makes of a typed text, and the places of its tokens in that text."""

from bisect import bisect_left, bisect_right

import attrs

from explorer.tokens.token import Token


@attrs.frozen
class Prompt:
    """The whole prompt, the typed text, and the places where the text stands in it.

    Each place is a pair of offsets in characters: in the typed text and in the prompt; both ascend. Where a template drops
    a part of the text, such as the spaces around it, no place is in that part.
    """

    text: str
    typed: str
    places: tuple[tuple[int, int], ...] = ()

    def framed(self, begin: str, end: str) -> "Prompt":
        """The prompt with these symbols around it, each once."""
        lead = "" if self.text.startswith(begin) else begin
        text = lead + self.text + ("" if self.text.endswith(end) else end)
        return Prompt(text, self.typed, tuple((place, found + len(lead)) for place, found in self.places))

    def within(self, tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        """The tokens of the prompt with their places in the typed text; none for what stands around it."""
        return tuple(map(self._moved, tokens))

    def _moved(self, token: Token) -> Token:
        start, end = token.start, token.end
        if self.places:
            start, end = max(start, self.places[0][1]), min(end, self.places[-1][1])
        if not self.places or start >= end:
            return attrs.evolve(token, start=0, end=0)
        first, last = bisect_right(self.places, start, key=_found) - 1, bisect_left(self.places, end, key=_found) - 1
        return attrs.evolve(token, start=self._part(first, start)[0], end=self._part(last, end)[1])

    def _part(self, number: int, at: int) -> tuple[int, int]:
        """The part of the text that stands in the prompt after a place: a character, or all up to the next place."""
        (place, found), (to, to_found) = self.places[number : number + 2]
        if self.typed[place:to] == self.text[found:to_found]:
            return place + at - found, place + at - found
        return place, to


def _found(place: tuple[int, int]) -> int:
    return place[1]
