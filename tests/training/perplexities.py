"""The perplexity of a language model against n-grams of the same symbols, on rows that neither was trained on.

python -m tests.training.perplexities --preset language-model --data pairs.tsv --sentences sentences.tsv
"""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

import torch

from explorer import resources
from explorer.engine.sources.trained import Trained
from explorer.presets import load_preset
from explorer.tokens.segment import Segmenter
from explorer.tokens.simplify import Simplifier
from explorer.training.batches import Ids, TextExample
from explorer.training.prepare import predicted_characters, text_example
from explorer.training.texts import read_texts
from tests.training.ngrams import NGrams


def main() -> None:
    """Print the table. The discounts of the n-grams are tuned on every other validation row; the others are measured."""
    parser = argparse.ArgumentParser()
    for name in ("--preset", "--data", "--sentences"):
        parser.add_argument(name)
    given = parser.parse_args()
    predictor = Trained(load_preset(given.preset))
    simplifier = None if predictor.bilingual.reads_english else Simplifier()
    texts = read_texts(Path(given.data), Path(given.sentences) if given.sentences else None, simplifier)
    segmenter = Segmenter(resources.cache_folder())
    examples = {
        split: [text_example(text, predictor.bilingual, segmenter) for text in texts.split(split)]
        for split in ("train", "valid", "test")
    }
    tuned, halves = examples["valid"][::2], {"valid, other half": slice(1, None, 2), "test": slice(None)}
    models = [_tuned(order, [_row(each) for each in examples["train"]], tuned, predictor) for order in range(1, 5)]
    for name, part in halves.items():
        split = name.partition(",")[0]
        rows = [_row(example) for example in examples[split][part]]
        n_tokens = sum(len(row) - 1 for row in rows)
        pairs = zip(texts.split(split)[part], examples[split][part], strict=True)
        n_characters = sum(predicted_characters(text, predictor.bilingual, example) for text, example in pairs)
        unknown = sum(row[1:].count(1) for row in rows)
        print(f"{name}: {len(rows)} rows, {n_tokens} tokens ({unknown} unknown), {n_characters} characters")
        print(_line("language model", nats(predictor, rows), n_tokens, n_characters))
        for model in models:
            print(_line(f"{model.order}-gram {model.discounts}", model.nats(rows), n_tokens, n_characters))


def _tuned(order: int, rows: Sequence[Ids], tuned: Sequence[TextExample], predictor: Trained) -> NGrams:
    model = NGrams(rows, len(predictor.bilingual.source), order)
    model.tune([_row(example) for example in tuned])
    return model


def _row(example: TextExample) -> Ids:
    """The ids of a sentence with its end: words that are symbols stay whole."""
    drawn = example.whole()
    return (*drawn.given, drawn.expected[-1])


def nats(predictor: Trained, rows: Sequence[Ids]) -> float:
    """-Σ log P of all symbols of the rows but the first of each, one row after the other."""
    model, total = predictor.model(predictor.preset.config), 0.0
    with torch.inference_mode():
        for row in rows:
            logits = model(None, torch.tensor([row[:-1]]))[0]  # [position, vocab]
            total += float(torch.nn.functional.cross_entropy(logits, torch.tensor(row[1:]), reduction="sum"))
    return total


def _line(name: str, total: float, n_tokens: int, n_characters: int) -> str:
    return f"{name:36} {math.exp(total / n_tokens):8.1f} per token {math.exp(total / n_characters):8.1f} per character"


if __name__ == "__main__":
    main()
