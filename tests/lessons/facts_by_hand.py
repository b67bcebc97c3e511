"""The facts of the tour's stops computed once more: by plain arithmetic on the parameters of a model that `explorer.load_model`
gives, by torch's own hooks, and by a beam search written out over full passes."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import Any

import attrs
import torch
from torch import Tensor, nn

from explorer.tokens.vocabulary import BEGIN, END, PAD, UNKNOWN

Ids = tuple[int, ...]
Hook = Callable[[nn.Module, tuple[Tensor, ...], Tensor], Tensor | None]
BEAM, N_HEADS, D_HEAD = 4, 8, 32
LAYERS = tuple(f"{side}.layers.{layer}" for side in ("encoder", "decoder") for layer in range(3))
_BLOCKS = {"encoder": ("self_attn", "feed_forward"), "decoder": ("self_attn", "cross_attn", "feed_forward")}


@attrs.frozen
class Translated:
    """The ids of a translation with its end, if it has one, and the mean probability of its words in one pass."""

    ids: Ids
    p: float


def translated(model: nn.Module, source: Ids, part: str = "") -> Translated:
    """The best translation of a beam search by the model without a part; each step is a full pass over all that is kept."""
    kept: list[tuple[float, Ids]] = [(0.0, ())]
    ended: list[tuple[float, Ids]] = []

    def score(each: tuple[float, Ids]) -> float:
        return each[0] / len(each[1])

    with _without(model, part):
        for _ in range(min(2 * len(source) + 20, model.config.max_len - 1)):
            log_p = logits_of(model, source, [said for _, said in kept])[:, -1].log_softmax(dim=-1)  # [kept, vocab]
            log_p[:, [PAD, UNKNOWN, BEGIN]] = -torch.inf
            best, places = (torch.tensor([total for total, _ in kept])[:, None] + log_p).flatten().topk(2 * BEAM)
            tried = [
                (total, (*kept[place // log_p.shape[1]][1], place % log_p.shape[1]))
                for total, place in zip(best.tolist(), places.tolist(), strict=True)
            ]
            ended += [each for each in tried[:BEAM] if each[1][-1] == END]
            kept = [each for each in tried if each[1][-1] != END][:BEAM]
            if len(ended) >= BEAM and max(map(score, kept)) <= max(map(score, ended)):
                break
        ids = max(ended or kept, key=score)[1]
        p = logits_of(model, source, [ids[:-1]])[0].softmax(dim=-1)  # [step, vocab]
    return Translated(ids, float(p[torch.arange(len(ids)), list(ids)].mean()))


def logits_of(model: nn.Module, source: Ids, said: list[Ids]) -> Tensor:
    """[row, step, vocab] in float64."""
    with torch.no_grad():
        logits: Tensor = model(torch.tensor([source] * len(said)), torch.tensor([(BEGIN, *each) for each in said]))
    return logits.double()


@contextmanager
def _without(model: nn.Module, part: str) -> Iterator[None]:
    with ExitStack() as stack:
        for name, hook in _hooks(part).items():
            stack.callback(model.get_submodule(name).register_forward_hook(hook).remove)
        yield


def _hooks(part: str) -> Mapping[str, Hook]:
    """By the names of taps the hooks that take a part away: what is added is 0, or what was made before goes on instead."""
    kept: dict[str, Tensor] = {}

    def keep(name: str) -> Hook:
        return lambda _module, _given, made: kept.__setitem__(name, made)

    def give(name: str) -> Hook:
        return lambda _module, _given, _made: kept[name]

    def nothing(_module: nn.Module, _given: tuple[Tensor, ...], made: Tensor) -> Tensor:
        return torch.zeros_like(made)

    decoder = [layer for layer in LAYERS if layer.startswith("decoder")]
    match part:
        case "position":
            return {f"{side}.embedding.positions": nothing for side in ("encoder", "decoder")}
        case "feed_forward":
            return {f"{layer}.feed_forward.output": nothing for layer in LAYERS}
        case "cross":
            return {f"{layer}.cross_attn.output": nothing for layer in decoder}
        case "mask":
            return {
                f"{layer}.self_attn.{tap}": hook
                for layer in decoder
                for tap, hook in (("scaled", keep(layer)), ("masked", give(layer)))
            }
        case "residual":
            return {
                name: hook
                for layer in LAYERS
                for number, block in enumerate(_BLOCKS[layer.partition(".")[0]], start=1)
                for name, hook in (
                    (f"{layer}.{block}.output", keep(f"{layer}.{block}")),
                    (f"{layer}.residual{number}", give(f"{layer}.{block}")),
                )
            }
        case _:
            return {}


class ByHand:
    """A sentence's pass over its translation, everything in it that the facts speak of computed from the parameters alone."""

    def __init__(self, model: nn.Module, source: Ids, said: Ids) -> None:
        self._model, self._source, self._said = model, source, said

    @cached_property
    def _made(self) -> Mapping[str, Tensor]:
        """What each tap gave in a pass of torch's own, without the batch axis, in float64."""
        made: dict[str, Tensor] = {}
        with ExitStack() as stack:
            for name, module in self._model.named_modules():
                if type(module).__name__ == "Tap":
                    hook = lambda _module, _given, out, name=name: made.__setitem__(name, out[0].double())  # noqa: E731  # One line.
                    stack.callback(module.register_forward_hook(hook).remove)
            made["logits"] = logits_of(self._model, self._source, [self._said])[0]
        return made

    def _linear(self, name: str, x: Tensor) -> Tensor:
        """x·Wᵀ + b."""
        module: Any = self._model.get_submodule(name)
        return x @ module.weight.double().T + module.bias.double()

    def scores(self, attention: str) -> Tensor:
        """[head, query, key] q·k of the self-attention or the cross-attention of a layer."""
        layer, _, kind = attention.rpartition(".")
        read = self._made[f"{layer}.norm{2 if kind == 'cross_attn' else 1}"]
        answers = self._made["encoder.norm"] if kind == "cross_attn" else read
        q, k = (
            self._linear(f"{attention}.project_{part}", x).unflatten(-1, (N_HEADS, D_HEAD)).transpose(0, 1)
            for part, x in (("query", read), ("key", answers))
        )
        return q @ k.mT

    def weights(self, attention: str) -> Tensor:
        """[head, query, key]"""
        scores = self.scores(attention) / math.sqrt(D_HEAD)
        if attention.startswith("decoder") and attention.endswith("self_attn"):
            scores = scores.masked_fill(torch.ones(scores.shape[1:]).triu(1).bool(), -torch.inf)
        return scores.softmax(dim=-1)

    def neighbours(self, token: int) -> tuple[list[int], Tensor]:
        """The ids of the source's vocabulary by their cosines with a token, itself left out, and the cosines [rank]."""
        embedding: Any = self._model.get_submodule("encoder.embedding.look_up")
        cosines = nn.functional.cosine_similarity(embedding.weight.double(), embedding.weight[token].double()[None])
        order = [each for each in cosines.argsort(descending=True).tolist() if each != token]
        return order, cosines[order]

    def lengths(self, tap: str) -> Tensor:
        """[position] of the vectors at a tap."""
        return self._made[tap].norm(dim=-1)

    def turned(self, position: int) -> list[float]:
        """The cosine of a lane of the encoder behind each layer with what came in."""
        x = self._made["encoder.embedding.output"][position]
        return [
            float(nn.functional.cosine_similarity(x, self._made[f"encoder.layers.{layer}.residual2"][position], dim=0))
            for layer in range(3)
        ]

    def zeros(self, layer: str, position: int) -> int:
        """How many units of a network are not above 0 before the ReLU."""
        return int((self._linear(f"{layer}.feed_forward.expand", self._made[f"{layer}.norm2"][position]) <= 0).sum())

    @property
    def p(self) -> Tensor:
        """[step, vocab]"""
        return self._made["logits"].softmax(dim=-1)
