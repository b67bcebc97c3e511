"""Small traces of each architecture, computed once, and the texts of both languages."""

from functools import lru_cache

import attrs
import numpy as np

import explorer
from explorer.lang import Words
from explorer.picture.followed import Followed
from explorer.picture.kinds import Axis, Caption, Closed, Follow, HeadGrid, Heatmap
from explorer.picture.scales import Scale
from explorer.tokens.vocabulary import BEGIN
from explorer.trace.arrays import Array
from explorer.trace.tap_names import Cell
from explorer.trace.trace import Trace

ARCHITECTURES = ("encoder-decoder", "encoder-only", "decoder-only")
LANGUAGES = ("zh", "en")
SENTENCE = "我爱北京天安门"


@lru_cache(maxsize=64)
def example(architecture: str = "encoder-decoder", text: str = SENTENCE, target: str | None = None, **knobs: object) -> Trace:
    """A trace of the tiny preset; asked for inside a test, so that jieba's cache lies in the test's own folder."""
    return explorer.explore(text, target=target, preset="tiny", architecture=architecture, **knobs)


def asked(target: str = "he likes it", **knobs: object) -> Trace:
    """A trace of three steps, each of which has its next token."""
    return begun(example(target=target, **knobs))


def begun(trace: Trace) -> Trace:
    """The same with a target that begins with the begin symbol, as a trained translator's does."""
    first, *rest = trace.tokens.target
    begin = attrs.evolve(first, id=BEGIN, text="<bos>")
    return attrs.evolve(trace, tokens=attrs.evolve(trace.tokens, target=(begin, *rest)))


@lru_cache(maxsize=2)
def words(language: str = "zh") -> Words:
    return Words.load(language)


def heatmap(values: Array, labels: tuple[str, ...] = (), closed: Closed | None = None, colours: str = "cividis") -> Heatmap:
    """A map of one's own numbers on a scale from 0 to 1."""
    return Heatmap(
        values=values,
        rows=Axis("query", labels or tuple(f"r{i}" for i in range(values.shape[0]))),
        columns=Axis("key", labels or tuple(f"c{i}" for i in range(values.shape[1]))),
        scale=Scale(0.0, 1.0, colours),
        caption=Caption(title="title", tap="a.tap", shape="[query, key]"),
        closed=closed,
        reason="" if closed is None else "because",
    )


def wall(layers: int, heads: int, n: int, seed: int = 0) -> HeadGrid:
    """A wall of random weights with a causal mask."""
    closed = np.triu(np.ones((n, n), bool), 1)
    values = np.random.default_rng(seed).random((layers, heads, n, n), np.float32)
    values[:, :, closed] = np.nan
    axis = Axis("query", tuple(f"t{i}" for i in range(n)))
    return HeadGrid(
        values=values,
        rows=axis,
        columns=axis,
        scale=Scale(0.0, 1.0, "viridis"),
        closed=closed,
        reason="because",
        caption=Caption(title="wall", tap="a.*", shape="[…]"),
        layers=tuple(range(layers)),
        chosen=None,
    )


def by_hand(
    query: tuple[float, ...] = (1.0, -2.0, 0.5, 0.0),
    key: tuple[float, ...] = (3.0, 0.5, -1.0, 2.0),
    *,
    other: tuple[float, ...] = (-1.0, 4.0, 5.0),
    closed: tuple[bool, ...] = (False, False, False, True),
    **fields: object,
) -> Followed:
    """A row of four keys of which the first is followed, computed here in float64; `other` are the scores of the others."""
    scores = np.array([np.dot(query, key), *other])
    scaled = scores / 2
    shut = np.array(closed)
    masked = np.where(shut, -np.inf, scaled)
    weights = np.exp(masked) / (np.exp(masked).sum() or 1.0)
    value = np.array([[1.0, -1.0], [0.5, 2.0], [0.0, -3.0], [4.0, 4.0]])
    made = {
        "cell": Cell("decoder.self_attn", 1, 2, 2, 0),
        "query": query,
        "key": key,
        "scores": scores,
        "scaled": scaled,
        "bias": None,
        "masked": masked,
        "weights": weights,
        "passed": weights,
        "value": value,
        "mixed": weights @ value,
        "closed": shut,
        "queries": Axis("query", ("<bos>", "＿She", "＿me", "＿<&>"), "target"),
        "keys": Axis("key", ("<bos>", "＿She", "＿me", "＿<&>"), "target"),
        "kv_head": 2,
        "divisor": 2.0,
        "d_head": 4,
        "temperature": 1.0,
        "scales": True,
        **fields,
    }
    arrays = ("query", "key", "scores", "scaled", "masked", "weights", "passed", "value", "mixed")
    return Followed(**{**made, **{name: np.asarray(made[name], np.float32) for name in arrays}})


def follow_of(followed: Followed) -> Follow:
    """The picture of these numbers."""
    return Follow(
        followed=followed,
        signed_colours="blue-red",
        head=followed.cell.head,
        caption=Caption(
            title=f"{followed.asks} → {followed.answers}",
            tap=followed.cell.tap("weights"),
            shape="[head 4, query 4, key 4]",
            origin="computed",
        ),
    )
