"""Transformer Explorer: type a sentence and see a whole Transformer at work.

import explorer
explorer.translate("他在图书馆看书。", beam=4)
trace = explorer.explore("我爱北京天安门", preset="translator", temperature=0.5)
trace["encoder.layers.0.self_attn.weights"]     # numpy [head, query, key]
off = explorer.Change("decoder.layers.2.cross_attn.mixed", "scale", head=3, value=0.0)
explorer.explore("我爱北京天安门", changes=[off]).target      # the translation without that head
trace.measures("decoder.cross_attn")["entropy"]         # [layer, head] a metric of each head
explorer.attribute("我爱北京天安门", step=1)             # attribution: a logit minus its rival's, as a sum of parts
explorer.attribute("我爱北京天安门").inside("decoder.cross_attn", 1, 4).inside(0, "key", 17)   # down to the embedding
explorer.lens("我爱北京天安门")                          # the logit lens
explorer.lens("我爱北京天安门", jacobian=True)           # the Jacobian lens
explorer.breaks(position="none")                        # the sentences that this breaks most, and the share that changes
explorer.generate("冬天来了，", tokens=12, sampling_seed=1).text  # a language model's continuation
explorer.explore("我爱北京天安门", experiments=["vectors"]).neighbours(1)   # the nearest neighbours of 爱 (cosine)
explorer.scan("sentences.txt", workers=2).rows("entropy")    # metrics of each head over many sentences
explorer.many(prompts)["encoder.layers.*.self_attn.weights"]   # passes in batches: numpy [prompt, layer, head, query, key]
explorer.many(prompts).to_pandas()                      # each head's metrics on each prompt; most results have to_pandas()
model = explorer.load_model("translator")               # the live module: add hooks, edit weights
explorer.explore("我爱北京天安门", model=model)           # a pass of it
explorer.explore(ids=[[15, 27, 3]], model=gpt2)  # exactly these tokens, also without a tokenizer
explorer.explore(text, model=gpt2, tokenizer=tokenizer)  # a model of transformers that is in memory
explorer.parameters(model=model)["generator.project.weight"]  # numpy; `.circuits` names W_Q·W_Kᵀ and W_V·W_O
explorer.record(torch.nn.TransformerEncoderLayer(32, 4), torch.zeros(5, 1, 32))      # a Trace of any torch module
explorer.view(outputs.attentions, tokens)               # attentions of transformers: the window, or a notebook's page
trace.figure("encoder.layers.*.self_attn.weights").save("heads.html")       # a notebook shows the figure itself
for step in explorer.train("sort", out="sorted"): print(step.loss)     # then "sorted@120" is the preset after step 120
explorer.convert("out/ckpt.pt")                         # the checkpoint of a course as a folder that opens
explorer.to_pytorch("我爱北京天安门", "model.py")       # the pass as a script of plain PyTorch, with its weights
explorer.show(trace)                                    # the window, in a process of its own
explorer.State.load("lesson.explorer.toml").wish.text   # a saved session
explorer.ablate("我爱北京天安门").heads                        # ablation: Δ log p, numpy [attention, layer, head, word]
explorer.ablate(prompts, metric=gap).spread("heads").mean      # by a metric of your own over many prompts, with its interval
explorer.patching(pairs, metric=gap, receiver="decoder.self_attn.1.2.query")       # path patching
explorer.show(explorer.ablate(prompts, metric="next"))         # the window: means, intervals, and each prompt's own values
explorer.diff("path/to/gpt2", "path/to/adapter", text).to_pandas("heads")      # the heads that a LoRA changed most first
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import explorer.lang  # noqa: F401  This import makes str() of an error its sentence.
from explorer.api.causes import ablate, patching, saliency, steering
from explorer.api.comparing import diff
from explorer.api.converting import convert
from explorer.api.corpora import breaks, scan
from explorer.api.many import many
from explorer.api.output import postcard, show, to_pytorch, view
from explorer.api.parameters import parameters
from explorer.api.passes import attribute, explore, lens, load_model, record
from explorer.api.renamed import effects, why
from explorer.api.training import train
from explorer.api.writing import cloze, generate, similar, translate
from explorer.trace.notebook_display import NotebookDisplay
from explorer.version import __version__

if TYPE_CHECKING:
    from explorer.state.state import State
    from explorer.trace.changes import Change
    from explorer.trace.found.effects import Effects
    from explorer.trace.notebook_display import FigureMaker
    from explorer.trace.trace import Trace

__all__ = [
    "Change",
    "Effects",
    "State",
    "Trace",
    "__version__",
    "ablate",
    "attribute",
    "breaks",
    "cloze",
    "convert",
    "diff",
    "effects",
    "explore",
    "generate",
    "lens",
    "load_model",
    "many",
    "parameters",
    "patching",
    "postcard",
    "record",
    "saliency",
    "scan",
    "show",
    "similar",
    "steering",
    "to_pytorch",
    "train",
    "translate",
    "view",
    "why",
]


_CLASSES = {
    "Change": "explorer.trace.changes",
    "Effects": "explorer.trace.found.effects",
    "State": "explorer.state.state",
    "Trace": "explorer.trace.trace",
}


def _presenter() -> "FigureMaker":
    """The module that draws a Trace for a notebook, imported at the first picture."""
    from explorer.export import notebook

    return notebook


NotebookDisplay.presented_by = _presenter


def __dir__() -> list[str]:
    """What is offered after `explorer.`: the public names, and the room of errors."""
    return [*__all__, "errors"]


def __getattr__(name: str) -> Any:
    """Import `explorer.Trace` and the other classes on first use, so that `import explorer` alone stays fast."""
    if name not in _CLASSES:
        raise AttributeError(name)
    return getattr(import_module(_CLASSES[name]), name)
