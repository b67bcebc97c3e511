"""explorer.many, as from a notebook."""

import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import explorer
from explorer.errors import (
    BadPrompt,
    ExtraMissing,
    NoPrompts,
    NotKept,
    NotPrompts,
    NotText,
    UnknownFormat,
    UnknownTable,
    UnknownTap,
)
from explorer.model.hooks import n_hooks
from explorer.scanning.table_file import read_table
from explorer.trace.found.over_prompts import HeadsOverPrompts, OverPrompts
from explorer.trace.many import Many
from tests.foreign.models import fresh, write_tokenizer

PROMPTS = ("我爱北京天安门", "他在图书馆看书。", "冬天来了", "我爱我爱我爱")
WORDS = ("the fox and the dog", "the dog", "a fox and a dog and the fox")


def check_single_passes(found: Many, **given: Any) -> None:
    """Every kept number, the last logits and all metrics are those of single passes."""
    for number, prompt in enumerate(found.prompts):
        trace = explorer.explore(prompt, **given)
        assert trace.tokens == found.tokens[number]
        for name in found.names():
            np.testing.assert_allclose(found.of(number, name), trace[name], atol=1e-5)
        np.testing.assert_allclose(found.logits[number], trace["generator.logits"][-1], atol=1e-5)
        for attention in trace.card.attentions:
            of_one, of_many = trace.measures(attention), found.measures(attention)
            for metric in of_one:
                np.testing.assert_allclose(of_many[metric][number], of_one[metric], atol=1e-5)


@pytest.mark.parametrize("preset", ["translator", "language-model", "tiny"])
def test_the_numbers_are_those_of_single_passes(preset: str) -> None:
    """Attention weights and streams of encoders and decoders, the last logits, and the metrics of heads."""
    check_single_passes(explorer.many(PROMPTS, preset, taps=["*.weights", "*.residual*", "generator.*"]), preset=preset)


def test_changes_are_made_in_each_prompt() -> None:
    """Also a mean over all rows of a prompt, which padding would spoil."""
    changes = [
        explorer.Change("decoder.layers.1.self_attn.mixed", "mean", head=1),
        explorer.Change("decoder.layers.0.self_attn.masked", "close", columns=[0], rows=[2]),
    ]
    plain = explorer.many(PROMPTS, "language-model")
    found = explorer.many(PROMPTS, "language-model", changes=changes)
    check_single_passes(found, preset="language-model", changes=changes)
    assert not np.allclose(plain.logits, found.logits, atol=1e-3)


def test_shapes_and_what_is_behind_the_end() -> None:
    """[prompt, …], with a star [prompt, layer, …]; NaN where a prompt has no such position."""
    found = explorer.many(PROMPTS, "language-model")
    weights, stacked = found["decoder.layers.0.self_attn.weights"], found["decoder.layers.*.self_attn.weights"]
    assert found.axes("decoder.layers.*.self_attn.weights") == ("prompt", "layer", "head", "query", "key")
    assert (stacked[:, 0] == weights)[~np.isnan(weights)].all()
    sizes = [len(each.target) for each in found.tokens]
    assert weights.shape[0] == 4 and weights.shape[-2:] == (max(sizes), max(sizes))
    short = int(np.argmin(sizes))
    assert np.isnan(weights[short, :, sizes[short] :]).all() and not np.isnan(found.of(short, found.names()[0])).any()
    with pytest.raises(ValueError, match="read-only"):
        weights[0] = 0


def test_a_model_of_others_gives_what_its_own_padded_batch_gives(tmp_path: Path) -> None:
    """Attention weights and last logits, as transformers computes them with a mask for the padding."""
    transformers = pytest.importorskip("transformers")
    write_tokenizer(tmp_path)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"))
    model = fresh("gpt2").eval()
    model.set_attn_implementation("eager")
    rows = [tokenizer(text)["input_ids"] for text in WORDS]
    longest = max(map(len, rows))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    real = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    with torch.inference_mode():
        own = model(ids, attention_mask=real, output_attentions=True)
    found = explorer.many(WORDS, model=model, tokenizer=tokenizer)
    for number, row in enumerate(rows):
        n = len(row)
        np.testing.assert_allclose(found.logits[number], own.logits[number, n - 1].numpy(), atol=1e-5)
        for layer, weights in enumerate(own.attentions):
            mine = found.of(number, f"decoder.layers.{layer}.self_attn.weights")
            np.testing.assert_allclose(mine, weights[number, :, :n, :n].numpy(), atol=1e-5)


def test_pairs_come_from_a_file_or_a_list(tmp_path: Path) -> None:
    """Clean and changed texts in two columns; the second ones are `changed`."""
    file = tmp_path / "pairs.tsv"
    file.write_text("我爱北京\t我爱上海\n冬天来了\t春天来了\n", "utf-8")
    found = explorer.many(file, "tiny")
    listed = explorer.many([("我爱北京", "我爱上海"), ("冬天来了", "春天来了")], "tiny")
    assert found.changed is not None and found.changed.prompts == ("我爱上海", "春天来了")
    assert (found.changed.logits == listed.changed.logits).all() and (found.logits == listed.logits).all()


ROWS = [[5, 9, 30, 9], [22, 7, 11, 8], [3, 4, 5, 6, 7, 8]]


@pytest.mark.parametrize("preset", ["translator", "language-model", "tiny"])
def test_rows_of_ids_are_the_passes_of_explore(preset: str) -> None:
    """Exactly these tokens, and the numbers of `explore(ids=…)`, to a millionth of the largest one."""
    found = explorer.many(ROWS, preset, taps=["*.weights", "*.residual2"])
    for number, row in enumerate(ROWS):
        trace = explorer.explore(ids=row, preset=preset)
        assert trace.tokens == found.tokens[number]
        for name in found.names():
            np.testing.assert_allclose(found.of(number, name), trace[name], rtol=0, atol=1e-6 * np.abs(trace[name]).max())
        logits = trace["generator.logits"][-1]
        np.testing.assert_allclose(found.logits[number], logits, rtol=0, atol=1e-6 * np.abs(logits).max())


def test_ids_come_as_lists_tensors_and_pairs_also_without_a_tokenizer() -> None:
    """All of them mean the same passes; the model of others has no tokenizer at all."""
    pytest.importorskip("transformers")
    model = explorer.load_model(fresh("gpt2"))
    listed = explorer.many(ROWS[:2], model=model)
    for given in (torch.tensor(ROWS[:2]), np.array(ROWS[:2]), [tuple(row) for row in ROWS[:2]]):
        assert (explorer.many(given, model=model).logits == listed.logits).all()
    trace = explorer.explore(ids=ROWS[1], model=model)
    np.testing.assert_allclose(listed.logits[1], trace["generator.logits"][-1], atol=1e-5)
    paired = explorer.many([(ROWS[0], ROWS[1])], model=model)
    assert paired.prompts == ("5 9 30 9",) and paired.changed is not None and paired.changed.prompts == ("22 7 11 8",)
    effects = explorer.ablate(ROWS[:1], model=model, metric=lambda logits, _tokens: float(logits[-1, 7]))
    assert effects.plain[0] == pytest.approx(explorer.explore(ids=ROWS[0], model=model)["generator.logits"][-1, 7], abs=1e-5)
    patched = explorer.patching(ROWS[0], ROWS[1], model=model, metric="next")
    assert patched.others == ("22 7 11 8",) and np.allclose(patched.recovered("decoder stream")[0, -1, -1], 1, atol=1e-4)


def test_a_file_of_lines_has_a_prompt_a_line(tmp_path: Path) -> None:
    """Without a second column they are no pairs."""
    (tmp_path / "lines.txt").write_text("\n".join(PROMPTS) + "\n\n", "utf-8")
    found = explorer.many(tmp_path / "lines.txt", "tiny")
    assert found.prompts == PROMPTS and found.changed is None


def test_its_head_metrics_are_saved_with_every_prompt(tmp_path: Path) -> None:
    """In one file, of all attentions."""
    found = explorer.many(PROMPTS, "translator", out=tmp_path / "heads.npz")
    loaded = OverPrompts.load(tmp_path / "heads.npz")
    assert isinstance(loaded, HeadsOverPrompts) and loaded.prompts == PROMPTS and loaded.preset == "translator"
    for place, attention in enumerate(found.card.attentions):
        for metric, values in found.measures(attention).items():
            if metric in loaded.maps:
                np.testing.assert_allclose(loaded[metric][:, place], values, rtol=1e-6)
    with pytest.raises(UnknownFormat, match="npz"):
        explorer.many(PROMPTS, "tiny", out=tmp_path / "heads.csv")


@pytest.mark.parametrize(
    ("prompts", "kind"),
    [
        ([], NoPrompts),
        (["一", ("二", "三")], NotPrompts),
        ([[1, 2], "一"], NotPrompts),
        ([[1, 2], ([1], [2])], NotPrompts),
        ([([1], "一")], NotPrompts),
        ([[1, 2], [1, -2]], BadPrompt),
        ([("一", "二", "三")], NotPrompts),
        ([3], NotText),
        (7, NotText),
        (["一", " "], BadPrompt),
    ],
)
def test_what_is_no_prompt_is_refused(prompts: Any, kind: type[Exception]) -> None:
    """And an empty one is named by its number."""
    with pytest.raises(kind) as caught:
        explorer.many(prompts, "tiny")
    assert kind is not BadPrompt or "1" in str(caught.value)


def test_unknown_names_are_refused() -> None:
    """Of taps that fit none, tables, and metrics whose weights were not asked for."""
    with pytest.raises(UnknownTap):
        explorer.many(PROMPTS, "tiny", taps="*.wieghts")
    found = explorer.many(PROMPTS, "tiny", taps=["encoder.norm"])
    with pytest.raises(UnknownTable, match="tokens"):
        found.columns("heads")
    with pytest.raises(NotKept):
        found.measures()


def test_tables_have_a_row_for_each_prompt_and_head() -> None:
    """With the metrics as columns, and the likeliest next tokens with their log-probabilities."""
    found = explorer.many(PROMPTS, "language-model")
    heads, following = found.columns(), found.columns("next")
    n = found.card.sides[0].n_layers * found.card.sides[0].n_heads
    assert {len(column) for column in heads.values()} == {len(PROMPTS) * n}
    first = found.measures()["entropy"]
    assert heads["entropy"][n] == first[1, 0, 0] and heads["text"][n] == PROMPTS[1]
    trace = explorer.explore(PROMPTS[0], preset="language-model")
    best = int(trace["generator.probabilities"][-1].argmax())
    assert following["token"][0] == trace.symbols[best]
    assert np.exp(following["log_p"][0]) == pytest.approx(trace["generator.probabilities"][-1, best], abs=1e-6)
    assert "<td>冬天来了</td>" in found._repr_html_() and "4 prompts" in repr(found)


def test_a_table_becomes_a_data_frame_where_pandas_is_there() -> None:
    """Else one sentence says what to install."""
    found = explorer.many(PROMPTS, "tiny")
    try:
        import pandas
    except ImportError:
        with pytest.raises(ExtraMissing, match="pandas"):
            found.to_pandas()
        return
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    means = frame[frame.attention == "encoder.self_attn"].groupby(["layer", "head"])["entropy"].mean()
    np.testing.assert_allclose(means, found.measures("encoder.self_attn")["entropy"].mean(axis=0).ravel())


def test_its_head_metrics_are_the_table_of_a_scan(tmp_path: Path) -> None:
    """The same sums as a scan of the same sentences, in a file that the window opens."""
    found = explorer.many(PROMPTS, out=tmp_path / "heads.json")
    table, scanned = read_table(tmp_path / "heads.json"), explorer.scan(PROMPTS, ("entropy", "first"))
    for attention in found.card.attentions:
        for metric in ("entropy", "first"):
            np.testing.assert_allclose(table.mean(attention, metric), scanned.mean(attention, metric), atol=1e-5)
            assert (table.sums(attention, metric).histogram == scanned.sums(attention, metric).histogram).all()
    assert table.rows("entropy")[0].best[0].text in PROMPTS


def test_ctrl_c_ends_it_cleanly() -> None:
    """No hook stays in the model, and the next call works."""
    model = explorer.load_model("tiny")
    n = n_hooks(model)
    handle = model.get_submodule("encoder.layers.0.norm1").register_forward_hook(
        lambda *_told: signal.raise_signal(signal.SIGINT)
    )
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # A shell may have its children ignore it.
    try:
        with pytest.raises(KeyboardInterrupt):
            explorer.many(PROMPTS, model=model)
    finally:
        signal.signal(signal.SIGINT, before)
    handle.remove()
    assert n_hooks(model) == n
    assert len(explorer.many(PROMPTS, model=model)) == 4
