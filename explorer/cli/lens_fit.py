"""The command fit-lens: fits the Jacobian lens of a trained preset and measures it on held-out rows."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from explorer.cli.flags import number_flag
from explorer.cli.spoken import SpokenCommand
from explorer.errors import NotTrained
from explorer.lang import Words
from explorer.presets import DEFAULT, load_preset
from explorer.progress_line import ProgressLine
from explorer.resources import asset

if TYPE_CHECKING:
    from explorer.trace.found.lens import Agreement

_HELD_OUT = "presets/translator/held-out.tsv"
_SENTENCES, _MOST = 200, 100_000


@click.command("fit-lens", cls=SpokenCommand)
@click.option("--preset", default=DEFAULT, show_default=True, metavar="NAME|FOLDER")
@click.option("--data", metavar="FILE")
@click.option("--out", metavar="FOLDER")
@number_flag("--sentences", "sentences", 1, _MOST, default=_SENTENCES)
@number_flag("--measured", "measured", 0, _MOST, default=0)
@number_flag("--seed", "seed", 0, 999_999, default=0)
@click.pass_obj
def fit_lens(words: Words, /, preset: str, data: str | None, out: str | None, sentences: int, measured: int, seed: int) -> None:
    """Fit the Jacobian lens of a trained preset and measure it on held-out rows."""
    folder = load_preset(preset).folder
    if folder is None:
        raise NotTrained(name=preset)
    from explorer.files import make_folder  # The checks come first, as torch takes a second to load.
    from explorer.training.lens_fit import Fitting, LensFitter

    into = folder if out is None else Path(out)
    make_folder(into)
    rows = asset(_HELD_OUT) if data is None else Path(data)
    fitter = LensFitter(Fitting(preset=preset, data=rows, out=into, sentences=sentences, measured=measured, seed=seed))
    line = ProgressLine()
    for step in fitter.steps():
        line.show(words(f"fit.{step.part}", done=step.done, of=step.of))
    line.end()
    path = fitter.finish()
    tell_agreement(fitter.agreement, words)
    click.echo(words("fit.written", path=path))


def tell_agreement(agreement: "Agreement", words: Words) -> None:
    """Print for each layer how often its likeliest word is the output's, with both lenses."""
    from explorer.picture.makers.lens import measured

    click.echo(f"{'':34} {words('lens.which.lens'):>14} {words('lens.which.jacobian'):>14}")
    shares = zip(agreement.taps, agreement.shares(jacobian=False), agreement.shares(jacobian=True), strict=True)
    for tap, plain, carried in shares:
        click.echo(f"{tap:34} {plain:14.1%} {carried:14.1%}")
    click.echo(measured(agreement, words))
