"""The pass of an answer: the text is tokenized, the target decoded, the model made ready, and the pass recorded."""

import time

import attrs
import torch

from explorer.engine.changing import Changing
from explorer.engine.devices import device_name, devices
from explorer.engine.passes.lender import Lender, check_in_sentence
from explorer.engine.passes.pass_recorder import PassRecorder, ready_model
from explorer.engine.request import Frame, Request
from explorer.engine.sources.source import Model, ModelSource
from explorer.engine.sources.sources import Sources
from explorer.stops import Progress, Stop


@attrs.frozen(eq=False, kw_only=True)
class FinishedPass:
    """A recorded pass as a Frame without experiments, with the source, the model and the changes that it was made with."""

    source: ModelSource
    model: Model
    changing: Changing
    frame: Frame


class Passes:
    """Makes the passes of answers, with the sources and the `lender` of one Computer."""

    def __init__(self, sources: Sources, lender: Lender) -> None:
        self._sources, self._lender = sources, lender
        self._record = PassRecorder()

    def make(self, request: Request, stop: Stop, progress: Progress) -> FinishedPass:
        """The pass of a Request whose changes are all made. Raises ExplorerError, Superseded."""
        wish, clock = request.wish, _Clock()
        source = self._sources.of(wish, stop, progress)
        opening_ms = clock.lap_ms()
        row = source.tokenize(wish)
        tokens_ms = clock.lap_ms()
        changing = self._lender.changing(wish, source, len(row), stop, progress)
        sentence = source.decode(wish, row, request.beam, changing, stop)
        decoding_ms = clock.lap_ms()
        check_in_sentence(wish, source, sentence, changing)
        model = ready_model(source, wish, sentence, stop, progress)
        build_ms = clock.lap_ms()
        trace = self._record(source, model, request, sentence, changing, stop, progress)
        frame = Frame(
            request=request,
            trace=trace,
            tokens_ms=tokens_ms,
            decoding_ms=decoding_ms,
            build_ms=opening_ms + build_ms,
            pass_ms=clock.lap_ms(),
            device=device_name(wish.config.device),
            n_threads=torch.get_num_threads() if wish.config.device == "cpu" else 0,
            devices=devices(),
        )
        return FinishedPass(source=source, model=model, changing=changing, frame=frame)


class _Clock:
    """A stopwatch for the parts of an answer."""

    def __init__(self) -> None:
        self._last_s = time.perf_counter()

    def lap_ms(self) -> float:
        """Milliseconds since the last lap."""
        before_s, self._last_s = self._last_s, time.perf_counter()
        return (self._last_s - before_s) * 1e3
