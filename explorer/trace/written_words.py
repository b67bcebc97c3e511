"""From the pieces that a model generates to the words that a reader sees, with the numbers of the pieces added up."""

from collections.abc import Sequence

from explorer.tokens.vocabulary import END

_BEGIN = "＿"  # a piece with this mark begins a word


def written_words(ids: Sequence[int], symbols: Sequence[str], log_p: Sequence[float]) -> list[tuple[str, float]]:
    """The words of these pieces, each with the sum of its pieces' log p (nats); the end symbol is the word "".

    A vocabulary without the mark has whole words, and nothing is joined.
    """
    pieces = ["" if each == END else symbols[each] if each < len(symbols) else f"#{each}" for each in ids]
    marked = any(piece.startswith(_BEGIN) for piece in pieces)
    made: list[tuple[str, float]] = []
    for piece, value in zip(pieces, log_p, strict=True):
        bare = piece.removeprefix(_BEGIN)
        goes_on = marked and bool(made) and bool(made[-1][0]) and piece == bare and any(map(str.isalnum, piece))
        if goes_on and made[-1][0][-1].isalnum():
            made[-1] = made[-1][0] + bare, made[-1][1] + value
        else:
            made.append((bare, value))
    return made
