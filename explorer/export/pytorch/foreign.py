"""A foreign model's pass as a script: transformers computes it from the model's folder, and torch's hooks note its tensors.

The script writes the attention out, since no family's own code shows more of it than its weights. Its function replaces the
model's own, as in `foreign.attention`.
"""

import attrs

from explorer.config import Config
from explorer.errors import NoScriptForModel
from explorer.export.pytorch import changes, common
from explorer.export.pytorch.coder import Coder, comment, lines, number, safe, wrapped
from explorer.lang import Words
from explorer.presets import titles
from explorer.trace.model_card import LOGITS, PROBABILITIES
from explorer.trace.recorded_pass import Tokens
from explorer.trace.script_parts import ForeignPlaces, LayerPlaces, ScriptParts, TapsByPath
from explorer.trace.tap_names import ATTENTION_STAGES
from explorer.trace.trace import Trace
from explorer.version import __version__

_WIDE = 112  # columns of the docstring
_STAGES = ("query", "key", "value", *ATTENTION_STAGES, "mixed")
_GIVEN_OUT = ("generator.logits", "generator.probabilities", LOGITS, PROBABILITIES)


def foreign_script(trace: Trace, parts: ScriptParts, words: Words) -> str:
    """The script of a foreign model's Trace.

    Raises NoScriptForModel if the places of its taps are unknown, or if the script would note other tensors than the Trace has:
    an entry of a family's row that is not known here must not come out wrong.
    """
    if parts.foreign is None or noted(parts.foreign, trace) != set(trace.names()):
        raise NoScriptForModel(name=titles((trace.preset,))[0])
    return _Script(trace, Coder(Config(), words), parts, parts.foreign).text()


def noted(places: ForeignPlaces, trace: Trace) -> set[str]:
    """The names of all taps that the script of a Trace notes."""
    found = {f"{name}.{stage}" for _path, name in places.attentions for stage in _STAGES}
    found |= {tap for _path, tap in (*places.outputs, *places.entered)}
    for side in places.sides:
        inside = [tap for _path, tap in (*side.outputs, *side.inputs, *side.norms)]
        inside += [tap for _path, *both in side.sums for tap in both]
        n_layers = trace.card.side(f"{side.side}.layers.0").n_layers
        found |= {f"{side.side}.layers.{layer}.{tap}" for layer in range(n_layers) for tap in inside}
    return found | {tap for tap in _GIVEN_OUT if tap in trace}


@attrs.frozen
class _Script:
    """The script of one pass, part by part. Of the Coder only the words are used."""

    trace: Trace
    coder: Coder
    parts: ScriptParts
    places: ForeignPlaces

    def text(self) -> str:
        """The whole."""
        coder = self.coder
        functions = (
            changes.changed(coder, self.trace, self.parts.lent) if self.trace.changes else None,
            self.tap(),
            self.attention(),
            self.model(),
            _after(coder),
            _before(coder) if self.places.sides else None,
            _added(coder) if self.places.sides else None,
            self.hooks(),
            self.run(),
            self.others(),
            self.main(),
        )
        head = (self.title(), self.imports(), self.tokens())
        return "\n\n".join(head) + "\n\n\n" + "\n\n\n".join(each for each in functions if each) + "\n"

    def title(self) -> str:
        """The docstring."""
        words, card = self.coder.words, self.trace.card
        text = self.trace.prompt or self.trace.source or self.trace.target
        told = (
            words("script.title_foreign", text=text, model=titles((str(self.places.folder),))[0]),
            words("script.about_foreign", family=card.family, path=self.places.folder),
            words("script.how"),
            words("script.made_by", version=__version__),
        )
        return '"""' + "\n\n".join("\n".join(wrapped(safe(each), _WIDE)) for each in told) + '\n"""'

    def imports(self) -> str:
        """What the script imports."""
        return lines(
            "import math",
            "",
            "import torch",
            f"from transformers import AttentionInterface, AttentionMaskInterface, {self.places.kind}",
            "from transformers.masking_utils import eager_mask",
            "",
            f"FOLDER = {str(self.places.folder)!r}",
        )

    def tokens(self) -> str:
        """The ids of the tokens, with their texts as comments."""
        return common.tokens(self.coder, self.trace)

    def tap(self) -> str:
        """The function that notes a tensor, with the changes if there are any."""
        changed = "x = changed(name, x[0])[None]" if self.trace.changes else None
        return common.tap(self.coder, changed=changed, noted="x[0].float()", about="$tap_batch", switched=bool(self.parts.lent))

    def attention(self) -> str:
        """The function that computes attention for all families, each step of it noted."""
        t = self.trace.card.temperature
        over = "" if t == 1 else f" / {number(t)}"
        return self.coder(
            """
            def attention(module, query, key, value, attention_mask, scaling=None, dropout=0.0, **more):
                \"\"\"$attention_foreign\"\"\"
                name = module.tap_name
                query, key = tap(f"{name}.query", query), tap(f"{name}.key", key)  # [batch, head, position, feature]
                value = tap(f"{name}.value", value)
                # $grouped
                shared_by = query.shape[1] // key.shape[1]
                key, value = key.repeat_interleave(shared_by, dim=1), value.repeat_interleave(shared_by, dim=1)
                # S[q,k] = Q[q]·K[k]
                scores = tap(f"{name}.scores", query @ key.transpose(-2, -1))  # [batch, head, query, key]
                # $scaling$note
                factor = query.shape[-1] ** -0.5 if scaling is None else scaling
                scaled = tap(f"{name}.scaled", scores * $factor)
                if (softcap := more.get("softcap")) is not None:  # $softcap
                    cap = softcap$over
                    scaled = torch.tanh(scaled / cap) * cap
                if (bias := more.get("position_bias")) is not None:  # $position_bias
                    scaled = scaled + bias$over
                # $mask_foreign
                if attention_mask is not None and attention_mask.dtype == torch.bool:
                    scaled = scaled.masked_fill(~attention_mask[..., : scaled.shape[-1]], -math.inf)
                elif attention_mask is not None:
                    closed = attention_mask <= torch.finfo(attention_mask.dtype).min / 2
                    scaled = scaled + attention_mask.masked_fill(closed, -math.inf)[..., : scaled.shape[-1]]
                masked = tap(f"{name}.masked", scaled)
                # A[q,k] = exp(M[q,k]) / Σ_k exp(M[q,k])
                if (sink := more.get("s_aux")) is not None:  # $sink
                    sink = $divided.reshape(1, -1, 1, 1).expand(len(masked), -1, masked.shape[-2], 1)
                    weights = torch.cat([masked, sink], dim=-1).softmax(dim=-1)[..., :-1]
                else:
                    weights = masked.softmax(dim=-1)
                weights = tap(f"{name}.dropped", tap(f"{name}.weights", weights.to(value.dtype)))
                # O[q] = Σ_k A[q,k]·V[k]
                mixed = tap(f"{name}.mixed", weights @ value)  # [batch, head, query, feature]
                return mixed.transpose(1, 2).contiguous(), weights
            """,
            over=over,
            factor=f"(factor{over})" if over else "factor",
            divided=f"(sink{over})" if over else "sink",
            note=" / temperature" if over else "",
        )

    def model(self) -> str:
        """The model from its folder, with this attention."""
        read = self.coder(
            """
            $note
            AttentionInterface.register("tapped", attention)
            AttentionMaskInterface.register("tapped", eager_mask)
            model = $kind.from_pretrained(FOLDER, dtype=torch.float32, local_files_only=True, use_safetensors=True).eval()
            model.set_attn_implementation("tapped")
            $attentions
            """,
            note=self.coder.note("model_foreign"),
            kind=self.places.kind,
            attentions=f"ATTENTIONS = {_dictionary(self.places.attentions)}",
        )
        return lines(read, "for path, name in ATTENTIONS.items():", "    model.get_submodule(path).tap_name = name")

    def hooks(self) -> str | None:
        """The hooks of the modules that the family's row names; None where the family has none."""
        if not self.places.sides:
            return None
        return lines(
            self.coder.note("hooks"),
            *(f'after(model.get_submodule("{path}"), "{tap}")' for path, tap in self.places.outputs),
            *(f'before(model.get_submodule("{path}"), "{tap}")' for path, tap in self.places.entered),
            *(_of_layers(side) for side in self.places.sides),
        )

    def run(self) -> str:
        """The function that makes the pass."""
        names = [name for name, side in (("source", self.trace.tokens.source), ("target", self.trace.tokens.target)) if side]
        first, *others = names
        given = ", ".join([f"{name}={name.upper()}" for name in names] + ["changes=True"] * bool(self.parts.lent))
        passed = f"input_ids=torch.tensor([{first}])"
        if others:
            passed += f", decoder_input_ids=torch.tensor([{others[0]}])"
        return lines(
            "@torch.no_grad()",
            f"def run({given}):",
            f'    """{self.coder.words("script.run")}"""',
            "    global changing\n    changing = changes" if self.parts.lent else None,
            "    taps.clear()",
            f"    found = model({passed}, use_cache=False)" if self._says() else f"    model({passed}, use_cache=False)",
            *self._says(),
            "    return dict(taps)",
        )

    def _says(self) -> tuple[str, ...]:
        """What the model gives out: logits of symbols or of classes, and probabilities."""
        classes = self.trace.card.classes
        if classes is not None:
            rows = "found.logits[:, None]" if classes.of == "text" else "found.logits"
            made = f'    logits = tap("{LOGITS}", {rows})'
            by = "logits.softmax(dim=-1)" if classes.by == "softmax" else "logits.sigmoid()"
            return (made, f'    tap("{PROBABILITIES}", {by})') if PROBABILITIES in self.trace else (made,)
        if "generator.logits" not in self.trace:
            return ()
        return (
            '    logits = tap("generator.logits", found.logits)',
            '    tap("generator.probabilities", logits.softmax(dim=-1))',
        )

    def others(self) -> str | None:
        """The passes over the texts that patches take their numbers from."""
        if not self.parts.lent:
            return None
        return lines(self.coder.note("others"), "others = [", *(_other(*each) for each in self.parts.lent.items()), "]")

    def main(self) -> str:
        """What the script does when it is run."""
        return self.coder(
            """
            if __name__ == "__main__":
                for name, tensor in run().items():
                    print(f"{name:44}{list(tensor.shape)}")
            """
        )


def _other(text: str, tokens: Tokens) -> str:
    """The pass over another text, without changes."""
    sides = [str([token.id for token in side]) for side in (tokens.source, tokens.target) if side]
    return "\n".join(f"    {line}" for line in (comment(text), f"run({', '.join(sides)}, changes=False),"))


def _dictionary(rows: TapsByPath) -> str:
    return "{\n" + "\n".join(f'    "{path}": "{tap}",' for path, tap in rows) + "\n}"


def _after(coder: Coder) -> str:
    return coder(
        """
        def after(module, name):
            \"\"\"$after\"\"\"

            def hook(module, given, x):
                return tap(name, x[None])[0] if x.dim() == 2 else tap(name, x)  # $without_batch

            module.register_forward_hook(hook)
        """
    )


def _before(coder: Coder) -> str:
    return coder(
        """
        def before(module, name):
            \"\"\"$before\"\"\"

            def hook(module, given, named):
                if given:
                    return (tap(name, given[0]), *given[1:]), named
                return given, {**named, "hidden_states": tap(name, named["hidden_states"])}

            module.register_forward_pre_hook(hook, with_kwargs=True)
        """
    )


def _added(coder: Coder) -> str:
    return coder(
        """
        def follow(layer, sums, norms):
            \"\"\"$follow\"\"\"
            stream = {}

            def begin(module, given, named):
                stream["x"] = given[0] if given else named["hidden_states"]

            def adding(output, residual):
                def hook(module, given, y):
                    y = tap(output, y)
                    total = stream["x"] + y
                    stream["x"] = tap(residual, total)
                    return y if stream["x"] is total else y + (stream["x"] - total)

                return hook

            def normed(name):
                def hook(module, given, x):
                    stream["x"] = tap(name, x)
                    return stream["x"]

                return hook

            layer.register_forward_pre_hook(begin, with_kwargs=True)
            for path, output, residual in sums:
                layer.get_submodule(path).register_forward_hook(adding(output, residual))
            for path, name in norms:
                layer.get_submodule(path).register_forward_hook(normed(name))
        """
    )


def _of_layers(side: LayerPlaces) -> str:
    """The hooks of every layer of one side."""
    sums = "".join(f'\n            ("{path}", f"{{at}}.{output}", f"{{at}}.{total}"),' for path, output, total in side.sums)
    norms = "".join(f'\n            ("{path}", f"{{at}}.{tap}"),' for path, tap in side.norms)
    return lines(
        f'for i, layer in enumerate(model.get_submodule("{side.layers}")):',
        f'    at = f"{side.side}.layers.{{i}}"',
        "    follow(",
        "        layer,",
        f"        sums=[{sums}\n        ],",
        f"        norms=[{norms}\n        ]," if norms else "        norms=[],",
        "    )",
        *(f'    after(layer.get_submodule("{path}"), f"{{at}}.{tap}")' for path, tap in side.outputs),
        *(f'    before(layer.get_submodule("{path}"), f"{{at}}.{tap}")' for path, tap in side.inputs),
    )
