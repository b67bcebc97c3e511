"""The compute thread's work as a plain object: Request in, Frame out. It alone touches torch and jieba.

Weights are kept for the last shape, so that a knob of cost "forward" acts on the same weights.
"""

import os
import time
from collections.abc import Callable

import attrs
import torch

from explorer.config import KNOBS, Config
from explorer.engine.memory import check_memory, parameter_bytes
from explorer.engine.request import Frame, Request
from explorer.errors import TooLong
from explorer.model.transformer import Transformer, ids_tensor
from explorer.model.weights import build, parameter_count, with_knobs
from explorer.tokens.token import Token
from explorer.tokens.tokenizer import Tokenizers
from explorer.trace.recorder import record
from explorer.trace.superseded import Superseded
from explorer.trace.trace import Tokens, Trace, frozen_array

# Below this many multiplications a second thread costs more than it brings: measured on two cores, a tiny model
# took 0.3 ms with one thread and up to 210 ms with two on a busy machine.
_ONE_THREAD_WORK = 2e8
_PLACES = 64  # how many places of the positions are kept at least, so that waves can be seen

Stop = Callable[[], bool]
Progress = Callable[[float], None]


def _never() -> bool:
    return False


def _silent(_share: float) -> None:
    pass


class Computer:
    """Call it with a Request. One thread at a time."""

    def __init__(self, tokenizers: Tokenizers | None = None) -> None:
        self._tokenizers = tokenizers or Tokenizers()
        self._model: Transformer | None = None

    def __call__(self, request: Request, stop: Stop = _never, progress: Progress = _silent) -> Frame:
        """Run one pass and record it. Raises ExplorerError for what the user can mend, Superseded when stopped."""
        start = time.perf_counter()
        tokens = self.tokens(request)
        cut = time.perf_counter()
        model = self.model(request.config, tokens, stop, progress)
        built = time.perf_counter()
        trace = self._pass(model, request, tokens, stop)
        end = time.perf_counter()
        return Frame(
            request=request, trace=trace,
            tokens_ms=(cut - start) * 1e3, build_ms=(built - cut) * 1e3, pass_ms=(end - built) * 1e3,
        )

    def tokens(self, request: Request) -> Tokens:
        """The tokens of both sides. Raises BadText."""
        config = request.config
        sides: dict[str, tuple[Token, ...]] = {}
        if config.architecture != "decoder-only":
            sides["source"] = self._cut(request.text, request, request.source_cuts)
        if config.architecture == "encoder-decoder" and request.target is not None:
            sides["target"] = self._cut(request.target, request, request.target_cuts)
        elif config.architecture != "encoder-only":
            sides["target"] = sides.get("source") or self._cut(request.text, request, request.source_cuts)
        return Tokens(**sides)

    def _cut(self, text: str, request: Request, cuts: object) -> tuple[Token, ...]:
        tokens = self._tokenizers.tokenize(text, request.config, cuts=cuts, words=request.words)  # type: ignore[arg-type]
        if len(tokens) > request.config.max_len:
            raise TooLong(limit=request.config.max_len, got=len(tokens))
        return tokens

    def model(self, config: Config, tokens: Tokens, stop: Stop, progress: Progress) -> Transformer:
        """The model of a Config: the last one, its weights in a new model, or a new one."""
        kept = self._model
        same = kept is not None and _shape(kept.config) == _shape(config)
        held = 0 if kept is None else parameter_bytes(kept.config)
        check_memory(config, len(tokens.source), len(tokens.target), held=held)
        if kept is None or not same:
            self._model = None  # two large models need not fit beside each other
            self._model = build(config, progress=_stoppable(progress, stop))
        elif kept.config != config:
            self._model = with_knobs(kept, config)
        assert self._model is not None  # for the type checker
        return self._model

    @staticmethod
    def _target(request: Request) -> str:
        """The text of the target's tokens: a target of one's own is only for a model that has both sides."""
        both = request.config.architecture == "encoder-decoder"
        return request.target if both and request.target is not None else request.text

    def _pass(self, model: Transformer, request: Request, tokens: Tokens, stop: Stop) -> Trace:
        config = request.config
        torch.set_num_threads(_threads(config, max(len(tokens.source), len(tokens.target))))
        source, target = (ids_tensor(tuple(t.id for t in side)) if side else None
                          for side in (tokens.source, tokens.target))
        with torch.random.fork_rng(devices=[]), torch.inference_mode(), record(model, stop) as recording:
            torch.manual_seed(config.dropout_seed)
            model(source, target)
            side = model.encoder or model.decoder
            n_places = min(max(_PLACES, len(tokens.source), len(tokens.target)), config.max_len)
            places = frozen_array(side.embedding.table(n_places).numpy())  # type: ignore[union-attr]  # one side is there
        return Trace(
            arrays=recording.arrays, axis_names=recording.axes, tokens=tokens, config=config, places=places,
            source=request.text, target=self._target(request),
            preset=request.preset, symbols=self._tokenizers.symbols(config), parameters=parameter_count(model),
        )


def _stoppable(progress: Progress, stop: Stop) -> Progress:
    def told(share: float) -> None:
        if stop():
            raise Superseded
        progress(share)

    return told


def _shape(config: Config) -> tuple[object, ...]:
    """What decides the weights: knobs of cost "rebuild", and whether positions are learned."""
    rebuild = {knob.name for knob in KNOBS if knob.cost == "rebuild"}
    chosen = attrs.asdict(config, filter=lambda field, _value: field.name in rebuild)
    return (*chosen.values(), config.position == "learned")


def _threads(config: Config, n_tokens: int) -> int:
    work = n_tokens * config.n_layers * (8 * config.d_model**2 + 4 * config.d_model * config.d_ff)
    work += n_tokens * config.d_model * config.vocab_size
    return 1 if work < _ONE_THREAD_WORK else os.cpu_count() or 1
