"""Byte-pair encoding that shows its merges. Sennrich, Haddow and Birch 2016. Unknown characters become bytes.

A merge is allowed if its result is in the vocabulary; the result with the smallest id is merged first. So the vocabulary is the
whole table of merges, and a smaller one has fewer merges. Rejected: a second table of pairs, which could disagree with it.
"""

from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from itertools import groupby, takewhile

import attrs

from explorer.tokens.graphemes import Span, Spans, clusters
from explorer.tokens.pieces import MARK, Pretoken, first_symbols, opens_word, pieces
from explorer.tokens.plain_forms import plain_forms
from explorer.tokens.token import Token
from explorer.tokens.vocabulary import SPECIALS, UNKNOWN, Vocabulary

BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
# A character may have any number of combining marks, and each of its byte tokens would show them all.
_LONGEST_SHOWN = 32
_BYTE_OF = {symbol: byte for byte, symbol in enumerate(BYTES)}

Rank = Callable[[str], int | None]
"""A function from a piece to its id; None if the vocabulary lacks it."""


class Encoder:
    """Encodes and decodes with one vocabulary.

    With `plain`, a character that the vocabulary lacks is looked up in a plainer form: T as t. Its token keeps what was typed.
    """

    def __init__(self, vocabulary: Vocabulary, *, plain: bool = False) -> None:
        self._vocabulary, self._plain = vocabulary, plain

    def encode(self, text: str) -> tuple[Token, ...]:
        """The tokens of `text`. A character outside the vocabulary becomes its bytes: 龘 1/3, 龘 2/3, 龘 3/3."""
        return tuple(token for piece in self.by_piece(text) for token in piece)

    def by_piece(self, text: str) -> Iterator[tuple[Token, ...]]:
        """The tokens of each piece inside which merges are made: words and punctuation marks."""
        return (tuple(self._encoded(piece, text)) for piece in pieces(text))

    def within(self, text: str, spans: Spans) -> Iterator[Token]:
        """The tokens of a text that was cut in another way. A span that is no symbol falls apart into its byte pairs.

        Where byte pairs lie across the borders of a span, it falls apart into its characters.
        """
        pairs = self.encode(text)
        first = {token.start: place for place, token in reversed(list(enumerate(pairs)))}
        for start, end in spans:
            whole = self.whole(text, start, end)
            if all(token.known for token in whole):
                yield from whole
                continue
            inside = tuple(takewhile(lambda token, end=end: token.end <= end, pairs[first.get(start, len(pairs)) :]))  # type: ignore[misc]
            if not inside or inside[-1].end != end:
                inside = tuple(each for a, b in clusters(text[start:end]) for each in self.whole(text, start + a, start + b))
            yield from (attrs.evolve(token, word=(start, end)) for token in inside)

    def whole(self, text: str, start: int, end: int) -> tuple[Token, ...]:
        """A user-defined piece as one token: <unk> if the vocabulary lacks it. A single character may become its bytes."""
        piece = text[start:end]
        looked_up = "".join(self._known(piece[a:b]) for a, b in clusters(piece))
        forms = (f"{MARK}{piece}", f"{MARK}{looked_up}") if opens_word(text, start) else ()
        for symbol in (*forms, piece, looked_up):
            if self._vocabulary.id_of(symbol) is not None and MARK not in piece:
                return (self._token(f"{MARK}{piece}" if symbol[0] == MARK else piece, symbol, start, end),)
        if len(clusters(piece)) == 1:
            return tuple(self._bytes(piece, piece, start, end))
        return (Token(piece, UNKNOWN, start, end, known=False),)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of a row of ids, with one blank for each white space. Bytes that make no character are shown by name."""
        return "".join(text for text, _n_ids in self._shown(ids)).removeprefix(" ")

    def spans(self, ids: Iterable[int]) -> Spans:
        """The place of each id in the decoded text. All bytes of a character stand at its place; words begin after blanks."""
        shown = list(self._shown(ids))
        found: list[Span] = []
        # Decoding drops a blank at the beginning of the text, so the first place is -1 there.
        end = -1 if "".join(text for text, _n_ids in shown).startswith(" ") else 0
        for text, n_ids in shown:
            start = end + len(text) - len(text.lstrip(" ") or text)
            end += len(text)
            found += [(max(0, start), end)] * n_ids
        return tuple((start, max(start, end)) for start, end in found)

    def _shown(self, ids: Iterable[int]) -> Iterator[tuple[str, int]]:
        """The text of the ids, piece by piece, each with its number of ids."""
        runs = groupby((self._vocabulary.symbols[each] for each in ids), _BYTE_OF.__contains__)
        for are_bytes, symbols in runs:
            if are_bytes:
                yield from _characters(list(symbols))
            else:
                yield from ((_plain(symbol), 1) for symbol in symbols)

    def _encoded(self, piece: Pretoken, text: str) -> Iterator[Token]:
        spans = piece.characters if piece.space is None else (piece.space, *piece.characters)
        symbols = map(self._known, first_symbols(piece, text))
        parts = [MergePart(symbol, start, end) for symbol, (start, end) in zip(symbols, spans, strict=True)]
        for part in merged(parts, self._vocabulary.id_of):
            is_space = part.symbol == MARK and piece.space is not None
            if is_space and part.start == part.end:
                continue  # At the beginning of the text, a mark without a merge stands for no text.
            # The user may have typed the mark itself. Then it is an ordinary character outside the vocabulary.
            if self._vocabulary.id_of(part.symbol) is None or (part.symbol == MARK and not is_space):
                yield from self._bytes(part.symbol, " " if is_space else part.symbol, part.start, part.end)
                continue
            # The white space before a word is not part of its token.
            start = part.start if is_space else max(part.start, piece.characters[0][0])
            shown = MARK if is_space else MARK * part.symbol.startswith(MARK) + text[start : part.end]
            yield self._token(shown, part.symbol, start, part.end, tuple(merge for _, merge in part.merges))

    def _known(self, symbol: str) -> str:
        """The symbol, or the nearest plainer form that the vocabulary has; the symbol itself if it has none."""
        if not self._plain or self._vocabulary.id_of(symbol) is not None:
            return symbol
        return next((form for form in plain_forms(symbol) if self._vocabulary.id_of(form) is not None), symbol)

    def _bytes(self, shown: str, content: str, start: int, end: int) -> Iterator[Token]:
        raw = content.encode()
        if len(shown) > _LONGEST_SHOWN:
            shown = f"{shown[:_LONGEST_SHOWN]}…"
        for number, byte in enumerate(raw, 1):
            text = shown if len(raw) == 1 else f"{shown} {number}/{len(raw)}"
            yield self._token(text, BYTES[byte], start, end)

    def _token(self, text: str, symbol: str, start: int, end: int, merges: tuple[str, ...] = ()) -> Token:
        identity = self._vocabulary.id_of(symbol)
        known = identity is not None
        return Token(text, UNKNOWN if identity is None else identity, start, end, known, merges)


def _characters(raw: list[str]) -> Iterator[tuple[str, int]]:
    """Each character with the number of its bytes; bytes that make no character are given by name."""
    try:
        text = bytes(_BYTE_OF[symbol] for symbol in raw).decode()
    except UnicodeDecodeError:
        yield from ((symbol, 1) for symbol in raw)
    else:
        yield from ((character, len(character.encode())) for character in text)


def _plain(symbol: str) -> str:
    if symbol in SPECIALS:
        return symbol if symbol == SPECIALS[UNKNOWN] else ""
    return symbol.replace(MARK, " ", 1)


@attrs.frozen
class MergePart:
    """A symbol during merging: the characters that it covers, and the merges that made it, each with its turn."""

    symbol: str
    start: int
    end: int
    merges: tuple[tuple[int, str], ...] = ()


def merged(parts: list[MergePart], rank: Rank) -> list[MergePart]:
    """The parts after all merges whose results have a rank. The smallest rank is merged first, equal ones from the left."""
    chain = _Chain(parts, rank)
    turn = 0
    while chain.queue:
        _, left, right, symbol = heappop(chain.queue)
        if chain.is_still(left, right, symbol):
            chain.join(left, right, turn)
            turn += 1
    return [part for part in chain.parts if part is not None]


class _Chain:
    """Parts with links to their neighbours, and the possible merges between them. All merges take n·log n steps."""

    def __init__(self, parts: list[MergePart], rank: Rank) -> None:
        self.parts: list[MergePart | None] = [*parts, None]  # The None at the end merges with nothing.
        self.queue: list[tuple[int, int, int, str]] = []
        self._after = list(range(1, len(parts) + 2))
        self._before = list(range(-1, len(parts)))
        self._rank = rank
        for left in range(len(parts) - 1):
            self._offer(left, left + 1)

    def is_still(self, left: int, right: int, symbol: str) -> bool:
        """Whether neither of the two parts has merged with another one since this merge was offered."""
        first, second = self.parts[left], self.parts[right]
        return first is not None and second is not None and first.symbol + second.symbol == symbol

    def join(self, left: int, right: int, turn: int) -> None:
        first, second = self.parts[left], self.parts[right]
        assert first and second  # The caller has checked `is_still`.
        merges = sorted((*first.merges, *second.merges, (turn, f"{first.symbol} {second.symbol}")))
        self.parts[left] = MergePart(first.symbol + second.symbol, first.start, second.end, tuple(merges))
        self.parts[right] = None
        self._after[left] = self._after[right]
        self._before[self._after[left]] = left
        self._offer(self._before[left], left)
        self._offer(left, self._after[left])

    def _offer(self, left: int, right: int) -> None:
        # Index -1, which stands before the first part, is the None at the end as well.
        first, second = self.parts[left], self.parts[right]
        if first is None or second is None:
            return
        symbol = first.symbol + second.symbol
        rank = self._rank(symbol)
        if rank is not None:
            heappush(self.queue, (rank, left, right, symbol))
