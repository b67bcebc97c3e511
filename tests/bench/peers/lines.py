"""A process that answers each line of JSON on its standard input with another one."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

Answer = Callable[..., Any]


def serve(answers: Mapping[str, Answer], started: object = None) -> None:
    """Answer until the input ends. `started` is said first; a question names its answer under "what"."""
    # Libraries print: what they say goes to the standard error output, the answers alone to the standard one.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    _say(out, started)
    for line in sys.stdin:
        question = json.loads(line)
        _say(out, answers[question.pop("what")](**question))


def _say(out: Any, answer: object) -> None:
    print(json.dumps(answer), file=out, flush=True)
