"""The process in which a chat template is run (see `chat`): one question in JSON comes in, one answer goes out.

It is a program of its own and imports nothing of the explorer, so that it starts fast and has nothing to give away.
"""

import json
import runpy
import sys
from pathlib import Path

_MEMORY = 2**29  # bytes
_SECONDS = 4
_RENDERING = Path(__file__).with_name("chat_rendering.py")


def _bounded() -> None:
    """Give this process little memory and time, where the system can."""
    try:
        import resource
    except ImportError:  # Windows has no such limits; whoever asks waits only for a while.
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def main() -> None:
    """Answer the one question on the standard input."""
    asked = json.load(sys.stdin.buffer)
    rendered = runpy.run_path(str(_RENDERING))["rendered"]  # No folder is searched for modules.
    _bounded()
    answer = rendered(asked)
    sys.stdout.buffer.write(json.dumps(answer).encode())


if __name__ == "__main__":
    main()
