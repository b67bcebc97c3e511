"""The quality of translations by two usual metrics: sacreBLEU (Post 2018) and chrF (Popović 2015). Their library is extra."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from explorer.engine.compute import Computer
from explorer.engine.decoding.beam import Decoding
from explorer.engine.sources.translator import Translator
from explorer.errors import ExtraMissing, TooLong
from explorer.tokens.bilingual import Pair

LENGTHS = ((1, 5), (6, 8), (9, 12), (13, 10_000))
"""Groups of sentences that are also scored separately: the smallest and the largest number of source tokens."""

_BATCH = 64


@attrs.frozen
class Scores:
    """`bleu` and `chrf` in percent, with one reference each and with all; the signatures name the exact metric."""

    bleu_one: float
    bleu_all: float
    chrf_one: float
    chrf_all: float
    bleu_signature: str
    chrf_signature: str


@attrs.frozen
class Scored:
    """One scored sentence; its own reference is the first one."""

    source: str
    translation: str
    references: tuple[str, ...]
    n_tokens: int


@attrs.frozen
class Evaluation:
    """The scores of all rows, and of each group of lengths as (first, last, rows, scores)."""

    scores: Scores
    by_length: tuple[tuple[int, int, int, Scores], ...]
    rows: tuple[Scored, ...]


def evaluate(
    computer: Computer,
    translator: Translator,
    pairs: Sequence[Pair],
    decoding: Decoding,
    progress: Callable[[float], None] = lambda share: None,
) -> Evaluation:
    """Translate the source of each pair and score it against all targets of that source in the pairs. Raises ExtraMissing."""
    _library()  # It is missed before thousands of sentences are translated.
    references: defaultdict[str, list[str]] = defaultdict(list)
    for source, target in pairs:
        if target not in references[source]:
            references[source].append(target)
    found = translate_all(computer, translator, list(references), decoding, progress)
    rows = tuple(
        Scored(source, found[source][0], tuple(dict.fromkeys((target, *references[source]))), found[source][1])
        for source, target in pairs
    )
    tokenizer = "13a" if translator.bilingual.writes_english else "zh"
    groups = ((first, last, [row for row in rows if first <= row.n_tokens <= last]) for first, last in LENGTHS)
    by_length = tuple((first, last, len(group), score(group, tokenizer)) for first, last, group in groups if group)
    return Evaluation(score(rows, tokenizer), by_length, rows)


def translate_all(
    computer: Computer,
    translator: Translator,
    sources: Sequence[str],
    decoding: Decoding,
    progress: Callable[[float], None] = lambda share: None,
) -> dict[str, tuple[str, int]]:
    """The translation of each sentence and its number of tokens. Sentences of similar length are translated together.

    A sentence that is too long for the model gets an empty translation, which is scored as such.
    """
    ids: dict[str, tuple[int, ...]] = {}
    found: dict[str, tuple[str, int]] = {}
    for source in sources:
        try:
            ids[source] = computer.sources.source_ids(source, translator)
        except TooLong as error:
            found[source] = "", int(str(error.values["got"]))
    order = sorted(ids, key=lambda source: len(ids[source]))
    for start in range(0, len(order), _BATCH):
        batch = order[start : start + _BATCH]
        searches = translator.search_all([ids[source] for source in batch], translator.preset.config, decoding)
        for source, search in zip(batch, searches, strict=True):
            found[source] = translator.bilingual.target_text(search.best), len(ids[source])
        progress(min(1.0, (start + _BATCH) / len(order)))
    return found


def score(rows: Sequence[Scored], tokenizer: str = "13a") -> Scores:
    """BLEU (cased, with sacreBLEU's tokenizer for English or that for Chinese, "zh") and chrF of translated rows.

    Raises ExtraMissing.
    """
    sacrebleu = _library()
    said = [row.translation for row in rows]
    one = [[row.references[0] for row in rows]]
    most = max(len(row.references) for row in rows)
    # Rows with fewer references are padded with None, which sacreBLEU ignores.
    every = [[row.references[k] if k < len(row.references) else None for row in rows] for k in range(most)]
    bleu, chrf = sacrebleu.BLEU(tokenize=tokenizer), sacrebleu.CHRF()
    bleu_all, chrf_all = bleu.corpus_score(said, every).score, chrf.corpus_score(said, every).score
    signatures = str(bleu.get_signature()), str(chrf.get_signature())
    return Scores(bleu.corpus_score(said, one).score, bleu_all, chrf.corpus_score(said, one).score, chrf_all, *signatures)


def _library() -> Any:
    """sacreBLEU. Raises ExtraMissing where it is not installed."""
    try:
        import sacrebleu
    except ImportError as error:
        raise ExtraMissing(name="sacrebleu", extra="training") from error
    return sacrebleu
