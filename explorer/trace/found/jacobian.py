"""What was measured of the two lenses on held-out sentences, and why a model has no Jacobian lens."""

from typing import Any

import attrs

from explorer.errors import ExplorerError, bare


@attrs.frozen
class Agreement:
    """At how many of `places` each layer's likeliest word is the one that the output finds likeliest.

    `lens` and `jacobian` have by tap how many there are, of `places` places in `sentences` held-out sentences. The matrices
    were fitted on `fitted` other sentences.
    """

    taps: tuple[str, ...]
    lens: tuple[int, ...]
    jacobian: tuple[int, ...]
    places: int
    sentences: int
    fitted: int

    def shares(self, *, jacobian: bool) -> tuple[float, ...]:
        """[tap] the shares of places, from 0 to 1."""
        return tuple(count / self.places for count in (self.jacobian if jacobian else self.lens))

    @property
    def better(self) -> int:
        """In how many layers before the last the Jacobian lens agrees more often."""
        return sum(mine > theirs for mine, theirs in zip(self.jacobian[:-1], self.lens[:-1], strict=True))

    @property
    def worse(self) -> int:
        """In how many layers before the last the Jacobian lens agrees less often."""
        return sum(mine < theirs for mine, theirs in zip(self.jacobian[:-1], self.lens[:-1], strict=True))

    def values(self) -> dict[str, Any]:
        """The figures as JSON has them."""
        return attrs.asdict(self)

    @classmethod
    def of_values(cls, told: dict[str, Any]) -> "Agreement":
        """The figures that `values` made. Raises TypeError and ValueError for others."""
        turned: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
        made = cls(**turned)
        counts = (*made.lens, *made.jacobian, made.sentences, made.fitted)
        right = len(made.taps) == len(made.lens) == len(made.jacobian) and all(type(each) is int for each in counts)
        if not right or type(made.places) is not int or made.places < 1 or not all(0 <= n <= made.places for n in made.lens):
            raise ValueError("agreement")
        return made


@attrs.frozen(eq=False)
class NotFitted:
    """Why there is no Jacobian lens, as the error whose sentence says it. The pass on screen stays as it is."""

    error: ExplorerError = attrs.field(converter=bare)
