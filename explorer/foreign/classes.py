"""The ClassHead of a classifier of transformers, read off its class and its settings."""

from collections.abc import Sequence
from typing import Any, Literal

from torch import Tensor

from explorer.trace.model_card import ClassHead

_OF: tuple[tuple[str, Literal["text", "tokens"]], ...] = (
    ("ForSequenceClassification", "text"),
    ("ForTokenClassification", "tokens"),
)

_WRAPPED = ("mbart", "plbart")


def class_head(model: Any, labels: Sequence[str] = ()) -> ClassHead | None:
    """The head of a model whose classes have these labels, those of transformers by default; None for other models.

    Where the settings name no kind of problem, a single class of a text is a regression, as in transformers.
    """
    name = type(model).__name__
    of = next((of for ending, of in _OF if name.endswith(ending)), None)
    if of is None or (model.config.is_encoder_decoder and of == "tokens"):  # Those of tokens leave one of the sides out.
        return None
    n_classes = int(model.config.num_labels)
    told = tuple(labels) or tuple(f"LABEL_{number}" for number in range(n_classes))
    return ClassHead(labels=told, of=of, by=_way(getattr(model.config, "problem_type", None), of, n_classes))


def shifted(ids: Sequence[int], config: Any) -> tuple[int, ...]:
    """The input of the decoder of a classifier with both sides: the text shifted right by one place.

    The begin token comes first, or in some families the last token of the text, which names its language.
    """
    if config.model_type in _WRAPPED:
        n = sum(each != config.pad_token_id for each in ids)  # The family counts the text's tokens in the same way.
        return (ids[n - 1], *ids[:-1])
    return (int(config.decoder_start_token_id), *ids[:-1])


def ended(config: Any) -> int:
    """The id at whose last place such a classifier reads its classes off the decoder; -1 where its settings name none."""
    return first_id(config.eos_token_id)


def first_id(told: object) -> int:
    """An id of the settings, of several the first; -1 for none."""
    first = told[0] if isinstance(told, list) and told else told
    return first if isinstance(first, int) else -1


def _way(problem: Any, of: str, n_classes: int) -> Literal["softmax", "sigmoid", "number"]:
    if of == "tokens":
        return "softmax"
    if problem == "multi_label_classification":
        return "sigmoid"
    return "number" if problem == "regression" or n_classes == 1 else "softmax"


def probabilities(logits: Tensor, by: str) -> Tensor:
    """Probabilities of logits [batch, row, class]."""
    # softmax: p = exp z / Σ exp z, which sum to 1; sigmoid: p = 1 / (1 + exp −z), each for itself.
    return logits.softmax(dim=-1) if by == "softmax" else logits.sigmoid()
