"""What to train, and how: all that a training is told before it begins. Nothing here needs torch."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from explorer.config import Config
from explorer.errors import KnobNotAChoice, NoTrainingData, SentencesNeedOneSide
from explorer.presets import DEFAULT, load_own_preset
from explorer.training.own_files import has_spaces
from explorer.training.recipe import RECIPE_KNOBS, Recipe
from explorer.training.tasks import OF_FILES, SEPARATOR, task_named, toy_config, toy_recipe

_MASKED_ONLY = {"tokenizer": ("jieba",)}
_OF_TASKS = "characters"
_ONLY = {
    "architecture": ("encoder-decoder", "decoder-only", "encoder-only"),
    "tokenizer": ("jieba", "bpe"),
    "jieba_hmm": (True,),
}
_RECIPE = frozenset(knob.name for knob in RECIPE_KNOBS)


@attrs.frozen(kw_only=True)
class TrainingSetup:
    """What to train: data, folder, the model's Config (its vocabulary sizes are upper limits), recipe and device.

    With the name of a `task` in place of `data` the examples are drawn, and the tokenizer is "characters". Otherwise the
    model's tokenizer says which side of the data is the source: jieba reads Chinese, byte-pair encoding English. An
    encoder-decoder becomes a translator, a decoder alone a language model of the source side, and an encoder alone a masked
    language model, of Chinese only. Raises KnobNotAChoice for any other. `sentences` is a file of further sentences for a
    language model.

    `device` "auto" is CUDA if there is one, else MPS. `precision` "auto" is that of the checkpoint, and float32 for a new
    training, so that the same command gives the same weights. `text` is the sentence with which the preset opens, by default
    the first of the validation rows. `start` is the folder of a trained preset: training begins with its vocabularies and
    weights. Without `start` both are new. `snapshot_mb` is the room for snapshots,
    in MB. With `changing` a training that is resumed may have another recipe, and other knobs as long as the weights fit.
    """

    out: Path
    data: Path | None = None
    task: str = ""
    sentences: Path | None = None
    config: Config
    recipe: Recipe
    device: str = "auto"
    precision: str = "auto"
    text: str = ""
    start: Path | None = None
    snapshot_mb: float = 0
    changing: bool = False

    def __attrs_post_init__(self) -> None:
        if (self.data is None) == (not self.task or self.task in OF_FILES):
            raise NoTrainingData
        if self.task in OF_FILES:
            self._check("architecture", ("decoder-only",) if self.task == "text" else ("encoder-decoder",))
            self._check("tokenizer", (_OF_TASKS, "bpe") if self.task == "text" else (_OF_TASKS,))
            return
        if self.task:
            task_named(self.task)
            self._check("tokenizer", (_OF_TASKS,))
            return
        for name, choices in (_ONLY | (_MASKED_ONLY if self.is_masked_lm else {})).items():
            self._check(name, choices)
        if self.sentences is not None and self.translates:
            raise SentencesNeedOneSide

    def _check(self, name: str, choices: tuple[object, ...]) -> None:
        got = getattr(self.config, name)
        if got not in choices:
            raise KnobNotAChoice(name=name, choices=", ".join(str(each).lower() for each in choices), got=got)

    @property
    def translates(self) -> bool:
        """Whether the model becomes a translator; else it becomes a language model."""
        return self.config.architecture == "encoder-decoder"

    @property
    def told(self) -> dict[str, Any]:
        """What the log of the training says of it: the task or the name of the file, the knobs and the recipe."""
        data = "" if self.data is None else self.data.name
        return {"task": self.task, "data": data, "knobs": self.config.values(), "recipe": attrs.asdict(self.recipe)}

    @property
    def is_masked_lm(self) -> bool:
        """Whether the model becomes a masked language model."""
        return self.config.architecture == "encoder-only"


def _opens_with(task: str, architecture: object) -> str:
    """The sentence of a task's preset: a model that reads one row sees the answer behind the separator."""
    text = task_named(task).text
    return text if architecture in (None, "encoder-decoder") else f"{text}{SEPARATOR}{task_named(task).answer(text)}"


def usual_setup(out: Path, task: str, data: Path | None, preset: str | None, given: Mapping[str, object]) -> TrainingSetup:
    """The setup of a task or a file with the knobs and numbers of a recipe in `given`; all others are the usual ones.

    Those are the knobs of the preset, which without a name is the default one; for a task without a preset a small model.
    Raises UnknownTask, NoTrainingData, UnknownPreset, BadPreset, BadKnob.
    """
    numbers = {name: value for name, value in given.items() if name in _RECIPE}
    knobs = {name: value for name, value in given.items() if name not in _RECIPE}
    if task in OF_FILES:
        text, recipe = "", toy_recipe(task, **numbers)
        if task == "text":
            spaced = data is not None and has_spaces(data)
            knobs = {"architecture": "decoder-only", "tokenizer": "bpe" if spaced else _OF_TASKS, **knobs}
        config = toy_config(max_len=64).changed(**knobs)
    elif task:
        text, recipe = _opens_with(task, knobs.get("architecture")), toy_recipe(task, **numbers)
        config = toy_config(**knobs) if preset is None else load_own_preset(preset).config.changed(**knobs)
    else:
        base = load_own_preset(preset or DEFAULT)
        recipe, config = Recipe().changed(**numbers), base.config.changed(**knobs)
        text = base.text if config.tokenizer == base.config.tokenizer else ""
    return TrainingSetup(out=out, task=task, data=data, text=text, config=config, recipe=recipe)
