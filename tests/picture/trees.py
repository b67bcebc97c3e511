"""Searches by hand and from a model, and their trees."""

from functools import lru_cache

import attrs
import torch

from explorer.config import Config
from explorer.engine.decoding.beam import Decoding, search
from explorer.model.weights import build
from explorer.picture.decoding_kinds import Branch, Tree
from explorer.picture.kinds import Caption
from explorer.picture.makers.tree import search_tree
from explorer.state.look import Look
from explorer.tokens.bpe import BYTES
from explorer.tokens.vocabulary import END, SPECIALS
from explorer.trace.search_tree import Node, Search
from explorer.trace.trace import Trace
from tests.picture.examples import example, words

SYMBOLS = (*SPECIALS, "␣He", "␣She", "␣reads", "ing", "␣a", "␣book", ".", *BYTES[0xE4:0xF0])
HE, SHE, READS, ING, A, BOOK, STOP = range(4, 11)


def nodes(*rows: tuple[int, int, float], forced: int = 0) -> tuple[Node, ...]:
    """Nodes from (parent, id, log P), the first `forced` of them put by the user."""
    made: list[Node] = []
    for place, (parent, id_, log_p) in enumerate(rows):
        total = log_p + (made[parent].total if parent >= 0 else 0.0)
        made.append(Node(parent, id_, log_p, total, forced=place < forced))
    return tuple(made)


# He reads a book . <eos>  is best; She reads <eos> the second; "He reads ing ing" and the likely "He a" were given up.
ROWS = (
    (-1, HE, -0.25),
    (-1, SHE, -1.5),
    (0, READS, -0.5),
    (0, A, -0.375),
    (1, READS, -0.5),
    (2, A, -0.5),
    (2, ING, -2.0),
    (4, END, -2.0),
    (5, BOOK, -0.25),
    (6, ING, -2.5),
    (8, STOP, -0.125),
    (10, END, -0.125),
)
SEARCH = Search(nodes(*ROWS), ends=(11, 7), beam=2, length_penalty=1.0)


def trace_of(search_: Search | None, **changes: object) -> Trace:
    """The tiny trace with another search."""
    card = attrs.evolve(example().card, trained=True)
    return attrs.evolve(example(), search=search_, symbols=SYMBOLS, card=card, **changes)


def tree_of(search_: Search = SEARCH, language: str = "zh") -> Tree:
    return search_tree(trace_of(search_), Look(), words(language))


@lru_cache(maxsize=4)
def found(beam: int, n_source: int = 10) -> Search:
    """What a real search tried: untrained weights, no preset."""
    config = Config(architecture="encoder-decoder", n_layers=1, n_heads=2, d_model=16, d_ff=32, vocab_size=300, max_len=64)
    torch.manual_seed(0)
    return search(build(config), [tuple(range(4, 4 + n_source))], Decoding(beam=beam))[0]


def grown(parents: list[int]) -> Tree:
    """A tree of any form: each number is a parent, or -1."""
    made: list[Branch] = []
    for place, parent in enumerate(parents):
        total = -1.0 + (made[parent].total if parent >= 0 else 0.0)
        made.append(Branch(node=place, parent=parent, label=f"t{place}", log_p=-1.0 - place % 3, total=total, state="dropped"))
    return Tree(branches=tuple(made), caption=Caption(title="tree", tap="search", shape=""))
