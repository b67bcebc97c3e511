"""Renders messages with a chat template, and finds the text of the last message in the result.

It runs in the process behind the fence alone (see `chat`). The environment is the one that transformers gives to templates
(`transformers.utils.chat_template_utils`), so that a model reads the prompts it was trained on.

A further rendering with a mark in the text shows where the text stands. Rejected: to search the prompt for the text. A short
text also occurs in what the template itself writes, and a template may trim the text or quote it.
"""

import json
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import count
from typing import Any, Protocol

from jinja2 import TemplateError, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

_MOST_MARKS = 1000  # A longer text that a template changes has a place for every few characters only.
_MOST_COPIES = 16  # of the mark, in a template that writes a text more than once
_SECONDS = 1.0  # of the process, for all marks together; the prompt itself is worth more than its places


def rendered(asked: dict[str, Any]) -> dict[str, Any]:
    """The prompt and its places, or the error that the template made.

    `asked` has the template, the messages, the special pieces by name, and the maximum length of a prompt in characters. Each
    place is a pair of offsets: in the text of the last message and in the prompt.
    """
    text: str = asked["messages"][-1]["content"]
    try:
        write = _writer(asked)
        prompt = write(text)
    except _TooLongError as error:
        return {"error": str(error)}
    except Exception as error:  # A foreign template can raise anything.
        return {"error": f"{type(error).__name__}: {error}"}
    taken = json.dumps([asked, prompt])
    mark = next(mark for number in count(10**15 + 7) if (mark := str(number)) not in taken)
    return {"prompt": prompt, "places": _places(_finder(write, text, prompt, mark), text, prompt)}


class _TooLongError(Exception):
    """A prompt exceeds its maximum length."""


class _PromptMaker(Protocol):
    """Makes the prompt of a text that replaces the last message, of at most so many characters more."""

    def __call__(self, text: str, spare: int = 0) -> str:
        """The prompt. Raises what the template raises."""
        ...


def _writer(asked: dict[str, Any]) -> _PromptMaker:
    """The PromptMaker of a question."""
    now = datetime.now()  # All renderings of one prompt have the same time.
    template = _environment(now).from_string(asked["template"])
    before, last, most = asked["messages"][:-1], asked["messages"][-1], asked["most"]

    def write(text: str, spare: int = 0) -> str:
        given = {"tools": None, "documents": None, "add_generation_prompt": True}
        messages = [*map(dict, before), {**last, "content": text}]
        prompt = ""
        for part in template.generate({**asked["special"], **given, "messages": messages}):
            prompt += part
            if len(prompt) > most + spare:
                raise _TooLongError(f"> {most}")
        return prompt

    return write


def _finder(write: _PromptMaker, text: str, prompt: str, mark: str) -> Callable[[int], int | None]:
    """A function from a place in the text to its place in the prompt; None where the template drops it or rejects the mark."""
    until = time.process_time() + _SECONDS

    def find(place: int) -> int | None:
        if time.process_time() > until:
            return None
        try:
            parts = write(text[:place] + mark + text[place:], _MOST_COPIES * len(mark)).split(mark)
        except Exception:  # The prompt itself was made without the mark.
            return None
        if len(parts) == 1 or "".join(parts) != prompt:
            return None
        return len(prompt) - len(parts[-1])  # If a text is written twice, take the last place: the answer follows it.

    return find


def _places(find: Callable[[int], int | None], text: str, prompt: str) -> list[tuple[int, int]]:
    """Places in the text with those in the prompt, both ascending. Between two of them the text is the same, or was changed."""
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    known = _known(find, {0, begin, end, len(text)})
    if known:
        (first, from_), (last, to) = known[0], known[-1]
        if first <= begin and last >= end and prompt[from_:to] == text[first:last]:
            return [known[0], known[-1]]
    return _known(find, {*range(0, len(text), 1 + len(text) // _MOST_MARKS), len(text)})


def _known(find: Callable[[int], int | None], places: set[int]) -> list[tuple[int, int]]:
    """The places that are found, without those that lie before an earlier one in the prompt."""
    known: list[tuple[int, int]] = []
    for place in sorted(places):
        found = find(place)
        if found is not None and (not known or found >= known[-1][1]):
            known.append((place, found))
    return known


def _environment(now: datetime) -> ImmutableSandboxedEnvironment:
    """The sandbox of transformers: its blocks, filters and functions, at a moment."""

    def refuse(reason: object) -> None:
        raise TemplateError(str(reason))

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols])
    environment.filters["tojson"] = _json
    environment.globals |= {
        "raise_exception": refuse,
        "strftime_now": lambda pattern: now.strftime(pattern),
        "dict": _Dict(),
        "namespace": _Namespace,
    }
    return environment


def _json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """A value as plain JSON: Jinja's own filter escapes < and ' for HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


class _Generation(Extension):
    """The block around what an assistant has said: {% generation %} … {% endgeneration %}. Nothing is done with it here."""

    tags = {"generation"}  # noqa: RUF012  The class that it is made of has a set.

    def parse(self, parser: Parser) -> nodes.Node:
        """The block as a call of a macro, so that what it sets stays inside."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_said"), [], [], body).set_lineno(line)

    def _said(self, caller: Callable[[], str]) -> str:
        return caller()


class _Dict:
    """The function `dict`, without the attributes of the class."""

    def __call__(self, *rows: Any, **named: Any) -> dict[Any, Any]:
        return dict(*rows, **named)

    def fromkeys(self, keys: Sequence[Any], value: Any = None) -> dict[Any, Any]:
        """A table in which each key has the same value."""
        return dict.fromkeys(keys, value)


class _Namespace(Namespace):
    """An object that a template may write to. Its names never begin with an underscore, as Python's internals do."""

    def __init__(*args: Any, **named: Any) -> None:
        self, rows = args[0], dict(*args[1:], **named)
        for name in rows:
            _check_name(name)
        Namespace.__init__(self, rows)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        super().__setitem__(name, value)


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(name)
