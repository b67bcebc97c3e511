"""GPT-2 small of Hugging Face's transformers, with random weights that are alike in every process, and any ids."""

from typing import Any

import torch
from torch import Tensor


def own_model() -> Any:
    """The model of transformers with its own eager attention."""
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    return GPT2LMHeadModel(GPT2Config(attn_implementation="eager")).eval().requires_grad_(False)


def some_ids(n_prompts: int, n: int) -> Tensor:
    """[prompt, position]."""
    return torch.randint(1000, (n_prompts, n), generator=torch.Generator().manual_seed(n))
