"""What a model lacks for an experiment, and the sentence that says so."""

from explorer.errors import LacksTap
from explorer.trace.model_card import ModelCard


def check_has(card: ModelCard, name: str, *parts: str) -> None:
    """Refuse an experiment for a model that lacks one of these taps, named without side and layer. Raises LacksTap."""
    for part in parts:
        why = card.why_absent(part)
        if why:
            raise LacksTap(name=name, tap=part, why=why)
