"""Going on with a text: the steps of a cache against whole passes, choices against a second source, branches and stops."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import explorer
from explorer.engine.compute import Computer
from explorer.engine.errand import WriteOn
from explorer.engine.recording.joined_rows import JoinedRows
from explorer.engine.recording.recorder import record
from explorer.errors import KnobOutOfRange, NoSuchSymbol, NotALanguageModel, TooLong
from explorer.state.wish import Wish
from explorer.stops import Superseded
from explorer.trace.changes import Change
from explorer.trace.found.continuation import Continuation, NextToken, Sampling
from explorer.trace.trace import Trace
from tests.engine.sources.bundles import a_bundle, a_language_model
from tests.foreign.models import fresh, ids_of, opened, write_model

TEXT = "我爱北京"


def never() -> bool:
    return False


def most_apart(joined: Any, whole: Any, axes: Any) -> float:
    """By tap the largest difference as a share of the largest number, in the cells that no mask closes."""
    worst = 0.0
    assert set(joined) == set(whole)
    for tap, array in whole.items():
        ours = joined[tap]
        assert ours.shape == array.shape, tap
        seen = np.isfinite(ours) & np.isfinite(array)
        if "key" in axes[tap] and "cross_attn" not in tap:
            early = np.tril(np.ones(array.shape[-2:], bool))
            assert (ours[:, ~early] == 0).all() or not tap.endswith((".weights", ".dropped"))
            assert np.isneginf(ours[:, ~early]).all() or not tap.endswith(".masked")
            seen &= early & ~np.isneginf(array)
        else:
            assert seen.all(), tap
        difference = np.where(seen, ours, 0) - np.where(seen, array, 0)
        worst = max(worst, float(abs(difference).max() / max(1e-30, abs(np.where(seen, array, 0)).max())))
    return worst


@pytest.fixture(scope="module")
def preset(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a tiny language model of our own."""
    return a_language_model(tmp_path_factory.mktemp("language-model"))


def test_rows_of_our_models_steps_are_those_of_the_whole_pass(preset: str) -> None:
    """Every tap of every step, put together, against one pass over text and continuation; a wrong row would be seen."""
    found = explorer.generate(TEXT, preset, tokens=6, begin=[5, 9, 7])
    assert found.trace is not None
    computer = Computer()
    source = computer.sources.of(Wish.from_preset(preset, TEXT))
    model = source.ready(found.trace.config, 0, never, lambda _share: None)
    with torch.inference_mode(), record(model) as whole:
        model(None, torch.tensor([[token.id for token in found.trace.tokens.target]]))
    arrays = dict(found.trace.arrays)

    assert most_apart(arrays, dict(whole.arrays), whole.axes) <= 1e-4
    arrays["decoder.norm"] = np.roll(arrays["decoder.norm"], 1, axis=0)
    assert most_apart(arrays, dict(whole.arrays), whole.axes) > 1e-2


def test_each_token_is_the_likeliest_and_its_log_p_is_that_of_the_whole_pass(preset: str) -> None:
    """Greedily; the text goes on with what was typed, and the recorded output says the same."""
    found = explorer.generate(TEXT, preset, tokens=5)
    trace = explorer.explore(TEXT, preset=preset)
    n = len(trace.tokens.target)
    assert found.trace is not None
    assert found.tokens[0].id == trace["generator.logits"][-1].argmax()
    for token in found.tokens:
        probabilities = found.trace["generator.probabilities"][token.position - 1]
        assert token.id == probabilities.argmax() and token.rank == 1
        assert token.log_p == pytest.approx(np.log(probabilities[token.id]), abs=1e-5)
        assert token.probability == pytest.approx(token.probabilities[0], abs=1e-6)
    assert [token.position for token in found.tokens] == [n + place for place in range(len(found.tokens))]
    assert found.text == "".join(token.text for token in found.tokens if not token.ends)
    assert found.log_p == pytest.approx(sum(token.log_p for token in found.tokens))
    assert found.to_dict()["tokens"][0]["candidates"][0]["id"] == found.tokens[0].id
    assert found.text in repr(found)


def test_what_is_begun_with_is_given_and_not_chosen(preset: str) -> None:
    """A branch: the word is taken though it is not the likeliest, and all goes on from there."""
    own = explorer.generate(TEXT, preset, tokens=3)
    other = next(name for name in ("猫", "看", "你") if name != own.tokens[0].text)
    branch = explorer.generate(TEXT, preset, tokens=3, begin=[other])
    again = explorer.generate(TEXT + other, preset, tokens=2)

    assert [token.forced for token in branch.tokens] == [True, False, False]
    assert branch.tokens[0].text == other and branch.tokens[0].rank > 1
    assert branch.ids[1:] == again.ids
    assert branch.tokens[0].ids.count(branch.tokens[0].id) == 1
    with pytest.raises(NoSuchSymbol):
        explorer.generate(TEXT, preset, begin=["龘"])
    with pytest.raises(NoSuchSymbol):
        explorer.generate(TEXT, preset, begin=[10**6])


def test_draws_follow_the_seed_alone(preset: str) -> None:
    """The same seed gives the same text, also when it is written in two parts; another one gives another text."""
    drawn = explorer.generate(TEXT, preset, tokens=8, sampling_seed=3, sampling_temperature=3.0)
    same = explorer.generate(TEXT, preset, tokens=8, sampling_seed=3, sampling_temperature=3.0)
    parts = explorer.generate(
        TEXT, preset, tokens=8, sampling_seed=3, sampling_temperature=3.0, begin=drawn.ids[: len(drawn.ids) // 2]
    )
    others = {explorer.generate(TEXT, preset, tokens=8, sampling_seed=seed, sampling_temperature=3.0).ids for seed in range(5)}

    assert drawn.ids == same.ids == parts.ids
    assert len(others) > 1
    with pytest.raises(KnobOutOfRange):
        explorer.generate(TEXT, preset, top_p=1.5)


def test_draws_are_as_frequent_as_they_are_probable() -> None:
    """Of 4,000 seeds; symbols that are cut away are never drawn, and every bar that sampling shows is."""
    logits = np.array([1.0, 0.2, -0.5, 2.0, -9.0], np.float32)
    sampling = Sampling(temperature=1.5, top_k=3)
    shares, cut = sampling.distribution(logits)
    wanted = np.where(cut, 0, shares) / shares[~cut].sum()
    drawn = [Sampling(temperature=1.5, top_k=3, seed=seed).choose(logits, 7) for seed in range(4000)]
    counts = np.bincount(drawn, minlength=5) / 4000

    assert np.flatnonzero(counts).tolist() == [0, 1, 3]
    np.testing.assert_allclose(counts, wanted, atol=4 * np.sqrt(0.25 / 4000))
    assert sampling.choose(logits, 7) == 3  # Without a seed it is the likeliest.


def test_a_change_goes_on_through_the_whole_continuation(preset: str) -> None:
    """Every token is what a pass with the change says; the rows are those of that pass."""
    off = Change("decoder.layers.0.self_attn.mixed", "scale", value=0.0)
    found = explorer.generate(TEXT, preset, tokens=4, changes=[off])
    assert found.trace is not None
    for token in found.tokens:
        ids = [each.id for each in found.trace.tokens.target][: token.position]
        text = "".join(each.text for each in found.trace.tokens.target[: token.position])
        trace = explorer.explore(text, preset=preset, changes=[off])
        if [each.id for each in trace.tokens.target] == ids:
            assert trace["generator.logits"][-1].argmax() == token.id
    assert (found.trace["decoder.layers.0.self_attn.mixed"] == 0).all()


def test_models_that_write_no_text_say_so(preset: str, tmp_path: Path) -> None:
    """A translator, and a model without weights."""
    translator = a_bundle(tmp_path)
    for name in (translator, "tiny"):
        with pytest.raises(NotALanguageModel):
            explorer.generate(TEXT, name)
    with pytest.raises(TooLong):
        explorer.generate(TEXT, preset, tokens=40, begin=[5] * 40)


def a_wish(preset: str) -> Wish:
    return Wish.from_preset(preset, TEXT)


def pieces(computer: Computer, errand: WriteOn) -> list[NextToken]:
    found = [computer.piece(errand, number, never).found for number in range(errand.n_pieces)]
    assert all(isinstance(each, NextToken) for each in found)
    return found  # type: ignore[return-value]


def test_pieces_of_an_errand_are_the_tokens(preset: str) -> None:
    """One after the other; each brings the rows that it added to the cache, which are those of the whole pass."""
    computer, wish = Computer(), a_wish(preset)
    whole = explorer.generate(TEXT, preset, tokens=4, begin=[5, 9, 7, 6])
    found = pieces(computer, WriteOn(wish=wish, most=4, forced=(5, 9, 7, 6)))
    assert whole.trace is not None

    assert tuple(each.id for each in found) == whole.ids
    assert [each.first for each in found] == [0, *(each.position - 1 for each in found[1:])]
    keys = np.concatenate([each.keys for each in found if each.keys is not None], axis=2)
    for layer, rows in enumerate(keys):
        recorded = whole.trace[f"decoder.layers.{layer}.self_attn.key"][:, : rows.shape[1]]
        np.testing.assert_allclose(rows, recorded, atol=1e-5)
    more = pieces(computer, WriteOn(wish=wish, most=1, begun=whole.ids))[0]
    assert more.first == whole.tokens[-1].position  # The cache is used again: the last token alone is read.


def test_a_stopped_piece_is_made_again(preset: str) -> None:
    """A stop in the middle of a step leaves no half cache behind; an errand that is begun in the middle catches up."""
    computer, wish = Computer(), a_wish(preset)
    errand = WriteOn(wish=wish, most=4, forced=(5, 9, 7, 6))
    wanted = pieces(Computer(), errand)
    computer.piece(errand, 0, never)
    asked = 0

    def soon() -> bool:
        nonlocal asked
        asked += 1
        return asked > 5

    with pytest.raises(Superseded):
        computer.piece(errand, 1, soon)
    second, last = computer.piece(errand, 1, never).found, Computer().piece(errand, 3, never).found

    assert isinstance(second, NextToken) and isinstance(last, NextToken)
    assert (second.id, last.id) == (wanted[1].id, wanted[3].id)
    assert second.log_p == pytest.approx(wanted[1].log_p, abs=1e-5)
    assert last.log_p == pytest.approx(wanted[3].log_p, abs=1e-5)


def test_a_piece_that_cannot_be_says_why(tmp_path: Path) -> None:
    """As a value: the window shows its sentence."""
    found = Computer().piece(WriteOn(wish=Wish.from_preset("tiny", TEXT), most=1), 0, never).found
    assert isinstance(found, NotALanguageModel)
    assert WriteOn(most=5).n_pieces == 0


FOREIGN = "the fox loves the dogs"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of tiny models, made when they are asked for."""

    class Made(dict[str, Path]):
        def __missing__(self, name: str) -> Path:
            self[name] = write_model(tmp_path_factory.mktemp("foreign") / name.replace(" ", "-"), name)
            return self[name]

    return Made()


@pytest.mark.slow  # To import transformers takes seconds.
@pytest.mark.parametrize("name", ["gpt2", "llama", "mistral", "gpt_oss"])
def test_rows_of_a_foreign_models_steps_are_those_of_the_whole_pass(name: str, folders: dict[str, Path]) -> None:
    """Put together from its own cache, also where it looks four tokens back alone, or where its attention alone is seen."""
    found = explorer.generate(FOREIGN, folders[name], tokens=7)
    assert found.trace is not None
    foreign = opened(name).foreign
    with torch.inference_mode(), record(foreign) as whole:
        foreign(None, torch.tensor([[token.id for token in found.trace.tokens.target]]))

    assert most_apart(dict(found.trace.arrays), dict(whole.arrays), whole.axes) <= 1e-4


@pytest.mark.slow  # To import transformers takes seconds.
@pytest.mark.parametrize("name", ["t5", "bart", "marian"])
def test_rows_of_a_decoders_steps_are_those_of_the_whole_pass(name: str) -> None:
    """Of models with both sides: the keys and values of the source are the same in all steps."""
    foreign, (source, target) = opened(name).foreign, ids_of(opened(name))
    assert source is not None and target is not None
    joined, cache = JoinedRows(), None
    with torch.inference_mode():
        with record(foreign) as whole:
            foreign(source, target)
        memory = foreign.encode(source)
        for first, last in ((0, 2), (2, 3), (3, 4)):
            with record(foreign) as step:
                _logits, cache = foreign.extend(target[:, first:last], cache, memory)
            joined.add(step, last - first)
    decoders = {tap: array for tap, array in whole.arrays.items() if not tap.startswith("encoder.")}

    assert most_apart(joined.arrays(), decoders, whole.axes) <= 1e-4


@pytest.mark.slow  # To import transformers takes seconds.
@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_a_foreign_model_writes_what_its_own_library_writes(name: str, folders: dict[str, Path]) -> None:
    """Greedily, against `generate` of transformers; it goes on before the special token that stands behind a text."""
    found = explorer.generate(FOREIGN, folders[name], tokens=6)
    model = fresh(name)
    row = [token.id for token in explorer.explore(FOREIGN, preset=folders[name]).tokens.target]
    own = model.generate(torch.tensor([row[:-1]]), max_new_tokens=6, do_sample=False, num_beams=1, pad_token_id=0)[0].tolist()

    assert row[-1] == 2  # [SEP]
    assert list(found.ids) == own[len(row) - 1 :]
    assert found.trace is not None
    assert [token.id for token in found.trace.tokens.target] == own[: len(found.trace.tokens.target)]


@pytest.mark.slow  # To import transformers takes seconds.
@pytest.mark.parametrize("settings", [(0.7, 0, 1.0), (1.0, 5, 1.0), (1.3, 0, 0.6), (0.9, 12, 0.8)])
def test_sampling_cuts_as_transformers_does(settings: tuple[float, int, float]) -> None:
    """Temperature, top-k and top-p in this order: the same symbols are left, with the same probabilities."""
    from transformers.generation.logits_process import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    temperature, top_k, top_p = settings
    logits = np.random.default_rng(4).normal(0, 2, 40).astype(np.float32)
    scores = TemperatureLogitsWarper(temperature)(None, torch.from_numpy(logits)[None])
    scores = TopKLogitsWarper(top_k)(None, scores) if top_k else scores
    scores = TopPLogitsWarper(top_p)(None, scores) if top_p < 1 else scores
    wanted = scores.softmax(-1)[0].numpy()
    shares, cut = Sampling(temperature=temperature, top_k=top_k, top_p=top_p).distribution(logits)

    assert cut.tolist() == (wanted == 0).tolist()
    np.testing.assert_allclose(np.where(cut, 0, shares) / shares[~cut].sum(), wanted, atol=1e-6)


@pytest.mark.slow  # To import transformers takes seconds.
@pytest.mark.parametrize("name", ["bert", "bert without an output", "t5"])
def test_other_kinds_of_models_write_nothing(name: str, folders: dict[str, Path]) -> None:
    """They say so in a sentence."""
    with pytest.raises(NotALanguageModel):
        explorer.generate(FOREIGN, folders[name])


def test_a_trace_of_steps_is_saved_and_read_back(preset: str, tmp_path: Path) -> None:
    """As every other one."""
    found: Continuation = explorer.generate(TEXT, preset, tokens=3)
    assert found.trace is not None
    found.trace.save(tmp_path / "x.npz")
    again = Trace.load(tmp_path / "x.npz")

    assert again.tokens == found.trace.tokens
    assert (again["generator.logits"] == found.trace["generator.logits"]).all()
