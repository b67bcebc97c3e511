"""The picture of a beam search: every token that was tried, and how each branch ended."""

from collections.abc import Set

from explorer.lang import Words, sentences
from explorer.picture.cell_text import number
from explorer.picture.decoding_kinds import Branch, Tree
from explorer.picture.kinds import Caption
from explorer.picture.makers.heatmaps import symbol
from explorer.picture.picture import captioned
from explorer.picture.tree_branches import depths
from explorer.state.look import Look
from explorer.tokens.vocabulary import END
from explorer.trace.search_tree import Node, Search
from explorer.trace.trace import Trace


def search_tree(trace: Trace, look: Look, words: Words) -> Tree:
    """All tokens that decoding tried for this sentence; without a search an empty tree, with the reason in its note."""
    search = trace.search
    if search is None or not search.nodes:
        return Tree(branches=(), caption=Caption(title=words("tree.nothing"), tap="", shape="", note=_why_not(trace, words)))
    branches = _branches(trace, search)
    made = Tree(branches=branches, caption=_caption(search, words), length_penalty=search.length_penalty)
    shape = f"[step {max(depths(made))}, node {len(branches)}]"
    return captioned(made, shape=shape)


def _branches(trace: Trace, search: Search) -> tuple[Branch, ...]:
    ended = finished(search)
    best = set(search.path(ended[0])) if ended else set()
    kept = {node for end in ended for node in search.path(end)}
    ranks = {end: rank for rank, end in enumerate(ended, 1)}
    return tuple(
        Branch(
            node=number_,
            parent=node.parent,
            label=symbol(trace, node.id),
            log_p=node.log_p,
            total=node.total,
            state=_state(number_, node, best, kept),
            rank=ranks.get(number_, 0),
        )
        for number_, node in enumerate(search.nodes)
    )


def _state(number_: int, node: Node, best: Set[int], kept: Set[int]) -> str:
    if node.forced or node.closed:
        return "forced" if node.forced else "closed"
    return "best" if number_ in best else "kept" if number_ in kept else "dropped"


def finished(search: Search) -> tuple[int, ...]:
    """The last nodes of the finished sentences, best first; if no sentence finished, of those with the greatest length."""
    ended = tuple(end for end in search.ends if search.nodes[end].id == END)
    return ended or search.ends


def _caption(search: Search, words: Words) -> Caption:
    forced, closed = (any(getattr(node, name) for node in search.nodes) for name in ("forced", "closed"))
    notes = "note_forced" if forced else "note", *(("note_closed",) if closed else ())
    return Caption(
        title=words("tree.title", beam=search.beam),
        tap="search",
        shape="",
        origin="beside",
        formula=f"s(y) = log P(y) / |y|<sup>α</sup>, α = {number(search.length_penalty)}",
        note=sentences(*(words(f"tree.{note}") for note in notes)),
    )


def _why_not(trace: Trace, words: Words) -> str:
    if trace.card.architecture != "encoder-decoder":
        return words("tree.no_translation")
    return words("tree.own_target" if trace.trained else "tree.untrained")
