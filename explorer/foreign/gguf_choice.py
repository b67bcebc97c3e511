"""Which files in GGUF of a folder one can open: each is a model by itself, and several are often packings of the same one.

What goes with a model and is none is known by its name, as llama.cpp's own programs write it: the projector of pictures has
"mmproj" in it, and parts of a model are numbered "-00001-of-00003".
"""

import re
from collections.abc import Sequence
from pathlib import Path

from explorer.errors import SeveralGguf

_PART = re.compile(r".+-(\d{5})-of-\d{5}\.gguf")
_MOST_NAMED = 12


def chosen(folder: Path, files: Sequence[Path]) -> Path:
    """The one file of a model among all of a folder. Raises SeveralGguf, from which a user can choose.

    Of a model in parts the first stands for all. A folder without a model has the first of what it has, which says what it is.
    """
    models = [each for each in files if "mmproj" not in each.name.lower()]
    offered = [each for each in models if (part := _PART.fullmatch(each.name)) is None or part[1] == "00001"]
    if len(offered) > 1:
        names = [each.name for each in offered]
        found = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
        example, paths = offered[0], tuple(map(str, offered))
        raise SeveralGguf(path=str(folder), count=len(names), found=found, example=str(example), files=paths)
    return (offered or models or list(files))[0]
