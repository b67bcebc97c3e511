"""Where the tokens of a prompt stand in the typed text, whatever the text is and whatever a template does with it."""

import json
from collections.abc import Callable

from hypothesis import example, given
from hypothesis import strategies as st

from explorer.tokens.chat_prompt import Prompt
from explorer.tokens.chat_rendering import rendered
from explorer.tokens.token import Token

BEGIN, END = "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"
Span = tuple[int, int]
NOWHERE = (0, 0)
# By template what it makes of a text: each letter with the part of the text that it comes from.
Letters = list[tuple[str, Span]]


def around(text: str) -> Letters:
    return [(letter, NOWHERE) for letter in text]


def kept(text: str, first: int, last: int) -> Letters:
    return [(text[place], (place, place + 1)) for place in range(first, last)]


def quoted(text: str) -> Letters:
    """Each letter as JSON has it."""
    return [
        (letter, (place, place + 1)) for place, each in enumerate(text) for letter in json.dumps(each, ensure_ascii=False)[1:-1]
    ]


def tail(text: str) -> Letters:
    return kept(text, text.rfind("</think>") + len("</think>") if "</think>" in text else 0, len(text))


TEMPLATES: dict[str, tuple[str, Callable[[str], Letters]]] = {
    "as it is": ("{{ m.content }}", lambda text: kept(text, 0, len(text))),
    "trimmed": ("{{ m.content | trim }}", lambda text: kept(text, len(text) - len(text.lstrip()), len(text.rstrip()))),
    "cut in front": ("{{ m.content.split('</think>')[-1] }}", tail),
    "as JSON": ("{{ m.content | tojson }}", lambda text: [*around('"'), *quoted(text), *around('"')]),
    "twice": ("{{ m.content }}|{{ m.content }}", lambda text: [*around(text + "|"), *kept(text, 0, len(text))]),
    "left out": ("", lambda _text: []),
    "minded": ("{% if m.content == 'user' %}{{ m.content }}{% else %}{{ m.content }}{% endif %}", lambda t: kept(t, 0, len(t))),
}
PIECES = (
    "",
    " ",
    "\n",
    "\t",
    "user",
    "hello",
    "<|im_start|>",
    "<|im_end|>",
    "{{",
    "}}",
    "{% endif %}",
    "{#",
    "你好",
    "，",
    "'",
)
MORE = (
    '"',
    "\\",
    "</think>",
    "|",
    "1000000000000007",
    "1",
    "7",
    "é",
    "e\u0301",
    "👩‍👩‍👧",
    "\u00a0",
    "\u2028",
    "&lt;",
    "x" * 40,
)
MESSAGES = st.lists(st.sampled_from(PIECES + MORE) | st.text(st.characters(codec="utf-8"), max_size=8), max_size=8).map("".join)


@given(MESSAGES, st.sampled_from(sorted(TEMPLATES)))
@example("hello ", "trimmed")
@example("user", "as it is")
@example("\n", "as it is")
@example("   ", "trimmed")
@example("a</think>a", "cut in front")
@example("1000000000000007", "as JSON")
def test_each_letter_of_a_prompt_knows_where_it_was_typed(text: str, name: str) -> None:
    """And those that the template has written were typed nowhere, even where they are the same letters."""
    inside, made_of = TEMPLATES[name]
    letters = [*around(BEGIN), *made_of(text), *around(END)]
    template = "{% set m = messages[0] %}" + json.dumps(BEGIN).join(("{{", "}}")) + inside + json.dumps(END).join(("{{", "}}"))
    made = rendered({"template": template, "messages": [{"role": "user", "content": text}], "special": {}, "most": 10**6})
    prompt = Prompt(made["prompt"], text, tuple(made["places"]))
    assert prompt.text == "".join(letter for letter, _span in letters)
    tokens = tuple(Token(letter, 1, place, place + 1, known=True) for place, (letter, _span) in enumerate(letters))
    assert [(token.start, token.end) for token in prompt.within(tokens)] == [span for _letter, span in letters]


def test_a_token_over_the_border_covers_the_part_inside() -> None:
    """Those around the text stand nowhere in it."""
    prompt = Prompt("user\nhello\n", "hello ", ((0, 5), (5, 10)))
    spans = [(0, 5), (4, 7), (7, 9), (9, 11), (10, 11)]
    tokens = tuple(Token("x", 1, start, end, known=True) for start, end in spans)
    assert [(token.start, token.end) for token in prompt.within(tokens)] == [(0, 0), (0, 2), (2, 4), (4, 5), (0, 0)]


def test_a_prompt_without_places_has_tokens_that_were_typed_nowhere() -> None:
    """As one of a template that does not write the text."""
    (token,) = Prompt("abc", "b").within((Token("b", 1, 1, 2, known=True),))
    assert (token.start, token.end) == (0, 0)


def test_symbols_around_a_prompt_stand_there_once() -> None:
    """And move the places of the text."""
    prompt = Prompt("[INST] hi", "hi", ((0, 7), (2, 9)))
    framed = prompt.framed("<s>", "</s>")
    assert (framed.text, framed.places) == ("<s>[INST] hi</s>", ((0, 10), (2, 12)))
    assert framed.framed("<s>", "</s>") == framed and prompt.framed("", "") == prompt
