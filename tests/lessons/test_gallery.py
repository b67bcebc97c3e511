"""The examples of each bundled model, which lie in its folder: what their notes say is what the model does."""

import attrs
import pytest

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.lessons.check import scope_of
from explorer.lessons.formula import evaluate
from explorer.lessons.gallery import Example, galleries, gallery
from explorer.presets import load_preset
from explorer.state.wish import Wish
from explorer.tokens.check import check_text
from explorer.tokens.language import language_of
from tests.translators import TRANSLATORS

EXAMPLES = [(preset, example) for preset, examples in galleries().items() for example in examples]


@pytest.mark.parametrize("preset", TRANSLATORS)
def test_there_are_twelve_sentences_in_the_language_of_the_model(preset: str) -> None:
    """Each with its note in both languages, none twice."""
    examples = gallery(preset)
    assert len(examples) == len({example.text for example in examples}) == 12
    assert all(example.note.zh and example.note.en and example.written for example in examples)
    assert {language_of(example.text) for example in examples} == {load_preset(preset).reads}


def test_a_model_without_examples_has_none() -> None:
    """They would say of it what is true of another one."""
    assert gallery("tiny") == gallery("sort") == ()


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "example"), EXAMPLES, ids=lambda each: each.text if isinstance(each, Example) else each)
def test_an_example_is_as_its_note_says(preset: str, example: Example) -> None:
    """The translation by the search of the window, and the number that the note rests on; a further training must look at the
    notes again."""
    check_text(example.text)
    trace = Computer()(Request(wish=attrs.evolve(Wish.from_preset(preset, example.text), beam=4))).trace
    assert trace.target == example.written
    if example.claim:
        assert float(evaluate(example.claim, scope_of(trace, {}))) >= example.least
