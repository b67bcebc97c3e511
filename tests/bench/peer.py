"""The peers: an environment of their own, and processes in it that do the same work when they are asked to."""

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any

_ROOT = Path(__file__).parents[2]
PEERS = ("transformer-lens>=4,<5", "nnsight>=0.8,<0.9", "matplotlib")


class PeerFailed(Exception):  # noqa: N818  # as in explorer/errors: a name says what happened
    """A process of the peers ended; what it said stands on the standard error output."""


def environment(folder: Path) -> Path:
    """The interpreter of the environment in `folder`, which is made where it is not there; that takes minutes."""
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done = folder / "complete"
    if not done.exists():
        print(f"making the environment of the peers in {folder}", file=sys.stderr)
        venv.EnvBuilder(with_pip=True, clear=True).create(folder)
        subprocess.run(install_command(python), check=True, stdout=sys.stderr)
        done.touch()
    return python


def install_command(python: Path) -> list[str]:
    """torch is the version beside us, so that both sides compute with the same."""
    torch = version("torch").partition("+")[0]
    return [str(python), "-m", "pip", "install", "--quiet", f"torch=={torch}", *PEERS]


class Peer:
    """One process, for as long as a `with` block lasts."""

    def __init__(self, python: Path, module: str, *arguments: str) -> None:
        offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
        self._process = subprocess.Popen(
            [str(python), "-m", f"tests.bench.peers.{module}", *arguments],
            cwd=_ROOT,
            text=True,
            encoding="utf-8",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **offline},
        )
        self.about: Any = self._answer()

    def ask(self, what: str, **values: object) -> Any:
        """Its answer. Raises PeerFailed."""
        assert self._process.stdin is not None  # for the type checker
        print(json.dumps({"what": what, **values}), file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None  # for the type checker
        line = self._process.stdout.readline()
        if not line:
            raise PeerFailed(f"exit status {self._process.wait()}")
        return json.loads(line)

    def __enter__(self) -> "Peer":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None  # for the type checker
            pipe.close()
        self._process.wait()


@contextmanager
def figures(python: Path) -> Iterator[Peer]:
    """matplotlib with our font."""
    from explorer.resources import asset

    with Peer(python, "figures", str(asset("fonts/TXSansSC-Regular.otf"))) as peer:
        yield peer
