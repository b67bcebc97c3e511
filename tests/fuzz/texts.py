"""Texts of every kind through passes and translations; and cuts and words of one's own."""

from itertools import pairwise
from random import Random

import explorer
from explorer.api.lending import computer_of_process
from explorer.engine.request import Request
from tests.fuzz import traces, writing
from tests.fuzz.trial import Trial

_TOKENIZERS = ("jieba", "jieba-full", "jieba-search", "characters", "spaces", "bpe")
_SMALL = {"n_layers": 1, "d_model": 16, "d_ff": 16, "vocab_size": 500}


def texts(trial: Trial) -> None:
    """A pass and a translation of one text."""
    chance = trial.chance
    text = writing.text(chance)
    target = chance.choice((None, None, writing.text(chance)))
    preset = chance.choice(("tiny", "translator", "tutorial-c"))
    knobs: dict[str, object] = (
        {}
        if preset == "translator"
        else {**_SMALL, "tokenizer": chance.choice(_TOKENIZERS), "jieba_hmm": chance.random() < 0.8}
    )
    if chance.random() < 0.3:
        knobs["vocabulary"] = "sentence"
    if chance.random() < 0.3:
        knobs["architecture"] = chance.choice(("encoder-only", "decoder-only", "encoder-decoder"))
    with trial.asking():
        trace = explorer.explore(text, target, preset, trained=chance.random() < 0.8, **knobs)
        traces.check(trace, trial)
        traces.check_tokens(trace, trial)
    trial.beat()
    if chance.random() < 0.3:
        with trial.asking():
            explorer.translate(text, chance.choice((1, 4, 8)))


def cuts(trial: Trial) -> None:
    """A text with cuts and words that somebody made by hand, a few requests in a row on the same computer."""
    chance = trial.chance
    text = writing.sentence(chance)
    for _ in range(chance.randint(1, 4)):
        words = tuple(writing.word(chance) for _ in range(chance.choice((0, 1, 3))))
        if chance.random() < 0.3:
            words += (text[: chance.choice((1, 4, 200))],)
        with trial.asking():
            request = Request.from_preset("tiny", text, **_SMALL, tokenizer=chance.choice(_TOKENIZERS))
            request = request.wishing(
                source_cuts=_spans(text, chance),
                words=words,
                target=chance.choice((None, writing.text(chance))),
                target_cuts=_spans(text, chance),
                prefix=tuple(chance.randrange(600) for _ in range(chance.choice((0, 2)))),
                preset=chance.choice(("tiny", "translator")),
                beam=chance.choice((1, 2)),
                batch=tuple(writing.text(chance, 8) for _ in range(chance.choice((0, 2)))),
            ).asking(
                experiments=frozenset(chance.sample(("variants", "swap", "leak", "depth", "batch", "copies", "effects"), 2))
            )
            frame = computer_of_process()(request)
            traces.check_tokens(frame.trace, trial)
        trial.beat()


def _spans(text: str, chance: Random) -> tuple[tuple[int, int], ...] | None:
    """Cuts that fit, nearly fit, or do not."""
    if chance.random() < 0.3:
        return None
    places = sorted({0, len(text), *(chance.randint(0, len(text)) for _ in range(chance.randint(0, 6)))})
    spans = list(pairwise(places))
    if spans and chance.random() < 0.3:
        spans[chance.randrange(len(spans))] = (chance.randint(-2, len(text) + 2), chance.randint(-2, len(text) + 2))
    return tuple(spans)
