"""The documents: every file they name is there, every room has its own, and the map says what the code says."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = ROOT / "explorer"
FOLDERS = (".github", "assets", "explorer", "tests")
DOCUMENTS = [ROOT / "README.md", *(path for each in FOLDERS for path in sorted((ROOT / each).rglob("README.md")))]
DOCUMENTS.append(ROOT / ".github" / "CONTRIBUTING.md")
MOST_STATIONS = 30
MOST_WORDS = 50
_LINK = re.compile(r"\]\(([^)#:]+)(?:#([^)]*))?\)")
_FILE = re.compile(r"`([\w./-]+\.(?:py|toml|md|tsv|txt))`")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(document: Path) -> set[str]:
    """What a link to a heading of a document may say."""
    return {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in _HEADING.findall(document.read_text("utf-8"))
    }


def dead_links(document: Path, text: str) -> Iterator[str]:
    """Links to files and headings that are not there."""
    for target, anchor in _LINK.findall(text):
        path = (document.parent / target).resolve()
        if not path.exists() or (anchor and anchor not in anchors(path)):
            yield f"{target}#{anchor}"


def missing_files(document: Path, text: str) -> Iterator[str]:
    """Files named in a text that are neither beside the document nor, by their path, in one of the project's folders."""
    roots = (document.parent, ROOT, CODE, ROOT / "tests")
    for name in _FILE.findall(text):
        if name.startswith("*") or "NAME" in name or "KEY" in name or "CODE" in name:
            continue
        if not any((root / name).exists() for root in roots) and not any(document.parent.rglob(name)):
            yield name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_and_heading_that_a_document_names_is_there(document: Path) -> None:
    """So that whoever follows it arrives; an example has its own files, and a bundle its notices."""
    text = re.sub(r"^```.*?^```", "", document.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert list(dead_links(document, text)) == []
    assert set(missing_files(document, text)) <= {"zh-en.tsv", "preset.toml", "NOTICES.txt"}


def test_a_dead_link_and_a_missing_file_would_be_found() -> None:
    """By path and by heading."""
    document = ROOT / "README.md"
    assert list(dead_links(document, "[a](gone.md) [b](explorer/README.md#no-heading) [c](explorer/README.md#words)")) == [
        "gone.md#",
        "explorer/README.md#no-heading",
    ]
    assert list(missing_files(document, "`explorer/gone.py` `explorer/config.py` `state/state.py`")) == ["explorer/gone.py"]


def test_every_room_has_a_readme() -> None:
    """Each folder of code with more than three files beside its own docstring."""
    rooms = {path.parent for path in CODE.rglob("*.py")}
    lacking = [room for room in rooms if len(list(room.glob("[!_]*.py"))) > 3 and not (room / "README.md").exists()]
    assert lacking == []


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading of the map."""
    text = (CODE / "README.md").read_text("utf-8")
    part = re.split(r"^#+ ", text.partition(f"# {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    lines = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line] for line in lines[1:]]


def definitions(word: str) -> list[str]:
    """The files of the program, by their paths below `explorer`, that define a class of this name."""
    defined = re.compile(rf"^class {word}\b", re.MULTILINE)
    return [path.relative_to(CODE).as_posix() for path in sorted(CODE.rglob("*.py")) if defined.search(path.read_text("utf-8"))]


def test_every_word_of_the_glossary_is_one_class_of_the_room_that_it_names() -> None:
    """One word, one thing; and no more words than somebody reads."""
    words = rows("Words")
    assert 30 <= len(words) <= MOST_WORDS
    assert len({word for word, *_ in words}) == len(words)
    wrong = {}
    for word, room, *_ in words:
        name, found = word.strip("*"), room.strip("`")
        files = definitions(name)
        if len(files) != 1 or files[0].split("/")[0] != found:
            wrong[name] = files
    assert wrong == {}


def test_a_word_in_the_wrong_room_would_be_found() -> None:
    """A class of another room, and a name that no class has."""
    assert definitions("Trace") == ["trace/trace.py"]
    assert definitions("Tarce") == []


def test_the_walk_is_short_and_its_stations_are_there() -> None:
    """A typed text reaches the screen within thirty files."""
    stations = [row[1].strip("`") for row in rows("The walk") if row[0].isdigit()]
    assert 20 <= len(stations) <= MOST_STATIONS
    assert all((CODE / station).exists() for station in stations)


def test_the_map_has_every_room_from_above_to_below() -> None:
    """In the order of the import contract; what shares a layer may stand in any."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0]["layers"]
    layer = {part.split(".")[1]: number for number, line in enumerate(contract) for part in line.split(" | ")}
    told = [re.findall(r"`(\w+)(?:/|\.py)`", row[0]) for row in rows("Rooms")]
    order = [max(layer[name] for name in names if name in layer) for names in told]
    assert order == sorted(order)
    rooms = {path.name for path in CODE.iterdir() if (path / "__init__.py").exists()}
    assert rooms <= {name for names in told for name in names}
