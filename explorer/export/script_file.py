"""Writing a script of plain PyTorch to a file, with its weights beside it."""

from pathlib import Path

from explorer.export.job import Export
from explorer.export.pytorch.script import pytorch_script
from explorer.lang import Words
from explorer.trace.script_parts import ScriptParts
from explorer.trace.trace import Trace


def weights_beside(script: Path) -> Path:
    """The file for the weights of a script: of the same name, in the same folder."""
    if not script.name:  # Writing to such a path is refused.
        return script / "weights.safetensors"
    named = script.with_suffix(".safetensors")
    return named if named != script else script.with_name(f"{script.name}.safetensors")


def written(trace: Trace, parts: ScriptParts, words: Words, file: Path | None) -> str:
    """The script of a pass. If a file is named, the script is also written there, with the note that stands beside every
    export.

    Raises like `pytorch_script`, and CannotWrite.
    """
    script = pytorch_script(trace, parts, words, file)
    if file is not None:
        for _step in Export(trace=trace, out=file, format="py", words=words, script=parts).run():
            pass
    return script
