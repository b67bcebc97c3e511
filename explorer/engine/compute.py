"""The compute thread's work as a plain object: Request in, Frame out. It alone touches torch and jieba.

Weights are kept for the last shape, so that a knob that applies to the pass acts on the same weights; trained ones are kept
beside them, so that a slider back to their shape finds them at once.
"""

import time

import attrs
import torch
from torch import Tensor

from explorer.config import Config
from explorer.engine.change_checks import Lengths, check_changes
from explorer.engine.changing import Changing
from explorer.engine.decoding.beam import Decoding
from explorer.engine.devices import device_name, devices, dropout_seeded, on_device
from explorer.engine.experiments.experiment import Bench, experiment
from explorer.engine.lender import Lender
from explorer.engine.recording.keep_plan import KeepPlan
from explorer.engine.recording.long_text import covers, in_levels, plan_for, planned_bytes, taps_in, with_levels, with_wanted
from explorer.engine.recording.memory import check_memory, keep_freed_memory
from explorer.engine.recording.recorder import Recording, joined, record
from explorer.engine.request import Frame, Request
from explorer.engine.sources.translator import Translator
from explorer.engine.threads import threads
from explorer.engine.token_limits import numbered, of_target, room, short_enough, within
from explorer.errors import NotKept
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.model.weights import build, can_be_redrawn, pack, redrawn, with_knobs
from explorer.presets import load_preset
from explorer.stops import Progress, Stop, stop_with_progress, stoppable
from explorer.tokens.token import Token
from explorer.tokens.tokenizer import Tokenizers
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.findings import EXPERIMENTS, Experiment
from explorer.trace.levels import Levels
from explorer.trace.own_card import card_of, parameter_bytes
from explorer.trace.search_tree import Search
from explorer.trace.tap_names import ATTENTION_MAP
from explorer.trace.trace import Tokens, Trace

_MOST_PACKED_BYTES = 6e8  # packed weights stand beside the others
_KEPT_BYTES = 2**28  # a usual pass needs less; what a very long text took goes back to the system
_PLACES = 64  # how many places of the positions are kept at least, so that waves can be seen


def _never() -> bool:
    return False


def _silent(_share: float) -> None:
    pass


@attrs.frozen
class _Sentence:
    """Both sides in tokens, the target's text, and the search that found it if it is the model's own."""

    tokens: Tokens
    target: str
    search: Search | None = None
    encoded: "_Encoded | None" = None

    def lengths(self) -> Lengths:
        """In tokens."""
        return Lengths(len(self.tokens.source), len(self.tokens.target))


@attrs.frozen
class _Encoded:
    """A pass that was begun in order to translate: the encoder's output [batch 1, key, feature] and what it recorded."""

    memory: Tensor
    recording: Recording


@attrs.frozen(eq=False)
class _Long:
    """The last pass over a long text: what was wished, what was kept, and the heads looked at since."""

    wish: Request
    plan: KeepPlan
    trace: Trace
    close_ups: dict[tuple[str, int], Levels]


class Computer:
    """Call it with a Request. One thread at a time."""

    def __init__(self, tokenizers: Tokenizers | None = None) -> None:
        keep_freed_memory(_KEPT_BYTES)
        self._tokenizers = tokenizers or Tokenizers()
        self._model: Transformer | None = None
        self._translator: Translator | None = None
        self._long: _Long | None = None
        self._lender = Lender(self._lending)
        self._other: Computer | None = None  # of the state that is compared with
        self._compared_with: Frame | None = None

    def __call__(self, request: Request, stop: Stop = _never, progress: Progress = _silent) -> Frame:
        """Run one pass and record it. Raises ExplorerError for what the user can mend, Superseded when stopped."""
        start = time.perf_counter()
        # A vocabulary made from the sentence alone has nothing to do with the trained one.
        translator = self.translator(request.preset) if request.config.vocabulary == "bundled" else None
        trained = request.uses_trained
        source = self._source(request, translator)
        cut = time.perf_counter()
        changing = self._lender.changing(request, len(source), stop, progress)
        sentence = self._sentence(request, source, translator, trained, changing, stop)
        if request.config.vocabulary == "sentence":
            sentence = attrs.evolve(sentence, tokens=numbered(sentence.tokens, request.config))
        decoded = time.perf_counter()
        check_changes(request.changes, request.config, sentence.lengths(), changing.lent_shapes())
        model = self._chosen(request.config, sentence.tokens, translator if trained else None, stop, progress)
        built = time.perf_counter()
        symbols = self._symbols(request.config, sentence.tokens, translator)
        trace = self._recorded(model, request, sentence, symbols, changing, stop, progress)
        end = time.perf_counter()
        trace = attrs.evolve(
            trace,
            experiments=self._experiments(model, request, trace, translator, stop),
            compared_with=self._answer_compared_with(request, stop, progress),
        )
        return Frame(
            request=request,
            trace=trace,
            tokens_ms=(cut - start) * 1e3,
            decoding_ms=(decoded - cut) * 1e3,
            build_ms=(built - decoded) * 1e3,
            pass_ms=(end - built) * 1e3,
            device=device_name(request.config.device),
            devices=devices(),
        )

    def rest(self, stop: Stop) -> None:
        """Pack the weights of the model that was used last: a slider that makes new ones at each step pays nothing for it."""
        if self._model is not None and parameter_bytes(self._model.config) <= _MOST_PACKED_BYTES:
            pack(self._model, stop)

    def translator(self, preset: str) -> Translator | None:
        """The trained model of a preset, None where it has none; kept for the next time. Raises BadFile."""
        chosen = load_preset(preset)
        if chosen.folder is None:
            return None
        if self._translator is None or self._translator.preset != chosen:
            self._translator = None  # two large models need not fit beside each other
            self._translator = Translator(chosen)
        return self._translator

    def source_ids(self, text: str, translator: Translator) -> tuple[int, ...]:
        """The ids of a sentence to translate. Raises BadText, TooLong."""
        config = translator.preset.config
        tokens = self._tokenizers.source(text, config, translator.bilingual)
        return tuple(token.id for token in short_enough(tokens, config))

    # Beside the pass

    def _experiments(
        self, model: Transformer, request: Request, trace: Trace, translator: Translator | None, stop: Stop
    ) -> dict[str, Experiment]:
        if not trace.whole:
            return {}  # they make many passes, and keep their maps whole
        others = self._others(request, trace, translator) if "batch" in request.experiments else ()
        bench = Bench(model, trace.tokens, trace.expected, others, stop)
        return {name: experiment(name, bench) for name in EXPERIMENTS if name in request.experiments}

    def _others(self, request: Request, trace: Trace, translator: Translator | None) -> tuple[tuple[Token, ...], ...]:
        """The further sentences of a batch; what is too long for the model is cut off there. Raises BadText."""
        found = [
            self._cut(attrs.evolve(request, text=text, source_cuts=None), translator)[: request.config.max_len]
            for text in request.batch
            if text.strip()
        ]
        if request.config.vocabulary == "sentence":  # the batch has one vocabulary, which begins with the sentence's own
            every = tuple(token for row in (trace.tokens.source, trace.tokens.target, *found) for token in row)
            known = {token.text: token for token in numbered(Tokens(every), request.config).source}
            found = [tuple(attrs.evolve(token, id=known[token.text].id, known=True) for token in row) for row in found]
        return tuple(found)

    def _answer_compared_with(self, request: Request, stop: Stop, progress: Progress) -> Trace | None:
        """The Trace to compare with: from a Computer of its own, so that neither takes the other's model away."""
        if request.compared_with is None:
            self._other = self._compared_with = None
            return None
        if self._compared_with is None or self._compared_with.request != request.compared_with:
            self._other = self._other or Computer(self._tokenizers)
            self._compared_with = self._other(request.compared_with, stop, progress)
        return self._compared_with.trace

    # Tokens

    def _source(self, request: Request, translator: Translator | None) -> tuple[Token, ...]:
        """The tokens of the typed text. Raises BadText, TooLong."""
        return short_enough(self._cut(request, translator), request.config)

    def _cut(self, request: Request, translator: Translator | None) -> tuple[Token, ...]:
        config, cuts, words = request.config, request.source_cuts, request.words
        if translator is None:
            return self._tokenizers.tokenize(request.text, config, cuts=cuts, words=words)
        return self._tokenizers.source(request.text, config, room(translator, config), cuts=cuts, words=words)

    def _sentence(
        self,
        request: Request,
        source: tuple[Token, ...],
        translator: Translator | None,
        trained: bool,
        changing: Changing,
        stop: Stop,
    ) -> _Sentence:
        """Both sides, as far as the architecture has them. Raises BadText, TooLong, Superseded."""
        config = request.config
        if config.architecture == "encoder-only":
            return _Sentence(Tokens(source), request.text)
        if config.architecture == "decoder-only":
            return _Sentence(Tokens((), source), request.text)
        if request.target is not None:
            return _Sentence(Tokens(source, self._own_target(request, request.target, translator)), request.target)
        if translator is None:
            target = self._own_target(request, request.text, None) if config.has_two_vocabularies else source
            return _Sentence(Tokens(source, target), request.text)
        return self._translated(request, source, translator, trained, changing, stop)

    def _own_target(self, request: Request, target: str, translator: Translator | None) -> tuple[Token, ...]:
        config = request.config
        cuts = request.target_cuts if request.target is not None else request.source_cuts
        if translator is None:
            tokens = self._tokenizers.tokenize(target, of_target(config), cuts=cuts, words=request.words)
        else:
            tokens = self._tokenizers.target(target, room(translator, config), cuts=cuts)
        return short_enough(tokens, config)

    def _translated(
        self, request: Request, source: tuple[Token, ...], translator: Translator, trained: bool, changing: Changing, stop: Stop
    ) -> _Sentence:
        """What the trained model says, under the changes. Fresh weights would say nothing: they are shown with what the
        trained ones said, so that all else is equal; then only the fresh ones are changed."""
        own = request.config if trained else translator.preset.config
        changing = changing if trained else Changing()
        decoding = Decoding(beam=request.beam, prefix=request.prefix, whole=changing.in_whole_passes)
        encoded = None
        # One pass must draw its random numbers in one go, and a long text is recorded by a plan for both sides.
        plan = plan_for(card_of(own), own.memory_budget, len(source), own.max_len)
        if trained and not own.dropout_active and plan.everything:
            encoded = self._encoded(translator.model(own), source, changing, stop)
        ids = tuple(token.id for token in source)
        found = translator.search(ids, own, decoding, stop, None if encoded is None else encoded.memory, changing)
        target = within(translator.bilingual.target_tokens(found.best), request.config.n_target_symbols)
        # A shape with less room than the trained one's shows the beginning: nobody typed too much.
        return _Sentence(
            Tokens(source, target[: request.config.max_len]),
            translator.bilingual.target_text(found.best),
            found if trained else None,
            encoded,
        )

    def _encoded(self, model: Transformer, source: tuple[Token, ...], changing: Changing, stop: Stop) -> _Encoded:
        torch.set_num_threads(threads(card_of(model.config), len(source)))
        with torch.inference_mode(), changing.inside(model), record(model, stop) as recording:
            memory = model.encode(ids_tensor(tuple(token.id for token in source)).to(model.config.device))
        return _Encoded(memory, recording)

    def _symbols(self, config: Config, tokens: Tokens, translator: Translator | None) -> tuple[str, ...]:
        """The symbol of each id of the output."""
        if config.vocabulary == "sentence":
            return tuple(dict.fromkeys(token.text for token in (*tokens.source, *tokens.target)))
        if translator is None:
            return self._tokenizers.symbols(of_target(config))
        both = room(translator, config)
        return (both.target if config.architecture == "encoder-decoder" else both.source).symbols

    # Changes

    def _lending(self, request: Request, taps: frozenset[str], stop: Stop, progress: Progress) -> Trace:
        """A pass of which only these taps are kept. Raises NotKept for maps of a text too long to have them whole."""
        translator = self.translator(request.preset) if request.config.vocabulary == "bundled" else None
        trained = request.uses_trained
        source = self._source(request, translator)
        sentence = self._sentence(request, source, translator, trained, Changing(), stop)
        if request.config.vocabulary == "sentence":
            sentence = attrs.evolve(sentence, tokens=numbered(sentence.tokens, request.config))
        sides = len(sentence.tokens.source), len(sentence.tokens.target)
        if not plan_for(card_of(request.config), request.config.memory_budget, *sides).everything:
            for tap in filter(ATTENTION_MAP.search, taps):
                raise NotKept(tap=tap, n_tokens=max(sides))
        model = self._chosen(request.config, sentence.tokens, translator if trained else None, stop, progress)
        return self._pass(model, request, sentence, (), KeepPlan(parts=frozenset(), taps=taps), Changing(), stop)

    # Models

    def _chosen(
        self, config: Config, tokens: Tokens, translator: Translator | None, stop: Stop, progress: Progress
    ) -> Transformer:
        card, sides = card_of(config), (len(tokens.source), len(tokens.target))
        recorded = planned_bytes(plan_for(card, config.memory_budget, *sides), card, *sides)
        if translator is None:
            return self.model(config, recorded, stop, progress)
        check_memory(card, recorded, held=parameter_bytes(config))
        return translator.model(config)

    def model(self, config: Config, recorded: int, stop: Stop, progress: Progress) -> Transformer:
        """The untrained model of a Config, the last one, its weights in a new model, or a new one, for a pass that records
        so many bytes.
        """
        kept = self._model
        same = kept is not None and kept.config.shape == config.shape
        held = 0 if kept is None else parameter_bytes(kept.config)
        check_memory(card_of(config), recorded, held=held)
        if kept is not None and can_be_redrawn(kept, config):
            self._model = None  # stopped half way it is no model of any Config
            self._model = redrawn(kept, config, stoppable(progress, stop))
        elif kept is None or not same:
            self._model = None  # two large models need not fit beside each other
            self._model = build(config, progress=stoppable(progress, stop))
        elif kept.config != config:
            self._model = with_knobs(kept, config)
        assert self._model is not None  # for the type checker
        return on_device(self._model, config.device)

    def _recorded(
        self,
        model: Transformer,
        request: Request,
        sentence: _Sentence,
        symbols: tuple[str, ...],
        changing: Changing,
        stop: Stop,
        progress: Progress,
    ) -> Trace:
        """The Trace of a pass, and of a long text what is looked at besides: the pass itself is made once."""
        tokens, card, budget = sentence.tokens, card_of(request.config), request.config.memory_budget
        plan = plan_for(card, budget, len(tokens.source), len(tokens.target), request.wanted)
        if plan.everything:
            self._long = None
            return with_levels(self._pass(model, request, sentence, symbols, plan, changing, stop), request.wanted)
        wish = attrs.evolve(request, serial=0, wanted=(), experiments=frozenset(), batch=(), compared_with=None, refines=False)
        long = self._long
        if long is None or long.wish != wish or not covers(long.plan, plan):
            self._long = None  # its arrays go first
            tapped = stop_with_progress(stop, progress, taps_in(model, card, tokens))
            trace = self._pass(model, request, sentence, symbols, plan, changing, tapped)
            long = self._long = _Long(wish, plan, trace, {})
        return with_wanted(long.trace, model, request.wanted, long.close_ups, budget, changing, stop)

    def _pass(
        self,
        model: Transformer,
        request: Request,
        sentence: _Sentence,
        symbols: tuple[str, ...],
        plan: KeepPlan,
        changing: Changing,
        stop: Stop,
    ) -> Trace:
        config, tokens, device = request.config, sentence.tokens, request.config.device
        torch.set_num_threads(threads(card_of(config), max(len(tokens.source), len(tokens.target))))
        source, target = (
            ids_tensor(tuple(t.id for t in side)).to(device) if side else None for side in (tokens.source, tokens.target)
        )
        encoded = sentence.encoded
        with (
            torch.inference_mode(),
            dropout_seeded(config),
            changing.inside_of_pass(model) as masks,
            record(model, stop, plan) as recording,
        ):
            if encoded is None or target is None:
                model(source, target)
            else:
                model.generator(model.decode(target, encoded.memory))
        changing.check_reached()
        recording.closed = {**recording.closed, **masks}
        if encoded is not None:
            recording = joined(encoded.recording, recording)
        places, decoder_places = _tables(model, min(max(_PLACES, len(tokens.source), len(tokens.target)), config.max_len))
        trace = Trace(
            arrays=recording.arrays,
            axis_names=recording.axes,
            tokens=tokens,
            config=config,
            card=card_of(config, request.preset, request.uses_trained),
            places=places,
            decoder_places=decoder_places,
            source=request.text,
            target=sentence.target,
            preset=request.preset,
            symbols=symbols,
            search=sentence.search,
            changes=request.changes,
        )
        return trace if plan.everything else in_levels(trace, recording, plan)


def _tables(model: Transformer, n: int) -> tuple[Array, Array | None]:
    """[position, feature] the first stack's table of positions, and the second's where it is another one."""
    stacks = [stack for stack in (model.encoder, model.decoder) if stack is not None]
    same = len(stacks) == 1 or model.config.position != "learned"
    with torch.inference_mode():
        tables = [frozen_array(stack.embedding.table(n).cpu().numpy()) for stack in (stacks[:1] if same else stacks)]
    return tables[0], None if same else tables[1]
