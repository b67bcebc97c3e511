"""Path patching, beside a plain loop of torch's hooks on a GPT-2 of transformers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import explorer
from explorer.errors import NeedsMetric, NoSuchPart
from tests.foreign.models import fresh, write_tokenizer

transformers = pytest.importorskip("transformers")
PAIR = ("the fox and the dog and a fox", "a dog and the fox and a fox")
WIDTH = 8  # of a head


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(folder)
    return transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))


@contextmanager
def hooks(*some: tuple[nn.Module, str, Callable[..., Any]]) -> Iterator[None]:
    """Hooks of torch's on modules, before or behind their computation."""
    handles = [
        module.register_forward_pre_hook(hook) if when == "before" else module.register_forward_hook(hook)
        for module, when, hook in some
    ]
    yield
    for handle in handles:
        handle.remove()


def metric(logits: np.ndarray, _tokens: object) -> float:
    return float(logits[-1, 3] - logits[-1, 5])


class ByHand:
    """A pass of the model, what its heads mix and its networks give out, and passes with some of it replaced."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model = model
        self.ids, self.others = (torch.tensor([tokenizer(text)["input_ids"]]) for text in PAIR)
        self.mixed, self.networks = self.recorded(self.ids)
        self.lent, _networks = self.recorded(self.others)

    def recorded(self, ids: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        mixed: list[Tensor] = []
        networks: list[Tensor] = []
        some = []
        for block in self.model.transformer.h:
            some.append((block.attn.c_proj, "before", lambda _module, args: mixed.append(args[0].clone())))
            some.append((block.mlp, "behind", lambda _module, _args, made: networks.append(made.clone())))
        with torch.inference_mode(), hooks(*some):
            self.model(ids)
        return mixed, networks

    def frozen(self, layer: int, head: int, *, networks: bool) -> list[tuple[nn.Module, str, Callable[..., Any]]]:
        """Hooks that freeze all heads but one, and the networks."""
        some: list[tuple[nn.Module, str, Callable[..., Any]]] = []
        for number, block in enumerate(self.model.transformer.h):
            given = self.mixed[number].clone()
            if number == layer:
                columns = slice(head * WIDTH, (head + 1) * WIDTH)
                given[..., columns] = self.lent[number][..., columns]
            some.append((block.attn.c_proj, "before", lambda _module, _args, given=given: (given,)))
            if networks:
                some.append((block.mlp, "behind", lambda _module, _args, _made, own=self.networks[number]: own))
        return some

    def to_logits(self, layer: int, head: int, *, networks: bool) -> float:
        with torch.inference_mode(), hooks(*self.frozen(layer, head, networks=networks)):
            return metric(self.model(self.ids).logits[0].numpy(), None)

    def to_head(self, layer: int, head: int, place: int, receiver: int, which: int, *, networks: bool) -> float:
        """`which` is 0, 1, 2 for Q, K, V of head `receiver` of layer `place`."""
        found: list[Tensor] = []
        into = self.model.transformer.h[place].attn.c_attn  # [batch, position, Q K V, each of all heads]
        columns = slice(which * 4 * WIDTH + receiver * WIDTH, which * 4 * WIDTH + (receiver + 1) * WIDTH)
        note = (into, "behind", lambda _module, _args, made: found.append(made.clone()))
        with torch.inference_mode(), hooks(*self.frozen(layer, head, networks=networks), note):
            self.model(self.ids)

        def receive(_module: nn.Module, _args: Any, made: Tensor) -> Tensor:
            made = made.clone()
            made[..., columns] = found[0][..., columns]
            return made

        with torch.inference_mode(), hooks((into, "behind", receive)):
            return metric(self.model(self.ids).logits[0].numpy(), None)


@pytest.fixture(scope="module")
def by_hand(tokenizer: Any) -> ByHand:
    return ByHand(fresh("gpt2").eval(), tokenizer)


@pytest.mark.parametrize("networks", [True, False])
def test_ways_to_the_logits_are_those_of_a_loop_of_hooks(by_hand: ByHand, tokenizer: Any, networks: bool) -> None:
    """From every head, with the networks frozen and computed anew."""
    found = explorer.patching(
        *PAIR, model=by_hand.model, tokenizer=tokenizer, metric=metric, receiver="logits", freeze_networks=networks
    )
    values = found["paths to logits"]
    assert values.shape == (1, 2, 4)
    for layer, head in np.ndindex(2, 4):
        assert values[0, layer, head] == pytest.approx(by_hand.to_logits(layer, head, networks=networks), abs=1e-5)
    assert np.ptp(values) > 1e-3


@pytest.mark.parametrize(("which", "name"), list(enumerate(("query", "key", "value"))))
def test_ways_to_a_head_are_those_of_a_loop_of_hooks(by_hand: ByHand, tokenizer: Any, which: int, name: str) -> None:
    """To Q, K and V of a head of the second layer from every head before it, and from no other."""
    receiver = f"decoder.self_attn.1.2.{name}"
    found = explorer.patching(*PAIR, model=by_hand.model, tokenizer=tokenizer, metric=metric, receiver=receiver)
    values = found[f"paths to {receiver}"]
    assert found.maps[f"paths to {receiver}"].axes["tap"] == ("decoder.layers.0.self_attn.mixed",)
    for head in range(4):
        expected = by_hand.to_head(0, head, 1, 2, which, networks=True)
        assert values[0, 0, head] == pytest.approx(expected, abs=1e-5)
    assert np.ptp(values) > 1e-6


def test_the_bundled_translator_has_ways_across(tmp_path: Path) -> None:
    """From the encoder's heads to the keys of a head of cross-attention; of a text with itself nothing changes."""
    text = "他在图书馆看书。"
    given: dict[str, Any] = {"metric": lambda logits, _tokens: float(logits[0].max()), "target": "x"}
    receiver = "decoder.cross_attn.1.4.key"
    found = explorer.patching(text, "她在图书馆看书。", receiver=receiver, **given)
    told = found.maps[f"paths to {receiver}"]
    assert {tap.split(".")[0] for tap in told.axes["tap"] or ()} == {"encoder", "decoder"}
    assert not np.allclose(told.values, found.plain[:, None, None], atol=1e-6)
    same = explorer.patching(text, text, receiver=receiver, **given)
    np.testing.assert_allclose(same[f"paths to {receiver}"], same.plain[0], atol=1e-4)


def test_what_is_no_receiver_is_refused() -> None:
    """Names, heads that the model lacks, and a receiver without a metric."""
    for receiver in ("decoder.self_attn.9.9.query", "decoder.self_attn.0.0.mixed", "decoder.cross_attn.0.99.key"):
        with pytest.raises(NoSuchPart):
            explorer.patching("我爱北京", "我爱上海", preset="tiny", metric=metric, receiver=receiver)
    with pytest.raises(NeedsMetric):
        explorer.patching("我爱北京", "我爱上海", preset="tiny", receiver="logits")  # type: ignore[call-overload]
