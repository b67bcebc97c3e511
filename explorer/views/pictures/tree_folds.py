"""The folded branches of a Tree. They stay folded in later pictures, where branches are found by their tokens."""

from explorer.picture.decoding_kinds import Tree
from explorer.picture.tree_branches import ROOT

_LARGE = 60  # branches; in a larger tree, branches that were given up are folded at first

Name = tuple[str, ...]
"""The tokens from the beginning to a branch."""


class Folds:
    """Keeps track of folded branches; `folded` holds those of the present tree."""

    def __init__(self) -> None:
        self.folded: frozenset[int] = frozenset()
        self._tree: Tree | None = None
        self._names: list[Name] = []
        self._places: dict[Name, int] = {}
        self._parents: frozenset[int] = frozenset()
        self._best: set[Name] = set()

    def draw(self, tree: Tree) -> bool:
        """Take another tree and keep branches folded. Returns True if it has other tokens than the one before."""
        before, kept = self._names, {self._names[index] for index in self.folded}
        self._tree, self._names = tree, []
        for branch in tree.branches:
            self._names.append((branch.label,) if branch.parent == ROOT else (*self._names[branch.parent], branch.label))
        self._places = {name: index for index, name in enumerate(self._names)}
        self._parents = frozenset(branch.parent for branch in tree.branches)
        self.folded = frozenset(self._places[name] for name in kept if self._places.get(name) in self._parents)
        is_new = before != self._names
        # Unfold branches that have just become part of the best sentence.
        best = {self._names[index] for index, branch in enumerate(tree.branches) if branch.state == "best"}
        self.folded -= {self._places[name] for name in best - self._best}
        self._best = best
        if is_new and len(tree.branches) > _LARGE:
            self.fold_dropped()
        return is_new

    def name(self, index: int) -> Name:
        return () if index == ROOT else self._names[index]

    def find(self, name: Name) -> int | None:
        """The branch with this name; None if the tree has none."""
        return self._places.get(name) if name else ROOT

    def parent(self, index: int) -> int:
        assert self._tree is not None  # A tree has been drawn.
        return ROOT if index == ROOT else self._tree.branches[index].parent

    def can_fold(self, index: int) -> bool:
        return index != ROOT and index in self._parents

    def toggle(self, index: int) -> bool:
        """Fold or unfold a branch; returns False where there is nothing to fold."""
        if self.can_fold(index):
            self.folded ^= {index}
        return self.can_fold(index)

    def fold_dropped(self) -> None:
        """Fold all branches that were given up, at the first such branch of each path."""
        branches = self._tree.branches if self._tree is not None else ()
        self.folded |= {
            index
            for index in self._parents - {ROOT}
            if branches[index].state == "dropped"
            and (branches[index].parent == ROOT or branches[branches[index].parent].state != "dropped")
        }

    def clear(self) -> None:
        self.folded = frozenset()
