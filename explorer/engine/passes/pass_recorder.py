"""From a model and a sentence to a Trace. The pass over a long text is made once; heads that are looked at later are added.

Of a text that begins like the one before, a causal model computes only the further rows: none of its rows depends on later
tokens. Where a Change, a hook or a knob acts, or where the model cannot do so (`GoesOn.parts_before`), the whole pass is made.
The last pass is kept for it, which is the one on screen.
"""

from collections.abc import Hashable, Mapping

import attrs
import numpy as np
import torch
from torch import Tensor

from explorer.config import Config
from explorer.engine.changing import Changing
from explorer.engine.devices import dropout_seeded
from explorer.engine.model_version import model_version
from explorer.engine.recording.chosen_taps import card_of_chosen, chosen_bytes, chosen_plan
from explorer.engine.recording.keep_plan import EVERYTHING, KeepPlan
from explorer.engine.recording.long_text import covers, in_levels, plan_for, planned_bytes, taps_in, with_levels, with_wanted
from explorer.engine.recording.recorder import Recording, joined, record
from explorer.engine.request import Request
from explorer.engine.sources.source import GoesOn, Model, ModelSource, Sentence
from explorer.engine.speed.threads import threads
from explorer.model.hooks import is_hooked
from explorer.model.transformer import Transformer
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop, stop_with_progress
from explorer.trace.arrays import Arrays
from explorer.trace.levels import Levels
from explorer.trace.trace import Trace

_PLACES = 64  # rows of the table of positions that are kept at least, so that its waves can be seen
_ROWS = ("position", "query")


def ready_model(source: ModelSource, wish: Wish, sentence: Sentence, stop: Stop, progress: Progress) -> Model:
    """The model of a source for a pass over a sentence. Raises NotEnoughMemory, NoSuchDevice, Superseded."""
    card = source.card(wish.config)
    if wish.taps:
        recorded = chosen_bytes(chosen_plan(wish.taps, source.taps(wish.config)), card, *sentence.sizes)
    else:
        recorded = planned_bytes(plan_for(card, wish.config.memory_budget, *sentence.sizes), card, *sentence.sizes)
    return source.ready(wish.config, recorded, stop, progress)


@attrs.frozen(eq=False)
class EarlierRows:
    """What a whole pass of a source recorded, by a `version` of its model.

    `config` has the knobs that acted on it, `ids` are the tokens that it read.
    """

    source: GoesOn
    version: Hashable
    config: Config
    ids: tuple[int, ...]
    arrays: Arrays

    def shared(self, source: object, model: Model, config: Config, sentence: Sentence) -> int:
        """How many tokens at the beginning have the same rows in a pass over this sentence. At least one row is left.

        The same text once more is a whole pass: to the last bit its numbers are those of the first one, whatever was looked
        at in between.
        """
        ids = _ids(sentence)
        if source is not self.source or config != self.config or ids == self.ids or model_version(model) != self.version:
            return 0
        most = max(0, min(len(self.ids), len(ids) - 1))
        return next((n for n in range(most) if self.ids[n] != ids[n]), most)

    def run(self, model: Model, sentence: Sentence, n: int) -> None:
        """Make a pass over the tokens behind the first `n`."""
        before: Mapping[str, Tensor] = {
            tap: torch.from_numpy(np.array(self.arrays[tap][None, :, :n])) for tap in self.source.parts_before(model)
        }  # [batch 1, head, position, feature]
        self.source.run_after(model, sentence, n, before)

    def followed_by(self, later: Recording, sentence: Sentence, n: int) -> Recording:
        """The recording of a whole pass, from the first `n` rows of this one and one of all rows behind them."""
        rows_at, n_new = {}, len(_ids(sentence)) - n
        for tap, axes in later.axes.items():
            at = next((place for place, axis in enumerate(axes) if axis in _ROWS), None)
            if at is not None and later.arrays.shape(tap)[at] == n_new:  # The taps of the attentions show all rows.
                rows_at[tap] = at
        return attrs.evolve(later, arrays=later.arrays.after(self.arrays, n, rows_at))


def can_go_on(source: ModelSource, model: Model) -> bool:
    """Whether further passes of this model may begin behind the rows of one that is made now, without Changes."""
    return isinstance(source, GoesOn) and bool(source.parts_before(model)) and not is_hooked(model)


def earlier_rows(source: ModelSource, model: Model, config: Config, sentence: Sentence, trace: Trace) -> EarlierRows:
    """What a pass without Changes has recorded, of a source that can go on."""
    assert isinstance(source, GoesOn) and isinstance(trace.arrays, Arrays)  # `can_go_on` has looked.
    return EarlierRows(source, model_version(model), config, _ids(sentence), trace.arrays)


def _ids(sentence: Sentence) -> tuple[int, ...]:
    """The ids of the one side of a causal model."""
    return tuple(token.id for token in sentence.tokens.target)


@attrs.frozen(eq=False)
class _LongPass:
    """The last pass over a long text: its Wish and `model_version`, what was kept, and the close-ups that were made since."""

    wish: Wish
    version: Hashable
    plan: KeepPlan
    trace: Trace
    close_ups: dict[tuple[str, int], Levels]


class PassRecorder:
    """Records passes. Call it with what a source has prepared."""

    def __init__(self) -> None:
        self._long: _LongPass | None = None
        self._earlier: EarlierRows | None = None

    def __call__(
        self,
        source: ModelSource,
        model: Model,
        request: Request,
        sentence: Sentence,
        changing: Changing,
        stop: Stop,
        progress: Progress,
    ) -> Trace:
        """The Trace of a pass; of a long text with the heads that the user looks at. Raises Superseded, NeverReached."""
        wanted, config = request.detail.wanted, request.wish.config
        if request.wish.taps:
            self._long = self._earlier = None
            plan = chosen_plan(request.wish.taps, source.taps(config))
            return recorded_pass(source, model, request.wish, sentence, plan, changing, stop)
        plan = plan_for(source.card(config), config.memory_budget, *sentence.sizes, wanted)
        if plan.everything:
            self._long = None
            return with_levels(self._whole(source, model, request.wish, sentence, changing, stop), wanted)
        self._earlier = None
        # The batch, the Wish to compare with and further sentences have passes of their own, so they do not belong to this one.
        wish = attrs.evolve(request.wish, batch=(), other="", toward=(), away=(), compared_with=None, beam=request.beam)
        long, version = self._long, model_version(model)
        if long is None or (long.wish, long.version) != (wish, version) or not covers(long.plan, plan):
            self._long = None  # Its arrays are freed before the next pass begins.
            tapped = stop_with_progress(stop, progress, taps_in(model, source.card(config), sentence.tokens))
            trace = recorded_pass(source, model, wish, sentence, plan, changing, tapped)
            long = self._long = _LongPass(wish, version, plan, trace, {})
        return with_wanted(long.trace, model, wanted, long.close_ups, config.memory_budget, changing, stop)

    def _whole(
        self, source: ModelSource, model: Model, wish: Wish, sentence: Sentence, changing: Changing, stop: Stop
    ) -> Trace:
        """The Trace of a pass of which everything is kept, and its rows for the next one. Raises Superseded, NeverReached."""
        goes_on = not changing.changes and can_go_on(source, model)
        earlier, self._earlier = (self._earlier if goes_on else None), None
        trace = recorded_pass(source, model, wish, sentence, EVERYTHING, changing, stop, earlier)
        if goes_on:
            self._earlier = earlier_rows(source, model, wish.config, sentence, trace)
        return trace


def recorded_pass(
    source: ModelSource,
    model: Model,
    wish: Wish,
    sentence: Sentence,
    plan: KeepPlan,
    changing: Changing,
    stop: Stop,
    earlier: EarlierRows | None = None,
) -> Trace:
    """The Trace of one pass with the changes, with what the plan keeps. Raises Superseded, NeverReached.

    Rows that are in `earlier` are not computed again.
    """
    config = wish.config
    n = 0 if earlier is None else earlier.shared(source, model, config, sentence)
    torch.set_num_threads(threads(source.card(config), max(sentence.sizes) - n))
    with (
        torch.inference_mode(),
        dropout_seeded(config),
        changing.inside_of_pass(model) as masks,
        record(model, stop, plan) as recording,
    ):
        if earlier is not None and n:
            earlier.run(model, sentence, n)
        else:
            source.run(model, sentence)
    if earlier is not None and n:
        recording = earlier.followed_by(recording, sentence, n)
    changing.check_reached()
    recording.closed = {**recording.closed, **masks}
    if sentence.begun is not None:
        recording = joined(sentence.begun.recording, recording)
    card = source.card(config, wish.preset, wish.uses_trained)
    if plan.only is not None:
        recording = recording.of_taps(plan.only)
        card = card_of_chosen(card, recording.axes)
    places, decoder_places = source.places(model, min(max(_PLACES, *sentence.sizes), card.max_len))
    trace = Trace(
        arrays=recording.arrays,
        axis_names=recording.axes,
        tokens=sentence.tokens,
        config=config if isinstance(model, Transformer) else None,
        card=card,
        places=places,
        decoder_places=decoder_places,
        source=wish.text,
        target=sentence.target,
        preset=wish.preset,
        symbols=source.symbols(config, sentence.tokens),
        search=sentence.search,
        changes=wish.changes,
        prompt=sentence.prompt,
        taps=wish.taps,
    )
    return trace if plan.everything or plan.only is not None else in_levels(trace, recording, plan)
