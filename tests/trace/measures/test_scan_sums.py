"""Sums that merge, against NumPy over all values at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.trace.measures.scan_sums import N_BINS, SCAN_MEASURES, ScanPart, summed
from explorer.trace.measures.scan_table import ScanTable

RANDOM = np.random.default_rng(5)


def values(n: int) -> np.ndarray:
    """[sentence, layer 2, head 3] from 0 to 1, some of them NaN, some equal."""
    found = RANDOM.integers(0, 20, (n, 2, 3)) / 19
    found[RANDOM.random(found.shape) < 0.2] = np.nan
    return found


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6))
def test_merged_sums_are_those_of_all_sentences_together(sizes: list[int]) -> None:
    """However the sentences are cut into portions: counts, sums, histogram and best sentences."""
    v = values(sum(sizes))
    rows = np.arange(len(v))
    whole = summed(v, rows, "first", 4)
    ends = np.cumsum(sizes)
    parts = [summed(v[end - n : end], rows[end - n : end], "first", 4) for n, end in zip(sizes, ends, strict=True)]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merged(part)
    assert np.array_equal(merged.count, (~np.isnan(v)).sum(axis=0))
    assert merged.total == pytest.approx(np.nansum(v, axis=0), abs=1e-12)
    assert merged.squares == pytest.approx(np.nansum(v**2, axis=0), abs=1e-12)
    for name in ("histogram", "best", "rows"):
        assert np.array_equal(getattr(merged, name), getattr(whole, name))


def test_mean_deviation_histogram_and_best_are_numpys() -> None:
    """Of equal values the earlier sentence is the better one."""
    v = values(200)
    sums = summed(v, np.arange(200), "first", 5)
    assert sums.mean == pytest.approx(np.nanmean(v, axis=0))
    assert sums.deviation == pytest.approx(np.nanstd(v, axis=0))
    own = v[:, 1, 2]
    counted, _edges = np.histogram(own[~np.isnan(own)], bins=N_BINS, range=(0, 1))
    assert np.array_equal(sums.histogram[1, 2], counted)
    order = sorted((place for place in range(200) if not np.isnan(own[place])), key=lambda place: (-own[place], place))
    assert sums.rows[1, 2].tolist() == order[:5]


def test_what_lies_above_the_histogram_is_counted_in_its_last_bin() -> None:
    """Entropy goes up to 8 bits there."""
    sums = summed(np.array([[[0.0]], [[7.99]], [[9.5]]]), np.arange(3), "entropy", 1)
    assert sums.histogram[0, 0, 0] == 1 and sums.histogram[0, 0, -1] == 2


def test_a_measure_that_means_nothing_in_every_sentence_has_no_mean() -> None:
    """Nor a best sentence."""
    sums = summed(np.full((2, 1, 1), np.nan), np.arange(2), "induction", 2)
    assert np.isnan(sums.mean).all() and np.isnan(sums.deviation).all()
    assert sums.rows.tolist() == [[[-1, -1]]]
    row = ScanTable(about={}, part=ScanPart(n_rows=2, sums={("encoder.self_attn", "induction"): sums})).rows()[0]
    assert (row.count, row.best) == (0, ())


def test_sentences_that_are_among_the_best_no_more_are_forgotten() -> None:
    """So a part does not grow with the corpus."""
    key = ("output", "probability")

    def part(value: float, row: int) -> ScanPart:
        sums = summed(np.array([[[value]]]), np.array([row]), "probability", 1)
        return ScanPart(n_rows=1, left_out={"error.empty_text": row}, sums={key: sums}, texts={row: f"sentence {row}"})

    merged = part(0.2, 1).merged(part(0.9, 2)).merged(part(0.5, 3))
    assert merged.texts == {2: "sentence 2"} and merged.n_rows == 3 and merged.left_out == {"error.empty_text": 6}


def test_a_table_says_what_it_is_in_at_most_ten_lines() -> None:
    """A notebook shows it so: the highest head of each measure, and not its thousands of sums."""
    values = np.array([[[0.25, 0.75]], [[0.25, 0.5]]])  # [sentence, layer, head]
    sums = {("encoder.self_attn", key): summed(values, np.arange(2), key, 1) for key in SCAN_MEASURES}
    for n in range(1, len(sums) + 1):
        part = ScanPart(n_rows=2, sums=dict(list(sums.items())[:n]), texts={0: "他", 1: "她"})
        table = ScanTable(about={"preset": "tiny"}, part=part)
        lines = repr(table).splitlines()
        assert len(lines) <= 10 and "2 of 2 sentences" in lines[0]
        assert "head 1, 0.625 ± 0.125" in lines[1]
