"""The command that runs before a commit, and what runs in CI."""

import re
from pathlib import Path

import pytest

from tests.check import ALL, COUNTED, COVERAGE, EXHAUSTIVE, FAST, STYLE, WAYS, Command, check, main
from tests.journeys.conftest import QUICK

ROOT = Path(__file__).parents[1]


def test_it_stops_at_the_first_step_that_fails(capsys: pytest.CaptureFixture[str]) -> None:
    """Its status is that step's, and its line says so."""
    run: list[Command] = []

    def fail_at_types(step: Command) -> int:
        run.append(step)
        return 3 if step == ("mypy",) else 0

    assert check(FAST, fail_at_types) == 3
    assert run == list(STYLE[:3])
    assert re.search(r"^FAILED  mypy", capsys.readouterr().out, re.MULTILINE)


def test_it_passes_where_every_step_does() -> None:
    """And each of them is taken, in order."""
    run: list[Command] = []
    assert check(ALL, lambda step: run.append(step) or 0) == 0  # type: ignore[func-returns-value]
    assert run == list(ALL)


def test_before_a_commit_runs_what_runs_in_ci() -> None:
    """But for the slow tests and for coverage, which a part of the tests says nothing about."""
    assert FAST[:-1] == ALL[:-1] == STYLE == COVERAGE[: len(STYLE)]
    assert FAST[-1] == (*ALL[-1], "-m", "not slow and not exhaustive")


def test_coverage_is_measured_of_all_tests() -> None:
    """Of the very same ones, and held against its limits before the exhaustive ones follow."""
    *style, tests, limits, exhaustive = COVERAGE
    assert (*style, tests) == (*ALL[:-1], (*ALL[-1], *COUNTED))
    assert limits == ("python", "-m", "tests.coverage_limits")
    assert exhaustive == EXHAUSTIVE == (*ALL[-1], "-m", "exhaustive")


def test_ci_runs_the_line_of_the_readme_and_that_is_this_command() -> None:
    """So that the three cannot drift apart. CI measures coverage as well."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"<!-- tests -->\n```\n(.+)\n```\n<!-- end -->", readme)

    assert line.endswith("&& .venv/bin/python -m tests.check --all")
    assert 'bash -c "$(block tests) --coverage"' in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert WAYS[tuple(f"{line} --coverage".partition("tests.check ")[2].split())] == COVERAGE


def test_an_unknown_argument_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """With how it is used; nothing is run."""
    for arguments in (["--al"], ["--coverage"], ["--all", "--all"]):
        assert main(arguments) == 2
        assert "--all" in capsys.readouterr().err


def test_the_journeys_that_are_made_before_a_commit_are_there() -> None:
    """A file that was renamed would quietly be slow."""
    assert all((ROOT / "tests" / "journeys" / name).exists() for name in QUICK)
