"""Chat templates: the format in which a model that was trained on conversations expects a message. Used only on request.

A template is a program in Jinja's language that comes with a folder. It is run in Jinja's immutable sandbox
(`chat_rendering.py`) behind the fence: the sandbox keeps it from Python, and the fence from running for ever.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from explorer.errors import BadTemplate, CannotRead, NoChatTemplate
from explorer.files import read_whole
from explorer.tokens.chat_prompt import Prompt
from explorer.tokens.fence import Fence, Limits, NoAnswerError
from explorer.tokens.gguf_vocabulary import ends_of, piece_of
from explorer.tokens.older_files import table_in

_FILE, _ABOUT, _OF_PROCESSOR = "chat_template.jinja", "tokenizer_config.json", "chat_template.json"
_MAP = "special_tokens_map.json"
_IN_GGUF = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "sep_token": "seperator", "pad_token": "padding"}
_MOST_BYTES = 2**18  # of a template, which is long at 20,000
_MOST_ABOUT = 2**25
MOST_LETTERS = 2**16  # of a prompt beside the text itself
LIMITS = Limits(opening_s=4, seconds=4, memory_bytes=2**29)

Special = tuple[tuple[str, str | tuple[str, ...]], ...]
_ENDING = "_token"
_FURTHER, _BY_NAME = "additional_special_tokens", "extra_special_tokens"


@attrs.frozen
class Template:
    """The template of a folder, and its special pieces by the names that templates use.

    `begin` and `end` stand around each prompt, also where the template does not write them.
    """

    path: str
    text: str
    special: Special
    begin: str = ""
    end: str = ""
    _fence: Fence = attrs.field(init=False, eq=False, repr=False)

    @_fence.default
    def _make_fence(self) -> Fence:
        return Fence("template", LIMITS, template=self.text, special=dict(self.special))

    def prompt(self, text: str) -> Prompt:
        """The model's whole input for a user's message, up to where its answer begins. Raises BadTemplate."""
        try:
            answer = self._fence.ask(text=text, most=MOST_LETTERS + 4 * len(text))
        except NoAnswerError as error:
            raise BadTemplate(path=self.path, reason=error.reason) from error
        if "prompt" not in answer:
            raise BadTemplate(path=self.path, reason=_short(answer["error"]))
        made = Prompt(answer["prompt"], text, tuple((place, found) for place, found in answer["places"]))
        return made.framed(self.begin, self.end)


def read_template(folder: Path) -> Template:
    """The template of a folder. Raises NoChatTemplate, BadTemplate."""
    about = table_in(folder / _ABOUT, _MOST_ABOUT)
    path = folder / _FILE
    if path.is_file():
        try:
            text = read_whole(path, _MOST_BYTES).decode()
        except (CannotRead, ValueError) as error:
            raise BadTemplate(path=str(folder), reason=_short(error)) from error
    else:
        # A model that also reads pictures may have its template only in the file of its processor.
        text = _default(about.get("chat_template")) or _default(
            table_in(folder / _OF_PROCESSOR, _MOST_ABOUT).get("chat_template")
        )
    if not text.strip():
        raise NoChatTemplate(path=str(folder))
    if len(text) > _MOST_BYTES:
        raise BadTemplate(path=str(folder), reason=f"{len(text)} > {_MOST_BYTES}")
    return Template(str(folder), text, special_pieces(about, table_in(folder / _MAP, _MOST_ABOUT)))


def told_template(path: str, told: Mapping[str, Any]) -> Template | None:
    """The template in the header of a GGUF file at a path, with its special pieces; None where there is none.

    llama.cpp puts the symbols that the header asks for around a prompt once, whether the template has them or not.
    """
    text = told.get("tokenizer.chat_template")
    if not isinstance(text, str) or not text.strip() or len(text) > _MOST_BYTES:
        return None
    special = tuple((name, piece) for name, key in _IN_GGUF.items() if (piece := piece_of(told, key)))
    ends = ends_of(told)
    return Template(path, text, special, ends.get("bos", ""), ends.get("eos", ""))


def has_template(folder: Path) -> bool:
    """Whether a folder has a template, usable or not."""
    try:
        read_template(folder)
    except NoChatTemplate:
        return False
    except BadTemplate:  # `read_template` reports the fault when somebody asks for the template.
        return True
    return True


def _default(told: object) -> str:
    """The template itself; of several with names, the one that is called "default"."""
    if isinstance(told, list):
        told = {
            row.get("name"): row.get("template") for row in told if isinstance(row, dict) and isinstance(row.get("name"), str)
        }
    if isinstance(told, dict):
        told = told.get("default")
    return told if isinstance(told, str) else ""


def _short(reason: object) -> str:
    """The first line of a reason, not too long."""
    return (str(reason).splitlines() or ["?"])[0][:200]


def special_pieces(about: Mapping[str, Any], mapped: Mapping[str, Any]) -> Special:
    """The pieces that tokenizer_config.json names, and those of special_tokens_map.json where the first is an older file.

    A piece that is not named stays undefined in a template, which may ask for that.
    """
    # Since files list their added tokens, the map beside them is a copy for older programs and may be out of date.
    told = dict(about) if "added_tokens_decoder" in about else {**about, **mapped}
    extra = told.get(_BY_NAME)
    by_name: dict[str, Any] = extra if isinstance(extra, dict) else {}
    told |= by_name
    named = {name: each for name, each in told.items() if name.endswith(_ENDING) or name in by_name}
    found: dict[str, str | tuple[str, ...]] = {
        name: piece for name, each in named.items() if (piece := _piece(each)) is not None
    }
    further = told.get(_FURTHER)
    if isinstance(further, list):
        found[_FURTHER] = tuple(piece for each in further if (piece := _piece(each)) is not None)
    return tuple(found.items())


def _piece(told: object) -> str | None:
    """A special piece, which may stand in a table; None where there is none."""
    piece = told.get("content") if isinstance(told, dict) else told
    return piece if isinstance(piece, str) else None
