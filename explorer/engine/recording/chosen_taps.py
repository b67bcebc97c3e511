"""The taps that a Wish names: only they are recorded, so that a large pass needs no more memory than what is looked at."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from fnmatch import fnmatchcase

import attrs

from explorer.engine.recording.keep_plan import KeepPlan, part_of
from explorer.engine.recording.memory import FLOAT, part_bytes
from explorer.errors import UnknownTap
from explorer.trace.files.seen_card import unrecorded
from explorer.trace.model_card import ModelCard
from explorer.trace.tap_names import ATTENTION_MAP, without_place


def chosen_plan(patterns: Iterable[str], known: Collection[str]) -> KeepPlan:
    """What is kept where only taps are wanted whose names fit one of the patterns, "*.weights". Raises UnknownTap."""
    only: set[str] = set()
    for pattern in patterns:
        fitting = {tap for tap in known if fnmatchcase(tap, pattern)}
        if not fitting:
            raise UnknownTap(name=pattern, nearest=next(iter(get_close_matches(pattern, known, 1, 0.0)), ""))
        only |= fitting
    return KeepPlan(only=frozenset(only))


def chosen_bytes(plan: KeepPlan, card: ModelCard, n_source: int, n_target: int) -> int:
    """How many bytes a pass keeps of the taps that were chosen."""
    assert plan.only is not None  # It is a plan of `chosen_plan`.
    return round(sum(_bytes(tap, card, n_source, n_target) for tap in plan.only))


def _bytes(tap: str, card: ModelCard, n_source: int, n_target: int) -> float:
    n_layers = card.side(tap).n_layers if ".layers." in tap else 1
    if ATTENTION_MAP.search(tap):
        n = n_source if card.side(tap).name == "encoder" else n_target
        return FLOAT * card.side(tap).n_heads * n * (n_source if ".cross_attn." in tap else n)
    return part_bytes(part_of(tap), card, n_source, n_target) / n_layers


def card_of_chosen(card: ModelCard, recorded: Collection[str]) -> ModelCard:
    """The card of a pass with these taps: parts of the model that are in none of them were not recorded."""
    there = {without_place(tap) for tap in recorded}
    return attrs.evolve(card, absent=unrecorded(there) | dict(card.absent))
