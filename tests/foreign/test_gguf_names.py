"""What a header in GGUF says of a model besides its sizes."""

from pathlib import Path

import pytest

from explorer.engine.sources.folders import open_folder
from explorer.foreign.folder import check_folder
from explorer.state.state import State
from tests.foreign.gguf_files import packed_folder

slow = pytest.mark.slow  # To import transformers takes seconds.


@slow
def test_an_answer_ends_where_the_header_and_the_names_of_pieces_say(tmp_path: Path) -> None:
    """As llama.cpp has it: a model for conversations may name the end of a text alone, and end its turns with another piece."""
    pieces = [f"p{number}" for number in range(36)] + ["<|eot_id|>", "<|end_of_text|>", "p38", "<|eom_id|>"]
    told = {"tokenizer.ggml.tokens": pieces, "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.eos_token_id": 37}
    folder = packed_folder(tmp_path, "llama", **told)
    assert check_folder(folder).settings["eos_token_id"] == [37, 36, 39]
    opened = open_folder(folder, "m")
    assert opened.ends(State.from_preset("tiny").wish) == {36, 37, 39}
