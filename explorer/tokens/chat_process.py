"""Runs a chat template (see `chat`), in the process behind the fence alone."""

import datetime
import json
from typing import Any


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
