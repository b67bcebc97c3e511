"""The command many: what ablations, patches or attention heads do on every prompt of a file, as a file for the window."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from explorer.cli.completing import of_words, presets_completed
from explorer.cli.flags import choice_flag, choice_of, knob_flags
from explorer.cli.passes import computer, turned_knobs
from explorer.cli.spoken import SpokenCommand
from explorer.cli.stopping import stopping
from explorer.config import KNOBS
from explorer.errors import FlagsExclude, NotPrompts, UnknownFormat
from explorer.lang import Words
from explorer.presets import DEFAULT
from explorer.progress_line import ProgressLine
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop, Superseded
from explorer.trace.choices import PAIR_METRICS, PROMPT_METRICS
from explorer.trace.found.experiments import PATCHING

if TYPE_CHECKING:
    from explorer.engine.many.passes import ManyPasses
    from explorer.trace.found.over_prompts import OverPrompts

EXPERIMENTS = ("ablation", PATCHING.key, "heads")
_PAIR_METRIC = "next"
_SHOWN = 6  # lines


@click.command(cls=SpokenCommand)
@click.argument("file")
@click.option("--out", required=True, metavar="PATH")
@choice_flag("--experiment", "experiment", EXPERIMENTS, EXPERIMENTS[0])
@click.option("--metric", metavar="WORD", shell_complete=of_words(PROMPT_METRICS))
@click.option("--receiver", metavar="PLACE")
@click.option("--ids", "by_ids", is_flag=True)
@click.option("--preset", default=DEFAULT, show_default=True, metavar="NAME", shell_complete=presets_completed)
@click.option("--adapter", default="", metavar="FOLDER")
@knob_flags(KNOBS)
@click.pass_obj
def many(words: Words, /, file: str, out: str, *, by_ids: bool, **given: Any) -> int:
    """Ablate, patch, or measure the heads on each prompt of FILE, and write the values of every prompt to a file."""
    from explorer.engine.request import Request
    from explorer.state.held_out import columns_in

    asked = _Asked(given["experiment"], given["metric"], given["receiver"], Path(out))
    asked.check()
    wish = Request.from_preset(given["preset"], "", **turned_knobs(given)).wishing(adapter=given["adapter"], by_ids=by_ids).wish
    rows = columns_in(Path(file))
    line = ProgressLine()
    with stopping() as stopped:
        try:
            found = asked.found(computer().many, wish, rows, stopped.is_set, lambda share: line.show(f"{share:.0%}"))
        except Superseded:
            line.end()
            return 130
    line.end()
    found.save(out)
    for told in _lines(found, out, words):
        click.echo(told)
    return 0


@attrs.frozen
class _Asked:
    """What the flags ask for."""

    experiment: str
    metric: str | None
    receiver: str | None
    out: Path

    def check(self) -> None:
        """Raises UnknownFormat, FlagsExclude, KnobNotAChoice."""
        from explorer.trace.found.prompts_file import SUFFIX

        if self.out.suffix.lower() != SUFFIX:
            raise UnknownFormat(name=self.out.suffix or self.out.name, known=SUFFIX)
        for flag, value, of in (("--metric", self.metric, "heads"), ("--receiver", self.receiver, "heads ablation")):
            if value is not None and self.experiment in of.split():
                raise FlagsExclude(first=flag, second=f"--experiment {self.experiment}")
        known = PAIR_METRICS if self.experiment == PATCHING.key else PROMPT_METRICS
        if self.metric is not None:
            choice_of("--metric", known).check(self.metric)

    def found(
        self, passes: "ManyPasses", wish: Wish, rows: list[tuple[str, ...]], stop: Stop, progress: Progress
    ) -> "OverPrompts":
        """The result. Raises NotPrompts for a line that is no pair, BadPrompt, Superseded, and what opening a model raises."""
        texts = [row[0] for row in rows]
        if self.experiment == "heads":
            return passes(wish, texts, ("*.weights",), stop, progress).over_prompts()
        if self.experiment == "ablation":
            return passes.ablated(wish, texts, self.metric or PROMPT_METRICS[0], stop, progress)
        for number, row in enumerate(rows):
            if len(row) < 2:
                raise NotPrompts(number=number)
        pairs, metric = [(row[0], row[1]) for row in rows], self.metric or _PAIR_METRIC
        if self.receiver is None:
            return passes.patched(wish, pairs, metric, stop, progress)
        return passes.paths_patched(wish, pairs, self.receiver, metric, stop, progress, freezes_networks=True)


def _lines(found: "OverPrompts", out: str, words: Words) -> list[str]:
    """Where the result is, and the parts with the largest means of the first kind."""
    kind = next(iter(found.maps))
    told, axes = found.largest(kind, _SHOWN), found.maps[kind].axes
    lines = [words("many.written", count=len(found.prompts), path=out)]
    for n in range(len(told["mean"])):
        place = " ".join(f"{name} {told[name][n]}" for name in axes)
        low, high = told["low"][n], told["high"][n]
        between = f"({low:+.3f} … {high:+.3f})" if math.isfinite(low) else "–"
        lines.append(f"{place:56} {told['mean'][n]:+8.3f} {between}")
    return lines
