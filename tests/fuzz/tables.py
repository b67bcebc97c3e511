"""Tables of sentences: read, learned from, scored; and trainings of a few steps on what can be used of them."""

from pathlib import Path
from random import Random

import attrs

import explorer
from explorer import resources
from explorer.api.lending import computer_of_process
from explorer.config import Config
from explorer.engine.decoding.beam import Decoding
from explorer.tokens.bilingual import Bilingual
from explorer.tokens.segment import Segmenter
from explorer.training.corpus import SPLITS, read_corpus
from explorer.training.evaluation import evaluate
from explorer.training.recipe import Recipe
from explorer.training.run import Run
from explorer.training.setup import TrainingSetup
from explorer.training.teach import Teacher, Teaching
from tests.engine.sources.bundles import a_bundle
from tests.fuzz import damage, writing
from tests.fuzz.trial import Trial
from tests.training.runs import PAIRS

_SMALL = Config(n_layers=1, n_heads=2, d_model=8, d_ff=8, max_len=40, vocab_size=400, target_vocab_size=400)
_STEPS = 3


def tables(trial: Trial) -> None:
    """Read a table, learn vocabularies from it, and score translations of its rows."""
    chance = trial.chance
    path = write(trial.folder / "data.tsv", chance)
    with trial.asking():
        corpus = read_corpus(path)
        trial.beat()
        pairs = corpus.split(chance.choice(SPLITS))
        if pairs:
            Bilingual.learn(pairs, Segmenter(resources.cache_folder()), chance.choice((0, 5, 270, 300, 5000)))
            trial.beat()
            folder = trial.folder / "own"
            folder.mkdir()
            translator = computer_of_process().sources.translator(a_bundle(folder))
            assert translator is not None  # it has just been written
            evaluate(computer_of_process(), translator, pairs[:20], Decoding(beam=chance.choice((1, 3))))


def training(trial: Trial) -> None:
    """Begin a training, or teach, on a table; go on once from what it left."""
    chance = trial.chance
    data = write(trial.folder / "data.tsv", chance, fine=0.8)
    if chance.random() < 0.5:
        (trial.folder / "own").mkdir()
        words = tuple(writing.word(chance) for _ in range(chance.choice((0, 1, 3))))
        wish = Teaching(
            preset=a_bundle(trial.folder / "own"),
            own=data,
            keep=write(trial.folder / "old.tsv", chance, fine=0.9),
            out=trial.folder / "out",
            words=words,
            steps=_STEPS,
            rows=4,
        )
        with trial.asking():
            teacher = Teacher(wish)
            list(teacher.steps())
            explorer.translate("我爱北京", preset=str(teacher.finish()))
        return
    recipe = Recipe(
        epochs=1,
        batch_tokens=chance.choice((16, 100, 800)),
        warmup_steps=chance.choice((0, 2)),
        agreement=chance.choice((0.0, 5.0)),
        split_words=chance.random(),
        drop_stop=chance.random(),
        learning_rate=chance.choice((1e-3, 1.0)),
        clip_norm=chance.choice((1.0, 100.0)),
    )
    asked = TrainingSetup(
        data=data,
        out=trial.folder / "out",
        config=_SMALL.changed(max_len=chance.choice((2, 5, 40))),
        recipe=recipe,
        device="cpu",
        precision=chance.choice(("auto", "float32", "bfloat16")),
        text=writing.text(chance, unfit=0),
    )
    for again in range(chance.choice((1, 2))):
        with trial.asking():
            run = Run(attrs.evolve(asked, start=trial.folder / "out" if again and chance.random() < 0.2 else None))
            for step, _ in enumerate(run.steps()):
                trial.beat()
                if step >= _STEPS and not again:  # as if killed
                    break
            else:
                explorer.translate("我爱北京", preset=str(run.finish()))
        trial.beat()


def write(path: Path, chance: Random, *, fine: float = 0.4) -> Path:
    """A table at this path; `fine` is the chance that most of its rows can be used."""
    rows = [f"{'valid' if number % 5 == 0 else 'train'}\t{zh}\t{en}" for number, (zh, en) in enumerate(PAIRS)]
    rows = ["split\tzh\ten", *rows[: chance.choice((1, 6, 20, 48))]]
    for _ in range(chance.choice((0, 1, 3, 10))):
        cells = chance.choice((*SPLITS, "dev")), writing.text(chance), chance.choice((writing.text(chance), "a cat"))
        rows.append("\t".join(cells))
    data = "\n".join(rows).encode("utf-8", "surrogatepass")
    if chance.random() > fine:
        way = chance.randrange(4)
        if way == 0:
            path.write_bytes(b"")
            damage.put_odd(path, chance)
            return path
        data = damage.damaged(data, chance) if way < 3 else damage.reordered(data.decode("latin-1"), chance).encode("latin-1")
    path.write_bytes(chance.choice((b"", b"", b"", b"\xef\xbb\xbf")) + data)
    return path
