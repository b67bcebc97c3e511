"""Lessons: the bundled ones with lines, values and bytes changed, and ones made of random values; read and gone through."""

import json
from functools import lru_cache
from pathlib import Path
from random import Random

import attrs

from explorer.config import KNOBS
from explorer.engine.request import Request
from explorer.lang import Words
from explorer.lessons.check import findings
from explorer.lessons.lesson import Lesson
from explorer.lessons.questions import KINDS, Where, ask
from explorer.lessons.read import read_folder, read_lesson
from explorer.picture.look import Look
from explorer.picture.makers.lesson import claims_html
from explorer.picture.theme import LIGHT
from explorer.resources import asset
from tests.fuzz import damage, formulas, values, writing
from tests.fuzz.trial import Trial

_KEYS = (
    "zh",
    "en",
    "preset",
    "text",
    "cuts",
    "target",
    "batch",
    "page",
    "highlight",
    "knobs",
    "look",
    "given",
    "claim",
    "answer",
    "question",
    "printed",
    "expected",
    "true",
    "tolerance",
    "choices_zh",
    "choices_en",
    "right",
    "kind",
    "why",
    "group",
)
_TABLES = ("[[step]]", "[[step.claim]]", "[step.question]", "[step]", "[title]", "[step.knobs]", "[[a]]")


def lessons(trial: Trial) -> None:
    """Write a file, read it, and go through its steps."""
    chance = trial.chance
    path = trial.folder / f"{writing.word(chance).replace('/', '').replace(chr(0), '') or 'a'}.toml"
    try:
        path.write_bytes(b"")
    except (OSError, ValueError):  # no file can be called so
        path = trial.folder / "a.toml"
    if chance.random() < 0.05:
        damage.put_odd(path, chance)
    else:
        path.write_bytes(content(chance))
    lesson = None
    with trial.asking():
        lesson = read_lesson(path)
    trial.beat()
    for error in read_folder(trial.folder)[1]:
        trial.hear(error)
    if lesson is not None:
        _go_through(lesson, trial)


def _go_through(lesson: Lesson, trial: Trial) -> None:
    chance = trial.chance
    request = Request.from_preset("tiny", "我爱北京天安门")
    words = Words.load(chance.choice(("zh", "en")))
    for step in lesson.steps[:4]:
        trial.beat()
        trace = formulas.a_trace(chance.choice(("tiny", "translator")))
        with trial.asking():
            request = request.at_step(step)
        with trial.asking():
            look = attrs.evolve(Look(), **step.look).fitted(trace)  # as the session does it
            look.step(trace)
        with trial.asking():
            claims_html(findings(step, trace), words, LIGHT, changed=False)
        with trial.asking():
            ask(chance.choice(KINDS), trace, Where("encoder.layers.0.self_attn", 0, "encoder"), chance.randrange(100))


def content(chance: Random) -> bytes:
    way = chance.randrange(6)
    if way == 0:
        return _made(chance).encode("utf-8", "surrogatepass")
    text = chance.choice(_bundled())
    if way == 1:
        return damage.damaged(text.encode(), chance)
    if way == 2:
        text = damage.reordered(text, chance)
    lines = text.split("\n")
    valued = [place for place, line in enumerate(lines) if " = " in line]
    for _ in range(chance.choice((1, 1, 3))):
        at = chance.choice(valued) if valued and chance.random() < 0.8 else chance.randrange(len(lines))
        at = min(at, len(lines) - 1)
        key, sign, _value = lines[at].partition(" = ")
        if not sign:
            key = chance.choice(_KEYS)
        new = _fitting(key, chance) if chance.random() < 0.7 else values.plain(chance)
        line = f"{key if chance.random() < 0.95 else chance.choice(_KEYS)} = {values.toml(new, chance=chance)}"
        lines[at : at + bool(sign)] = [line]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _fitting(key: str, chance: Random) -> object:
    """A value of the right type; whether it is right is another matter."""
    if key in ("true", "answer"):
        return formulas.grown(chance, chance.choice((1, 2, 3)))
    if key in ("printed", "expected"):
        return chance.choice((values.number(chance), [values.number(chance) for _ in range(chance.randint(0, 4))]))
    if key == "tolerance":
        return values.number(chance)
    if key == "knobs":
        return {knob.name: chance.choice((knob.default, knob.valid.low, knob.valid.high)) for knob in chance.sample(KNOBS, 2)}
    if key == "look":
        return {chance.choice(("layer", "head", "position")): chance.choice((0, 1, 99, 2**70))}
    if key == "given":
        return {"Q": [[values.number(chance)] * 2] * 3}
    if key in ("highlight", "batch", "cuts", "choices_zh", "choices_en"):
        return [chance.choice(("knob:", "tap:", "")) + writing.word(chance) for _ in range(chance.randint(0, 3))]
    return chance.choice((writing.text(chance), "tiny", "attention"))


def _made(chance: Random) -> str:
    """A file from nothing."""
    lines = ['group = "A"', f"title = {values.toml({'zh': writing.word(chance), 'en': 'a'})}"]
    for _ in range(chance.choice((1, 2, 200))):
        lines.append(chance.choice(_TABLES))
        keys = chance.sample(_KEYS, chance.randint(0, 5))
        lines += (f"{key} = {values.toml(values.plain(chance), chance=chance)}" for key in keys)
        lines += ('zh = "一"', 'en = "one"', f"true = {json.dumps(formulas.grown(chance, 2))}")[: chance.choice((2, 3))]
    return "\n".join(lines)


@lru_cache(maxsize=1)
def _bundled() -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8") for path in sorted(Path(asset("lessons")).glob("*.toml")))
