"""Settings that say of a model what it is not, and models that look for positions that they do not have."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import explorer
from explorer.errors import BeyondPositions
from tests.foreign.models import write_model, write_tokenizer

pytestmark = pytest.mark.slow  # To import transformers takes seconds.


def test_a_model_of_one_side_whose_settings_claim_two_opens_as_it_is(tmp_path: Path) -> None:
    """The side that is there says what the model is."""
    folder = write_model(tmp_path / "gpt2", "gpt2")
    plain = explorer.explore("the fox", preset=folder)
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"is_encoder_decoder": True}))
    claimed = explorer.explore("the fox", preset=folder)
    assert claimed.card.architecture == "decoder-only" and (claimed.card.begin, claimed.card.end) == (-1, -1)
    np.testing.assert_array_equal(claimed["generator.logits"], plain["generator.logits"])


def _prophet(folder: Path) -> Path:
    """A model whose table of positions serves fewer tokens than its settings say: it looks one token ahead."""
    import transformers

    sides = ("encoder", "decoder")
    sizes = {f"{side}_ffn_dim": 48 for side in sides} | {f"num_{side}_layers": 1 for side in sides}
    sizes |= {f"num_{side}_attention_heads": 4 for side in sides}
    torch.manual_seed(0)
    config = transformers.ProphetNetConfig(vocab_size=40, hidden_size=32, max_position_embeddings=12, eos_token_id=39, **sizes)
    model = transformers.ProphetNetForConditionalGeneration(config)
    model.lm_head.weight.data.zero_()  # The likeliest token is always the first one, and never the last, which ends a text.
    model.save_pretrained(folder)
    write_tokenizer(folder)
    return folder


def test_a_model_writes_until_its_table_of_positions_ends(tmp_path: Path) -> None:
    """And a typed target that goes beyond is one sentence."""
    folder = _prophet(tmp_path / "prophet")
    written = explorer.explore("the fox", preset=folder)
    n = len(written.tokens.target)
    assert 5 < n < 12
    assert written["decoder.layers.0.self_attn.weights"].shape[-2] % n == 0
    with pytest.raises(BeyondPositions, match="12"):
        explorer.explore("the fox", target=" ".join(["fox"] * 11), preset=folder)
