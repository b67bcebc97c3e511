"""What a case is, what it came to, and from when on it is bad."""

import hashlib
import re

import attrs


@attrs.frozen
class Limits:
    """From when on an answer is late, a process has grown, and a window is blocked."""

    answer_s: float = 20.0
    growth_bytes: int = 2**30
    block_s: float = 1.0


@attrs.frozen
class Case:
    """`seed` alone decides what a case of a kind does."""

    kind: str
    seed: int


@attrs.frozen
class Bad:
    """What went wrong, the last place inside the program, and the traceback.

    `timed`: a busy machine can be the reason, so it counts only if it happens again.
    """

    what: str
    where: str = ""
    story: str = ""
    timed: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """Equal for two that are likely the same mistake: numbers and what is quoted differ from case to case."""
        return re.sub(r"\d+(\.\d+)?", "…", self.what.partition(":")[0]), self.where


@attrs.frozen
class Outcome:
    """`told` counts the ExplorerErrors by name; `warnings` are Qt's."""

    bad: tuple[Bad, ...] = ()
    told: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0


def seed_of(run_seed: int, kind: str, number: int) -> int:
    """The seed of the case `number` of a kind: the same on every machine and with every choice of kinds."""
    digest = hashlib.sha256(f"{run_seed} {kind} {number}".encode()).digest()
    return int.from_bytes(digest[:4], "big")
