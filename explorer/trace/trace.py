"""A Trace: what one pass recorded, and what a reader asks of it. It needs no torch."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Self
from weakref import proxy

import attrs

from explorer.errors import CannotRead, NoSuchStep, NotLookedInto, NoWrittenWords, bare
from explorer.trace.files.trace_file import read_trace, write_trace
from explorer.trace.found.experiments import GRADIENTS, JACOBIAN, LENS, VECTORS
from explorer.trace.found.findings import NotMade
from explorer.trace.found.gradients import Gradients
from explorer.trace.found.lens import Lens
from explorer.trace.found.why import Parts, parts_asked
from explorer.trace.measures.head_measures import MEASURES, head_values
from explorer.trace.measures.metric_table import HeadMetrics
from explorer.trace.notebook_display import NotebookDisplay
from explorer.trace.patterns import is_pattern, taps_of, with_patterns
from explorer.trace.printed import printed
from explorer.trace.recorded_pass import RecordedPass, Tokens
from explorer.trace.sameness import fields_of, made_again, same
from explorer.trace.vectors import Neighbours, Vectors

if TYPE_CHECKING:
    from explorer.tokens.token import Token


_LONGEST = 60  # characters of a text, and of a row of tokens


def told(trace: RecordedPass) -> str:
    """The Trace in at most ten lines; each begins with the name under which Python has it."""
    texts = f"<Trace {_cut(trace.source)!r} → {_cut(trace.target)!r}"
    return printed("\n".join((texts, *_lines(trace))) + ">")


def _lines(trace: RecordedPass) -> Iterator[str]:
    for side, tokens in (("source", trace.tokens.source), ("target", trace.tokens.target)):
        if tokens:
            yield f"  .tokens.{side}  {len(tokens)}: {_row(tokens)}"
    card = trace.card
    sides = ", ".join(f"{side.name} {side.n_layers} × {side.n_heads}" for side in card.sides)
    weights = "trained" if trace.trained else "random weights"
    yield f"  .card           {_cut(card.name)}: {sides}, d_model {card.d_model}, {trace.parameters:,} parameters, {weights}"
    yield f"  .names()        {len(trace)} taps{_sample(trace)}"
    if trace.changes:
        yield f"  .changes        {len(trace.changes)}"
    if trace.experiments:
        yield f"  .experiments    {_cut(', '.join(trace.experiments))}"
    if trace.recorded_by:
        yield f"  .recorded_by    {_cut(trace.recorded_by)}"


def _row(tokens: "tuple[Token, ...]") -> str:
    return _cut(" / ".join(token.text for token in tokens))


def _sample(trace: RecordedPass) -> str:
    """One name that can be copied, with the shape of what it gives."""
    stars = [name for name in with_patterns(trace.axis_names) if is_pattern(name)]
    name = next((each for each in stars if each.endswith(".weights")), stars[0] if stars else next(iter(trace), ""))
    if not name:
        return ""
    taps = taps_of(name, trace) if is_pattern(name) else ()
    axes = (*(("layer",) if taps else ()), *trace.axes(taps[0] if taps else name))
    return f', as trace["{name}"] [{", ".join(axes)}]'


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Trace(NotebookDisplay, RecordedPass):
    """A RecordedPass with the questions that a reader asks of it: what heads do, why a word was written, what layers say.

    `save` and `load` keep it in a file. A notebook shows it as its river.
    """

    compared_with: "Trace | None" = None
    _parts: dict[tuple[object, ...], Parts] = attrs.field(init=False, repr=False, factory=dict)

    def __repr__(self) -> str:
        """The Trace in at most ten lines."""
        return told(self)

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same numbers to the last bit, of the same texts and model; see `same`."""
        return same(self, other) if isinstance(other, Trace) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.source, self.target, self.preset, len(self.axis_names)))

    def __reduce__(self) -> tuple[object, ...]:
        return made_again, (type(self), fields_of(self))

    def _ipython_key_completions_(self) -> list[str]:
        """What a notebook offers after `trace["`: all names, and those with a star for all layers."""
        return list(with_patterns(self.axis_names))

    def measures(self, attention: str = "") -> HeadMetrics:
        """What each head of an attention does, by measure ("entropy", "distance", "previous", …): [layer, head].

        `attention` is one such as "decoder.self_attn", the first one by default. A number is NaN where the measure means
        nothing (induction without repeated tokens; distances between two texts), or where a long text left no room for the
        weights. `trace.head_measures` has the definitions. Raises UnknownTap.
        """
        chosen = attention or self.card.attentions[0]
        return HeadMetrics({key: head_values(self, chosen, key) for key in MEASURES}, chosen)

    def why(self, step: int | None = None, rival: int | str | None = None, *, word: int | str | None = None) -> Parts:
        """Why a word was written and not its rival: the difference of their logits in parts that sum to it.

        `step` is a position of the output; None: the one where the model was least sure. `word` (None: the written one) and
        `rival` (None: the likeliest other one) are ids or texts. The Trace needs the experiment "why": `explorer.why` makes
        it. Raises NoWrittenWords, NotLookedInto, NoSuchStep, NoSuchSymbol.
        """
        asked = step, rival, word
        # The pictures of the page why ask six times, 0.8 ms each.
        if asked not in self._parts:
            # Parts that held the Trace which keeps them would stay with all arrays until the collector finds both.
            self._parts[asked] = attrs.evolve(parts_asked(self, *asked), trace=proxy(self))
        return attrs.evolve(self._parts[asked], trace=self)

    def lens(self, *, jacobian: bool = False) -> Lens:
        """What each layer of the decoder would say. The Trace needs the experiment "lens": `explorer.lens` makes it.

        `jacobian` asks for the lens that carries each layer's stream through its fitted matrix first; it needs the experiment
        "jacobian". Raises NoWrittenWords, NotLookedInto, and NoFittedLens, LensOfOtherWeights or LensOfOtherKnobs where this
        model has no such lens.
        """
        if not self.tokens.target:
            raise NoWrittenWords(architecture=self.card.architecture)
        key = JACOBIAN.key if jacobian else LENS.key
        found = self.experiments.get(key)
        if isinstance(found, NotMade):
            raise bare(found.error)
        if not isinstance(found, Lens):
            raise NotLookedInto(name=key)
        return found

    @property
    def gradients(self) -> Gradients:
        """The gradients at each tap. The Trace needs the experiment "gradients", which `explore(…, gradients=…)` makes.

        Raises NotLookedInto, and LacksTap where the model has no output.
        """
        found = self.experiments.get(GRADIENTS.key)
        if isinstance(found, NotMade):
            raise bare(found.error)
        if not isinstance(found, Gradients):
            raise NotLookedInto(name=GRADIENTS.key)
        return found

    def neighbours(self, position: int, side: str = "") -> Neighbours:
        """The symbols of the vocabulary whose vectors are nearest to a token's, each with the cosine, nearest first.

        `side` is "encoder" or "decoder", the first one of the model by default. The Trace needs the experiment "vectors".
        Raises NotLookedInto, NoSuchStep.
        """
        found = self.experiments.get(VECTORS.key)
        if not isinstance(found, Vectors):
            raise NotLookedInto(name=VECTORS.key)
        own = found.sides[side if side in found.sides else self.card.sides[0].name]
        if not 0 <= position < len(own.tokens):
            raise NoSuchStep(got=position, last=len(own.tokens) - 1)
        return own.neighbours(position)

    def save(self, path: str | Path) -> None:
        """Write all that was kept to one .npz file; an older file is replaced only when it is complete. Raises CannotWrite."""
        write_trace(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The Trace that `save` wrote. Raises CannotRead, NotAFile, NotATrace."""
        if not isinstance(path, (str, Path)):
            raise CannotRead(path=str(path), reason=type(path).__name__)
        return read_trace(Path(path), lambda tokens, **fields: cls(tokens=Tokens(**tokens), **fields))
