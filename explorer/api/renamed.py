"""Former names of functions, which work until the next release and warn with the new one."""

import warnings
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from explorer.api.causes import ablate
from explorer.api.passes import attribute
from explorer.lang import Words, system_language

P = ParamSpec("P")
R = TypeVar("R")


def _former(old: str, function: Callable[P, R]) -> Callable[P, R]:
    """The function under its former name, with a DeprecationWarning."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        told = Words.load(system_language())("cli.renamed", old=f"explorer.{old}", new=f"explorer.{function.__name__}")
        warnings.warn(told, DeprecationWarning, stacklevel=2)
        return function(*args, **kwargs)

    return called


effects = _former("effects", ablate)
why = _former("why", attribute)
