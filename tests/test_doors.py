"""Bytes of strangers come through one door: what opens, unpickles or decodes them is looked for in the program's own text."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import explorer

ROOT = Path(explorer.__file__).parent
_READING = frozenset("rbt+U")
_OF_FILES = frozenset({"encoding", "errors", "newline", "buffering"})
_READS = ("read_text", "read_bytes", "fromfile", "memmap", "loadtxt", "genfromtxt", "safe_open", "load_file", "read_config")
_DOOR = "files.py"
ALLOWED = {
    _DOOR: "it is the door",
    "tokens/fence_process.py": "the null device, and pipes that this program made",
    "tokens/fenced_tokenizer.py": "it opens the fence, and no file",
    "engine/speed/packed.py": "what the kernel says of its processor",
    "model/weights_file.py": "safetensors opens by name, after `read_header` came through the door",
    "training/checkpoint.py": "safetensors opens by name, after `read_header` came through the door",
    "foreign/tensors.py": "safetensors opens by name, after `check_folder` came through the door",
    "foreign/adapter.py": "safetensors opens by name, after `read_header` came through the door",
}
"""The files that open others by themselves, with the reason."""
OWN_JSON = {
    "json_text.py": "it is the door",
    "install/qt_probe.py": "what this program says of itself in another process",
    "scanning/progress_file.py": "a plan of this process, made what JSON would make of it",
    "model/weights_header.py": "the library safetensors, which reads the header after it, refuses half letters",
    "tokens/fence.py": "what this program's own process answers",
    "tokens/fence_process.py": "what this program asks its own process",
    "tokens/foreign_tokenizer.py": "what the library tokenizers writes of its own tokenizer",
}
"""The files that read JSON by themselves, with the reason."""
UNPICKLING = frozenset({"QSettings", "pickle", "cPickle", "dill", "marshal", "shelve", "joblib", "cloudpickle"})


def _is_own(call: ast.Attribute) -> bool:
    """Whether it is a method of `asset(…)`, a file of the program itself."""
    inside = call.value
    return isinstance(inside, ast.Call) and ast.unparse(inside.func) in ("asset", "resources.asset")


def _is_reading(call: ast.Call, place: int, *, without: bool) -> bool:
    """Whether a call of `open` reads, by its mode at `place` among the arguments; `without` a mode, as is said here."""
    modes = [each.value for each in call.keywords if each.arg == "mode"]
    modes += call.args[place : place + 1]
    if not modes:
        return without or any(each.arg in _OF_FILES for each in call.keywords)
    mode = modes[0]
    if not isinstance(mode, ast.Constant) or not isinstance(mode.value, str):
        return place == 1 and not isinstance(mode, ast.Constant)
    return "r" in mode.value and set(mode.value) <= _READING


def opens(source: str) -> Iterator[str]:
    """Every place in a program's text that opens a file to read it. `x.open()` whose value nobody takes opens a dialog."""
    tree = ast.parse(source)
    untaken = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id == "open" and _is_reading(node, 1, without=True):
            yield ast.unparse(node)
        if isinstance(called, ast.Name) and called.id in _READS:
            yield ast.unparse(node)
        if isinstance(called, ast.Attribute):
            module = ast.unparse(called.value)
            bare = not node.args and not node.keywords and id(node) not in untaken
            elsewhere = module in ("io", "codecs", "os") or bare or _is_reading(node, 0, without=False)
            if (called.attr == "open" and elsewhere) or (called.attr in _READS and not _is_own(called)):
                yield ast.unparse(node)


def unpickles(source: str) -> Iterator[str]:
    """Every name in a program's text that leads to objects out of bytes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
            yield from (name for name in names if UNPICKLING & set(name.split(".")))
        elif isinstance(node, ast.Attribute) and node.attr == "QSettings":
            yield ast.unparse(node)
        elif isinstance(node, ast.keyword) and node.arg == "allow_pickle" and ast.unparse(node.value) != "False":
            yield f"allow_pickle={ast.unparse(node.value)}"
        elif isinstance(node, ast.keyword) and node.arg == "weights_only" and ast.unparse(node.value) != "True":
            yield f"weights_only={ast.unparse(node.value)}"


def json_readers(source: str) -> Iterator[str]:
    """Every call in a program's text of Python's own reader of JSON."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("json.loads", "json.load", "json.JSONDecoder"):
            yield ast.unparse(node)
        elif isinstance(node, ast.ImportFrom) and node.module in ("json", "json.decoder"):
            yield from (alias.name for alias in node.names if alias.name in ("load", "loads", "JSONDecoder"))


def _in_program(find: Callable[[str], Iterator[str]]) -> dict[str, list[str]]:
    found = {}
    for path in ROOT.rglob("*.py"):
        name = path.relative_to(ROOT).as_posix()
        found[name] = list(find(path.read_text(encoding="utf-8")))
    return {name: each for name, each in found.items() if each}


def test_every_file_that_anybody_else_may_have_made_comes_through_files_opened() -> None:
    """A pipe would be waited for, and a device never ends; `files.opened` refuses both."""
    assert set(_in_program(opens)) - set(ALLOWED) == set()


def test_no_exception_from_the_door_is_left_over() -> None:
    """So that the list stays as short as it is needed."""
    assert set(_in_program(opens)) == set(ALLOWED)


@pytest.mark.parametrize(
    "source",
    [
        "open(path)",
        "open(path, 'rb')",
        "open(path, mode)",
        "with path.open() as file: pass",
        "text = path.open().read()",
        "path.open('rb')",
        "path.open(mode='r', encoding='utf-8')",
        "path.open(encoding='utf-8')",
        "path.read_text()",
        "(folder / name).read_bytes()",
        "io.open(path)",
        "os.open(path, 0)",
        "np.fromfile(path)",
        "np.memmap(path)",
        "safe_open(path, framework='pt')",
    ],
)
def test_another_way_to_a_file_would_be_found(source: str) -> None:
    """However it is opened."""
    assert list(opens(source))


@pytest.mark.parametrize(
    "source",
    ["open(path, 'w')", "path.open('ab')", "asset('a').read_bytes()", "bundle.open(name)", "opened(path)", "p.write_text('a')"],
)
def test_what_writes_or_comes_through_the_door_is_let_through(source: str) -> None:
    """And so are the program's own files, and members of an archive that was opened."""
    assert not list(opens(source))
    assert not list(opens("dialog.open()"))


def test_json_of_others_is_read_by_one_function() -> None:
    """Half a letter in it would be met by whoever writes it, and numbers without end by whoever computes with them."""
    assert set(_in_program(json_readers)) == set(OWN_JSON)


@pytest.mark.parametrize("source", ["json.loads(text)", "json.load(file)", "from json import loads", "json.JSONDecoder()"])
def test_another_reader_of_json_would_be_found(source: str) -> None:
    """And writing it is let through."""
    assert list(json_readers(source)) and not list(json_readers("json.dumps(table)"))


def test_nothing_is_unpickled_and_settings_of_qt_least_of_all() -> None:
    """QSettings decodes values that hold any Python object, which PySide unpickles."""
    assert _in_program(unpickles) == {}


@pytest.mark.parametrize(
    "source",
    [
        "from PySide6.QtCore import QObject, QSettings",
        "QtCore.QSettings('a', 'b')",
        "import pickle",
        "from marshal import loads",
        "np.load(file, allow_pickle=True)",
        "torch.load(path, weights_only=False)",
    ],
)
def test_what_unpickles_would_be_found(source: str) -> None:
    """By whatever name."""
    assert list(unpickles(source))
