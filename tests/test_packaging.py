"""The wheel: built, installed where nothing else of the program is, and used."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # a wheel is built and installed

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = folder.glob("*.whl")
    return made


def test_the_wheel_carries_every_asset(wheel: Path) -> None:
    """Each file of `assets/` lies in the package, byte by byte, and nothing of the tests does."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        for path in (ROOT / "assets").rglob("*"):
            if path.is_file():
                assert archive.read(f"explorer/assets/{path.relative_to(ROOT / 'assets').as_posix()}") == path.read_bytes()
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "explorer").rglob("*.py")}
    assert modules <= names
    assert not [name for name in names if name.startswith("tests/")]


def test_the_wheel_works_in_an_empty_place(wheel: Path, tmp_path: Path) -> None:
    """Installed by pip without the checkout, the command cuts the sentence and records it.

    The libraries come from this environment through a .pth file behind the wheel's own folder: they are not its matter.
    """
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}

    def run(*command: str | Path) -> str:
        (tmp_path / "empty").mkdir(exist_ok=True)
        done = subprocess.run(
            [*map(str, command)],
            cwd=tmp_path / "empty",
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet", wheel)
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    where = Path(run(python, "-c", "import explorer; print(explorer.__file__)").strip())
    assert where == site / "explorer" / "__init__.py"
    shown = run(python.with_name("transformer-explorer"), "show", "我爱北京天安门")
    assert "我 / 爱 / 北京 / 天安门" in shown and "generator.probabilities" in shown
    run(python.with_name("transformer-explorer"), "export", "我", "--tap", "encoder.norm", "--out", "a.svg")
    assert "TX Sans SC" in (tmp_path / "empty" / "a.svg").read_text("utf-8")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="it is asked of a checkout, and git knows what is in it")
def test_nothing_has_slipped_to_the_top() -> None:
    """A picture from a trial lay there once."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout

    assert {line.partition("/")[0] for line in listed.splitlines()} == {
        *(".ci", ".gitattributes", ".github", ".gitignore", "LICENSE", "README.md"),
        *("assets", "explorer", "pyproject.toml", "tests"),
    }
