"""The language that a command line asks for. It must be known before the rest is parsed, for its errors."""


def asked_language(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The arguments ["--language", L], wherever they stand, or []; and all other arguments."""
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    for place, word in enumerate(words):
        if word.startswith("--language="):
            return ["--language", word.partition("=")[2]], arguments[:place] + arguments[place + 1 :]
        if word == "--language" and place + 1 < len(words):
            return ["--language", words[place + 1]], arguments[:place] + arguments[place + 2 :]
    return [], arguments
