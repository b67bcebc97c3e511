"""The fence: what runs behind it ends within its limits, and with the program; what it raises comes back as it was raised."""

import ast
import gc
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from explorer.errors import NoTokenizer
from explorer.tokens import fence
from explorer.tokens.behind_fence import KINDS
from explorer.tokens.fence import Fence, Limits, NoAnswerError, OverSizeError, OverTimeError
from explorer.tokens.fence_process import HEAD_BYTES, answered, forbid_files, one_line, serve

CODE = Path(fence.__file__).parents[1]
LIMITS = Limits(opening_s=10, seconds=0.3, memory_bytes=2**28)
ENDLESS = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
ECHO = "{{ messages[0].content }}"
posix = pytest.mark.skipif(os.name == "nt", reason="a script that starts another program is made for POSIX")


@pytest.fixture
def fenced() -> Iterator[Callable[..., Fence]]:
    """Makes fences around chat templates, and ends them."""
    made: list[Fence] = []

    def of(template: str, limits: Limits = LIMITS) -> Fence:
        made.append(Fence("template", limits, template=template, special={}))
        return made[-1]

    yield of
    for each in made:
        each.end()


def asked(fence: Fence, text: str = "x") -> Any:
    return fence.ask(text=text, most=2**22)


def process_of(fence: Fence) -> psutil.Process:
    assert fence.process_id is not None
    return psutil.Process(fence.process_id)


def test_one_process_answers_all_questions(fenced: Callable[..., Fence]) -> None:
    """It starts with the first one."""
    fence = fenced(ECHO)
    assert fence.process_id is None
    assert asked(fence, "我爱")["prompt"] == "我爱"
    first = process_of(fence)
    assert asked(fence, "b")["prompt"] == "b"
    assert process_of(fence) == first


def test_what_computes_for_ever_is_ended(fenced: Callable[..., Fence]) -> None:
    """And the next question starts another process."""
    fence = fenced("{% if messages[0].content == 'x' %}" + ENDLESS + "{% endif %}" + ECHO)
    asked(fence, "a")
    first = process_of(fence)
    with pytest.raises(OverTimeError) as caught:
        asked(fence, "x")
    assert (caught.value.seconds, caught.value.reason) == (0.3, "> 0.3 s")
    assert not first.is_running()
    assert asked(fence, "b")["prompt"] == "b"


def test_what_takes_much_memory_is_ended(fenced: Callable[..., Fence]) -> None:
    """Where it stays in it, and where the answer would be long."""
    short = Limits(opening_s=10, seconds=10, memory_bytes=2**28, answer_bytes=2**20)
    with pytest.raises(OverSizeError, match="256 MB"):
        asked(fenced("{% set s = 'a' * 3 * 10**9 %}", short))
    with pytest.raises(OverSizeError, match="> 1 MB"):
        asked(fenced("{{ 'a' * 2**21 }}", short))


def test_a_process_that_somebody_ended_is_started_again(fenced: Callable[..., Fence]) -> None:
    """As the system does when memory is short; whoever asks meanwhile is told."""
    fence = fenced(ECHO)
    asked(fence)
    process_of(fence).kill()
    psutil.wait_procs([process_of(fence)] if psutil.pid_exists(process_of(fence).pid) else [])
    assert asked(fence, "again")["prompt"] == "again"


def test_an_interrupted_question_leaves_no_answer_for_the_next_one(
    fenced: Callable[..., Fence], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl+C in a notebook comes while an answer is on its way."""
    slow = "{% for i in range(999) %}{% for j in range(999) %}{% endfor %}{% endfor %}"
    fence = fenced("{% if messages[0].content == 'first' %}" + slow + "{% endif %}" + ECHO)
    asked(fence)
    with monkeypatch.context() as patched:

        def interrupted(_number: int) -> psutil.Process:
            raise KeyboardInterrupt

        patched.setattr(psutil, "Process", interrupted)  # What the fence looks at while it waits.
        with pytest.raises(KeyboardInterrupt):
            asked(fence, "first")
    assert asked(fence, "second")["prompt"] == "second"


def test_a_users_error_comes_through_the_fence(tmp_path: Path) -> None:
    """With its values, as if it had been raised here; nothing runs on behind it."""
    fence = Fence("tokenizer", LIMITS, folder=str(tmp_path), family="any", told={})
    with pytest.raises(NoTokenizer, match=r"tokenizer\.json") as caught:
        fence.open()
    assert caught.value.values == {"path": str(tmp_path)}
    assert fence.process_id is None


def test_a_process_that_cannot_start_is_told(fenced: Callable[..., Fence], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether there is no program, or it ends at once."""
    monkeypatch.setattr(fence, "command", lambda _module: ["/there/is/none"])
    with pytest.raises(NoAnswerError):
        asked(fenced(ECHO))
    monkeypatch.setattr(fence, "command", lambda _module: [sys.executable, "-c", "raise SystemExit(9)"])
    with pytest.raises(NoAnswerError, match="exit 9"):
        asked(fenced(ECHO))


def test_the_process_ends_with_its_fence() -> None:
    """A folder that is no longer open leaves none."""
    fence = Fence("template", LIMITS, template=ECHO, special={})
    asked(fence)
    process = process_of(fence)
    del fence
    gc.collect()
    assert not process.is_running()


PROGRAM = """
import sys
from explorer.tokens import fence

impatient = "from explorer.tokens import behind_fence, fence_process; fence_process.PATIENCE_S = 1; behind_fence.main()"
fence.command = lambda _module: [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {impatient}"]
asked = fence.Fence("template", fence.Limits(opening_s=9, seconds=99, memory_bytes=2**28), template=sys.argv[1], special={})
asked.open()
print(asked.process_id, flush=True)
asked.ask(text="x", most=9)
input()
"""


@pytest.mark.parametrize("template", [ECHO, ENDLESS])
def test_the_process_ends_when_the_program_is_killed(template: str) -> None:
    """Nobody else can end it then: it hears that nobody asks any more, and in a long question it sees how long that takes."""
    command = [sys.executable, "-c", PROGRAM, template]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        process = psutil.Process(int(running.stdout.readline()))
        running.kill()
        assert psutil.wait_procs([process], timeout=30)[1] == []


def test_nothing_of_the_users_is_in_its_hands(
    fenced: Callable[..., Fence], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the environment, nor modules in the folder that the program was started in, nor files to write."""
    (tmp_path / "json.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    monkeypatch.setenv("SECRET", "x")
    fence = fenced(ECHO)
    assert asked(fence)["prompt"] == "x"
    assert "SECRET" not in process_of(fence).environ()
    if hasattr(psutil.Process, "rlimit"):
        assert process_of(fence).rlimit(psutil.RLIMIT_FSIZE) == (0, 0)


def test_a_system_that_can_forbid_no_files_runs_it_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows has no module `resource`; time, memory and length are measured by whoever asks."""
    monkeypatch.setitem(sys.modules, "resource", None)
    forbid_files()


MACOS = """
import resource
from explorer.tokens import behind_fence
allowed = resource.setrlimit
def refuse(limit, pair):
    if {refused}:
        raise ValueError("current limit exceeds maximum limit")
    allowed(limit, pair)
resource.setrlimit = refuse
behind_fence.main()
"""


@posix
@pytest.mark.parametrize("refused", ["limit == resource.RLIMIT_AS", "True"])
def test_a_system_that_refuses_limits_renders_templates(
    refused: str, fenced: Callable[..., Fence], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As macOS refuses RLIMIT_AS, which once cost every chat template there; memory is limited all the same."""
    started = [sys.executable, "-P", "-c", MACOS.format(refused=refused)]
    monkeypatch.setattr(fence, "command", lambda _module: started)
    monkeypatch.setattr(fence, "_environment", lambda: {"PYTHONPATH": str(CODE.parent)})
    assert asked(fenced(ECHO), "我爱")["prompt"] == "我爱"
    with pytest.raises(OverSizeError):
        asked(fenced("{% set x = namespace(a='ab' * 9) %}{% for i in range(99) %}{% set x.a = x.a ~ x.a %}{% endfor %}"))


def test_its_start_imports_no_torch() -> None:
    """Nor what else takes long."""
    modules = ", ".join(
        f"explorer.tokens.{name}" for name in ("fence_process", "behind_fence", "foreign_tokenizer", "chat_rendering")
    )
    slow = {"torch", "transformers", "numpy", "PySide6", "jieba"}
    told = f"import sys, {modules}; print(sorted({slow} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@posix
def test_a_bundle_starts_itself(fenced: Callable[..., Fence], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its own first file, which is tried here with a script in the bundle's place."""
    bundle = tmp_path / "bundle"
    start = CODE.parent / ".ci" / "bundle_start.py"
    bundle.write_text(f'#!/bin/sh\nPYTHONPATH="{CODE.parent}" exec "{sys.executable}" "{start}" "$@"\n')
    bundle.chmod(0o755)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(bundle))
    assert asked(fenced(ECHO))["prompt"] == "x"


def test_only_what_runs_behind_the_fence_imports_what_strangers_made() -> None:
    """A tokenizer or template that is used in this process could keep it for ever."""
    inside = {f"explorer.tokens.{name}" for name in ("behind_fence", "foreign_tokenizer", "sentence_pieces", "chat_rendering")}
    importing = {
        path.relative_to(CODE).as_posix()
        for path in CODE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.ImportFrom) and node.module in inside)
        or (isinstance(node, ast.Import) and inside & {each.name for each in node.names})
    }
    assert importing == {"tokens/behind_fence.py", "tokens/sentence_pieces.py"}


def message(**values: Any) -> bytes:
    written = json.dumps(values).encode()
    return len(written).to_bytes(HEAD_BYTES, "big") + written


def heard(told: bytes) -> Iterator[dict[str, Any]]:
    while told:
        end = HEAD_BYTES + int.from_bytes(told[:HEAD_BYTES], "big")
        yield json.loads(told[HEAD_BYTES:end])
        told = told[end:]


def test_the_process_itself() -> None:
    """What it says, asked without a process: who it is, what it has opened, and an answer to each question."""
    told = io.BytesIO()
    opening = message(kind="template", template=ECHO, special={})
    serve(io.BytesIO(opening + message(text="a", most=9) + message(text="b", most=9)), told, KINDS)
    assert list(heard(told.getvalue())) == [
        {"process": os.getpid()},
        {"answer": None},
        {"answer": {"prompt": "a", "places": [[0, 0], [1, 1]]}},
        {"answer": {"prompt": "b", "places": [[0, 0], [1, 1]]}},
    ]
    told = io.BytesIO()
    serve(io.BytesIO(message(kind="unknown") + message(text="a", most=9)), told, KINDS)
    assert list(heard(told.getvalue())) == [{"process": os.getpid()}, {"failed": "KeyError: 'unknown'"}]


def test_whatever_is_raised_is_an_answer() -> None:
    """What Rust did not expect is no Exception in Python."""
    panic = type("PanicException", (BaseException,), {})

    def broken(question: Any) -> None:
        raise question["raise"]

    assert answered(broken, {"raise": panic("index\x1b out\nof bounds")}) == {"failed": "PanicException: index\ufffd out"}
    assert answered(broken, {"raise": MemoryError()}) == {"failed": "MemoryError:"}
    refused = {"refused": "NoTokenizer", "values": {"path": "x", "reason": "a"}}
    assert answered(broken, {"raise": NoTokenizer(path="x", reason="a\nb")}) == refused
    assert (one_line(""), len(one_line("x" * 999))) == ("?", 200)
