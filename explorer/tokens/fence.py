"""A process of its own for foreign tokenizers and chat templates, which run behind this fence.

Decision: one process for each open folder answers every question, and is ended and restarted when it exceeds its limits. A
round trip takes 0.2 ms for a sentence. Rejected: trying a tokenizer once and then using it in this process, since a pattern
such as (a+)+$ is harmless for most texts and takes for ever with one of them.

This process watches the other's time and memory, because `setrlimit` limits no memory on macOS, and is not there on Windows.
"""

import contextlib
import hashlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import attrs
import psutil

from explorer import errors
from explorer.errors import ExplorerError
from explorer.tokens.fence_process import HEAD_BYTES, PATIENCE_S

ARGUMENT = "fence"  # With it a bundled program is this process and no window.
_LOOK_S = 0.02
_MOST_ASKED_BYTES = 2**28
_CODE = "import sys; sys.path[:] = {paths!r}; from {module} import main; main()"
_MODULE = "explorer.tokens.behind_fence"


@attrs.frozen(kw_only=True)
class Limits:
    """What the process may use. Seconds are of the processor: `opening_s` to open what it runs, `seconds` for a question."""

    opening_s: float
    seconds: float
    memory_bytes: int
    answer_bytes: int = 2**25


class NoAnswerError(Exception):
    """A question without an answer; `reason` is one short line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class OverTimeError(NoAnswerError):
    """The process was ended because it computed for more than `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"> {seconds:g} s")
        self.seconds = seconds


class OverSizeError(NoAnswerError):
    """The process was ended because it had or made more than `n_bytes`."""

    def __init__(self, n_bytes: int) -> None:
        super().__init__(f"> {n_bytes / 2**20:,.0f} MB")
        self.n_bytes = n_bytes


class Fence:
    """What a module such as `behind_fence` opens, in a process that starts with the first question and ends with this object.

    The module's `main` is the process, and its `KINDS` names what it opens.
    """

    def __init__(self, kind: str, limits: Limits, module: str = _MODULE, /, **opening: Any) -> None:
        self._opening, self._limits, self._module = {"kind": kind, **opening}, limits, module
        self._process: _Process | None = None
        self._digest = b""
        self._lock = threading.Lock()

    def open(self) -> Any:
        """Open it and return the facts about it. Raises NoAnswerError, and each ExplorerError that is raised in the process."""
        with self._lock:
            return self._opened()

    def ask(self, **question: Any) -> Any:
        """The answer to a question, from a process that is started anew where it was ended. Raises as `open`."""
        with self._lock:
            if self.process_id is None:
                self._opened()
            return _heard(self._answer(question, self._limits.seconds))

    @property
    def process_id(self) -> int | None:
        """The number of the process that answers; None where none runs."""
        return None if self._process is None or self._process.ended else self._process.id

    def end(self) -> None:
        """End the process; a further question starts another."""
        if self._process is not None:
            self._process.end()

    def _opened(self) -> Any:
        self.end()
        self._process = _Process(self._limits, self._module)
        answer = self._answer(self._opening, self._limits.opening_s)
        try:
            about, digest = _heard(answer), hashlib.sha256(answer).digest()
            if self._digest and digest != self._digest:  # The folder has changed, and ids may mean other pieces now.
                raise NoAnswerError("changed")
        except Exception:
            self.end()
            raise
        self._digest = digest
        return about

    def _answer(self, question: Mapping[str, Any], seconds: float) -> bytes:
        assert self._process is not None
        try:
            return self._process.answer(json.dumps(question).encode(), seconds)
        except BaseException:  # After an interruption the old answer may still arrive, and no other question may get it.
            self._process.end()
            raise


def _heard(answer: bytes) -> Any:
    """The value of an answer. Raises NoAnswerError, ExplorerError."""
    found: dict[str, Any] = json.loads(answer)
    if "refused" in found:
        raise _refusal(found["refused"], found["values"])
    if "failed" in found:
        raise NoAnswerError(found["failed"])
    return found["answer"]


def _refusal(name: str, values: Mapping[str, object]) -> Exception:
    """The user's error that was raised in the process."""
    kind = getattr(errors, name, None)
    return kind(**values) if isinstance(kind, type) and issubclass(kind, ExplorerError) else NoAnswerError(name)


class _Process:
    """The running process. It ends at the latest when this object is collected or the program ends; it ends by itself when the
    program is killed.
    """

    def __init__(self, limits: Limits, module: str) -> None:
        self._limits = limits
        try:
            self._child = subprocess.Popen(
                command(module),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # A panic in Rust would write there.
                env=_environment(),
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise NoAnswerError(error.strerror or str(error)) from error
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._asked, told = self._child.stdin, self._child.stdout
        self._answers: queue.SimpleQueue[bytes | NoAnswerError | None] = queue.SimpleQueue()
        reader = threading.Thread(target=_read, args=(told, self._answers, limits.answer_bytes), daemon=True)
        reader.start()
        self.end = weakref.finalize(self, _end, self._child, reader)
        # The process reports its own number: on Windows Popen may start a launcher that waits for Python.
        self.id = self._child.pid
        self.id = json.loads(self._next(limits.opening_s))["process"]

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return not self.end.alive or self._child.poll() is not None

    def answer(self, question: bytes, seconds: float) -> bytes:
        """Raises NoAnswerError."""
        if len(question) > _MOST_ASKED_BYTES:
            raise OverSizeError(_MOST_ASKED_BYTES)
        with contextlib.suppress(OSError):  # A process that has ended reads nothing, and `_next` notices.
            self._asked.write(len(question).to_bytes(HEAD_BYTES, "big"))
            self._asked.write(question)
            self._asked.flush()
        return self._next(seconds)

    def _next(self, seconds: float) -> bytes:
        """The next answer. Raises NoAnswerError."""
        begin_s, before_s = time.monotonic(), None
        while True:
            try:
                found = self._answers.get(timeout=_LOOK_S)
            except queue.Empty:
                used_s, used_bytes = self._used()
                before_s = used_s if before_s is None else before_s
                if used_bytes > self._limits.memory_bytes:
                    raise OverSizeError(self._limits.memory_bytes) from None
                if used_s - before_s > seconds or time.monotonic() - begin_s > PATIENCE_S:
                    raise OverTimeError(seconds) from None
                continue
            if found is None:
                raise NoAnswerError(f"exit {self._child.wait()}")
            if isinstance(found, NoAnswerError):
                raise found
            return found

    def _used(self) -> tuple[float, int]:
        """Seconds of the processor and bytes of memory so far; zeros of a process that has just ended."""
        try:
            about = psutil.Process(self.id)
            times = about.cpu_times()
            return times.user + times.system, about.memory_info().rss
        except psutil.Error:
            return 0.0, 0


def command(module: str) -> list[str]:
    """The command that starts a module's process: a bundle starts itself, and Python uses the same modules as this program."""
    if getattr(sys, "frozen", False):
        return [sys.executable, ARGUMENT, module]
    package = str(Path(__file__).parents[2])
    # Leave out the working directory, where foreign modules may lie.
    paths = [package, *(os.path.abspath(each) for each in sys.path if each)]  # noqa: PTH100  A zip file is no Path.
    return [sys.executable, "-I", "-c", _CODE.format(paths=paths, module=module)]


def _environment() -> dict[str, str]:
    """The user's environment reduced to the variables with which a process finds its libraries."""
    kept = ("SYSTEMROOT", "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    return {name: os.environ[name] for name in kept if name in os.environ} | {"TOKENIZERS_PARALLELISM": "false"}


def _read(told: IO[bytes], answers: "queue.SimpleQueue[bytes | NoAnswerError | None]", most: int) -> None:
    """Hand on each answer, an OverSizeError for one that is too long, and None where there are no more."""
    with contextlib.suppress(OSError, ValueError):
        while len(head := told.read(HEAD_BYTES)) == HEAD_BYTES:
            n_bytes = int.from_bytes(head, "big")
            if n_bytes > most:
                answers.put(OverSizeError(most))
                return
            answer = told.read(n_bytes)
            if len(answer) < n_bytes:
                break
            answers.put(answer)
    answers.put(None)


def _end(child: "subprocess.Popen[bytes]", reader: threading.Thread) -> None:
    child.kill()
    child.wait()
    if threading.current_thread() is not reader:  # The object may be collected in any thread.
        reader.join(timeout=1)
    for pipe in (child.stdin, child.stdout):
        with contextlib.suppress(OSError, ValueError):  # Unwritten bytes are of no use now.
            assert pipe is not None
            pipe.close()
