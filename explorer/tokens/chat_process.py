"""The process in which a chat template is run (see `chat`): one question in JSON comes in, one answer goes out.

It is a program of its own and imports nothing of the explorer, so that it starts fast and has nothing to give away.
"""

import datetime
import json
import sys
from typing import Any

_MEMORY = 2**29  # bytes
_SECONDS = 4


def _bounded() -> None:
    """Give this process little memory and time, where the system can."""
    try:
        import resource
    except ImportError:  # Windows has no such limits; whoever asks waits only for a while.
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def rendered(asked: dict[str, Any]) -> dict[str, str]:
    """The prompt, or the error that the template made."""
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(reason: object) -> None:
        raise TemplateError(str(reason))

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"], autoescape=False
    )
    environment.filters["tojson"] = lambda value, **_given: json.dumps(value, ensure_ascii=False)
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda pattern: datetime.datetime.now().strftime(pattern)
    given = {"messages": [{"role": "user", "content": asked["text"]}], "add_generation_prompt": True, **asked["special"]}
    prompt = ""
    try:
        for part in environment.from_string(asked["template"]).generate(given):
            prompt += part
            if len(prompt) > asked["most"]:
                return {"error": f"> {asked['most']}"}
    except Exception as error:  # A stranger's template can raise anything.
        return {"error": f"{type(error).__name__}: {error}"}
    return {"prompt": prompt}


def main() -> None:
    """Answer the one question on the standard input."""
    asked = json.load(sys.stdin.buffer)
    _bounded()
    answer = rendered(asked)
    sys.stdout.buffer.write(json.dumps(answer).encode())


if __name__ == "__main__":
    main()
