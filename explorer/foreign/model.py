"""A foreign model, whose tensors are recorded by taps with the same names as those of our own models.

The model runs unchanged. Forward hooks of torch pass the outputs of its modules through taps; the taps form a tree of their
own, so that recording, changing and stopping use the same code as for our own models.
"""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import torch
from torch import Tensor, nn

from explorer.foreign.attention import AttentionState, AttentionTaps, give_taps
from explorer.foreign.classes import probabilities
from explorer.foreign.experts import ROUTING, tap_router
from explorer.foreign.head_rows import HeadRows
from explorer.foreign.parts import Stream, after, before, halves
from explorer.foreign.softmax import unwatch_softmax, watch_softmax
from explorer.foreign.stream_map import BlockPaths, LayerPaths, SidePaths, StreamMap
from explorer.foreign.thin import weight_of
from explorer.foreign.where import device_of, refuse_ids_outside
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

    `streams` says where the rest is; it is None of a model whose streams were not found. `by_softmax` is True where the
    attentions call no function by name: then the input and output of their softmax are tapped. The output of each of their
    `n_heads` heads is tapped where W_O reads it, and so it is of an attention that does something to it before. `classes` is a
    classifier's head. `rows` says by attention which rows of which layer make its "query", "key" and "value".
    """

    def __init__(
        self,
        model: Any,
        attentions: Mapping[str, nn.Module],
        streams: StreamMap | None,
        *,
        by_softmax: bool = False,
        n_heads: int = 1,
        classes: ClassHead | None = None,
        rows: Mapping[str, Mapping[str, HeadRows]] | None = None,
    ) -> None:
        super().__init__()
        self.by_softmax, self.classes = by_softmax, classes
        self.inside = (model,)  # Keep the model in a tuple, so that torch does not register it here.
        self.turned = AttentionState()
        self.attentions = dict(attentions)
        self.goes_on = False  # whether a pass may begin behind the rows of an earlier one; opening finds out
        self.n_chosen = 0  # experts that each token goes through
        self.streams, self.rows = streams, rows or {}
        self.sides: Mapping[str, SidePaths] = {} if streams is None else streams.sides
        self.overwrites_nothing = streams is not None and not streams.overwrites  # Nobody has watched any other model.
        self._n_heads = n_heads
        for table in [each for each in model.modules() if type(each) is nn.Embedding]:
            table.register_forward_pre_hook(refuse_ids_outside)
        # transformers has another name for it from 5.24 on, and will take the old one from 5.40 on without looking at it.
        self._cache = "cache" if "cache" in signature(type(model).forward).parameters else "past_key_values"
        for name, side in self.sides.items():
            self._embedding(name, side)
        for name, module in self.attentions.items():
            self._attention(name, module)
        for name, side in self.sides.items():
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

    @property
    def device(self) -> torch.device:
        """Where the model computes. Its methods take ids from any device."""
        return device_of(self.model)

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
        ids = ids.to(self.device)
        given = {"input_ids": ids} if memory is None else {"decoder_input_ids": ids, "encoder_outputs": memory}
        found = self.model(**given, **{self._cache: cache}, use_cache=True)
        return self._given_out(found), found[self._cache]

    def logits(self, source: Tensor | None, target: Tensor | None, memory: Any = None) -> Tensor:
        """As `forward` of a model that has an output, without its softmax over the vocabulary.

        A classifier of texts gives [batch, text 1, class].
        """
        found: Tensor = self._passed(source, target, memory).logits
        if self.classes is not None:
            found = found[:, None] if self.classes.of == "text" else found
        made: Tensor = self.get_submodule("generator.logits" if self.classes is None else LOGITS)(found)
        return made

    def _passed(self, source: Tensor | None, target: Tensor | None, memory: Any) -> Any:
        """The output of the model itself."""
        source, target = [None if ids is None else ids.to(self.device) for ids in (source, target)]
        if source is not None and target is not None:
            given = {"input_ids": source} if memory is None else {"encoder_outputs": memory}
            if self.classes is not None:  # A classifier with both sides reads its classes at the end of the text.
                given["input_ids"] = source
            return self.model(**given, decoder_input_ids=target, use_cache=False)
        return self.model(input_ids=target if source is None else source, use_cache=False)

    def encode(self, source: Tensor) -> Any:
        """The encoder's output for ids [batch, position]; `forward` takes it as `memory`."""
        return self.model.get_encoder()(input_ids=source.to(self.device))

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
        found: Tensor = self.model.base_model(input_ids=ids.to(self.device), use_cache=False).last_hidden_state
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
        known = self.sides.get(side)
        found: nn.Module = self.model.get_input_embeddings() if known is None else self.model.get_submodule(known.tokens)
        return found

    def table(self, side: str, n: int, max_len: int) -> Tensor | None:
        """[position, feature] the first `n` of the `max_len` positions that a side adds to its input; None if it adds none."""
        known = self.sides.get(side)
        if known is None or not known.positions:
            return None
        places = self.model.get_submodule(known.positions)
        weight = weight_of(places) if hasattr(places, "weight") else places.weights  # M2M-100 makes its waves itself.
        first = len(weight) - max_len  # Some families begin behind rows that they never use.
        return weight[first : first + n]

    def layers(self) -> dict[str, nn.Module]:
        """The layers by name, "decoder.layers.0", in the order of computation; none of a model whose streams were not found."""
        return {
            f"{name}.layers.{number}": self.model.get_submodule(f"{side.layers}.{number}")
            for name, side in self.sides.items()
            for number in range(len(side.each))
        }

    def block(self, name: str) -> BlockPaths | None:
        """The block of a name such as "decoder.layers.0.self_attn"; None where its stream was not found."""
        side, _, number, kind = name.split(".")
        known = self.sides.get(side)
        return None if known is None else next((each for each in known.each[int(number)].blocks if each.kind == kind), None)

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
        for part, path in (("tokens", side.tokens), ("positions", side.positions), ("segments", side.segments)):
            if path:
                after(self.model.get_submodule(path), _batched(self._tap(f"{name}.embedding.{part}", _VECTORS)))
        self._tap(f"{name}.embedding.output", _VECTORS)

    def _attention(self, name: str, module: nn.Module) -> None:
        """The taps of an attention. What heads have mixed is tapped in front of W_O where something stands between the two."""
        block = self.block(name)
        stages = _OF_SOFTMAX if self.by_softmax else tuple(_ATTENTION)
        steps = {stage: self._tap(f"{name}.{stage}", _ATTENTION[stage]) for stage in stages}
        taken: Any = steps
        if self.by_softmax:
            watch_softmax(module, **steps, turned=self.turned)
        elif block is not None and block.gated:
            give_taps(module, AttentionTaps(**{**taken, "mixed": lambda vectors: vectors}, turned=self.turned))
        else:
            give_taps(module, AttentionTaps(**taken, turned=self.turned))

    def _layers(self, name: str, side: SidePaths) -> None:
        for number, layer in enumerate(side.each):
            at, stream = f"{name}.layers.{number}", Stream()
            module = self.model.get_submodule(f"{side.layers}.{number}")
            if number == 0:  # The stream begins with this tap's output, so the tap comes first.
                before(module, self.get_submodule(f"{name}.embedding.output"))
            before(module, stream.begin)
            norms: dict[str, Tap] = {}
            for place, block in enumerate(layer.blocks):
                if block.norm and block.norm not in norms:  # Two blocks that read the same stream may share one.
                    norms[block.norm] = self._tap(f"{at}.norm{place + 1}", _VECTORS)
                    if not side.post:
                        after(module.get_submodule(block.norm), stream.in_rows(norms[block.norm]))
                if block.kind == "feed_forward":
                    self._feed_forward(f"{at}.feed_forward", module, block, stream)
                elif self.by_softmax or block.gated:
                    self._mixed(f"{at}.{block.kind}", module, block)
                self._added(at, module, layer, place, stream)
                if side.post:
                    after(module.get_submodule(block.norm), stream.in_rows(stream.normed(norms[block.norm])))
        if side.final_norm:
            after(self.model.get_submodule(side.final_norm), self._tap(f"{name}.norm", _VECTORS))

    def _added(self, at: str, module: nn.Module, layer: LayerPaths, place: int, stream: Stream) -> None:
        """The taps of a block's output and of the stream after the addition; parallel blocks are added together."""
        block = layer.blocks[place]
        axes = _VECTORS if block.kind in ("feed_forward", "other") else "batch query feature"
        output, tap = module.get_submodule(block.output), self._tap(f"{at}.{block.kind}.output", axes)
        if block.after:  # Its own norm is applied before the addition.
            after(output, stream.in_rows(tap))
            output, tap = module.get_submodule(block.after), self._tap(f"{at}.{block.kind}.normed", axes)
        if layer.parallel and place != layer.last:
            after(output, stream.in_rows(stream.waiting(tap, block.factor)))
        else:
            residual = self._tap(f"{at}.residual{len(layer.blocks) if layer.parallel else place + 1}", _VECTORS)
            after(output, stream.in_rows(stream.adding(tap, residual, block.factor)))

    def _mixed(self, at: str, module: nn.Module, block: BlockPaths) -> None:
        """Each head's output, as W_O's layer reads it: the features of one head after those of another."""
        if at not in self.attentions or not block.is_matrix:
            return
        tap, n_heads = self._tap(f"{at}.mixed", _ATTENTION["mixed"]), self._n_heads

        def apart(joined: Tensor) -> Tensor:
            heads = joined.reshape(*joined.shape[:-1], n_heads, -1).transpose(1, 2)  # [batch, head, query, feature]
            seen = tap(heads)
            return joined if seen is heads else seen.transpose(1, 2).flatten(-2)

        before(module.get_submodule(block.output), apart)

    def _feed_forward(self, at: str, module: nn.Module, block: BlockPaths, stream: Stream) -> None:
        if block.router:
            router: Any = module.get_submodule(block.router)
            self.n_chosen = router.top_k
            tap_router(
                module.get_submodule(block.output),
                router,
                self._tap(f"{at}.routing", ROUTING),
                self._tap(f"{at}.chosen", ROUTING),
            )
        if not block.hidden:
            return
        if block.gate == block.hidden:
            both = (self._tap(f"{at}.gate", _VECTORS), self._tap(f"{at}.hidden", _VECTORS))
            after(module.get_submodule(block.hidden), stream.in_rows(halves(both, gate_first=block.gate_first)))
        else:
            if block.gate:
                after(module.get_submodule(block.gate), stream.in_rows(self._tap(f"{at}.gate", _VECTORS)))
            after(module.get_submodule(block.hidden), stream.in_rows(self._tap(f"{at}.hidden", _VECTORS)))
        # What the last layer reads is f(hidden), or f(gate)·hidden.
        before(module.get_submodule(block.output), stream.in_rows(self._tap(f"{at}.activated", _VECTORS)))


def _batched(tap: Tap) -> Callable[[Tensor], Tensor]:
    """The tap for vectors that may lack the batch axis, such as positions."""
    return lambda vectors: tap(vectors[None])[0] if vectors.dim() == 2 else tap(vectors)
