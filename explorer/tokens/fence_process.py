"""The process behind the fence (see `fence`): messages in JSON, each with its length before it, are answered one by one.

The first message names what is opened. The answer to it, and to each further one, is `{"answer": …}`, or `{"refused": …,
"values": …}` for a user's error, or `{"failed": …}` for whatever else was raised.
"""

import contextlib
import faulthandler
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from typing import IO, Any

from explorer.errors import ExplorerError

HEAD_BYTES = 4  # before each message: how long it is
PATIENCE_S = 60
"""A question that takes this long, however little it computes, ends the process, even if its parent is gone."""
_MOST_OF_REASON = 200  # characters

Answer = Callable[[Mapping[str, Any]], Any]
Kinds = Mapping[str, Callable[[Mapping[str, Any]], tuple[Any, Answer]]]
"""By name a function that opens something and returns the facts about it and the function that answers."""


def run(kinds: Kinds) -> None:
    """Be the process: answer the questions on the standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # In a terminal, Ctrl+C goes to this process as well.
    asked, told = _pipes()
    forbid_files()
    serve(asked, told, kinds)
    os._exit(0)


def serve(asked: IO[bytes], told: IO[bytes], kinds: Kinds) -> None:
    """Say which process this is, open what the first message names, and answer the others."""
    found: list[Answer] = []

    def opened(opening: Mapping[str, Any]) -> Any:
        about, answer = kinds[opening["kind"]](opening)
        found.append(answer)
        return about

    _send(told, {"process": os.getpid()})
    answer: Answer = opened
    while (question := _received(asked)) is not None:
        # This timer runs in a C thread, so it also ends a library that never returns to Python.
        faulthandler.dump_traceback_later(PATIENCE_S, exit=True, file=2)
        message = answered(answer, question)
        faulthandler.cancel_dump_traceback_later()
        _send(told, message)
        if not found:  # The first message failed, so there is nothing to ask.
            return
        answer = found[0]


def answered(answer: Answer, question: Mapping[str, Any]) -> dict[str, Any]:
    """The answer as a message, whatever is raised: a panic in Rust is no Exception."""
    try:
        return {"answer": answer(question)}
    except ExplorerError as error:
        reason = {"reason": one_line(error.values["reason"])} if "reason" in error.values else {}
        return {"refused": type(error).__name__, "values": error.values | reason}
    except BaseException as error:
        return {"failed": one_line(f"{type(error).__name__}: {error}")}


def one_line(reason: object) -> str:
    """The first line of a reason, with nothing invisible in it and not too long."""
    line = (str(reason).strip().splitlines() or ["?"])[0][:_MOST_OF_REASON]
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in line)


def _pipes() -> tuple[IO[bytes], IO[bytes]]:
    """The standard input and output. Other code that reads or writes there finds nothing."""
    asked, told = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(asked, os.O_BINARY)
        msvcrt.setmode(told, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    return os.fdopen(asked, "rb"), os.fdopen(told, "wb")


def forbid_files() -> None:
    """Write no file, and none when the process is aborted, where the system can forbid it.

    Memory is not limited here: macOS refuses RLIMIT_AS, so whoever asks watches it, on every system (see `fence`).
    """
    try:
        import resource
    except ImportError:  # on Windows
        return
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        with contextlib.suppress(OSError, ValueError):  # A system that refuses a limit runs templates without it.
            resource.setrlimit(limit, (0, 0))


def _send(told: IO[bytes], message: Mapping[str, Any]) -> None:
    written = json.dumps(message).encode()
    told.write(len(written).to_bytes(HEAD_BYTES, "big"))
    told.write(written)
    told.flush()


def _received(asked: IO[bytes]) -> dict[str, Any] | None:
    """The next message; None where there are no more."""
    head = asked.read(HEAD_BYTES)
    if len(head) < HEAD_BYTES:
        return None
    found: dict[str, Any] = json.loads(asked.read(int.from_bytes(head, "big")))
    return found
