"""How well the heads of cross-attention align words, against forty sentence pairs whose words were linked by hand.

python -m tests.training.aligned --preset translator

The translation is given. The query that is to write a word is looked at; it hits if its largest weight lies on a token of the
linked word.
"""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

import explorer
from explorer.presets import load_preset
from explorer.tokens.graphemes import Span
from explorer.tokens.token import Token

FILE = Path(__file__).with_suffix(".tsv")


@attrs.frozen
class Linked:
    """A sentence pair; each link is the span of a word of the source and that of the word of the target which says it."""

    source: str
    target: str
    links: tuple[tuple[Span, Span], ...]


def linked(*, from_english: bool, path: Path = FILE) -> Iterator[Linked]:
    """The pairs of the file in one direction. A word is linked where it stands first in its sentence."""
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        english, chinese, links = line.split("\t")
        pairs = (link.split("=") for link in links.split())
        spans = [(_span(english, en), _span(chinese, zh)) for en, zh in pairs]
        yield (
            Linked(english, chinese, tuple(spans))
            if from_english
            else Linked(chinese, english, tuple((zh, en) for en, zh in spans))
        )


def _span(text: str, word: str) -> Span:
    whole = rf"\b{word}\b" if word.isascii() else word  # Chinese has no spaces between words.
    found = re.search(whole, text)
    assert found, (text, word)
    return found.span()


def hits(pair: Linked, preset: str) -> NDArray[np.bool_]:
    """[link, layer, head] whether a head's largest weight lies on the linked word, from the query before each written word."""
    trace = explorer.explore(pair.source, target=pair.target, preset=preset)
    n_layers = trace.card.side("decoder").n_layers
    A = np.stack([trace[f"decoder.layers.{layer}.cross_attn.weights"] for layer in range(n_layers)])
    # best[l,h,q] = argmax_k A[l,h,q,k]
    best = A.argmax(axis=-1)  # [layer, head, query]
    rows = []
    for read, written in pair.links:
        query = _places(trace.tokens.target, written)[0] - 1
        rows.append(np.isin(best[:, :, query], _places(trace.tokens.source, read)))
    return np.array(rows)


def _places(tokens: tuple[Token, ...], word: Span) -> list[int]:
    return [place for place, token in enumerate(tokens) if token.start < word[1] and word[0] < token.end]


def main() -> None:
    """Print the share of hits of the best heads, and of all together."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--preset", default="translator")
    preset = parser.parse_args().preset
    pairs = list(linked(from_english=load_preset(preset).reads_english))
    found = np.concatenate([hits(pair, preset) for pair in pairs])  # [link, layer, head]
    share = found.mean(axis=0)  # [layer, head]
    print(f"{len(pairs)} pairs, {len(found)} links")
    for place in np.argsort(-share, axis=None)[:5]:
        layer, head = np.unravel_index(place, share.shape)
        print(f"layer {layer} head {head}: {share[layer, head]:.1%}")
    print(f"some head: {found.any(axis=(1, 2)).mean():.1%} · mean over heads: {share.mean():.1%}")


if __name__ == "__main__":
    main()
