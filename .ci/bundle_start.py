"""The first file of the bundled program.

A worker process of a scan starts here too, and does not come back from `freeze_support`; nor does the process that runs what
came from strangers, which is started with the word "fence" (`explorer/tokens/fence.py`).
"""

import multiprocessing
import sys

multiprocessing.freeze_support()

if sys.argv[1:] == ["fence"]:
    from explorer.tokens.behind_fence import main as answer

    answer()

from explorer.__main__ import main  # noqa: E402

main()
