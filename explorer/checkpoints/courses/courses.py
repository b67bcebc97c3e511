"""The table of courses, and the models of theirs that are no model here, each with its reason."""

from collections.abc import Collection

import attrs

from explorer.checkpoints.courses.gpt import FIRST_MIN_GPT, MIN_GPT, NANO_GPT
from explorer.checkpoints.courses.llama import LLAMA_2
from explorer.checkpoints.courses.minimind import MINIMIND_2, MINIMIND_3
from explorer.checkpoints.courses.tutorials import TUTORIAL_A, TUTORIAL_B
from explorer.checkpoints.layout import Layout
from explorer.errors import EmbeddingAlone, MixtureOfExperts, NormedStream, NotConverted, StackAlone

LAYOUTS: tuple[Layout, ...] = (NANO_GPT, MIN_GPT, FIRST_MIN_GPT, MINIMIND_3, MINIMIND_2, LLAMA_2, TUTORIAL_A, TUTORIAL_B)
"""In the order in which they are tried: a Qwen3 has all marks of a Llama."""
COURSES = tuple(dict.fromkeys(each.course for each in LAYOUTS))


@attrs.frozen
class Unconvertible:
    """A model that is recognized by `marks`, or by having nothing else where it is `alone`, and why it is refused."""

    course: str
    marks: tuple[str, ...]
    reason: type[NotConverted]
    alone: bool = False

    def fits(self, names: Collection[str]) -> bool:
        """Whether tensors of these names are such a model's."""
        return all(mark in names for mark in self.marks) and (not self.alone or len(names) == len(self.marks))


UNCONVERTIBLE = (
    Unconvertible("happy-llm", ("transformer.wpe.pe", "transformer.encoder.layers.0.attention.wq.weight"), NormedStream),
    Unconvertible("minimind", ("model.embed_tokens.weight", "model.layers.0.mlp.experts.0.gate_proj.weight"), MixtureOfExperts),
    Unconvertible("minimind", ("tok_embeddings.weight", "layers.0.feed_forward.experts.0.w1.weight"), MixtureOfExperts),
    Unconvertible("tutorial-c", ("embedding.weight",), EmbeddingAlone, alone=True),
    Unconvertible("tutorial-d", ("embed.weight",), EmbeddingAlone, alone=True),
    Unconvertible("tutorial-e", ("layers.0.self_attention.linearList.0.weight",), StackAlone),
    Unconvertible("tutorial-e", ("layers.0.src_attn.linearList.0.weight",), StackAlone),
)
