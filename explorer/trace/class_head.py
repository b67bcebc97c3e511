"""What a classifier gives out in place of words: the ClassHead of its ModelCard."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import attrs

LOGITS, PROBABILITIES = "classifier.logits", "classifier.probabilities"
"""The taps of a classifier. Their axes are text, class, with one row for the text, or position, class.

Rejected: the axis class alone for a text, because every map has rows and columns.
"""


def _labels(told: Iterable[str]) -> tuple[str, ...]:
    return tuple(told)


@attrs.frozen(kw_only=True)
class ClassHead:
    """The labels of the classes, in the order of the numbers that the model gives out for them.

    `of` says what gets a class: the "text" as a whole, or each of its "tokens". `by` says how probabilities are made of the
    logits: by "softmax", where one class is right; by "sigmoid", where each class is right or wrong by itself; or not at all,
    where each "number" means itself.
    """

    labels: tuple[str, ...] = attrs.field(converter=_labels, validator=attrs.validators.min_len(1))
    of: Literal["text", "tokens"] = attrs.field(validator=attrs.validators.in_(("text", "tokens")))
    by: Literal["softmax", "sigmoid", "number"] = attrs.field(validator=attrs.validators.in_(("softmax", "sigmoid", "number")))

    @property
    def tap(self) -> str:
        """The tap of what a reader asks for: probabilities, or the logits of a model that has none."""
        return LOGITS if self.by == "number" else PROBABILITIES

    @classmethod
    def of_values(cls, values: Mapping[str, Any] | None) -> "ClassHead | None":
        """The head that `attrs.asdict` wrote; None for None. Raises TypeError, ValueError."""
        return None if values is None else cls(**values)
