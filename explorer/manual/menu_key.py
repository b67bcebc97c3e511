"""A menu's entry, as the manual lists it."""

import attrs


@attrs.frozen
class MenuKey:
    """An entry: its menu, its name as written there, and its keys as this system names them."""

    menu: str
    name: str
    keys: str
