"""The prompts are those of the reference, letter by letter, for the templates of public models and for all that templates use.

The templates of public models and what the reference makes of them are not ours to ship: they are read from beside the
checkout, where they are. The reference is `transformers.utils.chat_template_utils.render_jinja_template`.
"""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from explorer.tokens import chat_rendering
from explorer.tokens.chat import has_template, read_template
from explorer.tokens.chat_rendering import rendered
from tests.sweeps import every_nth, sweep

HEADERS = Path(__file__).parents[3] / "shared" / "data" / "headers"
FOLDERS = sorted(each for each in HEADERS.glob("*") if has_template(each))
SWEPT = sweep(FOLDERS, telling=every_nth(FOLDERS, 8)) if FOLDERS else []
MOST = 10**6
Row = dict[str, Any]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Stop the clock of the templates at a moment."""

    def stop(at: str) -> None:
        class Stopped(datetime):
            @classmethod
            def now(cls, tz: object = None) -> "Stopped":
                return cls.fromisoformat(at)

        monkeypatch.setattr(chat_rendering, "datetime", Stopped)

    return stop


def expected(folder: Path) -> Row:
    """The prompts of the reference, as they stand beside the templates of a folder, or as transformers makes them now."""
    if not (folder / "expected.json").is_file():
        return made_now(folder)
    found: Row = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return found


def made_now(folder: Path) -> Row:
    """The same table of a folder that has none."""
    utils = pytest.importorskip("transformers.utils.chat_template_utils", reason="transformers is not installed")
    template, cases = read_template(folder), []
    special = dict(template.special)
    for content in ("你好", "hello "):
        messages = [{"role": "user", "content": content}]
        told = {"chat_template": template.text, "add_generation_prompt": True, **special}
        cases.append({"messages": messages, "rendered": utils.render_jinja_template([messages], **told)[0][0]})
    rows = [{"template": "", "text": template.text, "cases": cases}]
    return {"special_tokens": special, "special_tokens_from": [""], "templates": rows}


def template_text(folder: Path, name: str) -> str:
    """A template by the name it has in the table of prompts, such as "tokenizer_config.json#chat_template[default]"."""
    file, _, part = name.partition("#")
    text = (folder / file).read_text(encoding="utf-8")
    if not part:
        return text
    told = json.loads(text)["chat_template"]
    if isinstance(told, list):
        told = {row["name"]: row["template"] for row in told}[part.partition("[")[2].rstrip("]")]
    assert isinstance(told, str)
    return told


@pytest.mark.skipif(not FOLDERS, reason="the headers of public models are not beside the checkout")
@pytest.mark.parametrize("folder", SWEPT, ids=lambda folder: folder.name)
def test_each_prompt_of_a_public_model_is_the_one_of_the_reference(folder: Path, clock: Callable[[str], None]) -> None:
    """Letter by letter, with and without a system's message; and it refuses with the same words where the reference refuses.

    Where a template shows the text, the text stands in the place that is told.
    """
    table = expected(folder)
    for number, row in enumerate(table["templates"]):
        text = row.get("text") or template_text(folder, row["template"])
        assert number or read_template(folder).text.splitlines() == text.splitlines()
        clock(row.get("clock", "2026-01-02T03:04:05"))
        for case in row["cases"]:
            asked = {"template": text, "messages": case["messages"], "special": table["special_tokens"], "most": MOST}
            made = rendered(asked)
            assert case.get("rendered") == made.get("prompt")
            if "error" in case:
                assert made["error"].partition(": ")[2] == case["error"].partition(": ")[2]
            else:
                check_place(made, case["messages"][-1]["content"])


def check_place(made: Row, typed: str) -> None:
    """The text stands whole between the first and the last place, but for spaces around it; or it stands nowhere."""
    if not made["places"]:
        assert not typed.strip() or typed.strip() not in made["prompt"]
        return
    (first, begin), (last, end) = made["places"][0], made["places"][-1]
    assert made["prompt"][begin:end] == typed[first:last]
    assert typed[first:last].strip() == typed.strip()


def test_a_folder_without_a_table_of_prompts_is_held_against_transformers(tmp_path: Path) -> None:
    """As one that comes to the others later."""
    (tmp_path / "chat_template.jinja").write_text("{{ bos_token }}{{ messages[0].content | trim }}")
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"bos_token": "<s>"}))
    (row,) = expected(tmp_path)["templates"]
    assert [case["rendered"] for case in row["cases"]] == ["<s>你好", "<s>hello"]


@pytest.mark.skipif(not FOLDERS, reason="the headers of public models are not beside the checkout")
@pytest.mark.parametrize("folder", SWEPT, ids=lambda folder: folder.name)
def test_the_special_pieces_of_a_public_model_are_all_there(folder: Path) -> None:
    """Each piece that was handed to the reference has its name and its text here, too."""
    table = expected(folder)
    if "assumed" in table["special_tokens_from"][0]:
        assert read_template(folder).special == ()
        return
    named = {name: each for name, each in read_template(folder).special if isinstance(each, str)}
    wanted = {name: each for name, each in table["special_tokens"].items() if isinstance(each, str)}
    assert wanted.items() <= named.items()


MESSAGES = (
    "",
    "hello ",
    "  \n two\nlines\n",
    "{{ user }} {% x %} {# y #}",
    "user<|im_start|>",
    "你好，<b>'\"\\ & é",
    "</think>x",
)
TEMPLATES = {
    "tools and documents are none": "{% if tools is none and documents is none %}n{% endif %}"
    "{% if tools is defined and documents is defined %}d{% endif %}{% if tools %}[TOOLS]{{ tools | length }}{% endif %}"
    "{% if documents %}[DOCS]{% endif %}{{ messages[0].content }}",
    "a piece that is not named": "{% if pad_token is defined %}{{ pad_token }}{% else %}none{% endif %}{{ bos_token }}",
    "a piece that is not named, added": "{{ pad_token + 'x' }}",
    "JSON with indents": "{{ messages | tojson(indent=2) }}",
    "JSON in every way": "{{ {'b': '<é>', 'a': [1, none]} | "
    "tojson(ensure_ascii=true, separators=(',', ':'), sort_keys=true) }}",
    "generation": "{% for m in messages %}{% generation %}{% set x = 1 %}{{ m.content }}{% endgeneration %}{{ x }}{% endfor %}",
    "loop controls": "{% for m in messages * 3 %}{% if loop.index == 2 %}{% continue %}{% endif %}{{ m.content }}"
    "{% if loop.index == 3 %}{% break %}{% endif %}{% endfor %}",
    "a namespace": "{% set n = namespace(a=1) %}{% for m in messages %}{% set n.a = m.content %}{% endfor %}{{ n.a }}",
    "a namespace of tables": "{% set n = namespace({'a': 1}, b=2) %}{{ n.a }}{{ n.b }}",
    "a name that is Python's": "{% set n = namespace(_a=1) %}",
    "a name that is Python's, later": "{% set n = namespace() %}{% set n._a = 1 %}",
    "a table": "{{ dict(a=1, **{'b': 2}) }}{{ dict.fromkeys(['x'], 3) }}",
    "the class of tables": "{{ dict.__class__ }}",
    "its own refusal": "{{ raise_exception('Only ' ~ messages[0].role) }}",
    "the time": "{{ strftime_now('%Y-%m-%d %H:%M:%S') }} {{ messages[0]['content'] }}",
    "lines and spaces": "  {% if true %}\n  a \n  {%- endif %}\n{{ messages[0].content }}\n\n",
    "other line ends": "a\r\n{{ messages[0].content }}\rb\n",
    "a string that is no name": "{{ messages[0].content.strip().split('\\n')[-1] }}{{ messages[0].nothing }}",
    "a change of the messages": "{{ messages.append(1) }}",
    "further pieces": "{{ additional_special_tokens }}{{ image_token }}",
}


@pytest.fixture
def reference(clock: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> Callable[[Row], str]:
    """What transformers itself makes of a question, at the same moment; its refusal by the words of it."""
    utils = pytest.importorskip("transformers.utils.chat_template_utils", reason="transformers is not installed")
    clock("2026-01-02T03:04:05")
    monkeypatch.setattr(utils, "datetime", chat_rendering.datetime)

    def made(asked: Row) -> str:
        try:
            prompts, _places = utils.render_jinja_template(
                [asked["messages"]], chat_template=asked["template"], add_generation_prompt=True, **asked["special"]
            )
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return str(prompts[0])

    return made


@pytest.mark.slow  # To import transformers takes seconds.
@pytest.mark.parametrize("name", TEMPLATES)
def test_all_that_templates_use_is_as_in_the_reference(name: str, reference: Callable[[Row], str]) -> None:
    """Blocks, filters, functions and defaults; a refusal is of the same kind."""
    special = {"bos_token": "<s>", "image_token": "<i>", "additional_special_tokens": ["<a>", "<b>"]}
    for text in MESSAGES:
        asked = {"template": TEMPLATES[name], "messages": [{"role": "user", "content": text}], "special": special, "most": MOST}
        made, wanted = rendered(asked), reference(asked)
        if "error" in made:
            assert made["error"].partition(":")[0] == wanted.partition(":")[0]
        else:
            assert made["prompt"] == wanted


@pytest.mark.slow  # To import transformers takes seconds, and there are eight hundred prompts.
@pytest.mark.skipif(not FOLDERS, reason="the headers of public models are not beside the checkout")
@pytest.mark.parametrize("nth", sweep([1, 12], telling=[12]))
@pytest.mark.parametrize("text", ["", "hello ", " \n".join(("", *MESSAGES, ""))])
def test_odd_messages_to_public_models_are_written_as_in_the_reference(
    text: str, nth: int, reference: Callable[[Row], str]
) -> None:
    """Of every public model; and the place of the message is right in each."""
    for folder in every_nth(FOLDERS, nth):
        table, template = expected(folder), read_template(folder)
        messages = [{"role": "user", "content": text}]
        asked = {"template": template.text, "messages": messages, "special": table["special_tokens"], "most": MOST}
        made, wanted = rendered(asked), reference(asked)
        if "error" in made:
            assert made["error"].partition(":")[0] == wanted.partition(":")[0], folder.name
        else:
            assert made["prompt"] == wanted, folder.name
            check_place(made, text)


def test_a_template_that_trims_has_the_text_in_its_place() -> None:
    """The text with a space behind it stands nowhere in the prompt; the letters of it stand where the template put them."""
    template = "<|im_start|>{{ messages[0].role }}\n{{ messages[0].content | trim }}<|im_end|>"
    made = rendered({"template": template, "messages": [{"role": "user", "content": "hello "}], "special": {}, "most": MOST})
    assert made == {"prompt": "<|im_start|>user\nhello<|im_end|>", "places": [(0, 17), (5, 22)]}


def test_a_prompt_that_is_too_long_and_other_errors_are_told() -> None:
    """In place of a prompt."""
    asked = {"template": "{{ messages[0].content * 9 }}", "messages": [{"content": "x"}], "special": {}, "most": 8}
    assert rendered(asked) == {"error": "> 8"}
    assert rendered({**asked, "most": 9}) == {"prompt": "x" * 9, "places": [(0, 8), (1, 9)]}
    assert "SecurityError" in rendered({**asked, "template": "{{ ''.__class__.__mro__ }}"})["error"]


def test_what_a_template_does_with_time_or_chance_leaves_no_false_places() -> None:
    """A template that writes something else each time has a prompt, and no place in it is told."""
    template = "{{ range(99999) | random }} {{ messages[0].content }}"
    made = rendered({"template": template, "messages": [{"content": "hi"}], "special": {}, "most": MOST})
    assert made["prompt"].endswith(" hi") and made["places"] == []
