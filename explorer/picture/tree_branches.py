"""The branches of a Tree: the place, the sentence and the score of each, and its description in words."""

import math
from collections.abc import Sequence

from explorer.lang import Words
from explorer.picture.cell_text import number, told_origin
from explorer.picture.decoding_kinds import Tree
from explorer.tokens.bpe import Encoder
from explorer.tokens.vocabulary import BEGIN, END, SPECIALS, Vocabulary
from explorer.trace.search_tree import score

ROOT = -1  # the index that stands for the beginning, which is no branch


def depths(tree: Tree) -> tuple[int, ...]:
    """The decoding step of each branch, from 1."""
    found: list[int] = []
    for branch in tree.branches:
        found.append(1 if branch.parent == ROOT else found[branch.parent] + 1)
    return tuple(found)


def path(tree: Tree, index: int) -> tuple[int, ...]:
    """The indices of the branches from the beginning to this one."""
    found: list[int] = []
    while index != ROOT:
        found.append(index)
        index = tree.branches[index].parent
    return tuple(reversed(found))


def best_places(tree: Tree) -> dict[int, int]:
    """From branch to position in the target, for the best sentence. Position 0 is the begin symbol; the end has none."""
    last = next((index for index, branch in enumerate(tree.branches) if branch.rank == 1), ROOT)
    return {index: place for place, index in enumerate(path(tree, last), 1) if tree.branches[index].label != SPECIALS[END]}


def sentence(tree: Tree, index: int) -> str:
    """The decoded text up to a branch: word marks become blanks, and bytes become characters."""
    if tree.told_as != "tree":  # The pieces of others come with signs for white space.
        return "".join(tree.branches[each].label for each in path(tree, index)).replace("␣", " ").strip()
    return _text(tree, path(tree, index))


def _text(tree: Tree, branches: Sequence[int]) -> str:
    labels = [tree.branches[each].label for each in branches]
    vocabulary = Vocabulary((*SPECIALS, *dict.fromkeys(label for label in labels if label not in SPECIALS)))
    return Encoder(vocabulary).decode(vocabulary.symbols.index(label) for label in labels)


def score_of(tree: Tree, index: int) -> float:
    """The score log P / length^α of the sentence up to a branch. Wu et al. 2016, section 7, without its constant."""
    return score(tree.branches[index].total, len(path(tree, index)), tree.length_penalty)


def probability(log_p: float) -> str:
    """A probability with two figures, as many as a chip has room for."""
    value = math.exp(log_p)
    return f"{value:.2f}" if value >= 0.0995 else f"{value:.1e}".replace("-", "−") if value < 1e-4 else f"{value:#.2g}"


def verdict(tree: Tree, index: int) -> str:
    """Rank and score of a finished sentence; "" for a branch inside a sentence."""
    rank = tree.branches[index].rank
    return f"#{rank}  {number(score_of(tree, index))}" if rank else ""


def _repeated(tree: Tree, branches: tuple[int, ...]) -> tuple[int, ...]:
    """As many of the last of these branches as have tokens that stand together before."""
    labels = [tree.branches[each].label for each in branches]
    n = 1
    while any(labels[at : at + n + 1] == labels[-n - 1 :] for at in range(len(labels) - n - 1)):
        n += 1
    return branches[-n:]


def describe(tree: Tree, index: int, words: Words) -> str:
    """A branch in words. Tooltip, status line and screen reader show the same sentences."""
    if index == ROOT:
        return words(f"{tree.told_as}.begin", symbol=SPECIALS[BEGIN])
    branch = tree.branches[index]
    lines = [
        words("tree.about", token=branch.label, p=number(math.exp(branch.log_p)), log_p=number(branch.log_p)),
        words(f"{tree.told_as}.so_far", sentence=sentence(tree, index) or "…"),
        words(
            f"{tree.told_as}.sum",
            total=number(branch.total),
            score=number(score_of(tree, index)),
            length=len(path(tree, index)),
        ),
    ]
    if branch.rank:
        count = sum(1 for each in tree.branches if each.rank)
        lines.append(words("tree.rank", rank=branch.rank, count=count))
    else:
        lines.append(words(f"{tree.told_as}.state.{branch.state}"))
    if branch.state == "closed":
        lines.append(words("tree.repeated", sentence=_text(tree, _repeated(tree, path(tree, index)))))
    return "\n".join(lines) + told_origin(tree.caption, words)


def summary(tree: Tree, words: Words) -> str:
    """The finished sentences with their scores, best first; for an empty tree, why it is empty."""
    if not tree.branches:
        return tree.caption.note
    if tree.told_as != "tree":
        last = max(
            (index for index, branch in enumerate(tree.branches) if branch.state != "kept"), default=len(tree.branches) - 1
        )
        return words("tree_written.summary", sentence=sentence(tree, last), score=number(score_of(tree, last)))
    ranked = sorted((branch.rank, index) for index, branch in enumerate(tree.branches) if branch.rank)
    return "\n".join(
        words("tree.finished", rank=rank, sentence=sentence(tree, index), score=number(score_of(tree, index)))
        for rank, index in ranked
    )
