"""Pictures of a language model's continuation: its tokens, the candidates of each, the tree, and the KV cache."""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import number
from explorer.picture.decoding_kinds import Branch, Timeline, Tree
from explorer.picture.kinds import Axis, Bars, Caption, Heatmap, Strips
from explorer.picture.makers.output import top_bars
from explorer.picture.makers.timeline import perplexity
from explorer.picture.scales import Scale, robust_scale, unit_scale
from explorer.state.look import Look
from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.found.continuation import WrittenTree
from explorer.trace.trace import Trace

_OUTPUT = "generator.probabilities"
_FLOAT = 4  # bytes


def text_tokens(trace: Trace, tree: WrittenTree) -> tuple[Token, ...]:
    """The tokens of the text that the model continues: those on screen without the special ones at the end."""
    row = trace.tokens.target
    if tree.written:
        return row[: tree.written[0].position]
    n = len(row)
    while n > 1 and row[n - 1].special:
        n -= 1
    return row[:n]


def written_timeline(trace: Trace, tree: WrittenTree, chosen: int, look: Look, words: Words) -> Timeline:
    """The generated tokens, each with the model's probability; `chosen` is the chosen one."""
    tokens = tree.written
    log_ps = np.array([token.log_p for token in tokens])
    note, state = words("writing.nothing_note"), "nothing"
    if tokens:
        total, bends = number(float(log_ps.sum())), number(perplexity(log_ps))
        state = "ended" if tree.ended else "written"
        note = words(f"writing.{state}_note", total=total, count=len(tokens), perplexity=bends)
    return Timeline(
        labels=tuple(token.text for token in tokens),
        probabilities=np.exp(log_ps).astype(np.float32),
        chosen=max(0, min(chosen, len(tokens) - 1)),
        caption=Caption(
            title=words("writing.written"),
            tap=_OUTPUT,
            shape=f"[step {len(tokens)}]",
            note=note,
            hint=words(f"writing.{state}_hint"),
            origin="beside",
            formula="P(x<sub>t</sub> | x<sub>&lt;t</sub>)",
        ),
        log_p=log_ps,
        ranks=tuple(token.rank for token in tokens),
        n_symbols=trace.card.vocab_size,
        side="target",
        shift=len(text_tokens(trace, tree)),
        scale=unit_scale(look.unit_colours),
        alike=True,
        told=tuple(
            words(
                "writing.told_forced" if token.forced else "writing.told",
                token=token.text,
                p=number(token.probability),
                rank=token.rank,
                log_p=number(token.log_p),
            )
            for token in tokens
        ),
    )


def candidate_bars(trace: Trace, tree: WrittenTree, chosen: int, look: Look, words: Words) -> Bars:
    """The candidates of the chosen token; before anything is generated, the next tokens by the pass on screen."""
    tokens = tree.written
    text = text_tokens(trace, tree)
    if not tokens:
        return top_bars(trace, attrs.evolve(look, position=len(text) - 1), words)
    place = max(0, min(chosen, len(tokens) - 1))
    token = tokens[place]
    before = tokens[place - 1].text if place else text[-1].text
    return Bars(
        values=token.probabilities,
        labels=token.names,
        ids=token.ids,
        scale=Scale(0.0, 1.0 if trace.trained else float(token.probabilities.max()), look.unit_colours),
        cut=token.cut if token.cut.any() else None,
        chosen=token.ids.index(token.id),
        caption=Caption(
            title=words("writing.candidates", token=before),
            tap=_OUTPUT,
            shape=f"[vocab {trace.card.vocab_size}]",
            hint=words("writing.candidates_hint"),
            origin="beside",
        ),
    )


def written_tree(tree: WrittenTree, words: Words) -> Tree:
    """All that was tried after the text; the thick line is the present continuation. A score is the sum of log P."""
    now = set(tree.path(tree.at))
    totals: list[float] = []
    branches = []
    for node, (token, parent) in enumerate(zip(tree.tokens, tree.parents, strict=True)):
        totals.append(token.log_p + (totals[parent] if parent >= 0 else 0.0))
        state = ("forced" if token.forced else "best") if node in now else "kept"
        branches.append(Branch(node=node, parent=parent, label=token.text, log_p=token.log_p, total=totals[-1], state=state))
    return Tree(
        branches=tuple(branches),
        caption=Caption(
            title=words("writing.tree"),
            tap="search",
            shape=f"[node {len(branches)}]",
            note=words("writing.tree_note") if branches else "",
            hint=words("writing.tree_hint" if branches else "writing.tree_nothing"),
            origin="beside",
        ),
        length_penalty=0.0,
        told_as="tree_written",
    )


def cache_strips(trace: Trace, tree: WrittenTree, look: Look, words: Words) -> Strips:
    """Keys and values [position, feature] in the KV cache, of the Look's layer and head: a row for each token read.

    Before anything is written they are those of the pass on screen, which the first step computes again.
    """
    side = trace.card.side("decoder")
    text, tokens = text_tokens(trace, tree), tree.written
    layer, head = min(look.layer, side.n_layers - 1), trace.card.head_in(".key", min(look.head, side.n_heads - 1))
    kept = tree.cache()
    if kept is None:
        taps = [f"decoder.layers.{layer}.self_attn.{which}" for which in ("key", "value")]
        rows = [trace.head(tap, head)[: len(text)] for tap in taps]
        n_layers, n_heads = side.n_layers, side.n_kv_heads
    else:
        rows = [each[layer, head] for each in kept]
        n_layers, n_heads = kept[0].shape[:2]
    names = (*(token.text for token in text), *(token.text for token in tokens))[: len(rows[0])]
    n, width = rows[0].shape
    size = f"{2 * n_layers * n_heads * n * width * _FLOAT / 2**10:,.0f}"
    return Strips(
        bands=tuple(
            _band(values, names, which, layer, head, look, words) for which, values in zip(("key", "value"), rows, strict=True)
        ),
        caption=Caption(
            title=words("writing.cache", layer=layer, head=head),
            tap=f"decoder.layers.{layer}.self_attn.key",
            shape=f"[position {n}, feature {width}]",
            note=words("writing.cache_note", layers=n_layers, heads=n_heads, count=n, width=width, size=size),
            origin="beside",
        ),
    )


def _band(values: Array, names: tuple[str, ...], which: str, layer: int, head: int, look: Look, words: Words) -> Heatmap:
    tap = f"decoder.layers.{layer}.self_attn.{which}"
    return Heatmap(
        values=values,
        head=head,
        rows=Axis(words("axis.position"), names, "target"),
        columns=Axis(words("axis.feature")),
        scale=robust_scale(values, look.signed_colours),
        caption=Caption(title=words(f"writing.{which}"), tap=tap, shape=f"[position {len(values)}, feature {values.shape[1]}]"),
    )
