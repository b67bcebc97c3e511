"""Errands: long work in small pieces, done behind the frames, piece by piece, whenever no request waits.

Each piece gives way to a new request and is begun again later. A newer errand of the same kind replaces the older one.

Decision: an errand is a value with numbered pieces, and each piece is found by its number alone. Rejected: a generator on the
compute thread, which would be lost with the first piece that gives way.
"""

from pathlib import Path
from typing import ClassVar

import attrs

from explorer.errors import ExplorerError
from explorer.state.tries import Try
from explorer.state.wish import Wish
from explorer.trace.choices import PROMPT_METRICS
from explorer.trace.found.cloze import Cloze
from explorer.trace.found.consequences import Break, Consequence
from explorer.trace.found.continuation import NextToken, Sampling
from explorer.trace.found.difference import ParameterPair, ParameterPairs, VocabularyPair, WeightDifference, WordDifferences
from explorer.trace.found.over_prompts import MetricEffects
from explorer.trace.found.parameters import Parameter, ParameterList, ParameterNumbers, slabs
from explorer.trace.found.similarity import Similarity
from explorer.trace.measures.head_distance import HeadDistance
from explorer.trace.measures.tap_figures import MeasuredTaps
from explorer.trace.moments import ModelMoment
from explorer.trace.script_parts import ScriptParts
from explorer.trace.trace import Trace


@attrs.frozen(kw_only=True)
class Errand:
    """The base of errands. One without pieces ends the older one of its kind."""

    kind: ClassVar[str] = ""

    @property
    def n_pieces(self) -> int:
        """How many pieces there are."""
        return 0


@attrs.frozen(kw_only=True)
class TryAll(Errand):
    """The effect of each change; a piece is a Try. All are measured on the words of the translation of `unchanged`.

    With `anyway` they are tried even where a large model takes long.
    """

    kind: ClassVar[str] = "tries"
    unchanged: Wish | None = None
    tries: tuple[Try, ...] = ()
    anyway: bool = False

    @property
    def n_pieces(self) -> int:
        """How many changes are tried."""
        return len(self.tries)


@attrs.frozen(kw_only=True)
class FindBreaks(Errand):
    """What the changes of a Wish do to many sentences; a piece is a sentence."""

    kind: ClassVar[str] = "breaks"
    wish: Wish | None = None
    sentences: tuple[str, ...] = ()

    @property
    def n_pieces(self) -> int:
        """How many sentences are tried."""
        return len(self.sentences)


@attrs.frozen(kw_only=True)
class AblateEach(Errand):
    """What ablating each part adds to a metric, by its name, on each of some prompts of a Wish's model; a piece is a prompt."""

    kind: ClassVar[str] = "ablate each"
    wish: Wish | None = None
    prompts: tuple[str, ...] = ()
    metric: str = PROMPT_METRICS[0]

    @property
    def n_pieces(self) -> int:
        """How many prompts there are."""
        return len(self.prompts)


@attrs.frozen(kw_only=True)
class WriteOn(Errand):
    """What the model of a Wish writes after its text; a piece is a token.

    `begun` are the ids that stand after the text already, and `forced` the first ids that come next. At most `most` tokens are
    written; the first one that ends the text is the last that counts.
    """

    kind: ClassVar[str] = "write on"
    wish: Wish | None = None
    sampling: Sampling = attrs.field(factory=Sampling)
    begun: tuple[int, ...] = ()
    forced: tuple[int, ...] = ()
    most: int = 0

    @property
    def n_pieces(self) -> int:
        """How many tokens are asked for."""
        return 0 if self.wish is None else self.most

    def forced_at(self, number: int) -> int | None:
        """The id that token `number` shall have; None where the model chooses."""
        return self.forced[number] if number < len(self.forced) else None


@attrs.frozen(kw_only=True)
class HideEach(Errand):
    """What the masked model of a Wish fills in where each token of its text is hidden; one piece has all of them."""

    kind: ClassVar[str] = "hide each"
    wish: Wish | None = None

    @property
    def n_pieces(self) -> int:
        """One, where a text is given."""
        return 0 if self.wish is None else 1


@attrs.frozen(kw_only=True)
class CompareTexts(Errand):
    """How alike some `texts` are to the sentence model of a Wish; one piece has all of them."""

    kind: ClassVar[str] = "compare texts"
    wish: Wish | None = None
    texts: tuple[str, ...] = ()

    @property
    def n_pieces(self) -> int:
        """One, where texts are given."""
        return 0 if self.wish is None or not self.texts else 1


@attrs.frozen(kw_only=True)
class PrepareScript(Errand):
    """What a script that repeats the pass of a Wish needs beside its Trace; one piece has all of it.

    The weights are written to the file `weights`; None where the script shall find or draw them itself.
    """

    kind: ClassVar[str] = "prepare script"
    wish: Wish | None = None
    weights: Path | None = None

    @property
    def n_pieces(self) -> int:
        """One, where there is a Wish."""
        return 0 if self.wish is None else 1


@attrs.frozen(kw_only=True)
class MeasureTaps(Errand):
    """The figures of a Trace's taps; a piece is a group of them, by name."""

    kind: ClassVar[str] = "measure taps"
    trace: Trace | None = None
    groups: tuple[tuple[str, ...], ...] = ()

    @property
    def n_pieces(self) -> int:
        """How many groups there are."""
        return len(self.groups)


@attrs.frozen(kw_only=True)
class ListParameters(Errand):
    """Which parameters the model of a Wish has; one piece has all of them."""

    kind: ClassVar[str] = "list parameters"
    wish: Wish | None = None

    @property
    def n_pieces(self) -> int:
        """One, where there is a Wish."""
        return 0 if self.wish is None else 1


@attrs.frozen(kw_only=True)
class MeasureParameters(Errand):
    """The figures of some parameters of a Wish's model; a piece is one of them."""

    kind: ClassVar[str] = "measure parameters"
    wish: Wish | None = None
    parameters: tuple[Parameter, ...] = ()

    @property
    def n_pieces(self) -> int:
        """How many parameters are measured."""
        return len(self.parameters)


@attrs.frozen(kw_only=True)
class ReadParameter(Errand):
    """One matrix of a parameter of a Wish's model, read in slabs; the last piece has what was read."""

    kind: ClassVar[str] = "read parameter"
    wish: Wish | None = None
    parameter: Parameter | None = None
    number: int = 0

    @property
    def n_pieces(self) -> int:
        """Two for each slab, since the matrix is read twice."""
        return 0 if self.parameter is None else 2 * len(slabs(self.parameter))


@attrs.frozen(kw_only=True)
class ComparePasses(Errand):
    """How far a Trace is from the one that it is compared with: a piece for each of these taps of attention weights, which both
    have, and at last one for the words.
    """

    kind: ClassVar[str] = "compare passes"
    trace: Trace | None = None
    taps: tuple[str, ...] = ()

    @property
    def n_pieces(self) -> int:
        """The taps and the words."""
        return 0 if self.trace is None else len(self.taps) + 1


@attrs.frozen(kw_only=True)
class CompareVocabularies(Errand):
    """The vocabulary of a Trace's model beside that of the one that it is compared with; one piece."""

    kind: ClassVar[str] = "compare vocabularies"
    trace: Trace | None = None

    @property
    def n_pieces(self) -> int:
        """One, where there is a Trace."""
        return 0 if self.trace is None else 1


@attrs.frozen(kw_only=True)
class ListWeights(Errand):
    """Which tensors of weights can differ between the models of two Wishes; one piece has all of them."""

    kind: ClassVar[str] = "list weights"
    wish: Wish | None = None
    other: Wish | None = None

    @property
    def n_pieces(self) -> int:
        """One, where there are Wishes."""
        return 0 if self.wish is None or self.other is None else 1


@attrs.frozen(kw_only=True)
class CompareWeights(Errand):
    """How far the weights of the model of `wish` are from those of `other`; a piece is one of the tensors."""

    kind: ClassVar[str] = "compare weights"
    wish: Wish | None = None
    other: Wish | None = None
    pairs: tuple[ParameterPair, ...] = ()

    @property
    def n_pieces(self) -> int:
        """How many tensors are compared."""
        return len(self.pairs)


@attrs.frozen(kw_only=True)
class ReadMoments(Errand):
    """What the model of a training was at its snapshots, on one `text`; a piece is a snapshot.

    `preset` is the training's folder or name. The passes read `target`; without one, each reads the model's own answer.
    `asked` is what a model without a target is given for its answer: a text to go on with, or one with mask tokens to fill in.
    """

    kind: ClassVar[str] = "read moments"
    preset: str = ""
    text: str = ""
    target: str = ""
    asked: str = ""
    steps: tuple[int, ...] = ()

    @property
    def n_pieces(self) -> int:
        """How many snapshots are read."""
        return len(self.steps)


Found = (
    Consequence
    | Break
    | MetricEffects
    | NextToken
    | Cloze
    | Similarity
    | MeasuredTaps
    | ScriptParts
    | ParameterList
    | ParameterNumbers
    | ModelMoment
    | HeadDistance
    | WordDifferences
    | VocabularyPair
    | ParameterPairs
    | WeightDifference
)


@attrs.frozen(eq=False)
class Brought:
    """What a piece of an errand has found out; an ExplorerError where it cannot be found out, None where more is to come."""

    errand: Errand
    number: int
    found: Found | ExplorerError | None
