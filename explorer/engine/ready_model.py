"""The model of a source, ready for a pass over a sentence."""

from explorer.engine.recording.long_text import plan_for, planned_bytes
from explorer.engine.sources.source import Model, ModelSource, Sentence
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop


def ready_model(source: ModelSource, wish: Wish, sentence: Sentence, stop: Stop, progress: Progress) -> Model:
    """The model for a pass over a sentence. Raises NotEnoughMemory, NoSuchDevice, Superseded."""
    card = source.card(wish.config)
    recorded = planned_bytes(plan_for(card, wish.config.memory_budget, *sentence.sizes), card, *sentence.sizes)
    return source.ready(wish.config, recorded, stop, progress)
