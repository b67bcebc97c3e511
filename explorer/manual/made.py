"""The parts of the manual that are made from declarations: knobs, keys, metrics, terms, lessons, errors."""

import string
from functools import partial
from html import escape

from explorer import errors
from explorer.config import KNOBS
from explorer.errors import ExplorerError
from explorer.knobs import Knob
from explorer.lang import Words, told_text
from explorer.lessons.gallery import Example, galleries
from explorer.lessons.glossary import terms
from explorer.lessons.read import bundled_lessons
from explorer.lessons.stations import Station, stations
from explorer.lessons.teaching import TeachingQuestion, teaching_questions
from explorer.manual.chapter import Made
from explorer.manual.markdown import table, table_row
from explorer.manual.menu_key import MenuKey
from explorer.presets import load_preset, title_in
from explorer.state.state_link import link_of
from explorer.trace.measures.head_measures import MEASURES


def made_parts(words: Words, keys: tuple[MenuKey, ...], in_pictures: str) -> Made:
    """The text for each {{name}}. `in_pictures` is the HTML table of the keys that act inside pictures."""
    return {
        "knobs": partial(_knobs, words),
        "keys": partial(_keys, words, keys),
        "keys_in_pictures": partial(str, in_pictures),
        "measures": partial(_measures, words),
        "glossary": partial(_glossary, words),
        "lessons": partial(_lessons, words),
        "gallery": partial(_gallery, words),
        "errors": partial(_errors, words),
        "commands": partial(_commands, words),
        "questions": partial(_questions, words),
        "stations": partial(_stations, words),
        "news": partial(_explained, words, "news"),
        "models": partial(_explained, words, "models"),
        "lesson_format": _lesson_format,
    }


def _explained(words: Words, name: str) -> str:
    return told_text(f"explain/{words.language}/{name}.md").replace("### ", "## ")


def _head(words: Words, *columns: str) -> str:
    return table_row("th", [words(f"manual.column.{column}") for column in columns])


def _knobs(words: Words) -> str:
    """A section for each group of knobs."""
    groups: dict[str, list[Knob]] = {}
    for knob in KNOBS:
        groups.setdefault(knob.group, []).append(knob)
    return "\n\n".join(
        f"## {words(f'group.{group}')}\n\n"
        + table([_head(words, "knob", "values", "does"), *(_knob(words, each) for each in knobs)])
        for group, knobs in groups.items()
    )


def _knob(words: Words, knob: Knob) -> str:
    name = f"<b>{escape(words(f'knob.{knob.name}.name'))}</b><br><code>{knob.name}</code>"
    does = f"{escape(words(f'knob.{knob.name}.hint'))}<br><i>{escape(words(f'applies.{knob.applies}'))}</i>"
    return table_row("td", [name, escape(_values(words, knob)), does])


def _values(words: Words, knob: Knob) -> str:
    """The values that a knob accepts, the default last."""
    if knob.kind == "choice":
        named = [f"{words(f'choice.{knob.name}.{choice}')} ({choice})" for choice in knob.choices]  # Files have the latter.
        default = words(f"choice.{knob.name}.{knob.default}")
        return words("manual.default", valid=" · ".join(named), default=default)
    if knob.kind == "bool":
        return words(
            "manual.default", valid=words("manual.on_or_off"), default=words("manual.on" if knob.default else "manual.off")
        )
    low, high = (f"{bound:g}" for bound in knob.valid)
    return words("manual.default", valid=f"{low} … {high} {knob.unit}".strip(), default=f"{knob.default:g}")


def _keys(words: Words, keys: tuple[MenuKey, ...]) -> str:
    """A section for each menu; an entry without a key shows a dash."""
    menus = dict.fromkeys(key.menu for key in keys)
    return "\n\n".join(
        f"## {menu}\n\n"
        + table([table_row("td", [escape(key.name), escape(key.keys) or "–"]) for key in keys if key.menu == menu])
        for menu in menus
    )


def _measures(words: Words) -> str:
    rows = [
        table_row(
            "td",
            [
                f"<b>{escape(words(f'heads.measure.{key}'))}</b><br>{escape(words(f'heads.about.{key}'))}",
                measure.own or "–",
                measure.across or "–",
            ],
        )
        for key, measure in MEASURES.items()
    ]
    return table([_head(words, "measure", "own", "across"), *rows])


def _glossary(words: Words) -> str:
    other = "en" if words.language == "zh" else "zh"
    return "\n\n".join(
        f"<p><b>{escape(' · '.join(term.names(words.language)))}</b> <i>{escape(term.names(other)[0])}</i><br>"
        f"{escape(term.told.of(words.language))}</p>"
        for term in terms()
    )


def _lessons(words: Words) -> str:
    """A section for each group, with a link that opens each lesson."""
    lessons, _wrong = bundled_lessons()
    groups = sorted({lesson.group for lesson in lessons}, key=lambda group: (group != "first", group))
    return "\n\n".join(
        f"## {words(f'lesson.group.{group}')}\n\n"
        + "\n".join(
            f"- [{lesson.title.of(words.language)}](lesson:{lesson.key})" for lesson in lessons if lesson.group == group
        )
        for group in groups
    )


def _gallery(words: Words) -> str:
    """The examples of each model, the one that reads the manual's language first."""
    found = sorted(galleries().items(), key=lambda pair: load_preset(pair[0]).reads != words.language)
    return "\n\n".join(f"## {title_in(words, preset)}\n\n{_examples(words, examples)}" for preset, examples in found)


def _examples(words: Words, examples: tuple[Example, ...]) -> str:
    rows = [
        table_row("td", [escape(each.text), escape(each.written), escape(each.note.of(words.language))]) for each in examples
    ]
    return table([_head(words, "sentence", "translation", "look"), *rows])


def _errors(words: Words) -> str:
    """The sentence of every error, with … where its numbers stand: families of `explorer.errors` in alphabetical order."""
    families: dict[str, list[str]] = {}
    for each in _kinds(ExplorerError):
        family = each.__mro__[each.__mro__.index(ExplorerError) - 1].__name__
        if each.key != ExplorerError.key:
            families.setdefault(family, []).append(f"<li>{escape(words.without_values(each.key))}</li>")
    lone = [rows[0] for rows in families.values() if len(rows) == 1]
    told = {family: rows for family, rows in sorted(families.items()) if len(rows) > 1} | {ExplorerError.__name__: lone}
    return "\n\n".join(f"## {family}\n\n<ul>{''.join(rows)}</ul>" for family, rows in told.items())


def _kinds(base: type[ExplorerError]) -> list[type[ExplorerError]]:
    """All of the program's errors below this one, file by file, without those that other code declares."""
    room = f"{errors.__name__}."
    return [one for each in base.__subclasses__() if each.__module__.startswith(room) for one in (each, *_kinds(each))]


def _commands(words: Words) -> str:
    keys = words.keys()
    names = sorted(key.removeprefix("cli.command.") for key in keys if key.startswith("cli.command."))
    return table([table_row("td", [f"<code>{name}</code>", escape(words(f"cli.command.{name}"))]) for name in names])


def _questions(words: Words) -> str:
    """The ten questions with their choices; the answers follow below all of them, so that a reader can try first."""
    questions = teaching_questions()
    asked = "\n\n".join(_question(words, number, each) for number, each in enumerate(questions, 1))
    right = " · ".join(f"{number} {string.ascii_uppercase[each.right]}" for number, each in enumerate(questions, 1))
    return f"{asked}\n\n## {words('manual.answers')}\n\n{right}"


def _question(words: Words, number: int, question: TeachingQuestion) -> str:
    choices = [choice.of(words.language) for choice in question.choices]
    lettered = "".join(
        f"<br>{letter}. {escape(choice)}" for letter, choice in zip(string.ascii_uppercase, choices, strict=False)
    )
    stop = words("manual.stop", stop=question.stop)
    return (
        f"<p><b>{number}. {escape(question.asked.of(words.language))}</b> <i>{escape(stop)}</i>{lettered}"
        f"<br>{string.ascii_uppercase[len(choices)]}. {escape(words('manual.unsure'))}</p>"
    )


def _stations(words: Words) -> str:
    """A section for each station of a class, with the link that opens its state, which can be handed out as well."""
    return "\n\n".join(_station(words, number, each) for number, each in enumerate(stations(), 1))


def _station(words: Words, number: int, station: Station) -> str:
    link = link_of(station.state)
    minutes = words("manual.minutes", minutes=station.minutes)
    head = f"## {number}. {station.title.of(words.language)} · {minutes}"
    opens = f"[{words('manual.open_station', number=number)}]({link})"
    return f"{head}\n\n{station.text.of(words.language).strip()}\n\n{opens}\n\n`{link}`"


def _lesson_format() -> str:
    """The example of a lesson, read from the description of the format, so that there is only one."""
    text = told_text("lessons/README.md")
    start = text.index("```toml")
    return text[start : text.index("```", start + 3) + 3]
