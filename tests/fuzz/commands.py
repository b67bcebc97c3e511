"""The command line with any words and flags: status 0 or 2, one line for an error, and never a traceback."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import click

from explorer.__main__ import main
from explorer.cli.main import commands as program
from explorer.config import KNOBS
from explorer.export import formats
from explorer.training.recipe import RECIPE_KNOBS
from tests.fuzz import tables, values, writing
from tests.fuzz.trial import Trial

_COMMANDS = (
    "show",
    "show",
    "export",
    "export",
    "export",
    "translate",
    "ablation",
    "heads",
    "attribution",
    "lens",
    "patching",
    "saliency",
    "evaluate",
    "train",
    "teach",
    "presets",
    "knobs",
    "--help",
    "--version",
    "nothing",
)
_TAPS = (
    "encoder.layers.0.self_attn.weights",
    "generator.logits",
    "decoder.layers.0.cross_attn.scores",
    "encoder.norm",
    "encoder.embedding.output",
    "decoder.layers.9.norm1",
    "nothing",
)
_FILES = (
    "a.png",
    "a.svg",
    "a.csv",
    "a.npz",
    "a.pdf",
    "a",
    "b/",
    "b/c.svg",
    "a.gif",
    ".",
    "x" * 300,
    "\0",
    "a\nb.png",
    "\udc80.svg",
    "好.safetensors",
)
_OTHER_FILES = ("", "/dev/null", "/dev/full/a.png", "-", "~/a.csv")
_EXPORTED = {
    "--tap": _TAPS,
    "--format": (*formats.names(), "PNG", "gif", ""),
    "--head": ("0", "all", "9", "-1", "x", "０"),
    "--layer": ("0", "all", "7", ""),
    "--dpi": ("24", "96", "inf", "1e400"),
    "--width": ("16", "300", "-1"),
}
_OF_A_STEP = 4 * 2**30  # bytes: forty rows of 256 tokens at once, with all that their gradients need
_WORDS = ("true", "tiny", "8", "zh", "en", "-1", "nan", "", "1e3")
_SMALL = ("--n-layers", "1", "--d-model", "16", "--d-ff", "16", "--vocab-size", "300", "--preset", "tiny")


def commands(trial: Trial) -> None:
    """One call, as a shell would make it."""
    chance = trial.chance
    arguments = _arguments(chance, trial.folder)
    given = b"\n".join(writing.text(chance, 10).encode("utf-8", "surrogatepass") for _ in range(chance.choice((0, 1, 3))))
    if arguments[0] in ("teach", "train"):
        trial.needs(_OF_A_STEP)
    with _streams(arguments, given + chance.choice((b"", b"\n", b"\xff\n", b"\0"))) as (said, told):
        status: object = 0
        try:
            main()
        except SystemExit as leaving:
            status = leaving.code
    story = f"{arguments!r}\nstatus {status}\n{told()[-2000:]}"
    if status not in (0, 2):
        trial.bad(f"exit status {status}", arguments[0], story)
    if "Traceback" in told() + said():
        trial.bad("a traceback on the screen", arguments[0], story)
    if status == 2:
        trial.told.append("status 2")
        lines = told().rstrip("\n").split("\n")
        if "translate" not in arguments and "train" not in arguments and len(lines) != 1:  # these tell about rows as well
            trial.bad(f"{len(lines)} lines for one error", arguments[0], story)
        if not told().strip():
            trial.bad("status 2 and no word about it", arguments[0], story)


@contextmanager
def _streams(arguments: list[str], given: bytes) -> Iterator[tuple[object, object]]:
    """The process's own streams and arguments exchanged; what was said and told can be asked for."""
    kept = sys.argv, sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.argv = ["transformer-explorer", *arguments]
    sys.stdin = io.TextIOWrapper(io.BytesIO(given), "utf-8")
    sys.stdout, sys.stderr = streams = io.TextIOWrapper(out, "utf-8"), io.TextIOWrapper(err, "utf-8")

    def read(stream: io.TextIOWrapper, raw: io.BytesIO) -> str:
        stream.flush()
        return raw.getvalue().decode("utf-8", "replace")

    try:
        yield (lambda: read(streams[0], out)), (lambda: read(streams[1], err))
    finally:
        sys.argv, sys.stdin, sys.stdout, sys.stderr = kept


def _arguments(chance: Random, folder: Path) -> list[str]:
    """A command that opens no window, with what it needs and some more."""
    name = chance.choice(_COMMANDS)
    words = [name, *_needed(name, chance, folder)]
    command = program.commands.get(name)
    for _ in range(chance.choice((0, 0, 1, 2, 4))):
        flags = [param.opts[0] for param in command.params if isinstance(param, click.Option)] if command else ["--language"]
        flag = chance.choice((*flags, *flags, *flags, "--language", "--help", "--nothing", "-x", writing.word(chance)))
        if flag in ("--out", "--steps", "--epochs", "--device"):  # where nothing else would be written; and an end in sight
            continue
        value = _value(flag, chance)
        words[1:1] = chance.choice(([flag, value], [f"{flag}={value}"], [flag]))
    if chance.random() < 0.03:
        words.insert(1, "--")
    return words


def _needed(name: str, chance: Random, folder: Path) -> list[str]:
    text = chance.choice((writing.text(chance), writing.sentence(chance)))
    if name in ("ablation", "heads", "attribution", "lens", "saliency"):
        return [text[:12], *chance.choice((_SMALL, ()))]
    if name == "patching":
        return [text[:12], chance.choice((text[:12][::-1], writing.word(chance))), *chance.choice((_SMALL, ()))]
    if name == "show":
        return [text, *chance.choice((_SMALL, _SMALL, ()))]
    if name == "export":
        found = [text, "--out", chance.choice((*(f"{folder}/{out}" for out in _FILES), *_OTHER_FILES)), *_SMALL]
        for flag, offered in _EXPORTED.items():
            if chance.random() < (0.8 if flag == "--tap" else 0.3):
                found += [flag, chance.choice(offered)]
        return found
    if name == "translate":
        return chance.choice(([], [text], [text, "--beam", "2"]))
    data = str(tables.write(folder / "data.tsv", chance, fine=0.8))
    if name == "evaluate":
        return ["--data", data, "--split", chance.choice(("valid", "test"))]
    if name == "train":
        device = chance.choice(("cpu", "auto", "no"))
        return ["--data", data, "--out", str(folder / "out"), *_SMALL, "--epochs", "1", "--device", device]
    if name == "teach":
        words = [part for _ in range(chance.choice((0, 1, 2))) for part in ("--word", writing.word(chance))]
        return ["--data", data, "--keep", data, "--out", str(folder / "out"), "--steps", "1", *words]
    return []


def _value(flag: str, chance: Random) -> str:
    """Right as often as not; sizes stay small, since a case shall be quick."""
    for knob in (*KNOBS, *RECIPE_KNOBS):
        if flag == f"--{knob.name.replace('_', '-')}" and chance.random() < 0.7:
            if knob.choices:
                return chance.choice(knob.choices)
            return str(
                chance.choice(
                    (
                        knob.valid.low,
                        knob.default,
                        min(knob.valid.high, knob.valid.low * 2),
                        knob.valid.low - 1,
                        knob.valid.high + 1,
                    )
                )
            )
    return chance.choice((writing.word(chance), str(values.number(chance)), *_WORDS))
