"""The entry of the process behind the fence: it opens a stranger's tokenizer or chat template and answers questions."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from explorer.tokens.fence_process import Answer, Kinds, run
from explorer.tokens.token import Token

MOST_LETTERS = 2**20  # of a text that is made of ids
_MOST_SHOWN = 256  # characters of one piece


def tokenizer(opening: Mapping[str, Any]) -> tuple[Any, Answer]:
    """The tokenizer in `folder` of a model of `family`, or the one that a GGUF file's header tells in `told`.

    Raises NotInstalled, NoTokenizer, NeedsSentencepiece, BadVocabulary.
    """
    from explorer.tokens.foreign import read_tokenizer

    made = read_tokenizer(Path(opening["folder"]), opening["family"], opening["told"])

    def tokenize(question: Mapping[str, Any]) -> list[list[Any]]:
        return [_row(token) for token in made.tokenize(question["text"], special=question["special"])]

    def decode(question: Mapping[str, Any]) -> str:
        text = made.decode(tuple(question["ids"]))
        if len(text) > MOST_LETTERS:
            raise ValueError(f"> {MOST_LETTERS:,}")
        return text

    def id_of(question: Mapping[str, Any]) -> int | None:
        return made.id_of(question["piece"])

    answers: Mapping[str, Answer] = {"tokenize": tokenize, "decode": decode, "id_of": id_of}
    # Sorted by id, because a restarted process must report the same bytes.
    names = {number: _shown(name) for number, name in sorted(made.names.items())}
    about = {"ids": list(names), "names": list(names.values()), "special": sorted(made.special_ids), "longest": made.longest}
    return about, lambda question: answers[question["what"]](question)


def template(opening: Mapping[str, Any]) -> tuple[Any, Answer]:
    """A chat template, which answers with what it makes of a user's message."""
    from explorer.tokens.chat_rendering import rendered

    def written(question: Mapping[str, Any]) -> dict[str, Any]:
        messages = [{"role": "user", "content": question["text"]}]
        return rendered({**opening, "messages": messages, "most": question["most"]})

    return None, written


KINDS: Kinds = {"tokenizer": tokenizer, "template": template}


def main() -> None:
    """Answer questions about one of these until there are none."""
    run(KINDS)


def _row(token: Token) -> list[Any]:
    return [_shown(token.text), token.id, token.start, token.end, token.known, token.special]


def _shown(name: str) -> str:
    """A piece cut to a length that can be shown: a stranger may make one of any length."""
    return name if len(name) <= _MOST_SHOWN else f"{name[: _MOST_SHOWN - 1]}…"
