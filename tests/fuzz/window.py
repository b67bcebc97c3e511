"""The real window, used at random: whatever reaches the program's faults is bad, and so is a window that does not answer.

What is computed meanwhile is a matter of time, so a case does not always meet the same fault again.
"""

import shutil
import time
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtGui import QGuiApplication

from explorer.app.session import told
from explorer.engine.recording.memory import trace_bytes
from explorer.resources import config_folder
from explorer.state.intents import SetPreset
from explorer.state.wish import Wish
from explorer.trace.own_card import card_of, parameter_bytes
from tests.app.session import test_preferences
from tests.fuzz import damage, lessons, traces, values, writing
from tests.fuzz.acts import ACTS, Act, drop
from tests.fuzz.driving import Driving, Heart
from tests.fuzz.machine import Starved
from tests.fuzz.trial import Trial, last_place, where
from tests.fuzz.usher import Usher

_MOST_BYTES = 1.5e8  # of weights: a larger model takes as long as it takes, and is undone
_MOST_BUDGET = 1024  # MB, as it is set at first
_ACTS = 40
_RAN = "ran"
_SAID_BY_OFFSCREEN = "This plugin does not support"


def window(trial: Trial) -> None:
    """Open the program with the preferences of some earlier time, do some forty things, and close it."""
    _opened(trial, ACTS)


def drops(trial: Trial) -> None:
    """The same, while one thing after the other is dragged over it."""
    _opened(trial, ((drop, 1),))


def _opened(trial: Trial, acts: Sequence[tuple[Act, int]]) -> None:
    chance = trial.chance
    _leave_files(trial)
    trial.warnings = []  # type: ignore[attr-defined]  # of this kind alone
    kept = qInstallMessageHandler(lambda _kind, _context, text: _warned(trial, text))
    try:
        preset = chance.choice((None, "tiny", "tiny", "translator", "tutorial-c"))
        with trial.asking():
            driving = Driving(chance.choice((None, writing.text(chance))), preset, chance.choice((None, "zh", "en")))
            _use(driving, trial, acts)
    finally:
        qInstallMessageHandler(kept)
        QGuiApplication.clipboard().clear()
    if (trial.folder / _RAN).exists():
        trial.bad("preferences have run something", "preferences")


def _warned(trial: Trial, text: str) -> None:
    if _SAID_BY_OFFSCREEN not in text:
        trial.warnings.append(text)  # type: ignore[attr-defined]  # made above


def _use(driving: Driving, trial: Trial, offered: Sequence[tuple[Act, int]]) -> None:
    driving.program.bug_reports.happened.connect(trial.reported)
    driving.session.told.connect(partial(_hear, trial))
    driving.program.window.step_opener.refused.connect(trial.hear)
    heart = Heart(trial.limits)
    usher = Usher(trial)
    acts, weights = zip(*offered, strict=True)
    try:
        with driving:
            driving.settle(trial.chance.choice((0.1, trial.limits.answer_s / 2)))
            trial.beat()
            for _ in range(trial.chance.randint(1, _ACTS)):
                act = trial.chance.choices(acts, weights)[0]
                _do(act, driving, trial)
                driving.pause(trial.chance.choice((0.0, 0.0, 0.02, 0.1)))
                _undo_large(driving)
                if not driving.window.isVisible():  # Ctrl+Q is a key as well
                    break
            _end(driving, trial)
    finally:
        usher.stop()
        heart.stop()
    for seconds, worked, story in heart.blocks:
        what = f"the window was blocked for: {seconds:.1f} s, {worked:.1f} s of it at work"
        trial.bad(what, last_place(story), story, timed=True)


def _do(act: Act, driving: Driving, trial: Trial) -> None:
    try:
        act(driving.window, trial.chance, trial.folder)
    except RuntimeError as error:  # an act's own widget may close while it is pressed
        if where(error.__traceback__):
            raise


def _hear(trial: Trial, value: object) -> None:
    if isinstance(value, told.Refused):
        trial.hear(value.error)
    elif isinstance(value, told.Set):  # before it is computed
        trial.needs(_wished_bytes(value.state.wish))


def _wished_bytes(wish: Wish) -> int:
    """What the wish may take: the trace on screen and the next one, each within its budget, and weights twice, once packed."""
    config = wish.config
    n = min(config.max_len, len(wish.text) + 1)
    n_target = min(config.max_len, max(n, len(wish.target or "")))
    recorded = min(trace_bytes(card_of(config), n, n_target), config.memory_budget * 2**20)
    return 2 * recorded + 2 * parameter_bytes(config)


def _undo_large(driving: Driving) -> None:
    config = driving.session.state.wish.config
    if parameter_bytes(config) > _MOST_BYTES or config.memory_budget > _MOST_BUDGET:
        driving.session.stop()
        driving.session.ask(SetPreset("tiny"))


def _end(driving: Driving, trial: Trial) -> None:
    """Whatever was asked for last is answered, refused or stopped."""
    start_s, starved = time.monotonic(), Starved()
    while driving.session.waiting:
        driving.pause(0.02)
        waited_s = time.monotonic() - start_s
        if waited_s > trial.limits.answer_s and waited_s - starved.seconds() > trial.limits.answer_s:
            trial.bad(f"no answer in the window: {driving.session.state.wish}", timed=True)
            return
    if driving.session.frame is not None:
        traces.check(driving.session.frame.trace, trial)
    driving.window.close()
    driving.pause(0.0)


def _leave_files(trial: Trial) -> None:
    """No preferences, those of the last case, or damaged ones; and lessons of one's own."""
    folder = config_folder() / "lessons"
    shutil.rmtree(folder, ignore_errors=True)
    if trial.chance.random() < 0.3:
        folder.mkdir()
        (folder / "own.toml").write_bytes(lessons.content(trial.chance))
        if trial.chance.random() < 0.3:
            damage.put_odd(folder / "other.toml", trial.chance)
    _leave_preferences(trial)


def _leave_preferences(trial: Trial) -> None:
    """Of now or of earlier: none, those of the last case, damaged ones, or ones in which nothing fits."""
    chance = trial.chance
    path = config_folder() / chance.choice(("preferences.toml", "preferences.toml", "preferences.ini"))
    way = chance.randrange(5)
    if way == 0:
        for name in ("preferences.toml", "preferences.ini"):
            damage.clear(config_folder() / name)
    elif way == 1 and path.is_file():
        path.write_bytes(damage.damaged(path.read_bytes(), chance))
    elif way == 2 and chance.random() < 0.3:
        damage.put_odd(path, chance)
    elif way > 2 and not path.is_fifo() and not path.is_symlink() and not path.is_dir():
        runs = test_preferences.variant(test_preferences.Runs(trial.folder / _RAN))
        told = {
            key: chance.choice((writing.word(chance), "@ByteArray(x)", "@Variant(", runs, "tiny", "1", values.plain(chance)))
            for key in ("text", "target", "preset", "language", "theme", "geometry", "folders", "shortcuts", "export")
        }
        if path.suffix == ".ini":
            lines = ["[General]", *(f"{key}={value}" for key, value in told.items())]
        else:
            lines = [f"{key} = {values.toml(value, chance=chance)}" for key, value in told.items()]
        path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
