"""From a model and a sentence to a Trace. The pass over a long text is made once; heads that are looked at later are added."""

from collections.abc import Hashable

import attrs
import torch

from explorer.engine.changing import Changing
from explorer.engine.devices import dropout_seeded
from explorer.engine.model_version import model_version
from explorer.engine.recording.earlier_rows import EarlierRows, can_go_on, earlier_rows
from explorer.engine.recording.keep_plan import EVERYTHING, KeepPlan
from explorer.engine.recording.long_text import covers, in_levels, plan_for, taps_in, with_levels, with_wanted
from explorer.engine.recording.recorder import joined, record
from explorer.engine.request import Request
from explorer.engine.sources.source import Model, ModelSource, Sentence
from explorer.engine.speed.threads import threads
from explorer.model.transformer import Transformer
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop, stop_with_progress
from explorer.trace.levels import Levels
from explorer.trace.trace import Trace

_PLACES = 64  # At least so many rows of the table of positions are kept, so that waves can be seen.


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
    )
    return trace if plan.everything else in_levels(trace, recording, plan)
