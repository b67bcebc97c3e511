"""The commands of trained models: train, teach, evaluate, translate."""

import sys
from collections.abc import Iterable
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from explorer.cli.completing import tasks_completed
from explorer.cli.flags import checked_flag, choice_flag, knob_flags, number_flag, recipe_flags
from explorer.cli.passes import computer
from explorer.cli.spoken import SpokenCommand
from explorer.cli.stopping import stopping
from explorer.config import BEAM, KNOBS
from explorer.errors import ExplorerError, NotTrained
from explorer.lang import Words
from explorer.presets import DEFAULT, load_own_preset
from explorer.progress_line import ProgressLine
from explorer.resources import asset

if TYPE_CHECKING:
    from explorer.engine.compute import Computer
    from explorer.engine.sources.translator import Translator
    from explorer.training.evaluation import Evaluation, Scores
    from explorer.training.run import Run
    from explorer.training.training import TrainingStep

_HELD_OUT = "presets/translator/held-out.tsv"
_MOST_BAD_ROWS = 10
_SNAPSHOTS_MB = 256.0
_STOPPED = 130  # the exit status of a program that a signal has ended
_PLAIN_S = 30.0  # so often a training that runs without a terminal says how far it is
_EXAMPLES, _MOST_EXAMPLES = 20, 10_000

_preset = click.option("--preset", default=DEFAULT, show_default=True, metavar="NAME|FOLDER")
_beam = checked_flag(attrs.evolve(BEAM, name="--beam"), "beam", BEAM.default, metavar="NUMBER")


@click.command(cls=SpokenCommand)
@click.option("--data", metavar="FILE")
@click.option("--task", default="", metavar="NAME", shell_complete=tasks_completed)
@click.option("--out", required=True, metavar="FOLDER")
@click.option("--sentences", metavar="FILE")
@click.option("--start", metavar="FOLDER")
@number_flag("--snapshots", "snapshots", 0.0, 1e6, default=_SNAPSHOTS_MB)
@click.option("--device", default="auto", show_default=True, metavar="auto|cpu|cuda|mps")
@choice_flag("--precision", "precision", ("auto", "float32", "bfloat16"), default="auto")
@click.option("--preset", metavar="NAME|FOLDER")
@click.option("--tensorboard", metavar="FOLDER")
@click.option("--changing", is_flag=True)
@click.option("--attached", is_flag=True)
@recipe_flags
@knob_flags([knob for knob in KNOBS if knob.group != "computation"])  # The device has a flag of its own here.
@click.pass_obj
def train(
    words: Words,
    /,
    data: str | None,
    task: str,
    out: str,
    sentences: str | None,
    start: str | None,
    snapshots: float,
    device: str,
    precision: str,
    preset: str | None,
    tensorboard: str | None,
    changing: bool,
    attached: bool,
    **given: Any,
) -> int:
    """Train a model on the rows of FILE or on a task, and write it into FOLDER as a preset."""
    from explorer.training.event_files import EventFiles
    from explorer.training.run import Run
    from explorer.training.setup import usual_setup

    turned = {name: value for name, value in given.items() if value is not None}
    wish = attrs.evolve(
        usual_setup(Path(out), task, None if data is None else Path(data), preset, turned),
        sentences=None if sentences is None else Path(sentences),
        start=None if start is None else Path(start),
        snapshot_mb=snapshots,
        device=device,
        precision=precision,
        changing=changing,
    )
    events = None if tensorboard is None else EventFiles(Path(tensorboard))
    line = ProgressLine(plain_s=_PLAIN_S)
    with nullcontext() if events is None else closing(events), stopping(attached=attached) as stopped:
        run = Run(wish, lambda share: line.show(words("train.reading", share=share)))
        line.end()
        _tell_rows(run, words)
        for step in run.steps():
            _tell_step(step, run, line, words)
            if events is not None:
                events.add(step)
            if stopped.is_set():
                line.end()
                run.stop()
                click.echo(words("train.stopped", step=step.step), err=True)
                return _STOPPED
    click.echo(words("train.written", folder=run.finish()))
    return 0


def _tell_step(step: "TrainingStep", run: "Run", line: ProgressLine, words: Words) -> None:
    wish = run.wish
    if step.finished is None:
        line.show(_step_line(step, wish.recipe.epochs, words))
        return
    line.end()
    kind = "task" if wish.task and wish.task != "text" else "epoch_gaps" if wish.is_masked_lm else "epoch"
    click.echo(words(f"train.{kind}", **attrs.asdict(step.finished)))
    if not (wish.task or wish.translates or wish.is_masked_lm):
        token, character = run.perplexities(step.finished.validation_loss)
        click.echo(words("train.perplexity", token=token, character=character))


@click.command(cls=SpokenCommand)
@click.option("--data", required=True, metavar="FILE")
@click.option("--keep", required=True, metavar="FILE")
@click.option("--out", required=True, metavar="FOLDER")
@click.option("--word", multiple=True, metavar="WORD")
@number_flag("--steps", "steps", 1, 100_000, default=200)
@_preset
@click.pass_obj
def teach(words: Words, /, data: str, keep: str, out: str, word: tuple[str, ...], steps: int, preset: str) -> None:
    """Teach a trained translator the rows of FILE without forgetting the rest, and write it into FOLDER."""
    from explorer.training.teach import Teacher, Teaching

    teacher = Teacher(Teaching(preset=preset, own=Path(data), keep=Path(keep), out=Path(out), words=word, steps=steps))
    line, last = ProgressLine(), ""
    for taught in teacher.steps():
        last = words("train.taught", steps=steps, **attrs.asdict(taught))
        line.show(last)
    line.end()
    click.echo(last)
    click.echo(words("train.written", folder=teacher.finish()))


def _tell_rows(run: "Run", words: Words) -> None:
    prepared = run.prepared
    for row in prepared.bad[:_MOST_BAD_ROWS]:
        click.echo(words("train.bad_row", line=row.line, reason=words(f"corpus.{row.reason}")), err=True)
    if prepared.bad:
        click.echo(words("train.bad_rows", count=len(prepared.bad)), err=True)
    click.echo(
        words("train.rows", train=len(prepared.train), valid=len(prepared.valid), device=run.device, precision=run.precision)
    )
    if run.training.history:
        click.echo(words("train.resumed", epoch=len(run.training.history)))


def _step_line(step: "TrainingStep", epochs: int, words: Words) -> str:
    left_s = step.seconds / step.share * (1 - step.share) if step.share else 0.0
    bar = "█" * round(20 * step.share) + "·" * (20 - round(20 * step.share))
    return words(
        "train.step",
        bar=bar,
        share=step.share,
        epoch=step.epoch + 1,
        epochs=epochs,
        loss=step.loss,
        rate=step.tokens_per_s,
        hours=int(left_s // 3600),
        minutes=int(left_s % 3600 // 60),
    )


@click.command(cls=SpokenCommand)
@choice_flag("--split", "split", ("train", "valid", "test"), default="test")
@click.option("--data", metavar="FILE")
@number_flag("--examples", "examples", 0, _MOST_EXAMPLES, default=_EXAMPLES)
@_preset
@_beam
@click.pass_obj
def evaluate(words: Words, /, split: str, data: str | None, examples: int, preset: str, beam: int) -> None:
    """Score translations of held-out rows with sacreBLEU and chrF, or a masked language model by its predictions."""
    from explorer.errors import EmptySplit
    from explorer.training.corpus import read_corpus
    from explorer.training.evaluation import evaluate as run

    path = asset(_HELD_OUT) if data is None else Path(data)
    if load_own_preset(preset).is_masked_lm:
        _tell_masked(preset, path, split, words)
        return
    answering, translator = _translator(preset)
    pairs = read_corpus(path).read_by(translator.bilingual).split(split)
    if not pairs:
        raise EmptySplit(path=str(path), split=split)
    line = ProgressLine()
    decoding = translator.decoding(translator.preset.config, beam=beam)
    found = run(answering, translator, pairs, decoding, lambda share: line.show(f"{share:.0%}"))
    line.end()
    _tell_scores(found, beam, words)
    for row in found.rows[:: max(1, len(found.rows) // examples)][:examples] if examples else ():
        click.echo(f"\n{row.source}\n  = {' | '.join(row.references)}\n  → {row.translation}")


def _tell_masked(preset: str, path: Path, split: str, words: Words) -> None:
    """Print how well a masked language model predicts each token of held-out sentences. Raises BadFile, EmptySplit."""
    from explorer.engine.sources.trained import Trained
    from explorer.errors import EmptySplit
    from explorer.tokens.simplify import Simplifier
    from explorer.tokens.tokenizer import Tokenizers
    from explorer.training.masked_scores import masked_scores
    from explorer.training.texts import read_texts

    texts = read_texts(path, None, Simplifier()).split(split)
    if not texts:
        raise EmptySplit(path=str(path), split=split)
    line = ProgressLine()
    found = masked_scores(Trained(load_own_preset(preset)), texts, Tokenizers(), lambda share: line.show(f"{share:.0%}"))
    line.end()
    click.echo(words("evaluate.gaps", **attrs.asdict(found)))


def _tell_scores(found: "Evaluation", beam: int, words: Words) -> None:
    click.echo(words("evaluate.rows", rows=len(found.rows), sentences=len({row.source for row in found.rows}), beam=beam))
    click.echo(_score_line(words("evaluate.all"), found.scores, words))
    for first, last, count, scores in found.by_length:
        lengths = f"{first}–{last}" if last < 1000 else f"≥ {first}"
        click.echo(_score_line(words("evaluate.length", lengths=lengths, rows=count), scores, words))
    click.echo(f"BLEU  {found.scores.bleu_signature}\nchrF  {found.scores.chrf_signature}")


def _score_line(what: str, scores: "Scores", words: Words) -> str:
    return words(
        "evaluate.scores",
        what=what,
        bleu_one=scores.bleu_one,
        bleu_all=scores.bleu_all,
        chrf_one=scores.chrf_one,
        chrf_all=scores.chrf_all,
    )


@click.command(cls=SpokenCommand)
@click.argument("text", required=False)
@_preset
@_beam
@click.pass_obj
def translate(words: Words, /, text: str | None, preset: str, beam: int) -> int:
    """Translate TEXT, or each line of the standard input. A line that cannot be translated gives an empty line."""

    answering, translator = _translator(preset)
    status = 0
    lines: Iterable[str] = sys.stdin if text is None else (text,)
    for number, line in enumerate(lines, 1):
        said = ""
        try:
            if line.strip():
                said = translator.translate(answering.sources.source_ids(line.rstrip("\n"), translator), beam)
        except ExplorerError as error:
            click.echo(words("translate.bad_line", line=number, sentence=words.error(error)), err=True)
            status = 2
        click.echo(said)
        sys.stdout.flush()
    return status


def _translator(preset: str) -> "tuple[Computer, Translator]":
    """The trained model of a preset. Raises UnknownPreset, BadFile, NotTrained."""
    made = computer()
    translator = made.sources.translator(preset)
    if translator is None:
        raise NotTrained(name=preset)
    return made, translator
