"""What can be done from a menu, as the manual lists it."""

import attrs


@attrs.frozen
class MenuKey:
    """What can be done from a menu: the menu, its name as it is written there, and its keys as this system names them."""

    menu: str
    name: str
    keys: str
