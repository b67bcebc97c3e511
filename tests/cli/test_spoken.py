"""What the command line says of itself: help and refusals, in both languages."""

import re

import click
import pytest

from explorer.cli import main as cli
from explorer.cli.spoken import RENAMED, SpokenCommand
from explorer.lang import LANGUAGES, Words
from tests.cli.test_main import TEXT

HELPED = ("", *cli.commands.commands)

WRONG = {
    ("nope",): (
        "没有命令 nope；有 ablation, attribution, breaks, cloze, convert, diff, doctor, evaluate, ",
        "There is no command nope; there are ablation, attribution, breaks, cloze, convert, diff, doctor, evaluate, ",
    ),
    ("--", "--help"): ("没有命令 --help；", "There is no command --help;"),
    ("show",): ("缺少 TEXT：请看 transformer-explorer show --help。", "TEXT is missing: see transformer-explorer show --help."),
    ("export", TEXT): ("缺少 --out：", "--out is missing:"),
    ("show", "I", "love", "it"): (
        "show 用不上 love it：含空格的句子请加引号。",
        "show does not use love it. Put a sentence with spaces in quotes.",
    ),
    ("gui", "text"): ("gui 用不上 text", "gui does not use text"),
    ("show", TEXT, "--zzz", "1"): ("没有选项 --zzz：请看 ", "There is no flag --zzz: see "),
    ("show", TEXT, "--n-layer", "1"): ("没有选项 --n-layer；相近的有 --n-layers", "similar are --n-layers"),
    ("show", TEXT, "-q"): ("没有选项 -q", "There is no flag -q"),
    ("show", TEXT, "--seed"): ("--seed 后面须有一个值。", "--seed needs a value."),
    ("show", TEXT, "--help=1"): ("--help 不带值。", "--help takes no value."),
    ("export", TEXT, "--out", "a.png", "--dpi", "1"): ("--dpi 只能取 24", "--dpi must be from 24"),
    ("export", TEXT, "--out", "a.png", "--width", "1.5"): ("--width 只能取 16", "--width must be from 16"),
    ("export", TEXT, "--out", "a.png", "--width", "99.5"): (
        "--width 须是整数，不能是 99.5。",
        "--width must be a whole number",
    ),
    ("export", TEXT, "--out", "a.png", "--theme", "pink"): (
        "--theme 只能是 light, dark 之一，不能是 pink。",
        "--theme must be one of light, dark, not pink.",
    ),
    ("translate", TEXT, "--beam", "many"): ("--beam 须是数，不能是 many。", "--beam must be a number, not many."),
}


def _help(capsys: pytest.CaptureFixture[str], language: str, command: str) -> str:
    assert cli.main(["--language", language, *command.split(), "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_a_wrong_call_is_refused_in_the_users_language(
    arguments: tuple[str, ...], language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """On one line of stderr with exit status 2; nothing of click's own English is left in the Chinese one."""
    status = cli.main(["--language", language, *arguments])
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert WRONG[arguments][language == "en"] in err
    assert err.rstrip().endswith("。" if language == "zh" else ".")


@pytest.mark.parametrize("command", HELPED)
def test_help_is_in_the_users_language(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Usage, headings, what the command does, and what each flag does; no flag is lost on the way."""
    chinese, english = (_help(capsys, language, command) for language in ("zh", "en"))
    assert chinese.startswith("用法： transformer-explorer") and "选项：\n" in chinese and "显示这份帮助。" in chinese
    assert english.startswith("Usage: transformer-explorer") and "Flags:\n" in english and "Show this help." in english
    assert not re.search("[\u4e00-\u9fff]", english)
    assert not re.search(r"Usage|Options|Commands|Show this|\[default|\[required|OPTIONS", chinese)
    named = cli.commands if not command else cli.commands.commands[command]
    flags = [each.opts[0] for each in named.get_params(click.Context(named)) if isinstance(each, click.Option)]
    assert all(re.search(rf"^  {flag}\b", text, re.M) for flag in flags for text in (chinese, english))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_help_stands_for_what_is_not_there(language: str) -> None:
    """A command or a flag that goes takes its text with it; each command has one."""
    words = Words.load(language)
    known = {f"cli.command.{name}" for name in (*cli.commands.commands, cli.commands.name)}
    described = {key for key in words.keys() if key.startswith("cli.command.")}  # noqa: SIM118  Words is no mapping
    assert described == known
    flags = {None: {"help"}}
    for name, command in ((None, cli.commands), *cli.commands.commands.items()):
        own = {each.opts[0].lstrip("-").replace("-", "_") for each in command.params}
        flags[name] = own
        flags[None] = flags[None] | own | {"help"}
    for key in (key for key in words.keys() if key.startswith("cli.flag.")):  # noqa: SIM118  Words is no mapping
        *command, flag = key.split(".")[2:]
        assert flag in flags[command[0] if command else None], key


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_a_former_name_says_its_new_one(old: str, new: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It does what the new name does, is not offered, and never opens the window."""
    arguments = ["他看书", "--preset", "tiny", "--json", "--language", "en"]
    assert cli.main([new, *arguments]) == 0
    expected = capsys.readouterr()
    assert cli.main([old, *arguments]) == 0
    told = capsys.readouterr()
    assert told.out == expected.out and told.err.startswith(f"{old} is now called {new};")
    assert old not in cli.commands.commands


def test_what_the_program_cannot_say_is_said_by_click(capsys: pytest.CaptureFixture[str]) -> None:
    """A refusal of a kind that nobody has thought of is still one line."""

    @click.command(cls=SpokenCommand)
    @click.option("--number", type=int)
    def odd(number: int) -> None:
        raise AssertionError(number)

    with pytest.raises(click.BadParameter):
        odd.main(["--number", "x"], standalone_mode=False)
