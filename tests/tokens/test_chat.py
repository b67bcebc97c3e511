"""Chat templates: what they make of a message, and what templates of strangers cannot do."""

import json
from pathlib import Path

import attrs
import pytest

from explorer.errors import BadTemplate, NoChatTemplate
from explorer.lang import LANGUAGES, Words
from explorer.tokens import chat
from explorer.tokens.chat import has_template, read_template, special_pieces

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def write(folder: Path, template: object, **about: object) -> Path:
    """A folder whose tokenizer's settings have this template."""
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": template, **about}))
    return folder


def test_a_message_is_written_as_the_template_says(tmp_path: Path) -> None:
    """Up to where the answer begins; with the text as it was typed."""
    made = read_template(write(tmp_path, CHATML))

    assert made.prompt("我爱 <b>'x'").text == "<|im_start|>user\n我爱 <b>'x'<|im_end|>\n<|im_start|>assistant\n"


def test_special_pieces_have_their_names(tmp_path: Path) -> None:
    """Whether they stand as texts or in tables."""
    template = "{{ bos_token }}{{ messages[0].content | trim }}{{ eos_token }}"
    folder = write(tmp_path, template, bos_token="<s>", eos_token={"content": "</s>"})

    assert read_template(folder).prompt(" hello ").text == "<s>hello</s>"


def test_a_file_of_its_own_goes_first_and_default_is_the_one_of_several(tmp_path: Path) -> None:
    """As the library that wrote the folders has it."""
    folder = write(
        tmp_path, [{"name": "tools", "template": "t"}, {"name": "default", "template": "d{{ messages[0].content }}"}]
    )
    assert read_template(folder).prompt("x").text == "dx"
    (folder / "chat_template.jinja").write_text("f{{ messages[0]['content'] }}")
    assert read_template(folder).prompt("x").text == "fx"


@pytest.mark.parametrize("about", [None, "", [], [{"name": "other", "template": "x"}], 3, {"a": 1}])
def test_a_folder_without_a_template_is_told(about: object, tmp_path: Path) -> None:
    """In both languages."""
    with pytest.raises(NoChatTemplate) as caught:
        read_template(write(tmp_path, about))
    assert not has_template(tmp_path)
    assert all(str(tmp_path) in Words.load(language).error(caught.value) for language in LANGUAGES)


def test_a_template_that_cannot_be_used_is_one_all_the_same(tmp_path: Path) -> None:
    """It says what is wrong with it when it is asked for."""
    (tmp_path / "chat_template.jinja").write_bytes(b"\xff\xfe")
    assert has_template(tmp_path)
    with pytest.raises(BadTemplate):
        read_template(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    assert has_template(write(other, CHATML))


@pytest.mark.parametrize("content", ["{", "[]", "[" * 100_000])
def test_settings_that_cannot_be_read_have_no_template(content: str, tmp_path: Path) -> None:
    """The tokenizer is read without them, too."""
    (tmp_path / "tokenizer_config.json").write_text(content)
    with pytest.raises(NoChatTemplate):
        read_template(tmp_path)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x" * (2**18 + 1)])
def test_a_file_that_is_no_template_is_refused(content: bytes, tmp_path: Path) -> None:
    """Broken UTF-8, and one that is far too long."""
    (tmp_path / "chat_template.jinja").write_bytes(content)
    with pytest.raises(BadTemplate):
        read_template(tmp_path)


def test_a_template_in_the_settings_that_is_far_too_long_is_refused(tmp_path: Path) -> None:
    """With both numbers."""
    with pytest.raises(BadTemplate, match="262145"):
        read_template(write(tmp_path, "x" * (2**18 + 1)))


HOSTILE = {
    "no Jinja": ("{% for %}", "TemplateSyntaxError"),
    "an inner class": ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "SecurityError"),
    "code of a function": ("{{ raise_exception.__globals__.keys() }}", "SecurityError"),
    "the environment": ("{{ self.__init__.__globals__ }}", "Error"),
    "another file": ("{% include '/etc/passwd' %}", "Error"),
    "a file by a filter": ("{{ open('/etc/passwd').read() }}", "UndefinedError"),
    "a change of the messages": ("{{ messages.append(1) }}", "SecurityError"),
    "its own refusal": ("{{ raise_exception('roles must alternate') }}", "roles must alternate"),
    "a long text": ("{% for i in range(99999) %}{{ 'abc' }}{% endfor %}", "> 65556"),
    "a long text at once": ("{{ 'a' * 1000000 }}", "> 65556"),
    "a huge range": ("{% for i in range(10**9) %}{% endfor %}", "Overflow"),
    "more memory than there is": ("{{ 'a' * 10**18 }}", "MemoryError"),
    "more memory than there is, by padding": ("{{ 'a'.ljust(10**18) }}", "MemoryError"),
    "much memory": ("{{ 'a' * 3 * 10**9 }}", "> 512 MB"),
    "much memory by doubling": (
        "{% set n = namespace(s='aaaaaaaa') %}{% for i in range(40) %}{% set n.s = n.s ~ n.s %}{% endfor %}{{ n.s }}",
        "> 512 MB",
    ),
    "itself": ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "RecursionError"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_template_is_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    """With its reason; this process goes on."""
    template, told = HOSTILE[name]
    with pytest.raises(BadTemplate) as caught:
        read_template(write(tmp_path, template)).prompt("hello")
    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value)
        assert str(tmp_path) in sentence
        assert told in sentence


def test_a_template_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in loops write nothing, so that only time can tell."""
    monkeypatch.setattr(chat, "LIMITS", attrs.evolve(chat.LIMITS, seconds=0.2))
    endless = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    with pytest.raises(BadTemplate, match=r"0\.2 s"):
        read_template(write(tmp_path, endless)).prompt("hello")


def test_a_template_answers_again_after_it_was_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One text is too much for it, and the next one is not."""
    monkeypatch.setattr(chat, "LIMITS", attrs.evolve(chat.LIMITS, seconds=0.2))
    picky = "{% if messages[0].content == 'x' %}{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    made = read_template(write(tmp_path, picky + "{% endif %}{{ messages[0].content }}"))

    assert made.prompt("a").text == "a"
    with pytest.raises(BadTemplate):
        made.prompt("x")
    assert made.prompt("b").text == "b"


def test_pieces_have_their_names_as_texts_or_in_tables() -> None:
    """Those that a model has of its own, too; what is no piece, such as a flag, has none."""
    about = {
        "bos_token": "<s>",
        "eos_token": {"content": "</s>", "lstrip": False},
        "pad_token": None,
        "add_bos_token": True,
        "image_token": "<i>",
        "additional_special_tokens": ["<a>", {"content": "<b>"}, 3],
        "extra_special_tokens": {"thumbnail": "<t>"},
        "added_tokens_decoder": {},
    }
    assert dict(special_pieces(about, {})) == {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "image_token": "<i>",
        "thumbnail": "<t>",
        "additional_special_tokens": ("<a>", "<b>"),
    }


def test_the_map_beside_older_files_is_read() -> None:
    """It goes before them, as in the reference; newer files, which list their added tokens, are enough."""
    mapped = {"bos_token": {"content": "<|begin|>"}, "eos_token": "<|end|>"}
    assert dict(special_pieces({"bos_token": "<s>"}, mapped)) == {"bos_token": "<|begin|>", "eos_token": "<|end|>"}
    assert dict(special_pieces({"bos_token": "<s>", "added_tokens_decoder": {}}, mapped)) == {"bos_token": "<s>"}
    assert special_pieces({}, {}) == ()
