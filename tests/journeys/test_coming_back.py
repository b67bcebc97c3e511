"""What is kept from one start to the next."""

from pathlib import Path

from explorer.app.shell.window import Window
from explorer.presets import FILE
from explorer.resources import config_folder
from explorer.state.intents import SetPreset
from tests.journeys.conftest import Journey


def test_sentence_language_theme_and_preset_come_back(journey: Journey) -> None:
    """The second start shows what the first one left."""

    def first(window: Window) -> None:
        window.session.ask(SetPreset("tutorial-c"))
        window.sentences.source_edit.setText("昨天的句子")
        window.actions_.by_name["language"].trigger()
        window.actions_.themes["dark"].trigger()
        journey.settle(window)

    def second(window: Window) -> None:
        journey.settle(window)
        assert "昨天的句子" == window.sentences.source_edit.text()
        assert "tutorial-c" == window.session.state.wish.preset
        assert "dark" == window.appearance.theme.name
        assert "en" == window.appearance.words.language

    journey.run(first, "gui")
    journey.run_as_left(second)


def test_broken_preferences_are_no_obstacle(journey: Journey) -> None:
    """Garbage in the preferences file gives the defaults."""
    (config_folder() / "preferences.ini").write_bytes(b"\x00\xff[General\ngeometry=@ByteArray(x)\npreset=gone\ntheme=7\n")

    def script(window: Window) -> None:
        journey.settle(window)
        assert "translator" == window.session.state.wish.preset

    journey.run_as_left(script)


def test_a_preset_that_is_broken_now_is_told(journey: Journey, tmp_path: Path) -> None:
    """Last time's folder has been damaged, or is gone: the default one opens, and the status line says why."""
    folder = tmp_path / "mine"
    for content in (b'text = "a"\n[knobs]\n[look]\nlayer = inf\n', None):
        folder.mkdir(exist_ok=True)
        if content is None:
            (folder / FILE).unlink()
        else:
            (folder / FILE).write_bytes(content)
        config_folder().mkdir(parents=True, exist_ok=True)
        (config_folder() / "preferences.ini").write_text(f"[General]\npreset={folder}\ntext=狗爱北京\n", encoding="utf-8")

        def script(window: Window) -> None:
            journey.settle(window)
            assert "translator" == window.session.state.wish.preset
            assert "上次用的预设打不开" in window.status.message.text()
            assert str(folder) in window.status.message.text() or "mine" in window.status.message.text()

        journey.run_as_left(script)
