"""Scores are sacreBLEU's own, every row is translated, and batches change nothing."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest
import sacrebleu

from explorer.engine.compute import Computer
from explorer.engine.decoding.beam import Decoding
from explorer.engine.sources.translator import Translator
from explorer.errors import ExtraMissing
from explorer.training.evaluation import LENGTHS, Scored, evaluate, score, translate_all
from tests.engine.sources.bundles import a_translator

SAID = ("The cat sits on the mat.", "I love the city of Beijing very much.", "He reads books in the library today.")
ONE = ("The cat is on the mat.", "I love the city of Beijing.", "He reads many books in the library today.")
TWO = ("There is a cat on the mat.", "I love the city of Peking very much.", "")


def rows(references: tuple[tuple[str, ...], ...]) -> list[Scored]:
    return [
        Scored(f"句{number}", said, each, number + 1) for number, (said, each) in enumerate(zip(SAID, references, strict=True))
    ]


@pytest.fixture
def translator(tmp_path: Path) -> Translator:
    return a_translator(tmp_path)


def test_one_reference_gives_sacrebleus_corpus_score() -> None:
    """Called directly: 13a tokens, cased, exponential smoothing, up to four words; chrF of six characters."""
    found = score(rows(tuple((each,) for each in ONE)))

    assert found.bleu_one == found.bleu_all == sacrebleu.corpus_bleu(list(SAID), [list(ONE)]).score
    assert found.chrf_one == found.chrf_all == sacrebleu.corpus_chrf(list(SAID), [list(ONE)]).score
    assert 20 < found.bleu_one < 90
    assert "tok:13a" in found.bleu_signature
    assert "case:mixed" in found.bleu_signature
    assert "nc:6" in found.chrf_signature


def test_chinese_is_scored_in_characters() -> None:
    """By sacreBLEU's tokenizer for Chinese; the one for English would see each sentence as one word."""
    said, wanted = ["他们爱看书。", "我不喜欢下雨天。"], ["他们都爱看书。", "我不喜欢下雨。"]
    found = score([Scored("x", *pair, 1) for pair in zip(said, ((each,) for each in wanted), strict=True)], "zh")

    assert found.bleu_one == sacrebleu.corpus_bleu(said, [wanted], tokenize="zh").score > 50
    assert "tok:zh" in found.bleu_signature
    assert score([Scored("x", *pair, 1) for pair in zip(said, ((each,) for each in wanted), strict=True)]).bleu_one < 10


def test_all_references_count_where_there_are_several() -> None:
    """As sacreBLEU takes them, two for each row."""
    references = (*zip(ONE[:2], TWO[:2], strict=True), (ONE[2], "He is reading in the library."))
    found = score(rows(references))
    streams = [[each[k] for each in references] for k in range(2)]

    assert found.bleu_all == sacrebleu.corpus_bleu(list(SAID), streams).score
    assert found.chrf_all == sacrebleu.corpus_chrf(list(SAID), streams).score
    assert found.bleu_one == sacrebleu.corpus_bleu(list(SAID), streams[:1]).score < found.bleu_all


def test_a_row_with_fewer_references_is_not_given_empty_ones() -> None:
    """A missing reference is no reference: repeating one that is there gives the same, an empty string does not."""
    found = score(rows(((ONE[0], TWO[0]), (ONE[1], TWO[1]), (ONE[2],))))
    repeated = [list(ONE), [TWO[0], TWO[1], ONE[2]]]
    empty = [list(ONE), [TWO[0], TWO[1], ""]]

    assert found.bleu_all == pytest.approx(sacrebleu.corpus_bleu(list(SAID), repeated).score)
    assert found.chrf_all == pytest.approx(sacrebleu.corpus_chrf(list(SAID), repeated).score)
    assert (
        sacrebleu.corpus_bleu(["a b c d e"], [["a b c d"], [None]]).score
        != sacrebleu.corpus_bleu(["a b c d e"], [["a b c d"], ["a b c d e f"]]).score
    )
    assert found.bleu_one == sacrebleu.corpus_bleu(list(SAID), empty[:1]).score


def test_translations_that_say_nothing_score_nothing() -> None:
    """And nothing breaks."""
    found = score([Scored("句", "", ("The cat.",), 1), Scored("子", "", ("A dog.", "One dog."), 2)])

    assert (found.bleu_one, found.bleu_all, found.chrf_one, found.chrf_all) == (0, 0, 0, 0)


PAIRS = [
    ("我爱北京", "I love Beijing"),
    ("猫", "cats"),
    ("我爱北京", "I love Peking"),
    ("猫", "cats"),
    ("你看图书馆我看天安门他看猫。", "You see"),
    ("我看猫", "I see"),
]


def test_each_row_is_scored_against_every_target_of_its_source(computer: Computer, translator: Translator) -> None:
    """Its own first, none twice, in the order of the file."""
    found = evaluate(computer, translator, PAIRS, Decoding())

    assert [row.source for row in found.rows] == [source for source, _ in PAIRS]
    assert [row.references for row in found.rows[:4]] == [
        ("I love Beijing", "I love Peking"),
        ("cats",),
        ("I love Peking", "I love Beijing"),
        ("cats",),
    ]
    assert found.scores == score(found.rows)


def test_groups_of_length_cover_every_row_once(computer: Computer, translator: Translator) -> None:
    """Each scored by itself; empty ones are left out."""
    found = evaluate(computer, translator, PAIRS, Decoding())

    assert sum(count for _first, _last, count, _scores in found.by_length) == len(PAIRS)
    for first, last, count, scores in found.by_length:
        group = [row for row in found.rows if first <= row.n_tokens <= last]
        assert (len(group), score(group)) == (count, scores)
    assert [after[0] - before[1] for before, after in pairwise(LENGTHS)] == [1] * (len(LENGTHS) - 1)
    assert LENGTHS[0][0] == 1


@pytest.mark.parametrize("beam", [1, 3])
def test_batches_say_what_each_sentence_says_alone(
    computer: Computer, translator: Translator, beam: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the number of its tokens; progress climbs to the whole."""
    monkeypatch.setattr("explorer.training.evaluation._BATCH", 3)
    sources = [f"{subject}{verb}{what}" for subject in "我你他" for verb in "爱看" for what in ("北京", "猫", "图书馆。")][:10]
    shares: list[float] = []
    found = translate_all(computer, translator, sources, Decoding(beam=beam), shares.append)

    assert list(found) != [] and set(found) == set(sources)
    for source in sources:
        ids = computer.sources.source_ids(source, translator)
        assert found[source] == (translator.translate(ids, beam), len(ids))
    assert shares == [pytest.approx(each) for each in (0.3, 0.6, 0.9, 1.0)]


def test_without_sacrebleu_nothing_is_translated_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line that installs it comes at once: no Computer is asked."""
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(ExtraMissing, match=r"\[training\]"):
        evaluate(None, None, [], None)  # type: ignore[arg-type]  # None of them is reached.
