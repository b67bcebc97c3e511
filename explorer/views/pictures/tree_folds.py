"""Which branches of a Tree are folded. It outlives the picture: a branch is known again by the tokens that lead to it."""

from explorer.picture.kinds import Tree
from explorer.picture.makers.tree import ROOT

_LARGE = 60  # branches: a larger tree begins with what was given up folded away

Name = tuple[str, ...]
"""The tokens from the beginning to a branch."""


class Folds:
    """`folded` are the folded branches of the tree that is drawn."""

    def __init__(self) -> None:
        self.folded: frozenset[int] = frozenset()
        self._tree: Tree | None = None
        self._names: list[Name] = []
        self._places: dict[Name, int] = {}
        self._parents: frozenset[int] = frozenset()
        self._best: set[Name] = set()

    def draw(self, tree: Tree) -> bool:
        """Another tree; what is folded stays so. True if it has other tokens than the one before."""
        before, kept = self._names, {self._names[index] for index in self.folded}
        self._tree, self._names = tree, []
        for branch in tree.branches:
            self._names.append((branch.label,) if branch.parent == ROOT else (*self._names[branch.parent], branch.label))
        self._places = {name: index for index, name in enumerate(self._names)}
        self._parents = frozenset(branch.parent for branch in tree.branches)
        self.folded = frozenset(self._places[name] for name in kept if self._places.get(name) in self._parents)
        is_new = before != self._names
        # A way that has just become the best one was folded while it was not.
        best = {self._names[index] for index, branch in enumerate(tree.branches) if branch.state == "best"}
        self.folded -= {self._places[name] for name in best - self._best}
        self._best = best
        if is_new and len(tree.branches) > _LARGE:
            self.fold_dropped()
        return is_new

    def name(self, index: int) -> Name:
        return () if index == ROOT else self._names[index]

    def find(self, name: Name) -> int | None:
        """The branch of this name, None if the tree has none."""
        return self._places.get(name) if name else ROOT

    def parent(self, index: int) -> int:
        assert self._tree is not None  # there is a branch
        return ROOT if index == ROOT else self._tree.branches[index].parent

    def can_fold(self, index: int) -> bool:
        return index != ROOT and index in self._parents

    def toggle(self, index: int) -> bool:
        """Fold or unfold; False where there is nothing to fold."""
        if self.can_fold(index):
            self.folded ^= {index}
        return self.can_fold(index)

    def fold_dropped(self) -> None:
        """Fold each attempt that was given up where it left the others."""
        branches = self._tree.branches if self._tree is not None else ()
        self.folded |= {
            index
            for index in self._parents - {ROOT}
            if branches[index].state == "dropped"
            and (branches[index].parent == ROOT or branches[branches[index].parent].state != "dropped")
        }

    def clear(self) -> None:
        self.folded = frozenset()
