"""The language of a text, by its letters: as much as the models that come with the program have to be told apart."""

import regex

_CHINESE = regex.compile(r"\p{Han}")
_LATIN_WORD = regex.compile(r"[\p{Latin}\p{M}]+(?:['’-][\p{Latin}\p{M}]+)*")


def language_of(text: str) -> str:
    """ "zh" for at least as many Chinese characters as words in Latin letters, "en" for fewer; "" for a text with neither."""
    chinese, latin = len(_CHINESE.findall(text)), len(_LATIN_WORD.findall(text))
    if not chinese and not latin:
        return ""
    return "zh" if chinese >= latin else "en"
