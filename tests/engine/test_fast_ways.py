"""Every fast way against `Transformer.forward`, with every knob turned: those there are, and some that are invented here."""

from collections.abc import Callable, Iterator
from typing import Any

import attrs
import pytest
import torch
from torch import Tensor

import explorer
from explorer import fast_ways
from explorer.config import KNOBS, Config
from explorer.engine.decoding import incremental
from explorer.engine.decoding.beam import Decoding, longest, search
from explorer.engine.decoding.greedy import can_guess
from explorer.engine.decoding.greedy_batch import greedy_batch
from explorer.engine.decoding.incremental import Incremental
from explorer.engine.experiments.runs import runs_of
from explorer.engine.speed.packed_linear import PackedLinear, pack
from explorer.errors import NoScriptForKnobs
from explorer.export.pytorch.script import pytorch_script
from explorer.knobs import knob
from explorer.lang import Words
from explorer.model.attention import Attention
from explorer.model.layers import DecoderLayer, FeedForward
from explorer.model.transformer import Generator, Transformer
from explorer.model.weights import build
from explorer.tokens.token import Token
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens
from explorer.trace.script_parts import ScriptParts
from tests.model.models import assert_same, randomized
from tests.sweeps import sweep

SOURCE, TARGET = torch.tensor([[5, 6, 7, 8, 9]]), torch.tensor([[2, 10, 11, 12, 13, 14]])


@attrs.frozen(kw_only=True)
class Invented(Config):
    """A Config with a knob that no fast way has heard of."""

    invented: float = knob(1.0, group="layer", applies="pass", valid=(0, 4), step=0.05)


BASE = Invented(n_layers=2, n_heads=4, d_model=256, d_ff=256, vocab_size=60, max_len=40)
OTHERS: dict[str, tuple[Any, ...]] = {
    "position_base": (50.0,), "embedding_scale": (1.7,), "temperature": (0.6,), "dropout": (0.5,), "dropout_seed": (3,),
    "n_layers": (1,), "n_heads": (2,), "d_model": (512,), "d_ff": (512,), "max_len": (9,), "vocab_size": (50,),
    "target_vocab_size": (48,), "norm_shift": (0.4,), "seed": (5,), "memory_budget": (64,),
}  # fmt: skip


def values_of(name: str) -> tuple[Any, ...]:
    """Other values of a knob than the one in BASE."""
    declared = next(each for each in KNOBS if each.name == name)
    middle = (
        (declared.nearest(0.7 * declared.valid.low + 0.3 * declared.valid.high),) if declared.kind in ("int", "float") else ()
    )
    choices = declared.choices or ((True, False) if declared.kind == "bool" else OTHERS.get(name, middle))
    return tuple(each for each in choices if each != getattr(BASE, name) and each not in ("cuda", "mps"))


CASES = [{each.name: value} for each in KNOBS for value in values_of(each.name)]


def _scaled(owner: type[torch.nn.Module], method: str, ahead: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What this method gives is multiplied by the knob `invented`, as a recipe's diff would have it."""
    init, own = owner.__init__, getattr(owner, method)

    def made(self: Any, config: Config, *given: Any, **named: Any) -> None:
        init(self, config, *given, **named)
        self.turned = config

    def scaled(self: Any, *given: Any, **named: Any) -> Any:
        made = own(self, *given, **named)
        if ahead:  # A later token reaches every earlier one.
            return made + (1 - self.turned.invented) * made.mean(dim=1, keepdim=True)
        return made * self.turned.invented

    monkeypatch.setattr(owner, "__init__", made)
    monkeypatch.setattr(owner, method, scaled)


INVENTIONS: dict[str, tuple[type[torch.nn.Module], str]] = {
    "feed-forward": (FeedForward, "forward"),
    "whole layer": (DecoderLayer, "forward"),
    "whole attention": (Attention, "forward"),
    "attention weights": (Attention, "weigh"),
    "queries": (Attention, "queries"),
    "logits": (Generator, "forward"),
    "looking ahead": (DecoderLayer, "forward"),
}


def model_of(**knobs: Any) -> Transformer:
    return randomized(build(attrs.evolve(BASE, **knobs)))  # type: ignore[return-value]


@torch.inference_mode()
def whole(model: Transformer, target: Tensor = TARGET) -> Tensor:
    """[position, vocab] the logits of the whole pass."""
    logits: Tensor = model(SOURCE, target)[0]
    return logits


def by_steps(model: Transformer, steps: Any) -> Tensor:
    """[position, vocab] the logits of the target's tokens, some one by one and some together."""
    assert model.decoder is not None
    rows = [steps.step(TARGET[:, n]) for n in range(3)]
    together = steps.extend(TARGET[:, 3:])
    steps.back_to(4)
    again = steps.extend(TARGET[:, 4:])[0]
    assert_same(again, together[0, 1:])
    return torch.cat([*rows, together[0]])


def _packed(model: Transformer) -> Tensor:
    pack(model)
    assert any(isinstance(each, PackedLinear) and each.current() is not None for each in model.modules())
    return whole(model)


def _kept_keys(model: Transformer) -> Tensor:
    return by_steps(model, Incremental(model, model.encode(SOURCE)))


WAYS: dict[str, Callable[[Transformer], Tensor]] = {"packed weights": _packed, "kept keys and values": _kept_keys}


@pytest.fixture(params=["none", *INVENTIONS])
def invention(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A knob that somebody has built into the model and told no fast way of."""
    if request.param != "none":
        _scaled(*INVENTIONS[request.param], request.param == "looking ahead", monkeypatch)
    yield request.param


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("knobs", sweep(CASES, telling=CASES[::4]), ids=str)
def test_each_way_obeys_each_knob(way: str, knobs: dict[str, Any]) -> None:
    """The logits of each position, to 1e-5; dropout draws its numbers anew in each pass and is compared without them."""
    if knobs.get("architecture", "encoder-decoder") != "encoder-decoder":
        pytest.skip("a model with one side has no such steps here; it is decoded in tests/engine/decoding")
    model = model_of(**knobs).eval()
    with torch.inference_mode():
        expected = whole(model)
        if not _is_causal(model.config):
            expected = torch.stack([whole(model, TARGET[:, : n + 1])[-1] for n in range(TARGET.shape[1])])
            found = torch.cat([_one_by_one(model, n) for n in range(TARGET.shape[1])]) if way != "packed weights" else expected
        else:
            found = WAYS[way](model)
    torch.testing.assert_close(found, expected, atol=3e-5, rtol=1e-5, equal_nan=True)


def _is_causal(config: Config) -> bool:
    return config.causal_mask and config.masking == "usual"


def _one_by_one(model: Transformer, n: int) -> Tensor:
    steps = Incremental(model, model.encode(SOURCE))
    for each in range(n):
        steps.step(TARGET[:, each])
    return steps.step(TARGET[:, n])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("invention", [each for each in INVENTIONS if each != "looking ahead"], indirect=True)
def test_each_way_steps_aside_for_a_knob_that_it_does_not_know(way: str, invention: str) -> None:
    """Wherever in the model it acts, and however it is turned."""
    for value in (1.0, 0.6):
        model = model_of(invented=value)
        with torch.inference_mode():
            torch.testing.assert_close(WAYS[way](model), whole(model), atol=3e-5, rtol=1e-5)


@pytest.mark.parametrize("invention", ["whole layer", "whole attention"], indirect=True)
def test_a_way_that_takes_every_knob_is_found_out(invention: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the test above can fail."""
    monkeypatch.setattr(incremental, "understands", lambda _config, _knobs: True)
    model = model_of(invented=0.6)
    with torch.inference_mode():
        made = by_steps(model, Incremental(model, model.encode(SOURCE)))
        assert not torch.allclose(made, whole(model), atol=3e-5, rtol=1e-5)


@pytest.mark.parametrize("invention", INVENTIONS, indirect=True)
def test_translations_under_an_unknown_knob_are_those_of_whole_passes(invention: str) -> None:
    """By a beam, greedily with a guess, and in a batch, which all take the fast steps where they may."""
    model = model_of(invented=0.6)
    with torch.inference_mode():
        memory = model.encode(SOURCE)
        slow = search(model, [tuple(SOURCE[0].tolist())], Decoding(beam=3, whole=True))[0]
        assert search(model, [tuple(SOURCE[0].tolist())], Decoding(beam=3))[0].best == slow.best
        one = search(model, [tuple(SOURCE[0].tolist())], Decoding(whole=True))[0].best
        assert not can_guess(model, Decoding())  # Later tokens might reach earlier ones, and a guess is read at once.
        assert search(model, [tuple(SOURCE[0].tolist())], Decoding())[0].best == one
        assert greedy_batch(Incremental(model, memory), 1, longest(SOURCE.shape[1], model.config.max_len))[0] == one


@pytest.mark.parametrize("invention", ["logits", "feed-forward"], indirect=True)
def test_logits_of_some_symbols_obey_an_unknown_knob(invention: str) -> None:
    """Experiments multiply out only the words that they compare."""
    model = model_of(invented=0.6)
    tokens = Tokens(*(tuple(Token("a", int(id_), 0, 1, True) for id_ in side[0]) for side in (SOURCE, TARGET)))
    with torch.inference_mode():
        assert_same(runs_of(model, tokens).logits(1, symbols=[7, 9])[0], whole(model)[:, [7, 9]])


def test_scripts_and_maps_made_again_refuse_an_unknown_knob() -> None:
    """A script that left it out would compute something else; a map is then kept or not shown."""
    assert card_of(BASE).remakes_maps and not card_of(attrs.evolve(BASE, invented=0.6)).remakes_maps
    trace = attrs.evolve(explorer.explore("我爱北京", preset="tiny"), config=attrs.evolve(BASE, invented=0.6))
    with pytest.raises(NoScriptForKnobs) as caught:
        pytorch_script(trace, ScriptParts(), Words.load("en"))
    assert "invented" in Words.load("en").error(caught.value)


def test_every_knob_is_in_one_group() -> None:
    """A new knob has to be put there, where somebody thinks of the fast ways."""
    groups = (fast_ways.BEFORE_THE_PASS, fast_ways.MASKS, fast_ways.LAYERS, fast_ways.DROPOUT)
    names = [name for group in groups for name in group]
    assert sorted(names) == sorted(set(names))
    assert set(names) <= {each.name for each in KNOBS}
