"""The first file of the bundled program.

A worker process of a scan starts here too, and does not come back from `freeze_support`.
"""

import multiprocessing

multiprocessing.freeze_support()

from explorer.__main__ import main  # noqa: E402

main()
