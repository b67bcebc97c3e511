"""Many prompts through one model: batches of passes, with the prompts along the first axis of every array."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.api.asking import as_text
from explorer.api.lending import alone
from explorer.api.prompting import check_out, prompts_in, shared_request, write_out
from explorer.api.waiting import watched
from explorer.presets import DEFAULT

if TYPE_CHECKING:
    from typing import Unpack

    from torch import nn

    from explorer.config import KnobValues
    from explorer.trace.changes import Change
    from explorer.trace.many import Many

WEIGHTS = ("*.weights",)
"""What a head metric needs."""


def many(
    prompts: "str | Path | Iterable[str] | Iterable[tuple[str, str]] | Iterable[Sequence[int]]",
    preset: str | Path = DEFAULT,
    *,
    taps: Iterable[str] = WEIGHTS,
    out: str | Path | None = None,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    adapter: str | Path | None = None,
    chat: bool = False,
    model: "nn.Module | None" = None,
    **knobs: "Unpack[KnobValues]",
) -> "Many":
    """Run passes over many prompts in batches and return arrays [prompt, …] of the chosen taps; see Many.

    `prompts` are texts, or pairs of a clean and a changed text, or the path of a file of lines, or of a TSV with such pairs in
    two columns; of pairs, `.changed` is the Many of the second texts. In place of each text there may be a row of ids, as in
    `explore(ids=…)`: [[15, 27, 3], [8, 4]], or pairs of such rows. `taps` are names in which * stands for anything:
    "*.weights", "decoder.layers.3.residual2". The logits of each prompt's last position are always kept. The numbers are those
    of `explore` to 1e-5, in arrays that are NaN behind a prompt's end. The other arguments are those of `explore`.

        many = explorer.many(prompts, "path/to/gpt2")
        many["decoder.layers.*.self_attn.weights"]      # [prompt, layer, head, query, key]
        many.measures()["induction"].mean(axis=0)       # [layer, head]
        many.to_pandas()                                # a row for each prompt and head, a column for each metric

    With `out` the head metrics are also written to a file that the window opens: to .npz with the values of every prompt, or
    to .json or .parquet as the table of a scan, with the mean and deviation of each head and the prompts where it is highest.

    In a notebook and a terminal a bar shows how far it is. Raises explorer.errors.ExplorerError for anything a caller can
    correct; BadPrompt names the prompt.
    """
    given = prompts_in(prompts)
    texts, others = given.texts, given.others
    check_out(out)
    request, model = shared_request(preset, trained, changes, {**knobs, "adapter": adapter}, model)
    wish = request.wishing(chat=chat, by_ids=given.by_ids).wish
    kept = (as_text(taps),) if isinstance(taps, str) else tuple(map(as_text, taps))
    with watched() as (stop, progress), alone(model) as computer:
        n = len(texts) + len(others)
        found = computer.many(wish, texts, kept, stop, lambda share: progress(share * len(texts) / n))
        if out is not None:
            write_out(out, found.over_prompts(), found.scan_table)
        if not others:
            return found
        second = computer.many(wish, others, kept, stop, lambda share: progress((len(texts) + share * len(others)) / n))
    import attrs

    return attrs.evolve(found, changed=second)
