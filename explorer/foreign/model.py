"""A foreign model, whose tensors are recorded by taps with the same names as those of our own models.

The model runs unchanged. Forward hooks of torch pass the outputs of its modules through taps; the taps form a tree of their
own, so that recording, changing and stopping use the same code as for our own models.
"""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from torch import Tensor, nn

from explorer.foreign.attention import AttentionState, AttentionTaps, give_taps
from explorer.foreign.classes import probabilities
from explorer.foreign.experts import ROUTING, output_path, router_of, tap_router
from explorer.foreign.families import Family, SidePaths
from explorer.foreign.parts import Stream, fits, found_in, norm_of
from explorer.foreign.softmax import unwatch_softmax, watch_softmax
from explorer.foreign.thin import weight_of
from explorer.model.hooks import n_hooks
from explorer.model.tap import Tap
from explorer.trace.model_card import LOGITS, PROBABILITIES, ClassHead

_VECTORS = "batch position feature"
_MAP = "batch head query key"
_ATTENTION = {
    "query": "batch head position feature",
    "key": "batch head position feature",
    "value": "batch head position feature",
    "scores": _MAP,
    "scaled": _MAP,
    "masked": _MAP,
    "weights": _MAP,
    "dropped": _MAP,
    "mixed": "batch head query feature",
}
_OF_SOFTMAX = ("masked", "weights")


class Foreign(nn.Module):
    """A model of transformers with taps. `attentions` are its attention modules by name, "decoder.layers.0.self_attn".

    `sides` are the names of its sides, and `family` says where the rest is; None for an unknown family. A family whose parts
    are not all there counts as unknown, and is then None in `known`. `by_softmax` is True where the attentions call no function
    by name: then the input and output of their softmax are tapped, and the output of each of their `n_heads` where the family's
    row names the layer that reads it. `classes` is a classifier's head.
    """

    def __init__(
        self,
        model: Any,
        attentions: Mapping[str, nn.Module],
        sides: tuple[str, ...],
        family: Family | None,
        *,
        by_softmax: bool = False,
        n_heads: int = 1,
        classes: ClassHead | None = None,
    ) -> None:
        super().__init__()
        self.by_softmax, self.classes = by_softmax, classes
        self.inside = (model,)  # Keep the model in a tuple, so that torch does not register it here.
        self.turned = AttentionState()
        self.attentions = dict(attentions)
        self.n_chosen = 0  # experts that each token goes through
        is_known = family is not None and len(sides) == len(family.sides) and fits(model.base_model, family)
        self.known = family if is_known else None
        # A family without a row might overwrite tensors; those with one are held to it by a test.
        self.overwrites_nothing = self.known is not None and not self.known.overwrites
        self._n_heads = n_heads
        # transformers has another name for it from 5.24 on, and will take the old one from 5.40 on without looking at it.
        self._cache = "cache" if "cache" in signature(type(model).forward).parameters else "past_key_values"
        self.rows = dict(zip(sides, self.known.sides, strict=True)) if self.known is not None else {}
        for name, side in self.rows.items():
            self._embedding(name, side)
        for name, module in self.attentions.items():
            stages = _OF_SOFTMAX if by_softmax else tuple(_ATTENTION)
            steps = {stage: self._tap(f"{name}.{stage}", _ATTENTION[stage]) for stage in stages}
            if by_softmax:
                watch_softmax(module, **steps, turned=self.turned)
            else:
                taken: Any = steps
                give_taps(module, AttentionTaps(**taken, turned=self.turned))
        for name, side in self.rows.items():
            self._layers(name, side)
        self.has_output = model.get_output_embeddings() is not None
        if self.has_output:
            self._tap("generator.logits", "batch position vocab")
            self._tap("generator.probabilities", "batch position vocab")
        if classes is not None:
            axes = "batch text class" if classes.of == "text" else "batch position class"
            for path in dict.fromkeys((LOGITS, classes.tap)):
                self._tap(path, axes)
        self._n_own_hooks = n_hooks(model)

    @property
    def is_hooked_inside(self) -> bool:
        """Whether the model's own modules have further hooks."""
        return n_hooks(self.model) != self._n_own_hooks

    @property
    def model(self) -> Any:
        """The model of transformers."""
        return self.inside[0]

    def forward(self, source: Tensor | None, target: Tensor | None, memory: Any = None) -> Tensor:
        """The logits [batch, position, vocab], or the last vectors [batch, position, feature] of a model without an output.

        A classifier gives [batch, position, class], or [batch, class] for a text. The ids [batch, position] of a model with one
        side are `source` of an encoder and `target` of a decoder. `memory` is what `encode` gave, in place of the source.
        """
        return self._given_out(self._passed(source, target, memory))

    def extend(self, ids: Tensor, cache: Any = None, memory: Any = None) -> tuple[Tensor, Any]:
        """The logits of further ids [batch, position] of the decoder, and the cache with the keys and values of all so far.

        `cache` is what the step before gave, None at the first. `memory` is what `encode` gave, for a model with both sides.
        The taps `key` and `value` record all that the KV cache holds; all others record the new positions.
        """
        given = {"input_ids": ids} if memory is None else {"decoder_input_ids": ids, "encoder_outputs": memory}
        found = self.model(**given, **{self._cache: cache}, use_cache=True)
        return self._given_out(found), found[self._cache]

    def logits(self, source: Tensor | None, target: Tensor | None, memory: Any = None) -> Tensor:
        """As `forward` of a model that has an output, without its softmax over the vocabulary."""
        made: Tensor = self.get_submodule("generator.logits")(self._passed(source, target, memory).logits)
        return made

    def _passed(self, source: Tensor | None, target: Tensor | None, memory: Any) -> Any:
        """The output of the model itself."""
        if source is not None and target is not None:
            given = {"input_ids": source} if memory is None else {"encoder_outputs": memory}
            if self.classes is not None:  # A classifier with both sides reads its classes at the end of the text.
                given["input_ids"] = source
            return self.model(**given, decoder_input_ids=target, use_cache=False)
        return self.model(input_ids=target if source is None else source, use_cache=False)

    def encode(self, source: Tensor) -> Any:
        """The encoder's output for ids [batch, position]; `forward` takes it as `memory`."""
        return self.model.get_encoder()(input_ids=source)

    def _given_out(self, found: Any) -> Tensor:
        """The logits of a pass, through their taps; the last vectors of a model without an output."""
        if self.classes is not None:
            return self._classified(found.logits, self.classes)
        if not self.has_output:
            vectors: Tensor = found.last_hidden_state
            return vectors
        logits: Tensor = self.get_submodule("generator.logits")(found.logits)
        self.get_submodule("generator.probabilities")(logits.softmax(dim=-1))
        return logits

    def _classified(self, logits: Tensor, classes: ClassHead) -> Tensor:
        """The logits of the classes, [batch, class] or [batch, position, class], through their taps."""
        rows = logits[:, None] if classes.of == "text" else logits  # [batch, text 1 or position, class]
        seen: Tensor = self.get_submodule(LOGITS)(rows)
        if classes.by != "number":
            self.get_submodule(PROBABILITIES)(probabilities(seen, classes.by))
        return seen.view_as(logits)

    def vectors(self, ids: Tensor) -> Tensor:
        """The last vectors [batch, position, feature] of a model with one side, before its head if it has one."""
        found: Tensor = self.model.base_model(input_ids=ids, use_cache=False).last_hidden_state
        return found

    def expanded(self, memory: Any, n: int) -> Any:
        """The encoder's output of one row, repeated for `n` rows."""
        return type(memory)(last_hidden_state=memory.last_hidden_state.expand(n, -1, -1))

    def tables(self) -> tuple[Tensor, ...]:
        """The weights of all embedding tables: where a pass begins."""
        found = {module.weight for module in self.model.modules() if isinstance(module, nn.Embedding)}
        return tuple(found)

    def embedding(self, side: str) -> nn.Module:
        """The embedding table of a side."""
        row = self.rows.get(side)
        found: nn.Module = self.model.get_input_embeddings() if row is None else self.model.base_model.get_submodule(row.tokens)
        return found

    def table(self, side: str, n: int, max_len: int) -> Tensor | None:
        """[position, feature] the first `n` of the `max_len` positions that a side adds to its input; None if it adds none."""
        row = self.rows.get(side)
        if row is None or not row.positions:
            return None
        places = self.model.base_model.get_submodule(row.positions)
        weight = weight_of(places) if hasattr(places, "weight") else places.weights  # M2M-100 makes its waves itself.
        first = len(weight) - max_len  # Some families begin behind rows that they never use.
        return weight[first : first + n]

    def layers(self) -> dict[str, nn.Module]:
        """The layers by name, "decoder.layers.0", in the order of computation; none of a family that is not known."""
        base = self.model.base_model
        found = ((name, base.get_submodule(side.layers)) for name, side in self.rows.items())
        return {f"{name}.layers.{number}": layer for name, layers in found for number, layer in enumerate(layers)}

    def withhold_attention(self) -> None:
        """Take the taps of all attentions away; the model goes on with its own attention."""
        for name, module in self.attentions.items():
            if self.by_softmax:
                unwatch_softmax(module)
            give_taps(module, None)
            home, _, kind = name.rpartition(".")
            stages = self.get_submodule(name)
            for stage in _ATTENTION.keys() & stages._modules.keys():
                del stages._modules[stage]
            if not stages._modules:
                del self.get_submodule(home)._modules[kind]
        self.attentions = {}

    def _tap(self, path: str, axes: str) -> Tap:
        """A new tap at a path of the tree; the modules on the way are made."""
        *homes, name = path.split(".")
        at: nn.Module = self
        for home in homes:
            if home not in at._modules:
                at.add_module(home, nn.Module())
            at = at.get_submodule(home)
        tap = Tap(axes, closes=name == "masked")
        at.add_module(name, tap)
        return tap

    def _embedding(self, name: str, side: SidePaths) -> None:
        base = self.model.base_model
        for part, path in (("tokens", side.tokens), ("positions", side.positions), ("segments", side.segments)):
            if path:
                _after(base.get_submodule(path), _batched(self._tap(f"{name}.embedding.{part}", _VECTORS)))
        self._tap(f"{name}.embedding.output", _VECTORS)

    def _layers(self, name: str, side: SidePaths) -> None:
        base = self.model.base_model
        for number, layer in enumerate(base.get_submodule(side.layers)):
            at, stream = f"{name}.layers.{number}", Stream()
            if number == 0:  # The stream begins with this tap's output, so the tap comes first.
                _before(layer, self.get_submodule(f"{name}.embedding.output"))
            _before(layer, stream.begin)
            norms: dict[nn.Module, Tap] = {}
            for count, (kind, sublayer) in enumerate(side.sublayers, start=1):
                norm = norm_of(layer, sublayer)
                if norm not in norms:  # Two sublayers that read the same stream may share one.
                    norms[norm] = self._tap(f"{at}.norm{count}", _VECTORS)
                    if not side.post:
                        _after(norm, norms[norm])
                if kind == "feed_forward":
                    self._feed_forward(f"{at}.feed_forward", layer, side)
                elif self.by_softmax:
                    self._mixed(f"{at}.{kind}", layer.get_submodule(sublayer.output))
                self._added(at, layer, side, count, stream)
                if side.post:
                    _after(norm, stream.normed(norms[norm]))
        if side.final_norm:
            _after(base.get_submodule(side.final_norm), self._tap(f"{name}.norm", _VECTORS))

    def _added(self, at: str, layer: nn.Module, side: SidePaths, count: int, stream: Stream) -> None:
        """The taps of a sublayer's output and of the stream after the addition; parallel sublayers are added together."""
        kind, sublayer = side.sublayers[count - 1]
        axes = _VECTORS if kind == "feed_forward" else "batch query feature"
        module, output = layer.get_submodule(output_path(layer, side, kind, sublayer)), self._tap(f"{at}.{kind}.output", axes)
        if sublayer.after:  # Its own norm is applied before the addition.
            _after(module, output)
            module, output = layer.get_submodule(sublayer.after), self._tap(f"{at}.{kind}.normed", axes)
        if side.parallel and count < len(side.sublayers):
            _after(module, stream.waiting(output))
        else:
            _after(module, stream.adding(output, self._tap(f"{at}.residual{count}", _VECTORS)))

    def _mixed(self, at: str, projection: nn.Module) -> None:
        """Each head's output, as W_O's layer reads it: the features of one head after those of another."""
        if at not in self.attentions:
            return
        tap, n_heads = self._tap(f"{at}.mixed", _ATTENTION["mixed"]), self._n_heads

        def apart(joined: Tensor) -> Tensor:
            heads = joined.reshape(*joined.shape[:-1], n_heads, -1).transpose(1, 2)  # [batch, head, query, feature]
            seen = tap(heads)
            return joined if seen is heads else seen.transpose(1, 2).flatten(-2)

        _before(projection, apart)

    def _feed_forward(self, at: str, layer: nn.Module, side: SidePaths) -> None:
        router = router_of(layer, side)
        if router is not None and side.experts is not None:
            self.n_chosen = router.top_k
            tap_router(
                layer.get_submodule(side.experts.output),
                router,
                self._tap(f"{at}.routing", ROUTING),
                self._tap(f"{at}.chosen", ROUTING),
            )
            return
        gate = found_in(layer, (side.gate,))
        if gate is not None:
            _after(gate, self._tap(f"{at}.gate", _VECTORS))
        hidden = found_in(layer, side.hidden)
        assert hidden is not None  # `fits` has looked.
        _after(hidden, self._tap(f"{at}.hidden", _VECTORS))
        # What the last layer reads is f(hidden), or f(gate)·hidden.
        _before(layer.get_submodule(side.feed_forward.output), self._tap(f"{at}.activated", _VECTORS))


def _batched(tap: Tap) -> Callable[[Tensor], Tensor]:
    """The tap for vectors that may lack the batch axis, such as positions."""
    return lambda vectors: tap(vectors[None])[0] if vectors.dim() == 2 else tap(vectors)


def _after(module: nn.Module, step: Callable[[Tensor], Tensor]) -> None:
    """Replace the output of a module by `step` of it."""
    module.register_forward_hook(lambda _module, _args, output: step(output))


def _before(module: nn.Module, step: Callable[[Tensor], Tensor]) -> None:
    """Replace the input of a module, its first argument or `hidden_states`, by `step` of it."""

    def hook(_module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if args:
            return (step(args[0]), *args[1:]), kwargs
        return args, {**kwargs, "hidden_states": step(kwargs["hidden_states"])}

    module.register_forward_pre_hook(hook, with_kwargs=True)
