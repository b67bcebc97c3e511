"""The models of others that are open. Computers that work side by side share them: one model is never opened twice."""

from collections import OrderedDict
from pathlib import Path

from explorer.engine.sources.foreign import ForeignModel, fits_beside, folder_version, open_folder
from explorer.engine.sources.source import never, silent
from explorer.stops import Progress, Stop

_MOST_OPEN = 2  # models: the one that is looked at, and the former one, or one to compare with


class OpenFolders:
    """Opens folders, and keeps their models until somebody writes to a folder or another model needs the room."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[Path, str], tuple[object, ForeignModel]] = OrderedDict()  # the newest last

    def of(self, folder: Path, name: str, stop: Stop = never, progress: Progress = silent) -> ForeignModel:
        """The model in a folder, which the user calls `name`. One that is open stays so when its folder is gone.

        Where there is ample room, the others are kept: opening may fail, or be stopped. Raises BadFile, Superseded.
        """
        key, files = (folder.absolute(), name), folder_version(folder)
        kept = self._open.get(key)
        if kept is None or (files and kept[0] != files):
            if not fits_beside(folder):
                self._open.clear()  # The old ones go first, because two large models may not fit into memory.
            kept = files, open_folder(folder, name, stop, progress)
            self._open[key] = kept
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
        self._open.move_to_end(key)
        return kept[1]
