"""What keeps numbers honest: nothing that is drawn can be made up."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import explorer

ROOT = Path(explorer.__file__).parent
DRAWN = ("picture", "views", "app")
CHANCE = re.compile(
    r"^(random|secrets|uuid)(\.|$)|"
    r"^(numpy|np|torch)\.(random|rand|randn|randint|randperm|normal|bernoulli)(\.|$)"
)
# The order in which the answers to a question stand, and nothing else.
ALLOWED = {"app/lessons/quiz.py": {"random", "random.Random", "random.Random(zlib.crc32(asked.ask.zh.encode())).shuffle"}}


def chances(source: str) -> Iterator[str]:
    """Every name in a program's text that leads to random numbers."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if CHANCE.match(alias.name))
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names if CHANCE.match(f"{node.module}.{alias.name}"))
        elif isinstance(node, ast.Attribute):
            name = ast.unparse(node)
            if CHANCE.match(name):
                yield name
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            yield from (each.value for each in node.args if isinstance(each, ast.Constant) and CHANCE.match(str(each.value)))


@pytest.mark.parametrize("room", DRAWN)
def test_no_picture_view_or_page_has_a_source_of_random_numbers(room: str) -> None:
    """A view of made-up numbers looks just like one of recorded ones; so nobody there can make any."""
    found = {
        path.relative_to(ROOT).as_posix(): list(chances(path.read_text(encoding="utf-8")))
        for path in (ROOT / room).rglob("*.py")
    }
    assert found
    assert {name: names for name, names in found.items() if not set(names) <= ALLOWED.get(name, set())} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import random",
        "from random import gauss",
        "import numpy as np\nx = np.random.rand(3)",
        "from numpy import random",
        "from numpy.random import default_rng",
        "import torch\nx = torch.randn(3)",
        "import secrets",
        "from torch import rand",
        "import importlib\nimportlib.import_module('random')",
        "import numpy.random as r",
    ],
)
def test_a_source_of_random_numbers_would_be_found(source: str) -> None:
    """However it is brought in."""
    assert list(chances(source))


@pytest.mark.parametrize("source", ["import math\nmath.sin(1)", "x = 'a random word'", "from explorer.trace import search"])
def test_other_programs_are_let_through(source: str) -> None:
    """So that the guard says something."""
    assert not list(chances(source))


def mask_values(source: str) -> list[int]:
    """The lines of a program's text that write -1e9 as a number, in whatever notation."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
        and node.operand.value == 1e9
    ]


def test_the_value_of_a_closed_cell_stands_in_one_file() -> None:
    """Whoever wants to know which cells are closed asks `closed_cells`; what they hold is declared beside the knob."""
    found = {path.name for path in ROOT.rglob("*.py") if mask_values(path.read_text(encoding="utf-8"))}

    assert found == {"config.py"}


def test_another_one_would_be_found() -> None:
    """In a comparison and as a value; the bytes of a gigabyte are something else."""
    assert mask_values("open_ = scores > -1e9\nx = [-1000000000.0]\ngigabytes = n / 1e9") == [1, 2]


def configs(source: str) -> Iterator[str]:
    """Every place in a program's text that asks a Config, or brings the class in."""
    for node in ast.walk(ast.parse(source)):
        if (isinstance(node, ast.Attribute) and node.attr == "config") or (isinstance(node, ast.Name) and node.id == "Config"):
            yield ast.unparse(node)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            yield from (alias.name for alias in node.names if alias.name == "Config")
        elif isinstance(node, ast.Constant) and node.value in ("config", "Config"):
            yield repr(node.value)  # getattr(trace, "config")


@pytest.mark.parametrize("room", ["picture", "lessons", "views/pictures"])
def test_pictures_and_lessons_ask_the_card_and_never_the_config(room: str) -> None:
    """A model of somebody else's has a card and no Config, and is to be drawn by the same makers."""
    found = {
        path.relative_to(ROOT).as_posix(): list(configs(path.read_text(encoding="utf-8")))
        for path in (ROOT / room).rglob("*.py")
    }
    assert found
    assert {name: places for name, places in found.items() if places} == {}


@pytest.mark.parametrize(
    "source",
    [
        "n = trace.config.n_layers",
        "config = trace.config",
        "from explorer.config import Config",
        "from explorer.config import KNOBS, Config as C",
        "import explorer.config\nexplorer.config.Config()",
        "getattr(trace, 'config')",
        "def f(config: 'Config') -> int: return config.n_layers",
    ],
)
def test_whoever_asks_the_config_would_be_found(source: str) -> None:
    """However it is asked."""
    assert list(configs(source))


def test_whoever_asks_the_card_is_let_through() -> None:
    """And so is a lesson that checks a value against the declaration of its knob."""
    assert not list(configs("from explorer.config import find_knob\ntrace.card.side(tap).n_layers\nconfiguration = 1"))
