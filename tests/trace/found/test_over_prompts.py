"""Results over prompts: joined, saved and read again."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.errors import CannotRead, NotAScanTable
from explorer.trace.archive import read_archive, write_archive
from explorer.trace.found.metric_map import MetricMap
from explorer.trace.found.over_prompts import HeadsOverPrompts, MetricEffects, MetricPatching, OverPrompts, joined_effects
from explorer.trace.found.prompts_file import is_results


def effects(prompts: tuple[str, ...], values: Any, tokens: tuple[tuple[str, ...], ...] = ()) -> MetricEffects:
    """Effects of two layers of three heads."""
    heads = MetricMap(np.asarray(values, np.float32), {"attention": ("decoder.self_attn",), "layer": None, "head": None})
    return MetricEffects(
        prompts=prompts,
        plain=np.arange(len(prompts), dtype=np.float32),
        maps={"heads": heads},
        preset="tiny",
        metric="log-p",
        made_with={"preset": "tiny", "text": ""},
        tokens={"decoder": tokens or tuple((text,) for text in prompts)},
    )


def patching() -> MetricPatching:
    """A map of two taps and of texts of three and two positions."""
    values = np.array([[[0.0, 1, 2], [3, 4, 5]], [[6, 7, np.nan], [8, 9, np.nan]]], np.float32)
    stream = MetricMap(values, {"tap": ("decoder.embedding.output", "decoder.layers.0.residual2"), "position": None})
    plain, other = np.array([0, 1], np.float32), np.array([2, 5], np.float32)
    return MetricPatching(
        prompts=("a b c", "d e"), others=("x y z", "u v"), plain=plain, other=other, maps={"decoder stream": stream}
    )


def heads() -> HeadsOverPrompts:
    """Entropies, of which a head has none."""
    values = np.array([[[[0.5, np.nan]]]], np.float32)
    entropy = MetricMap(values, {"attention": ("decoder.self_attn",), "layer": None, "head": None})
    return HeadsOverPrompts(prompts=("a",), plain=np.full(1, np.nan, np.float32), maps={"entropy": entropy})


@pytest.mark.parametrize("found", [effects(("a", "b"), np.ones((2, 1, 2, 3))), patching(), heads()])
def test_what_is_saved_comes_back(found: OverPrompts, tmp_path: Path) -> None:
    """In its own class, with NaN, names and texts, and without a pickle."""
    found.save(tmp_path / "found.npz")
    assert is_results(tmp_path / "found.npz")
    loaded = OverPrompts.load(tmp_path / "found.npz")
    assert type(loaded) is type(found)
    for name in ("prompts", "preset", "metric", "made_with", "tokens"):
        assert getattr(loaded, name) == getattr(found, name)
    for name in ("plain", "other"):
        np.testing.assert_array_equal(getattr(loaded, name, ()), getattr(found, name, ()))
    assert list(loaded.maps) == list(found.maps)
    for kind, own in found.maps.items():
        np.testing.assert_array_equal(loaded[kind], own.values)
        assert dict(loaded.maps[kind].axes) == dict(own.axes)
        with pytest.raises(ValueError, match="read-only"):
            loaded[kind][0] = 0
    np.load(tmp_path / "found.npz", allow_pickle=False).close()


def damaged(path: Path, name: str) -> None:
    """The file of effects with one thing wrong."""
    effects(("a", "b"), np.ones((2, 1, 2, 3))).save(path)
    about, arrays = read_archive(path, "over_prompts.json")
    match name:
        case "form":
            about["form"] = "nonsense"
        case "labels":
            about["maps"]["heads"]["attention"] = ["one", "two"]
        case "axes":
            about["maps"]["heads"].pop("head")
        case "prompts":
            about["prompts"] = ["a", "b", "c"]
        case "no text":
            about["prompts"] = ["a", 2]
        case "tokens":
            about["tokens"] = {"decoder": [["a"]]}
        case "no map":
            about["maps"] = {}
        case "infinite":
            arrays["map 0"] = np.full((2, 1, 2, 3), np.inf, np.float32)
        case "objects":
            arrays["map 0"] = np.array(["a"])
        case "made_with":
            about["made_with"] = 3
    write_archive(path, "over_prompts.json", about, arrays)


@pytest.mark.parametrize(
    "name", ["form", "labels", "axes", "prompts", "no text", "tokens", "no map", "infinite", "objects", "made_with"]
)
def test_a_file_that_does_not_fit_together_is_refused(name: str, tmp_path: Path) -> None:
    """By its name, with a reason."""
    damaged(tmp_path / "found.npz", name)
    with pytest.raises(NotAScanTable, match=r"found\.npz"):
        OverPrompts.load(tmp_path / "found.npz")


def test_a_cut_file_another_archive_and_no_file_are_refused(tmp_path: Path) -> None:
    """The last one for what it is."""
    effects(("a",), np.ones((1, 1, 2, 3))).save(tmp_path / "found.npz")
    content = (tmp_path / "found.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(content[: len(content) // 2])
    np.savez(tmp_path / "other.npz", about=np.array(json.dumps({})))
    for name in ("cut.npz", "other.npz"):
        assert not is_results(tmp_path / name)
        with pytest.raises(NotAScanTable):
            OverPrompts.load(tmp_path / name)
    with pytest.raises(CannotRead):
        OverPrompts.load(tmp_path / "gone.npz")


def test_lots_of_prompts_are_joined_in_their_order() -> None:
    """As if they had been one lot."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal((5, 1, 2, 3))
    texts = tuple("abcde")
    parts = [effects(texts[first:last], values[first:last]) for first, last in ((0, 2), (2, 3), (3, 5))]
    joined = joined_effects(parts)
    assert joined.prompts == texts and joined.tokens["decoder"] == tuple((text,) for text in texts)
    np.testing.assert_allclose(joined["heads"], values.astype(np.float32))
    np.testing.assert_allclose(joined.spread("heads").mean, values.astype(np.float32).mean(axis=0), rtol=1e-6)
