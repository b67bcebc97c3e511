"""Chat templates: how a model that was trained on conversations wants a message to be written. Off unless it is asked for.

A template is a program in Jinja's language that came with somebody's folder. It is run in Jinja's immutable sandbox
(`chat_process.py`) behind the fence: the sandbox keeps it from Python, and the fence from running for ever.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from explorer.errors import BadTemplate, CannotRead, NoChatTemplate
from explorer.files import read_whole
from explorer.tokens.fence import Fence, Limits, NoAnswerError
from explorer.tokens.token import Token

_FILE, _ABOUT = "chat_template.jinja", "tokenizer_config.json"
_SPECIAL = ("bos_token", "eos_token", "unk_token", "pad_token")
_IN_GGUF = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}
_MOST_BYTES = 2**18  # of a template, which is long at 20,000
_MOST_ABOUT = 2**25
MOST_LETTERS = 2**16  # of a prompt beside the text itself
_LIMITS = Limits(opening_s=4, seconds=4, memory_bytes=2**29)


@attrs.frozen
class Template:
    """The template of a folder, and its special pieces by the names that templates use."""

    path: str
    text: str
    special: tuple[tuple[str, str], ...]
    _fence: Fence = attrs.field(init=False, eq=False, repr=False)

    @_fence.default
    def _make_fence(self) -> Fence:
        return Fence("template", _LIMITS, template=self.text, special=dict(self.special))

    def prompt(self, text: str) -> str:
        """All that the model is given for a message of a user, up to where its answer begins. Raises BadTemplate."""
        return _rendered(self, text)


def read_template(folder: Path) -> Template:
    """The template of a folder. Raises NoChatTemplate, BadTemplate."""
    about = _about(folder)
    path = folder / _FILE
    if path.is_file():
        try:
            text = read_whole(path, _MOST_BYTES).decode()
        except (CannotRead, ValueError) as error:
            raise BadTemplate(path=str(folder), reason=_short(error)) from error
    else:
        text = _default(about.get("chat_template"))
    if not text.strip():
        raise NoChatTemplate(path=str(folder))
    if len(text) > _MOST_BYTES:
        raise BadTemplate(path=str(folder), reason=f"{len(text)} > {_MOST_BYTES}")
    return Template(str(folder), text, tuple((name, _piece(about.get(name))) for name in _SPECIAL))


def told_template(path: str, told: Mapping[str, Any]) -> Template | None:
    """The template in the header of a GGUF file at a path, with its special pieces; None where there is none."""
    text, pieces = told.get("tokenizer.chat_template"), told.get("tokenizer.ggml.tokens")
    if not isinstance(text, str) or not text.strip() or len(text) > _MOST_BYTES or not isinstance(pieces, list):
        return None

    def piece(name: str) -> str:
        number = told.get(f"tokenizer.ggml.{_IN_GGUF[name]}_token_id")
        return str(pieces[number]) if type(number) is int and 0 <= number < len(pieces) else ""

    return Template(path, text, tuple((name, piece(name)) for name in _SPECIAL))


def has_template(folder: Path) -> bool:
    """Whether a folder has a template, be it one that can be used or not."""
    try:
        read_template(folder)
    except NoChatTemplate:
        return False
    except BadTemplate:  # It says what is wrong with it when somebody asks for it.
        return True
    return True


def within(tokens: tuple[Token, ...], first: int, length: int) -> tuple[Token, ...]:
    """The tokens of a prompt with their places in the text that begins at `first` in it; none for what stands around it."""

    def moved(token: Token) -> Token:
        start, end = max(token.start - first, 0), min(token.end - first, length)
        return attrs.evolve(token, start=start, end=end) if start < end else attrs.evolve(token, start=0, end=0)

    return tuple(map(moved, tokens))


def _about(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_whole(folder / _ABOUT, _MOST_ABOUT))
    except (CannotRead, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _default(told: object) -> str:
    """The template itself; of several with names, the one that is called "default"."""
    if isinstance(told, list):
        told = next((row.get("template") for row in told if isinstance(row, dict) and row.get("name") == "default"), None)
    return told if isinstance(told, str) else ""


def _piece(told: object) -> str:
    """A special piece, which may stand in a table."""
    piece = told.get("content") if isinstance(told, dict) else told
    return piece if isinstance(piece, str) else ""


def _rendered(template: Template, text: str) -> str:
    try:
        answer = template._fence.ask(text=text, most=MOST_LETTERS + 4 * len(text))
    except NoAnswerError as error:
        raise BadTemplate(path=template.path, reason=error.reason) from error
    if "prompt" not in answer:
        raise BadTemplate(path=template.path, reason=_short(answer["error"]))
    prompt: str = answer["prompt"]
    return prompt


def _short(reason: object) -> str:
    """The first line of a reason, not too long."""
    return (str(reason).splitlines() or ["?"])[0][:200]
