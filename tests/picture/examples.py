"""Small traces of each architecture, computed once, and the texts of both languages."""

from functools import lru_cache

import attrs
import numpy as np

import explorer
from explorer.lang import Words
from explorer.picture.causal_kinds import Account, LensMap
from explorer.picture.followed import Followed
from explorer.picture.kinds import Axis, Caption, Closed, Follow, HeadGrid, Heatmap
from explorer.picture.scales import Scale
from explorer.picture.sums import Group, SumRow, Sums, SumTerm, TrailLink
from explorer.tokens.vocabulary import BEGIN
from explorer.trace.arrays import Array
from explorer.trace.found.lens import Agreement, Lens
from explorer.trace.model_card import ClassHead
from explorer.trace.tap_names import Cell
from explorer.trace.trace import Trace
from tests.kept import kept_for_the_file

ARCHITECTURES = ("encoder-decoder", "encoder-only", "decoder-only")
LANGUAGES = ("zh", "en")
SENTENCE = "我爱北京天安门"


@kept_for_the_file
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


def trace_of_classes(of: str, labels: tuple[str, ...], rows: object, by: str = "softmax") -> Trace:
    """A trace of a classifier that gave out these numbers [row, class]; a row is that of the text or of a token."""
    head = ClassHead(labels=labels, of=of, by=by)  # type: ignore[arg-type]  # words that a head knows
    trace, numbers = example("encoder-only"), np.array(rows, np.float32)
    first, *rest = trace.tokens.source
    tokens = (attrs.evolve(first, special=True), *rest)
    return attrs.evolve(
        trace,
        arrays={head.tap: numbers},
        axis_names={head.tap: ("text" if of == "text" else "position", "class")},
        tokens=attrs.evolve(trace.tokens, source=tokens[: len(numbers)] if of == "tokens" else tokens),
        card=attrs.evolve(trace.card, classes=head, trained=True),
    )


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
        "queries": Axis("query", ("<bos>", "␣She", "␣me", "␣<&>"), "target"),
        "keys": Axis("key", ("<bos>", "␣She", "␣me", "␣<&>"), "target"),
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


def sums(*, opened: bool = False, exact: bool = True, **fields: object) -> Sums:
    """A sum of five parts by hand; opened, the keys of one head with what the first is made of."""
    heads = tuple(
        SumTerm(f"cross L0 H{head}", value, f"head {head}", goes={"inside": "head"}, short=f"H{head}")
        for head, value in enumerate((1.5, -0.5))
    )
    groups = (
        Group("embedding", (SumRow("token", (SumTerm("token", 0.25, "the token"),)),)),
        Group("Layer 0", (SumRow("cross", heads), SumRow("feed-forward", (SumTerm("feed-forward L0", -0.75, "the network"),)))),
        Group("End", (SumRow("output bias", (SumTerm("output bias", 0.5, "the bias"),)),)),
    )
    made = Sums(
        word="she",
        rival="<&>",
        difference=1.0,
        total=1.0 if exact else 1.5,
        n_parts=5,
        exact=exact,
        groups=groups,
        kinds=(("embedding", 0.25), ("cross", 1.0), ("feed-forward", -0.75), ("biases", 0.5)),
    )
    if opened:
        made = attrs.evolve(
            made,
            terms=(
                SumTerm("她", 2.0, "the key 她", (0.8, 2.5), {"inside": "key"}),
                SumTerm("。", -0.5, "the key 。", (0.2, -2.5)),
            ),
            whole=1.5,
            trail=(TrailLink("she − <&>", "+1.00", goes={"inside": ""}), TrailLink("cross L0 H0", "+1.500")),
            chain=(
                TrailLink("score", "12.70", "a.tap[0, 1, 2]", {"inside": "score"}),
                TrailLink("scaled", "2.25", sign="÷ 5.657 ="),
            ),
            factors=("weight", "V·direction"),
            names="2 keys",
            said="What the head passes on.",
        )
    return attrs.evolve(made, **fields)


def account_of(made: Sums) -> Account:
    """The picture of a sum by hand."""
    caption = Caption(title="How +1.00 adds up", tap="generator.logits", shape="[…]", formula="Σ", origin="computed")
    return Account(sums=made, signed_colours="blue-red", caption=caption)


def jacobian_by_hand() -> LensMap:
    """The same as a Jacobian lens in ranks, with what was measured."""
    plain = lens_by_hand()
    agreement = Agreement(plain.lens.taps, (1, 6, 10), (4, 5, 10), places=10, sentences=3, fitted=7)
    caption = attrs.evolve(plain.caption, title="Jacobian lens")
    lens = attrs.evolve(plain.lens, agreement=agreement)
    return attrs.evolve(plain, lens=lens, jacobian=True, ranks=True, agreement=agreement, caption=caption)


def lens_by_hand(n_positions: int = 3) -> LensMap:
    """Three rows that come to say the words 5, 6, 7 …; the last one is sure."""
    written = tuple(5 + position for position in range(n_positions))
    ids = np.tile(np.arange(10), (3, n_positions, 1))
    p = np.tile(np.linspace(0.3, 0.0, 10), (3, n_positions, 1)).astype(np.float32)
    for row in (1, 2):
        for position in range(1 if row == 1 else 0, n_positions):
            ids[row, position] = np.roll(ids[row, position], -written[position] % 10)
            p[row, position, 0] = 0.4 + 0.25 * row
    lens = Lens(
        taps=("decoder.embedding.output", "decoder.layers.0.residual1", "decoder.layers.0.residual2"),
        ids=ids % (5 + n_positions),
        probabilities=p,
        written=written,
        written_p=np.array([[0.01] * n_positions, [0.3] * n_positions, [0.9] * n_positions], np.float32),
        ranks=np.array([[6] * n_positions, [2] * n_positions, [1] * n_positions]),
        tokens=("<bos>", *(f"w{symbol}" for symbol in written[:-1])),
        names={symbol: f"␣w{symbol}" for symbol in range(10 + n_positions)},
    )
    caption = Caption(title="Logit lens", tap="a.tap", shape="[…]", note="note", origin="computed")
    return LensMap(
        lens=lens, rows=("embedding", "L0 self", "L0 feed-forward"), chosen=1, scale=Scale(0, 1, "cividis"), caption=caption
    )
