"""Traces that another program recorded: what is read from them, and what is refused in a sentence."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import attrs
import numpy as np
import pytest
from safetensors.numpy import save_file

import explorer
from explorer.errors import BadRecording, ExplorerError, NotATrace
from explorer.lang import LANGUAGES, Words
from explorer.picture.makers.attention import head_map
from explorer.state.look import Look
from explorer.trace.files import tensor_file
from explorer.trace.stages import STAGES, axes_of
from explorer.trace.trace import Trace
from tests.fuzz import damage

MAP = "decoder.layers.0.self_attn.weights"
N, HEADS, WIDE = 3, 2, 8
WORDS = ["我", "爱", "北京"]


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def tensors() -> dict[str, np.ndarray]:
    """What a serving engine may have kept of a decoder of two layers: maps, values, the stream, the output."""
    scores = numbers(2, HEADS, N, N)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    per_layer = {
        f"decoder.layers.{layer}.{name}": array
        for layer in range(2)
        for name, array in (
            ("self_attn.weights", weights[layer][None]),  # with a batch of one
            ("self_attn.key", numbers(1, N, 4)),  # one key head for two query heads
            ("residual1", numbers(N, WIDE)),
        )
    }
    return {**per_layer, "generator.logits": numbers(N, 5), "router": numbers(N, 6)}


def card(**more: Any) -> dict[str, Any]:
    return {
        "recorded_by": "an engine 1.2",
        "model": "Some 7B",
        "source": "我爱北京",
        "tokens": {"source": WORDS},
        "symbols": ["<pad>", "我", "爱", "北京", "。"],
        "axes": {"router": "position expert"},
        "card": {"position": "rotary", "parameters": 7},
        **more,
    }


def written(folder: Path, kind: str, arrays: dict[str, np.ndarray] | None = None, told: dict[str, Any] | None = None) -> Path:
    """A file of a kind: "safetensors" or "npz", with the card in it, or with "beside" in the name beside it."""
    arrays, text = tensors() if arrays is None else arrays, json.dumps(card() if told is None else told)
    path = folder / f"x.{kind.split()[0]}"
    if "beside" in kind:
        path.with_suffix(".json").write_text(text, encoding="utf-8")
    if kind.startswith("npz"):
        np.savez_compressed(path, **arrays, **({} if "beside" in kind else {"card.json": np.array(text)}))
    else:
        save_file(arrays, path, metadata=None if "beside" in kind else {"card": text})
    return path


@pytest.mark.parametrize("kind", ["safetensors", "npz", "safetensors beside", "npz beside"])
def test_all_of_it_is_read(tmp_path: Path, kind: str) -> None:
    """Numbers to the bit, without a batch of one; tokens with their places; the card from the tensors and from what is told."""
    trace = Trace.load(written(tmp_path, kind))

    for name, array in tensors().items():
        expected = array[0] if array.ndim > len(trace.axes(name)) else array
        np.testing.assert_array_equal(trace[name], expected)
        assert not trace[name].flags.writeable
    assert trace.recorded_by == "an engine 1.2"
    assert [(token.text, token.id, token.start, token.end) for token in trace.tokens.target] == [
        ("我", 1, 0, 1),
        ("爱", 2, 1, 2),
        ("北京", 3, 2, 4),
    ]
    assert (trace.tokens.source, trace.target, trace.card.architecture) == ((), "我爱北京", "decoder-only")
    side = trace.card.side("decoder")
    assert (side.n_layers, side.n_heads, side.n_kv_heads, trace.card.d_model, trace.card.d_head) == (2, 2, 1, WIDE, 4)
    assert (trace.card.name, trace.card.position, trace.card.parameters, trace.card.vocab_size) == ("Some 7B", "rotary", 7, 5)
    assert trace.card.why_absent("decoder.layers.0.self_attn.query") == "absent.not_recorded"
    assert not trace.card.why_absent("decoder.layers.0.self_attn.key")
    assert trace.axes("router") == ("position", "expert")


def test_a_file_without_a_card_is_read_too(tmp_path: Path) -> None:
    """If its taps are known: positions stand for tokens, and the file's name for the model's."""
    arrays = {name: array for name, array in tensors().items() if name != "router"}
    save_file(arrays, tmp_path / "some run.safetensors")
    trace = Trace.load(tmp_path / "some run.safetensors")

    assert (trace.card.name, trace.recorded_by) == ("some run", "?")
    assert [token.text for token in trace.tokens.target] == ["0", "1", "2"]


def test_what_explore_records_comes_back_from_such_a_file(tmp_path: Path) -> None:
    """An encoder-decoder of ours, written as another program would: the same arrays, axes and pictures."""
    trace = explorer.explore("我爱北京", "Beijing", preset="tiny")
    told = {
        "source": trace.source,
        "target": trace.target,
        "tokens": {
            side: [
                {name: value for name, value in attrs.asdict(each).items() if name not in ("merges", "word")} for each in tokens
            ]
            for side, tokens in (("source", trace.tokens.source), ("target", trace.tokens.target))
        },
        "symbols": list(trace.symbols),
    }
    path = written(tmp_path, "safetensors", {name: np.array(array) for name, array in trace.arrays.items()}, told)
    again = Trace.load(path)

    assert set(again.names()) == set(trace.names())
    for name in trace.names():
        assert again.axes(name) == trace.axes(name) == axes_of(name)
        np.testing.assert_array_equal(again[name], trace[name])
    assert [(each.text, each.id, each.start) for each in again.tokens.target] == [
        (each.text, each.id, each.start) for each in trace.tokens.target
    ]
    looks = Look(attention="decoder.cross_attn", layer=1, head=1, side="decoder"), Words.load("en")
    np.testing.assert_array_equal(head_map(again, *looks).values, head_map(trace, *looks).values)


@pytest.mark.parametrize("dtype", ["F64", "F16", "BF16"])
def test_other_floats_are_widened(tmp_path: Path, dtype: str) -> None:
    """A bfloat16 is the upper half of a float32; NumPy has no such type, and none is needed."""
    exact = np.array([[1.5, -2.0], [0.15625, -np.inf]], dtype=np.float32)
    data = {
        "F64": exact.astype("<f8").tobytes(),
        "F16": exact.astype("<f2").tobytes(),
        "BF16": (exact.view("<u4") >> 16).astype("<u2").tobytes(),
    }[dtype]
    header = json.dumps({"encoder.norm": {"dtype": dtype, "shape": [2, 2], "data_offsets": [0, len(data)]}}).encode()
    path = tmp_path / "x.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header + data)

    np.testing.assert_array_equal(Trace.load(path)["encoder.norm"], exact)


def test_who_recorded_it_is_kept(tmp_path: Path) -> None:
    """Saved by this program and read again it still says so; a pass of this program says nothing."""
    Trace.load(written(tmp_path, "npz")).save(tmp_path / "own.npz")

    assert Trace.load(tmp_path / "own.npz").recorded_by == "an engine 1.2"
    assert explorer.explore("我", preset="tiny").recorded_by == ""


def test_every_known_tap_has_axes() -> None:
    """The table of taps, in the map of the code: one row each; an unknown name has none."""
    assert {len(axes_of(stage.key.replace("attention.", "self_attn."))) for stage in STAGES} == {2, 3}
    assert axes_of("model.layers.0.mlp") == ()


Wrong = Callable[[dict[str, np.ndarray], dict[str, Any]], object]
WRONG: dict[str, tuple[Wrong, str]] = {
    "a tensor that is no tap": (lambda arrays, _: arrays.update(odd=numbers(3, 3)), "odd"),
    "whole numbers": (lambda arrays, _: arrays.update(router=np.ones((3, 6), dtype=np.int32)), "router"),
    "an empty tensor": (lambda arrays, _: arrays.update(router=np.ones((3, 0), dtype=np.float32)), "router"),
    "no tensor": (lambda arrays, _: arrays.clear(), "0"),
    "a batch of two": (lambda arrays, _: arrays.update({MAP: numbers(2, HEADS, N, N)}), MAP),
    "too few axes": (lambda arrays, _: arrays.update({MAP: numbers(N, N)}), MAP),
    "another number of tokens": (lambda _, told: told.update(tokens={"source": ["我", "爱"]}), "2"),
    "another length in a layer": (lambda arrays, _: arrays.update({MAP: numbers(HEADS, N, N + 1)}), "4"),
    "another number of heads": (lambda arrays, _: arrays.update({MAP: numbers(HEADS + 1, N, N)}), "head"),
    "another width": (lambda arrays, _: arrays.update({"decoder.layers.1.residual1": numbers(N, WIDE + 1)}), "feature"),
    "a layer that lacks a tap": (lambda arrays, _: arrays.pop(MAP), "layer"),
    "axes with a batch": (lambda _, told: told.update(axes={"router": "batch position"}), "router"),
    "axes that are a number": (lambda _, told: told.update(axes={"router": 7}), "router"),
    "an unknown field": (lambda _, told: told.update(colour="red"), "colour"),
    "a field of another type": (lambda _, told: told.update(tokens=7), "tokens"),
    "a token that is none": (lambda _, told: told.update(tokens={"source": ["我", "爱", 7]}), "tokens"),
    "a token without a text": (lambda _, told: told.update(tokens={"source": ["我", "爱", {"id": 1}]}), "tokens"),
    "a token outside": (
        lambda _, told: told.update(tokens={"source": ["我", "爱", {"text": "x", "start": 90, "end": 91}]}),
        "tokens",
    ),
    "tokens of a third side": (lambda _, told: told.update(tokens={"middle": []}), "middle"),
    "a symbol that is no text": (lambda _, told: told.update(symbols=[1]), "symbols"),
    "a card's unknown field": (lambda _, told: told.update(card={"wings": 2}), "wings"),
    "a card's wrong value": (lambda _, told: told.update(card={"parameters": -1}), "parameters"),
    "sides of its own": (lambda _, told: told.update(card={"sides": []}), "sides"),
}


@pytest.mark.parametrize("kind", ["safetensors", "npz"])
@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_one_sentence(tmp_path: Path, what: str, kind: str) -> None:
    """In both languages, with the file and what is wrong with it."""
    arrays, told = tensors(), card()
    change, named = WRONG[what]
    change(arrays, told)
    path = written(tmp_path, kind, arrays, told)
    with pytest.raises(BadRecording) as caught:
        Trace.load(path)

    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value)
        assert named in sentence
        assert "x." in sentence


@pytest.mark.parametrize("text", ["", "[1]", "{", "7", "[" * 100_000])
def test_a_card_that_is_no_table_is_told(tmp_path: Path, text: str) -> None:
    """An empty text beside the file is no card; nothing but a JSON table is one."""
    path = written(tmp_path, "safetensors beside")
    path.with_suffix(".json").write_text(text, encoding="utf-8")
    with pytest.raises(BadRecording):
        Trace.load(path)


HALF = "a\ud800b"
HALVES: dict[str, Callable[[dict[str, np.ndarray], dict[str, Any]], object]] = {
    "source": lambda _arrays, told: told.update(source=HALF),
    "a token": lambda _arrays, told: told.update(tokens={"source": [HALF, "爱", "北京"]}),
    "a symbol": lambda _arrays, told: told.update(symbols=["<pad>", HALF, "爱", "北京", "。"]),
    "who recorded it": lambda _arrays, told: told.update(recorded_by=HALF, model=HALF),
    "an axis": lambda _arrays, told: told.update(axes={"router": HALF + " feature"}),
}


@pytest.mark.parametrize("kind", ["safetensors", "npz", "safetensors beside", "npz beside"])
@pytest.mark.parametrize("what", HALVES)
def test_half_a_letter_is_replaced_so_that_all_of_it_can_be_written(tmp_path: Path, what: str, kind: str) -> None:
    """A text of another program may end inside a letter; a notebook, a page, a picture and a table are made all the same."""
    arrays, told = tensors(), card()
    HALVES[what](arrays, told)
    trace = Trace.load(written(tmp_path, kind, arrays, told))
    page = trace._repr_html_()
    assert page is None or page.encode()
    assert repr(trace).encode()
    for suffix in ("svg", "html", "csv", "npz"):
        trace.figure(MAP).save(tmp_path / f"figure.{suffix}")
    trace.save(tmp_path / "again.npz")
    assert Trace.load(tmp_path / "again.npz").source == trace.source


def test_a_file_that_does_not_fit_into_memory_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before its numbers are read."""
    path = written(tmp_path, "safetensors")
    monkeypatch.setattr(tensor_file, "SHARE", 0.0)
    with pytest.raises(BadRecording, match="MB"):
        Trace.load(path)


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    """An archive with an array of objects is refused by NumPy's reader, and the refusal is ours."""
    np.savez(tmp_path / "x.npz", **tensors(), bad=np.array([{}], dtype=object))
    with pytest.raises(NotATrace):
        Trace.load(tmp_path / "x.npz")


@pytest.mark.parametrize("kind", ["safetensors", "npz"])
def test_damaged_files_are_refused_or_read(tmp_path: Path, kind: str) -> None:
    """Three hundred files with changed, missing and further bytes: each is a sentence, or a Trace whose arrays agree."""
    whole = written(tmp_path, kind).read_bytes()
    path, refused = tmp_path / f"damaged.{kind}", 0
    for seed in range(300):
        path.write_bytes(damage.damaged(whole, Random(seed)))
        try:
            trace = Trace.load(path)
        except ExplorerError as error:
            refused += 1
            assert str(path.name) in str(error)
        else:
            assert all(trace[name].ndim == len(trace.axes(name)) for name in trace.names())

    assert refused > 100
