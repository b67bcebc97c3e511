"""Presets of the user's own: folders with a file that is damaged, wrong, or no file; and names that are none."""

import json
from random import Random

import attrs

import explorer
from explorer.config import KNOBS
from explorer.engine.request import Request
from explorer.presets import FILE, load_preset
from explorer.resources import asset
from explorer.state.look import Look
from explorer.trace.own_card import parameter_bytes
from tests.fuzz import damage, formulas, values, writing
from tests.fuzz.trial import Trial

_MOST_BYTES = 1e8


def presets(trial: Trial) -> None:
    """Make a folder, read it as a preset, and use it as window and library do."""
    chance = trial.chance
    folder = trial.folder / "own"
    folder.mkdir()
    if chance.random() < 0.1:
        damage.put_odd(folder / FILE, chance)
    else:
        (folder / FILE).write_bytes(_content(chance))
    name = chance.choice((str(folder),) * 9 + (_name(chance, str(folder)),))
    with trial.asking():
        preset = load_preset(name)
        trial.beat()
        look = Look(**dict(preset.look))  # as the session does it
        attrs.evolve(look, **dict(preset.look)).fitted(formulas.a_trace("tiny"))
        request = Request.from_preset(name)
        assert request.wish.has_trained in (True, False)
        if parameter_bytes(request.wish.config) < _MOST_BYTES:
            explorer.explore(writing.sentence(chance), preset=name)
            trial.beat()
            explorer.translate(writing.sentence(chance), preset=name)


def _name(chance: Random, folder: str) -> str:
    return chance.choice(
        (
            writing.word(chance),
            "",
            ".",
            "..",
            "/",
            "~",
            "tiny ",
            "TINY",
            "tiny/",
            "tiny\n",
            "\0",
            "a" * 5000,
            "/dev/zero",
            "/proc/self/fd",
            f"{folder}/",
            f"{folder}/{FILE}",
            f"{folder}\0",
            f"{folder}/../own",
        )
    )


def _content(chance: Random) -> bytes:
    way = chance.randrange(5)
    if way == 0:
        return damage.damaged(asset("presets/tutorial-b.toml").read_bytes(), chance)
    if way == 1 and chance.random() < 0.3:
        return _deep(chance).encode()
    table = {"text": writing.text(chance), "knobs": _knobs(chance), "look": _look(chance), "order": values.plain(chance)}
    for key in chance.sample(tuple(table), chance.choice((0, 0, 1, 2))):
        table[key] = values.plain(chance)
    kept = [key for key in table if chance.random() < (0.95 if key in ("text", "knobs") else 0.6)]
    lines = [f"{key} = {values.toml(table[key], chance=chance)}" for key in kept]
    if chance.random() < 0.1:
        lines.append(f"{json.dumps(writing.word(chance))} = {values.toml(values.plain(chance))}")
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _knobs(chance: Random) -> dict[str, object]:
    found: dict[str, object] = {}
    for knob in chance.sample(KNOBS, chance.choice((0, 1, 2, 3))):
        right = (knob.default, knob.default, *(knob.choices or (knob.valid.low, knob.valid.high)))
        found[knob.name] = chance.choice((*right, values.plain(chance)))
    return found


def _look(chance: Random) -> dict[str, object]:
    look: dict[str, object] = {}
    for key in chance.sample(("attention", "layer", "head", "stage", "tap"), chance.choice((0, 1, 2))):
        look[key] = chance.choice((0, 3, -1, "decoder.cross_attn", "generator.logits", values.plain(chance)))
    return look


def _deep(chance: Random) -> str:
    """Far more levels than anybody writes."""
    n = chance.choice((50, 500, 5000, 100_000))
    return chance.choice(
        (
            f"text = {'[' * n}{']' * n}",
            f"text = 'a'\nknobs = {'{a=' * n}1{'}' * n}",
            f"[{'.'.join('a' * n)}]\nb = 1",
            f"text = 'a'\n{'.'.join('k' * n)} = 1\n[knobs]",
            f"text = 'a'\nknobs = {{ n_layers = {'9' * n} }}",
            f"text = '{'好' * n}'\n[knobs]",
            "\n".join(f"[[a{'.b' * (n % 900)}]]" for _ in range(5)),
        )
    )
