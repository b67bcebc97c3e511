"""A pass of our own model as a script of plain PyTorch: only what this model needs, and every tensor under its tap's name.

Decision: the script is written for one model, so that a reader meets no branch that is not taken. Rejected: a copy of
`explorer.model`, which asks the knobs at each pass.
"""

from pathlib import Path

import attrs

from explorer.config import Config
from explorer.errors import NoScriptForKnobs, RecordedOnly
from explorer.export.pytorch import changes, common, inputs, layers, weights
from explorer.export.pytorch.coder import Coder, comment, lines, safe, wrapped
from explorer.export.pytorch.foreign import foreign_script
from explorer.fast_ways import OF_WHOLE_PASSES, not_understood
from explorer.lang import Words
from explorer.trace.recorded_pass import Tokens
from explorer.trace.script_parts import ScriptParts
from explorer.trace.trace import Trace
from explorer.version import __version__

_WIDE = 112  # columns of the docstring


def pytorch_script(trace: Trace, parts: ScriptParts, words: Words, beside: Path | None = None) -> str:
    """The script that computes every tensor of a Trace again; it needs torch, and safetensors if the weights are in a file.

    `beside` is the script's file, if it is written to one: weights in the same folder are then found by their name. Raises
    RecordedOnly for a pass that another program recorded, NoScriptForModel for a foreign model that needs more,
    NoScriptForKnobs for knobs that scripts do not know.
    """
    if trace.recorded_by:
        raise RecordedOnly(path=trace.preset)
    if trace.config is None:
        return foreign_script(trace, parts, words)
    unknown = not_understood(trace.config, OF_WHOLE_PASSES)
    if unknown:
        raise NoScriptForKnobs(names=", ".join(unknown))
    return _Script(trace, trace.config, Coder(trace.config, words), parts, beside).text()


@attrs.frozen
class _Script:
    """The script of one pass, part by part."""

    trace: Trace
    config: Config
    coder: Coder
    parts: ScriptParts
    beside: Path | None

    def text(self) -> str:
        """The whole."""
        coder = self.coder
        functions = (
            self.weights(),
            changes.changed(coder, self.trace, self.parts.lent) if self.trace.changes else None,
            self.tap(),
            layers.linear(coder),
            layers.norm(coder),
            layers.dropout(coder),
            layers.causal(coder),
            inputs.positions(coder),
            inputs.embedding(coder),
            layers.attention(coder),
            layers.feed_forward(coder),
            *(layers.layer(coder, side) for side in weights.sides(self.config)),
            self.run(),
            self.others(),
            self.main(),
        )
        head = (self.title(), self.imports(), self.sizes(), self.tokens())
        return "\n\n".join(head) + "\n\n" + "\n\n\n".join(each for each in functions if each is not None) + "\n"

    def title(self) -> str:
        """The docstring: which sentence, which model, and how it is run."""
        words, config, trace = self.coder.words, self.config, self.trace
        told = [
            words("script.title", text=trace.source if trace.tokens.source else trace.target),
            words(
                "script.about",
                preset=trace.preset,
                architecture=config.architecture,
                n_layers=config.n_layers,
                n_heads=config.n_heads,
                d_model=config.d_model,
                weights=words("script.trained" if trace.trained else "script.untrained", seed=config.seed),
            ),
            words("script.how"),
        ]
        if config.dropout_active:
            told.append(words("script.dropout_note", device=config.device))
        told.append(words("script.made_by", version=__version__))
        return '"""' + "\n\n".join("\n".join(wrapped(safe(each), _WIDE)) for each in told) + '\n"""'

    @property
    def draws(self) -> bool:
        """Whether the script draws the weights from the seed."""
        return self.parts.weights is None

    @property
    def place(self) -> str:
        """An expression for the path of the weights: beside the script by name, else the whole path."""
        file = self.parts.weights
        assert file is not None  # A script that draws its weights does not ask.
        if self.beside is not None and file.absolute().parent == self.beside.absolute().parent:
            return f"Path(__file__).with_name({file.name!r})"
        return repr(str(file.absolute()))

    def imports(self) -> str:
        """What the script imports."""
        copies = self.draws and self.config.initialization != "independent"
        by_name = not self.draws and self.place.startswith("Path")
        return lines(
            "import math",
            "import re" if copies else None,
            "import zlib" if self.draws else None,
            "from pathlib import Path" if by_name else None,
            "",
            "import torch",
            "import torch.nn.functional as F",
            None if self.draws else "from safetensors.torch import load_file",
        )

    def weights(self) -> str:
        """Reading or drawing the weights."""
        return weights.drawing(self.coder) if self.draws else weights.reading(self.coder, self.place)

    def sizes(self) -> str:
        """The sizes that functions use."""
        config = self.config
        return lines(
            f"N_LAYERS, N_HEADS = {config.n_layers}, {config.n_heads}",
            f"D_MODEL, D_HEAD, D_FF = {config.d_model}, {config.d_head}, {config.d_ff}",
        )

    def tokens(self) -> str:
        """The ids of the tokens, with their texts as comments."""
        return common.tokens(self.coder, self.trace)

    def tap(self) -> str:
        """The function that notes a tensor, with the changes if there are any."""
        changed = "x = changed(name, x)" if self.trace.changes else None
        return common.tap(self.coder, changed=changed, noted="x", about="$tap", switched=bool(self.parts.lent))

    def run(self) -> str:
        """The function that makes the pass."""
        coder, config = self.coder, self.config
        given = [f"{name.lower()}={name}" for name in self._names()]
        switch = self.parts.lent
        return lines(
            "@torch.no_grad()",
            f"def run({', '.join([*given, *(['changes=True'] if switch else [])])}):",
            f'    """{coder.words("script.run")}"""',
            "    global changing" if switch else None,
            "    changing = changes" if switch else None,
            "    taps.clear()",
            f"    torch.manual_seed({config.dropout_seed})  # {coder.words('script.seeded')}"
            if config.dropout_active
            else None,
            *(f"    {name.lower()} = torch.tensor({name.lower()})  # [position]" for name in self._names()),
            *(self._stack(side) for side in weights.sides(config)),
            "    # logits = W·x + b",
            '    logits = tap("generator.logits", linear("generator.project", x))  # [position, vocab]',
            "    # P[v] = exp(logits[v]) / Σ_v exp(logits[v])",
            '    tap("generator.probabilities", logits.softmax(dim=-1))',
            "    return dict(taps)",
        )

    def _names(self) -> tuple[str, ...]:
        """The names of the sides' ids."""
        return tuple({"encoder": "SOURCE", "decoder": "TARGET"}[side] for side in weights.sides(self.config))

    def _stack(self, side: str) -> str:
        """One side: embedding, layers, final norm."""
        coder, config = self.coder, self.config
        ids = "source" if side == "encoder" else "target"
        across = "cross" in weights.sublayers(config, side)
        mask = layers.mask_of(config, f"{side}.self_attn")
        mask_across = layers.mask_of(config, "decoder.cross_attn") if across else ""
        given = ["x"] + ["memory"] * across + ["may_look"] * bool(mask) + ["may_look_across"] * bool(mask_across)
        n = f"len({ids})"
        final = f'norm("{side}.normalize", x)' if config.norm_placement == "pre" else "x"
        last = f'tap("{side}.norm", {final})'
        goes_on = side == "encoder" and config.architecture == "encoder-decoder"
        return lines(
            "",
            f"    # {coder.words(f'script.stack_{side}')}",
            f'    x = embedding("{side}", {ids})  # [position, feature]',
            f"    may_look = {mask.format(queries=n, keys=n)}  # [query, key]" if mask else None,
            f"    may_look_across = {mask_across.format(queries=n, keys='len(memory)')}  # [query, key]"
            if mask_across
            else None,
            "    for i in range(N_LAYERS):",
            f'        x = {side}_layer(f"{side}.layers.{{i}}", {", ".join(given)})',
            None if config.norm_placement == "pre" else f"    # {coder.words('script.no_final_norm')}",
            f"    memory = {last}  # [key, feature]" if goes_on else f"    x = {last}",
            "" if not goes_on else None,
        )

    def others(self) -> str | None:
        """The passes over the texts that patches take their numbers from."""
        if not self.parts.lent:
            return None
        made = [_other(text, tokens) for text, tokens in self.parts.lent.items()]
        return lines(self.coder.note("others"), "others = [", *made, "]")

    def main(self) -> str:
        """What the script does when it is run."""
        return self.coder(
            """
            if __name__ == "__main__":
                for name, tensor in run().items():
                    print(f"{name:44}{list(tensor.shape)}")
                # $likeliest
                print(taps["generator.logits"].argmax(dim=-1).tolist())
            """
        )


def _other(text: str, tokens: Tokens) -> str:
    """The pass over another text, without changes."""
    sides = [str([token.id for token in side]) for side in (tokens.source, tokens.target) if side]
    return "\n".join(f"    {line}" for line in (comment(text), f"run({', '.join(sides)}, changes=False),"))
