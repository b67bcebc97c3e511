"""A pass of a model in its own way, with one tensor changed by hand.

What our taps do is held against this: torch's hooks on the model's own modules, and its own eager attention. Inside an
attention there are no modules, so the functions that all eager attentions call are watched: the product of queries and keys,
the softmax, and the product of weights and values.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn

from explorer.foreign.opening import Opened
from explorer.foreign.stream_map import SidePaths

Step = Callable[[Tensor], Tensor]


@contextmanager
def changed_by_hand(model: Any, like: Opened, tap: str, step: Step) -> Iterator[None]:
    """Inside the block, a model of its own implementation computes with `step` at the place that our tap shows."""
    block, _, part = tap.rpartition(".")
    with ExitStack() as stack:
        if block in like.attentions and part not in ("output", "normed"):
            stack.enter_context(_in_attention(like, block, part, step))
        elif part == "logits":
            stack.callback(model.register_forward_hook(_logits(step)).remove)
        elif part in ("routing", "chosen"):
            stack.callback(_router(model, int(block.split(".")[2]), part, step))
        else:
            path, before = _place(like, tap)
            module, time = own_module(model, path)
            stack.callback((_before if before else _after)(module, at_time(time, _on_its_half(like, tap, step))))
        yield


def own_module(model: Any, path: str) -> tuple[nn.Module, int | None]:
    """The module of an untouched model, by its path with taps, and which of its calls is meant; None where it has one.

    In ALBERT, several layers are one module.
    """
    home, groups, rest = path.partition(".albert_layer_groups.")
    if not groups:
        return model.get_submodule(path), None
    number, _, inside = rest.partition(".")
    config, inside = model.config, inside.removeprefix("albert_layers.0").removeprefix(".")
    order = [
        (int(time / (config.num_hidden_layers / config.num_hidden_groups)), layer)
        for time in range(config.num_hidden_layers)
        for layer in range(config.inner_group_num)
    ]
    (group, layer), time = order[int(number)], order[: int(number)].count(order[int(number)])
    return model.get_submodule(f"{home}{groups}{group}.albert_layers.{layer}.{inside}".removesuffix(".")), time


def at_time(time: int | None, step: Step) -> Step:
    """The step in one of a module's calls, counted from 0; in each of them for None."""
    counted = count()
    return step if time is None else lambda tensor: step(tensor) if next(counted) == time else tensor


def _after(module: nn.Module, step: Step) -> Callable[[], None]:
    def hook(_module: nn.Module, _given: Any, out: Any) -> Any:
        return (step(out[0]), *out[1:]) if isinstance(out, tuple) else _each(step, out)

    return module.register_forward_hook(hook).remove


def _before(module: nn.Module, step: Step) -> Callable[[], None]:
    def hook(_module: nn.Module, args: Any, given: Any) -> Any:
        if args:
            return (step(args[0]), *args[1:]), given
        return args, given | {"hidden_states": step(given["hidden_states"])}

    return module.register_forward_pre_hook(hook, with_kwargs=True).remove


def _each(step: Step, out: Tensor) -> Tensor:
    return step(out[None])[0] if out.dim() == 2 else step(out)


def _router(model: Any, layer: int, part: str, step: Step) -> Callable[[], None]:
    """Have the router of a layer choose from changed shares, or give out changed weights of all experts: token by token."""
    router = model.base_model.layers[layer].mlp.gate
    normed = model.config.model_type == "mixtral" or model.config.norm_topk_prob

    def hook(_module: nn.Module, _given: Any, out: Any) -> Any:
        logits, weights, choice = out
        shares = torch.zeros_like(logits) if part == "chosen" else logits.softmax(-1)  # [token, expert]
        if part == "chosen":
            for token, row in enumerate(choice):
                shares[token, row] = weights[token]
            return logits, step(shares[None])[0], torch.arange(logits.shape[-1]).repeat(len(logits), 1)
        found, order = step(shares[None])[0].topk(router.top_k, dim=-1)  # Of equal shares, this decides which are chosen.
        return logits, found / found.sum(-1, keepdim=True) if normed else found, order

    return router.register_forward_hook(hook).remove  # type: ignore[no-any-return]


def _logits(step: Step) -> Any:
    def hook(_module: nn.Module, _given: Any, out: Any) -> Any:
        out.logits = step(out.logits)
        return out

    return hook


def _place(like: Opened, tap: str) -> tuple[str, bool]:
    """The path of the module whose output a tap shows, or whose input (True)."""
    names = tap.split(".")
    side = like.foreign.sides[names[0]]
    if names[1] == "embedding":
        return (f"{side.layers}.0", True) if names[2] == "output" else (_of(side, names[2]), False)
    if names[1] == "norm":
        return side.final_norm, False
    number = int(names[2])
    layer, blocks = f"{side.layers}.{number}", side.each[number].blocks
    if names[3].startswith("norm"):
        return f"{layer}.{blocks[int(names[3][4:]) - 1].norm}", False
    if names[3].startswith("residual"):
        place = int(names[3][8:])
        if side.post:
            return f"{layer}.{blocks[place - 1].norm}", True
        assert place == len(blocks)  # Between the blocks, the stream has no module.
        return layer, False
    block = next(each for each in blocks if each.kind == names[3])
    path = {"normed": block.after, "gate": block.gate, "hidden": block.hidden}.get(names[4], block.output)
    return f"{layer}.{path}", names[4] == "activated"


def _on_its_half(like: Opened, tap: str, step: Step) -> Step:
    """The step on that half of a module's output which a tap shows: some families make gate and hidden by one matrix."""
    side, _, number, *_kind, part = tap.split(".") if ".layers." in tap else ("", "", "0", "")
    if part not in ("gate", "hidden"):
        return step
    block = next(each for each in like.foreign.sides[side].each[int(number)].blocks if each.kind == "feed_forward")
    if block.gate != block.hidden:
        return step
    place = 0 if (part == "gate") == block.gate_first else 1

    def on_half(out: Tensor) -> Tensor:
        halves = list(out.chunk(2, dim=-1))
        halves[place] = step(halves[place])
        return torch.cat(halves, dim=-1)

    return on_half


def _of(side: SidePaths, part: str) -> str:
    return {"tokens": side.tokens, "positions": side.positions, "segments": side.segments}[part]


@contextmanager
def _in_attention(like: Opened, block: str, part: str, step: Step) -> Iterator[None]:
    number, about = list(like.attentions).index(block), like.attentions[block]
    shared_by = about.n_heads // about.n_kv_heads
    products, softmaxes = [0], [0]
    own_product, own_softmax = torch.matmul, nn.functional.softmax
    config = like.foreign.model.config
    width = getattr(config, "query_pre_attn_scalar", about.d_head)
    factor = 1.0 if config.model_type in ("t5", "mt5") else width**-0.5

    def grouped(tensor: Tensor) -> Tensor:
        return step(tensor[:, ::shared_by]).repeat_interleave(shared_by, dim=1)

    def product(one: Tensor, other: Tensor) -> Tensor:
        if one.dim() != 4:
            return own_product(one, other)
        mine, first = products[0] // 2 == number, products[0] % 2 == 0
        products[0] += 1
        if not mine:
            return own_product(one, other)
        if first:
            one = step(one) if part == "query" else one
            other = grouped(other.transpose(2, 3)).transpose(2, 3) if part == "key" else other
            made = own_product(one, other)
            return step(made) if part == "scores" else step(made * factor) / factor if part == "scaled" else made
        one = step(one) if part == "dropped" else one
        other = grouped(other) if part == "value" else other
        made = own_product(one, other)
        return step(made) if part == "mixed" else made

    def softmax(scores: Tensor, *args: Any, **given: Any) -> Tensor:
        if scores.dim() != 4:
            return own_softmax(scores, *args, **given)
        mine = softmaxes[0] == number
        softmaxes[0] += 1
        if mine and part == "masked":
            scores = step(scores)
        made = own_softmax(scores, *args, **given)
        return step(made) if mine and part == "weights" else made

    with patch("torch.matmul", product), patch("torch.nn.functional.softmax", softmax):
        yield
    assert products[0] == 2 * softmaxes[0] == 2 * len(like.attentions)  # Every attention was seen, and nothing else.
