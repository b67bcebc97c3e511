"""The first file of the bundled program.

A worker process of a scan starts here too, and does not come back from `freeze_support`; nor does the process that runs what
came from strangers, which is started with the word "fence" and the module that answers (`explorer/tokens/fence.py`).
"""

import importlib
import multiprocessing
import sys
from pathlib import Path

multiprocessing.freeze_support()

if sys.argv[1:2] == ["fence"]:
    importlib.import_module(sys.argv[2]).main()

from explorer.__main__ import main  # noqa: E402

# On Windows the program for those who click has no console; on macOS nobody reads stderr of what the Finder has started.
main(windowed=Path(sys.executable).stem.endswith("-window") or sys.platform == "darwin")
