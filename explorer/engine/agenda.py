"""The Agenda: which errands are under way, and which piece comes next."""

from explorer.engine.errand import (
    AblateEach,
    ComparePasses,
    CompareTexts,
    CompareVocabularies,
    CompareWeights,
    Errand,
    FindBreaks,
    HideEach,
    ListParameters,
    ListWeights,
    MeasureParameters,
    MeasureTaps,
    PrepareScript,
    ReadMoments,
    ReadParameter,
    TryAll,
    WriteOn,
)

# An export that the user waits for comes first, and the page on screen before a search.
_IN_TURN = tuple(
    each.kind
    for each in (
        PrepareScript,
        ListParameters,
        ReadParameter,
        MeasureTaps,
        CompareVocabularies,
        ComparePasses,
        ListWeights,
        MeasureParameters,
        CompareWeights,
        WriteOn,
        HideEach,
        CompareTexts,
        ReadMoments,
        TryAll,
        FindBreaks,
        AblateEach,
    )
)


class Agenda:
    """The errands that are under way and how far each has come. Its owner's lock guards it."""

    def __init__(self) -> None:
        self._errands: dict[str, Errand] = {}
        self._done: dict[str, int] = {}

    def put(self, errand: Errand) -> None:
        """Begin an errand, in place of an older one of its kind."""
        self._errands[errand.kind] = errand
        self._done[errand.kind] = 0

    def next(self) -> tuple[Errand, int] | None:
        """The piece that comes next; None when all errands are done."""
        for kind in _IN_TURN:
            errand = self._errands.get(kind)
            if errand is not None and self._done[kind] < errand.n_pieces:
                return errand, self._done[kind]
        return None

    def has(self, errand: Errand) -> bool:
        """Whether an errand is still wanted."""
        return self._errands.get(errand.kind) is errand

    def did(self, errand: Errand) -> None:
        """A piece of an errand is done."""
        if self.has(errand):
            self._done[errand.kind] += 1

    def drop(self, errand: Errand) -> None:
        """End an errand."""
        if self.has(errand):
            del self._errands[errand.kind]
