"""One side of the rows about large models, in a fresh process, so that its peak of memory is its own.

    python -m tests.bench.large ours|half|theirs|streamed|read FOLDER

It prints the ms to open the folder, the medians in ms of a recorded pass over 32 tokens and of a key behind them, and the peak
of resident memory in MB. Theirs is transformers as one uses it to see attention: `from_pretrained` in float32, an eager pass
with attentions and hidden states, and one token behind a cache.

Half is ours with weights of half the width, as where memory is short. A streamed pass is ours with no weights in memory; it
gives the ms of that pass alone, as `read` gives the ms to read all files of the folder once.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import psutil
import torch
import transformers

from tests.bench.without import leave_out

N, N_STREAMED = 32, 16
_TURNS, _STREAMED_TURNS = 5, 2
_BLOCK = 2**26  # bytes


def main() -> None:
    """The figures of one side."""
    side, folder = sys.argv[1], Path(sys.argv[2])
    if side in ("streamed", "read"):
        print(json.dumps({"pass": (_streamed if side == "streamed" else _read)(folder)}))
        return
    leave_out()
    transformers.utils.logging.disable_progress_bar()
    began = time.perf_counter()
    if side == "half":
        _hold("bfloat16")
    passed, key = (_theirs if side == "theirs" else _ours)(folder)
    opened_s = time.perf_counter() - began
    passes, keys = [_ms(passed, turn) for turn in range(_TURNS)], [_ms(key, turn) for turn in range(_TURNS)]
    print(json.dumps({"opened": opened_s * 1e3, "pass": median(passes), "key": median(keys), "peak": _peak_mb()}))


def _peak_mb() -> float:
    if sys.platform == "win32":
        return psutil.Process().memory_info().peak_wset / 2**20
    if sys.platform == "linux":  # Its ru_maxrss has the peak of the process that started this one, which wrote the model.
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return float(status.partition("VmHWM:")[2].split()[0]) / 2**10
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _ms(work: Callable[[int], None], turn: int) -> float:
    began = time.perf_counter()
    work(turn)
    return (time.perf_counter() - began) * 1e3


def _hold(way: str) -> None:
    """Have weights held in a way that the program would choose by the free memory."""
    from explorer.foreign import folder as folders  # Theirs does without.

    folders.way_to_hold = lambda *_given: way


def _asking(folder: Path) -> Callable[..., None]:
    """Open a folder; what it gives asks for an answer to some ids."""
    from explorer.engine.compute import Computer
    from explorer.engine.request import Request
    from explorer.state.wish import Wish

    computer = Computer()

    def ask(*ids: int) -> None:
        computer(Request(wish=Wish.from_preset(str(folder), text=" ".join(map(str, ids)))))

    ask(5)  # It opens the folder, which is what `opened` measures.
    return ask


def _ours(folder: Path) -> tuple[Callable[[int], None], Callable[[int], None]]:
    ask = _asking(folder)
    return lambda turn: ask(*range(100 + 50 * turn, 100 + 50 * turn + N)), lambda turn: ask(*range(300, 300 + N + turn))


def _streamed(folder: Path) -> float:
    """The median ms of streamed passes over 16 tokens."""
    _hold("streamed")
    ask = _asking(folder)
    return median(
        _ms(lambda turn: ask(*range(100 * turn, 100 * turn + N_STREAMED)), turn) for turn in range(1, 1 + _STREAMED_TURNS)
    )


def _read(folder: Path) -> float:
    """The median ms to read all files of weights once, a block after the other."""
    block = bytearray(_BLOCK)

    def read(_turn: int) -> None:
        for path in folder.glob("*.safetensors"):
            with path.open("rb", buffering=0) as file:
                while file.readinto(block):
                    pass

    return median(_ms(read, turn) for turn in range(_STREAMED_TURNS))


def _theirs(folder: Path) -> tuple[Callable[[int], None], Callable[[int], None]]:
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    kept = []

    @torch.inference_mode()
    def passed(turn: int) -> None:
        ids = torch.arange(100 + 50 * turn, 100 + 50 * turn + N)[None]
        made = model(ids, use_cache=True, output_attentions=True, output_hidden_states=True)
        [each.numpy() for each in (*made.attentions, *made.hidden_states)]
        kept[:] = [made.past_key_values]

    @torch.inference_mode()
    def key(turn: int) -> None:
        made = model(torch.tensor([[300 + turn]]), past_key_values=kept[0], output_attentions=True, output_hidden_states=True)
        [each.numpy() for each in (*made.attentions, *made.hidden_states)]

    return passed, key


main()
