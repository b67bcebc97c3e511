"""Activation patching: numbers of another sentence's pass put into the pass on screen, one place after the other."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import torch
from numpy.typing import NDArray

from explorer.engine.changing import Changing
from explorer.engine.experiments.bench import streams
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.other_knobs import without_dropout
from explorer.engine.experiments.patched_passes import Bed, Patch, PatchedPasses, PatchText, Trial
from explorer.errors import BadText, CannotPatch, NoOtherText
from explorer.state.other_sentences import suggested_for
from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.found.findings import NotMade
from explorer.trace.found.patching import Pairs, PatchedMap, PatchedStep, Patching, aligned, recovered
from explorer.trace.model_card import ModelCard
from explorer.trace.recorded_pass import Tokens, written

MOST_HEAD_TRIALS = 4000  # Thousands of heads at each place would take minutes, so a large model's heads are left out.


def patching(inquiry: Inquiry) -> Patching | NotMade:
    """What of the other sentence's pass brings back its answer. Raises Superseded."""
    wish, trace, origin = inquiry.wish, inquiry.trace, inquiry.origin
    other = wish.of_text(wish.other.strip() or next(iter(suggested_for(trace)), ""))
    if not other.text.strip():
        return NotMade(NoOtherText())
    try:
        sentence = origin.decode(other, origin.tokenize(other), inquiry.request.beam, Changing(), inquiry.stop)
    except BadText as error:  # The sentence on screen is answered all the same.
        return NotMade(error)
    card, own = trace.card, other.target is None  # Of a typed target, both passes would be asked for the same words.
    names = () if card.classes is None else card.classes.labels
    first = PatchText(trace.source, trace.tokens, trace.expected if own else (), names or trace.symbols, trace.target)
    words = written(sentence.tokens, card.begin, card.end) if own else ()
    symbols = names or origin.symbols(other.config, sentence.tokens)
    second = PatchText(other.text, sentence.tokens, words, symbols, sentence.target)
    try:
        with without_dropout(inquiry.model) as quiet:
            return each_place_patched(Bed(quiet, first, second, inquiry.changing, inquiry.stop, card))
    except CannotPatch as error:
        return NotMade(error)


def each_place_patched(bed: Bed) -> Patching:
    """Patch each place of each layer alone. Raises CannotAlign, Superseded."""
    card, first, second = bed.card, bed.first, bed.second
    pairs = paired(card, first.tokens, second.tokens)
    plans = tuple(plans_of(card, first.tokens, pairs, MOST_HEAD_TRIALS))
    with torch.inference_mode():
        passes = PatchedPasses(bed, {tap for plan in plans for tap in plan.taps}, pairs)
        gaps = passes.gaps([trial for plan in plans for trial in plan.trials])
    sizes = [len(plan.trials) for plan in plans]
    parts = np.split(gaps, np.cumsum(sizes)[:-1])
    return Patching(
        maps=tuple(plan.map(part, passes.steps) for plan, part in zip(plans, parts, strict=True)),
        steps=passes.steps,
        tokens={side: tokens_of(first.tokens, side) for side in pairs},
        other_tokens={side: tokens_of(second.tokens, side) for side in pairs},
        pairs=pairs,
        other_text=second.text,
        target=first.target,
        other_target=second.target,
    )


def tokens_of(tokens: Tokens, side: str) -> tuple[Token, ...]:
    """The tokens that a side of the model reads."""
    return tokens.source if side == "encoder" else tokens.target


def paired(card: ModelCard, first: Tokens, second: Tokens) -> dict[str, Pairs]:
    """By side the positions of A with those of B. Raises CannotAlign.

    What a model has read is aligned by its tokens. A translation is aligned by place: both are compared at the same step.
    """
    made: dict[str, Pairs] = {}
    for side in (each.name for each in card.sides):
        one, two = tokens_of(first, side), tokens_of(second, side)
        if side == "decoder" and "encoder" in made:
            made[side] = tuple((place, place) for place in range(min(len(one), len(two))))
        else:
            made[side] = aligned([token.text for token in one], [token.text for token in two])
    return made


@attrs.frozen(eq=False)
class PatchPlan:
    """The trials of one map, in the order of their places in it: [tap, place], or [tap, head, place]."""

    side: str
    kind: str
    taps: tuple[str, ...]
    n_heads: int  # 0 for maps without heads
    n_places: int
    pairs: Pairs

    @property
    def trials(self) -> list[Trial]:
        """A trial for each tap, head and pair of positions."""
        heads = range(self.n_heads) if self.n_heads else (None,)
        return [(Patch(tap, (a,), (b,), head),) for tap in self.taps for head in heads for a, b in self.pairs]

    def map(self, gaps: Array, steps: Sequence[PatchedStep]) -> PatchedMap:
        """The map of the trials' gaps [trial, step]."""
        return PatchedMap(self.side, self.kind, self.taps, self.placed(recovered(gaps, steps)))

    def placed(self, values: NDArray[Any]) -> Array:
        """[tap, (head,) position, …] the values [trial, …] at their places; NaN at positions that have no partner."""
        found = values.reshape(len(self.taps), max(1, self.n_heads), len(self.pairs), *values.shape[1:])
        made = np.full((*found.shape[:2], self.n_places, *found.shape[3:]), np.nan, np.float32)  # [tap, head, position, …]
        made[:, :, [a for a, _b in self.pairs]] = found
        made = made if self.n_heads else made[:, 0]
        made.setflags(write=False)
        return made


def plans_of(
    card: ModelCard, tokens: Tokens, pairs: Mapping[str, Pairs], most_head_trials: float = np.inf
) -> Iterator[PatchPlan]:
    """The plans of all maps, by side; heads are left out where they would need more trials than `most_head_trials`."""
    for side in card.sides:
        taps = streams(card, side.name)
        n, own = len(tokens_of(tokens, side.name)), pairs[side.name]
        kinds = [each.partition(".")[2] for each in card.attentions if each.startswith(f"{side.name}.")]
        layers = [f"{side.name}.layers.{layer}" for layer in range(side.n_layers)]
        seen = [f"{side.name}.layers.{layer}" for layer in card.attention_layers(side.name)]
        heads = tuple(f"{layer}.{kind}.mixed" for kind in kinds for layer in seen)
        yield PatchPlan(side.name, "stream", taps, 0, n, own)
        if len(heads) * side.n_heads * len(own) <= most_head_trials:
            yield PatchPlan(side.name, "head", heads, side.n_heads, n, own)
        yield PatchPlan(side.name, "feed_forward", tuple(f"{layer}.feed_forward.output" for layer in layers), 0, n, own)


MAKE = patching
