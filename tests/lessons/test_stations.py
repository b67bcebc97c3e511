"""The stations of a class: complete in both languages, 45 minutes long, and every number that they tell computed."""

from collections.abc import Callable

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.lessons.stations import Station, stations
from explorer.state.first_changes import hidden_word
from explorer.state.state_link import link_of, state_of
from explorer.trace.changes import Change
from explorer.trace.trace import Trace

Answered = Callable[..., Trace]
Changes = tuple[Change, ...] | None

SENTENCE, TURNED = "她不喜欢他。", "他不喜欢她。"
SHE, HE = "She doesn't like him.", "He doesn't like her."
ORDER, ATTENTION, MASK, PROOF = 2, 3, 4, 5  # stations, counted from 0


@pytest.fixture(scope="module")
def answered() -> Answered:
    """The pass of a station's own state, with another sentence, other changes, or other knobs."""
    computer = Computer()

    def answer(station: Station, text: str = SENTENCE, changes: Changes = None, beam: int = 1, **knobs: object) -> Trace:
        wish = station.state.wish
        config, own = wish.config.changed(**knobs), wish.changes if changes is None else changes
        return computer(Request(wish=attrs.evolve(wish, text=text, config=config, changes=own, beam=beam))).trace

    return answer


def chances(trace: Trace) -> NDArray[np.float64]:
    """[word] the probability of each written word."""
    every = trace["generator.probabilities"]
    return every[np.arange(len(trace.expected)), list(trace.expected)].astype(np.float64)


def tells(station: Station, *told: str) -> bool:
    """Whether both texts say all of it."""
    return all(each in text for text in (station.text.zh, station.text.en) for each in told)


def test_six_stations_take_45_minutes() -> None:
    """Both languages have a title and the same kinds of paragraphs; all are about one sentence of the translator."""
    assert len(stations()) == 6 and sum(each.minutes for each in stations()) == 45
    for each in stations():
        assert each.title.zh and each.title.en
        assert each.text.zh.count("**") == each.text.en.count("**") == 6
        assert (each.state.wish.preset, each.state.wish.text, each.state.lesson) == ("translator", SENTENCE, None)
        assert each.state.wish.beam == 1


def test_a_link_holds_exactly_the_state() -> None:
    """With nothing that this version does not know, and no two alike."""
    for each in stations():
        assert state_of(link_of(each.state)) == (each.state, ())
    assert len({link_of(each.state) for each in stations()}) == 6


@pytest.mark.slow
def test_the_words_are_the_numbers_that_are_told(answered: Answered) -> None:
    """Ids, the width of a vector, and which two of the five are most alike."""
    told = stations()[1]
    trace = answered(told)
    assert tells(told, *(str(token.id) for token in trace.tokens.source), *(token.text for token in trace.tokens.source))
    rows = trace["encoder.embedding.tokens"].astype(np.float64)
    assert rows.shape[1] == 256 and tells(told, "256")
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    alike = np.triu(rows @ rows.T, 1)
    assert np.unravel_index(alike.argmax(), alike.shape) == (0, 3) and tells(told, f"{alike.max():.2f}")


@pytest.mark.slow
def test_without_positions_both_sentences_are_one(answered: Answered) -> None:
    """And with them both come out right."""
    told = stations()[ORDER]
    assert answered(told).target == answered(told, TURNED).target == HE and tells(told, HE)
    wide = answered(told, beam=4).target
    assert answered(told, TURNED, beam=4).target == wide != HE and tells(told, wide)
    assert answered(told, position="sinusoidal").target == SHE
    assert answered(told, TURNED, position="sinusoidal").target == HE


@pytest.mark.slow
def test_the_head_looks_where_the_class_is_told(answered: Answered) -> None:
    """She, like and him at the words that they come from; him almost at nothing else."""
    told = stations()[ATTENTION]
    trace, look = answered(told), told.state.look
    weights = trace[look.attention_tap("weights")][look.head]  # [query, key]
    words = [token.text.strip("␣") for token in trace.tokens.target[1:]]
    where = {word: trace.tokens.source[int(weights[row].argmax())].text for row, word in enumerate(words)}
    assert (where["She"], where["like"], where["him"]) == ("她", "喜欢", "他")
    assert tells(told, f"{weights[words.index('him')].max():.3f}")


@pytest.mark.slow
def test_without_the_mask_the_words_stay_and_their_chance_falls(answered: Answered) -> None:
    """In the pass on screen, which reads the finished translation."""
    told = stations()[MASK]
    masked, open_ = answered(told), answered(told, causal_mask=False)
    him = [token.text for token in masked.tokens.target].index("␣him") - 1
    assert masked.target == open_.target == SHE
    assert tells(told, f"{chances(masked)[him]:.0%}", f"{chances(open_)[him]:.0%}")


@pytest.mark.slow
def test_the_word_matters_and_a_single_head_does_not(answered: Answered) -> None:
    """The head of the attention station is ablated; then the word is masked for all heads."""
    told, looked = stations()[PROOF], stations()[ATTENTION].state.look
    (change,) = told.state.wish.changes
    assert (change.tap, change.head, change.value) == (looked.attention_tap("mixed"), looked.head, 0.0)
    whole, ablated = answered(told, changes=()), answered(told)
    him = [token.text for token in whole.tokens.target].index("␣him") - 1
    assert whole.target == ablated.target == SHE
    assert tells(told, f"{chances(whole)[him]:.1%}", f"{chances(ablated)[him]:.1%}")
    hidden = answered(told, changes=hidden_word(whole, 3)).target
    assert whole.tokens.source[3].text == "他" and tells(told, hidden) and hidden != SHE
