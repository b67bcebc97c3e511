"""The shapes of models that ours and the peers compute with, with random weights that are alike in every process."""

from typing import Any

import torch
from torch import Tensor

_LLAMA = {
    "vocab_size": 49152,
    "hidden_size": 576,
    "intermediate_size": 1536,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "max_position_embeddings": 2048,
    "tie_word_embeddings": True,
}
_MINILM = {"hidden_size": 384, "intermediate_size": 1536, "num_hidden_layers": 6, "num_attention_heads": 12}

SHAPES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "GPT-2 small": ("GPT2Config", "GPT2LMHeadModel", {}),
    "MiniLM": ("BertConfig", "BertModel", _MINILM),
    "Llama 135 M": ("LlamaConfig", "LlamaForCausalLM", _LLAMA),
}
"""The class of the settings, that of the model, and the settings that are not the class's own."""


def own_model(shape: str) -> Any:
    """The model of transformers with its own eager attention."""
    import transformers

    settings, kind, values = SHAPES[shape]
    torch.manual_seed(0)
    model = getattr(transformers, kind)(getattr(transformers, settings)(**values))
    model.set_attn_implementation("eager")
    return model.eval().requires_grad_(False)


def some_ids(shape: str, n: int) -> Tensor:
    """[batch 1, position] any ids."""
    return torch.randint(1000, (1, n), generator=torch.Generator().manual_seed(n))


def own_pass(model: Any, ids: Tensor, *, full: bool = False) -> Any:
    """The model's own pass; a full one gives out its attentions and hidden states."""
    return model(input_ids=ids, use_cache=False, output_attentions=full, output_hidden_states=full)
