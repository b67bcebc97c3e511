"""The recipes of CONTRIBUTING work as they are printed.

Each diff fits the tree. In a copy of it, the recipe's tests fail without the diff's code and pass with it.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs
import pytest

ROOT = Path(__file__).parents[1]
CONTRIBUTING = ROOT / ".github" / "CONTRIBUTING.md"
COPIED = ("explorer", "assets", "tests", "pyproject.toml", "README.md")
PYTEST = ".venv/bin/python -m pytest "
OUTSIDE = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
"""The environment without what pytest and the fixtures of a test set in it."""
_COUNTS = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


class MisfitError(Exception):
    """A diff that is malformed, or that the tree has moved away from. Says the file and the line."""


@attrs.frozen
class Hunk:
    """Lines of a file before and after; the file is new if nothing was there before."""

    path: str
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def is_test(self) -> bool:
        """Whether it belongs to the tests and not to what they test."""
        return self.path.startswith("tests/")

    @property
    def new_test(self) -> bool:
        """Whether it is a new file of tests."""
        return self.is_test and not self.before and Path(self.path).name.startswith("test_")


@attrs.frozen
class Recipe:
    """A section of CONTRIBUTING with its diffs, and the lines that run its tests."""

    name: str
    diff: str
    commands: tuple[tuple[str, ...], ...]

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """The parts of the diff. Raises MisfitError."""
        return tuple(hunks(self.diff))

    @property
    def new_tests(self) -> tuple[str, ...]:
        """Of the commands, what must fail without the code: the new files of tests, or all where there is none."""
        return tuple(hunk.path for hunk in self.hunks if hunk.new_test) or self.commands[-1]


def recipes(text: str) -> Iterator[Recipe]:
    """The recipes that a document prints."""
    part = re.split(r"^## ", text.partition("\n## Recipes\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    for section in part.split("\n### ")[1:]:
        fences = re.findall(r"^```(\w*)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        diff = "".join(inside for kind, inside in fences if kind == "diff")
        lines = [line for kind, inside in fences if not kind for line in inside.replace("\\\n", "").splitlines()]
        commands = tuple(tuple(shlex.split(line.removeprefix(PYTEST))) for line in lines if line.startswith(PYTEST))
        yield Recipe(section.partition("\n")[0], diff, commands)


def hunks(diff: str) -> Iterator[Hunk]:
    """The parts of a unified diff. Raises MisfitError where its lines are not as many as its headers say."""
    lines, path = iter(diff.splitlines()), ""
    for line in lines:
        if line.startswith("--- "):
            path = next(lines).removeprefix("+++ b/")
            continue
        counts = _COUNTS.fullmatch(line)
        if counts is None:
            raise MisfitError(f"{path}: behind the lines that are counted: {line!r}")
        n_before, n_after = (int(count or 1) for count in counts.groups())
        before: list[str] = []
        after: list[str] = []
        while len(before) < n_before or len(after) < n_after:
            line = next(lines, "the end")
            sign, content = line[:1] or " ", line[1:]
            before += [content] if sign in " -" else []
            after += [content] if sign in " +" else []
            if sign not in " -+" or len(before) > n_before or len(after) > n_after:
                raise MisfitError(f"{path}: not the lines that {counts[0]} counts, up to {line!r}")
        yield Hunk(path, tuple(before), tuple(after))


def apply(parts: Iterable[Hunk], root: Path) -> dict[str, str]:
    """The new texts of the files that the parts change. Raises MisfitError."""
    made: dict[str, list[str]] = {}
    for hunk in parts:
        path = root / hunk.path
        if hunk.path not in made:
            if path.exists() != bool(hunk.before):
                raise MisfitError(f"{hunk.path}: {'there is no such file' if hunk.before else 'is there already'}")
            made[hunk.path] = path.read_text("utf-8").splitlines() if hunk.before else []
        made[hunk.path] = _replaced(made[hunk.path], hunk)
    return {path: "\n".join(lines) + "\n" for path, lines in made.items()}


def _replaced(lines: list[str], hunk: Hunk) -> list[str]:
    """The lines with those of the part in place of the ones before, which must stand there once, whatever their number is."""
    n_lines, found, longest = len(hunk.before), [], 0
    for at in range(len(lines) - n_lines + 1):
        alike = next((n for n in range(n_lines) if lines[at + n] != hunk.before[n]), n_lines)
        longest = max(longest, alike)
        if alike == n_lines:
            found.append(at)
    if len(found) > 1:
        raise MisfitError(f"{hunk.path}: these lines stand there {len(found)} times: {list(hunk.before)}")
    if not found:
        raise MisfitError(f"{hunk.path}: this line no longer fits: {hunk.before[longest]!r}")
    return [*lines[: found[0]], *hunk.after, *lines[found[0] + n_lines :]]


def write(files: dict[str, str], root: Path) -> None:
    """Write the files below a folder."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="\n")


def run(tree: Path, arguments: Iterable[str]) -> subprocess.CompletedProcess[str]:
    """Run some tests of a tree."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=tree, env=OUTSIDE, capture_output=True, text=True, encoding="utf-8", check=False)


def check(recipe: Recipe, tree: Path) -> None:
    """Write the recipe's tests into a tree, which fail, and then its code, with which they pass. Raises AssertionError."""
    changed = apply(recipe.hunks, tree)
    write({path: text for path, text in changed.items() if path.startswith("tests/")}, tree)
    without = run(tree, ["-q", "-x", *recipe.new_tests])
    assert without.returncode in (1, 2), f"its tests pass without its code:\n{without.stdout}{without.stderr}"
    write(changed, tree)
    for command in recipe.commands:
        done = run(tree, command)
        assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout[-8000:]}{done.stderr}"


RECIPES = tuple(recipes(CONTRIBUTING.read_text("utf-8")))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the tree that a test may change."""
    copy = tmp_path / "tree"
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name)
        else:
            shutil.copy2(ROOT / name, copy / name)
    return copy


def test_every_recipe_has_a_diff_and_names_its_tests() -> None:
    """Code and tests, both; the recipes are those that people look for."""
    names = {recipe.name.split(" ", 1)[1] for recipe in RECIPES}
    assert names >= {"knob", "tap", "page", "kind of picture", "export format", "experiment", "lesson", "family of models"}
    for recipe in RECIPES:
        assert {hunk.is_test for hunk in recipe.hunks} == {True, False}, recipe.name
        assert recipe.commands, recipe.name


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name.replace(" ", "_"))
def test_a_recipe_fits_the_tree(recipe: Recipe) -> None:
    """Every line that it shows around its own is there, once."""
    apply(recipe.hunks, ROOT)


@pytest.mark.slow  # each starts the tests of the recipe twice, in processes of their own
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name.replace(" ", "_"))
def test_the_tests_of_a_recipe_need_its_code_and_pass_with_it(recipe: Recipe, tree: Path) -> None:
    """First come the tests alone, then the code."""
    check(recipe, tree)


DOCUMENT = """
## Recipes

### A line

```diff
--- a/explorer/a.txt
+++ b/explorer/a.txt
@@ -2,2 +2,3 @@
 two
+and a half
 three
--- /dev/null
+++ b/tests/test_a.py
@@ -0,0 +1 @@
+assert True
```

```
.venv/bin/python -m pytest -q tests/test_a.py -k "a or b"
```

## Versions
"""


def test_a_diff_that_no_longer_fits_is_told_with_its_line(tmp_path: Path) -> None:
    """And so is one that fits twice, one of a file that is gone, and one whose counts are wrong."""
    (recipe,) = recipes(DOCUMENT)
    assert recipe.name == "A line" and recipe.commands == (("-q", "tests/test_a.py", "-k", "a or b"),)
    (tmp_path / "explorer").mkdir()
    file = tmp_path / "explorer" / "a.txt"
    with pytest.raises(MisfitError, match=r"explorer/a.txt: there is no such file"):
        apply(recipe.hunks, tmp_path)
    for text, told in (("one\ntwo\nthird\n", "no longer fits: 'three'"), ("two\nthree\ntwo\nthree\n", "stand there 2 times")):
        file.write_text(text)
        with pytest.raises(MisfitError, match=rf"explorer/a.txt: .*{told}"):
            apply(recipe.hunks, tmp_path)
    file.write_text("one\ntwo\nthree\n")
    assert apply(recipe.hunks, tmp_path) == {
        "explorer/a.txt": "one\ntwo\nand a half\nthree\n",
        "tests/test_a.py": "assert True\n",
    }
    for wrong in ("+2,4 @@", "+2,2 @@"):
        with pytest.raises(MisfitError, match="the lines that"):
            apply(attrs.evolve(recipe, diff=recipe.diff.replace("+2,3 @@", wrong)).hunks, tmp_path)


@pytest.mark.slow  # three processes
def test_tests_that_need_no_code_or_do_not_pass_with_it_are_found_out(tmp_path: Path) -> None:
    """So that the comparison above says something."""
    (recipe,) = recipes(DOCUMENT)
    write({"explorer/a.txt": "one\ntwo\nthree\n"}, tmp_path)
    for test, told in (("def test_a(): pass", "pass without its code"), ("def test_a(): assert False", "assert False")):
        with pytest.raises(AssertionError, match=told):
            check(attrs.evolve(recipe, diff=recipe.diff.replace("assert True", test)), tmp_path)
        (tmp_path / "tests" / "test_a.py").unlink()
        write({"explorer/a.txt": "one\ntwo\nthree\n"}, tmp_path)
