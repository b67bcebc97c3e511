"""explorer.explore, as from a notebook."""

import json
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import explorer
from explorer.api import lending
from explorer.engine.recording.recorder import record
from explorer.engine.request import Request
from explorer.errors import (
    EmptyText,
    HeadsDoNotFit,
    KnobNotAChoice,
    NoSuchPart,
    NotLookedInto,
    NotText,
    NoWrittenWords,
    TooLong,
    TooLongForEffects,
    UnknownKnob,
    UnknownPreset,
    UnknownTap,
    UnknownWord,
)
from explorer.model.weights import build
from explorer.trace.found.reading import ByKey

SENTENCE = "我爱北京天安门"


def test_explore_gives_what_a_run_by_hand_gives() -> None:
    """Every tap, to the last bit."""
    trace = explorer.explore(SENTENCE, preset="tiny", n_heads=8, seed=3)
    model = build(Request.from_preset("tiny", SENTENCE, n_heads=8, seed=3).wish.config)
    ids = torch.tensor([[token.id for token in trace.tokens.source]])
    with record(model) as recording:
        model(ids, ids)

    assert trace.names() == tuple(recording.arrays)
    assert all((trace[name] == recording.arrays[name]).all() for name in trace.names())
    assert trace["encoder.layers.0.self_attn.weights"].shape == (8, 4, 4)


def test_the_trace_tells_what_it_is_of() -> None:
    """Tokens of both sides, axes, Config."""
    trace = explorer.explore(SENTENCE, preset="tiny", target="I love Beijing", tokenizer="bpe")

    assert isinstance(trace, explorer.Trace)
    assert "".join(token.text for token in trace.tokens.source) == SENTENCE
    assert trace.target == "I love Beijing"
    assert trace.axes("decoder.layers.1.cross_attn.weights") == ("head", "query", "key")
    assert (trace.config.tokenizer, trace.preset) == ("bpe", "tiny")


def test_presets_are_known_by_name() -> None:
    """With knobs moved on top."""
    trace = explorer.explore(SENTENCE, preset="tutorial-c", temperature=2)

    assert trace.config.architecture == "encoder-only"
    assert (trace.config.d_model, trace.config.temperature) == (10, 2.0)


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        ({"text": ""}, EmptyText, "句子是空的：请至少输入一个字符。"),
        ({"text": "一二三", "max_len": 2, "tokenizer": "characters"}, TooLong, "最多 2 个词元，现在是 3 个。"),
        ({"text": "一", "n_heads": 7, "preset": "tiny"}, HeadsDoNotFit, "7 个头不能整除 d_model 64。"),
        ({"text": "一", "num_heads": 8}, UnknownKnob, "没有名为 num_heads 的旋钮；最接近的是 n_heads。"),
        ({"text": "一", "preset": "gpt"}, UnknownPreset, "没有预设 gpt；"),
        ({"text": "一", "preset": None}, UnknownPreset, "没有预设 None；"),
        ({"text": None}, NotText, "文本须是字符串，得到的是 NoneType。"),
        ({"text": ["一", "二"]}, NotText, "文本须是字符串，得到的是 list。"),
        ({"text": 3}, NotText, "文本须是字符串，得到的是 int。"),
        ({"text": b"a"}, NotText, "文本须是字符串，得到的是 bytes。"),
        ({"text": "一", "target": 5}, NotText, "文本须是字符串，得到的是 int。"),
    ],
)
def test_an_error_carries_its_sentence(call: dict[str, object], kind: type[Exception], sentence: str) -> None:
    """`str()` is the sentence, in the language of the system."""
    with pytest.raises(kind) as caught:
        explorer.explore(**call)

    assert str(caught.value).startswith(sentence)


def test_the_sentence_is_in_the_language_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """English where the locale is."""
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    with pytest.raises(EmptyText) as caught:
        explorer.explore("")

    assert str(caught.value) == "The sentence is empty: type at least one character."


def test_a_wrong_tap_names_the_closest() -> None:
    """A slip of the pen is not a KeyError."""
    with pytest.raises(UnknownTap) as caught:
        explorer.explore(SENTENCE, preset="tiny")["encoder.layers.0.self_attn.wieghts"]

    assert caught.value.values["nearest"] == "encoder.layers.0.self_attn.weights"
    assert str(caught.value).startswith("没有记录点 encoder.layers.0.self_attn.wieghts")


@pytest.mark.parametrize("n_threads", [1, 2])
def test_torch_has_as_many_threads_as_before(n_threads: int) -> None:
    """Whoever calls from a program of their own keeps their setting, even where the call fails."""
    kept = torch.get_num_threads()
    try:
        torch.set_num_threads(n_threads)
        explorer.explore(SENTENCE, preset="tiny")
        explorer.translate("他在图书馆看书。", beam=2)
        with pytest.raises(EmptyText):
            explorer.explore("")
        assert torch.get_num_threads() == n_threads
    finally:
        torch.set_num_threads(kept)


def test_threads_do_not_mix_their_traces() -> None:
    """Two at a time wait for each other: every trace holds its own text."""
    traces: dict[int, explorer.Trace] = {}

    def run(length: int) -> None:
        traces[length] = explorer.explore("一" * length, preset="tiny", tokenizer="characters")

    threads = [threading.Thread(target=run, args=(length,)) for length in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(traces) == list(range(1, 9))
    for length, trace in traces.items():
        assert {len(trace[name]) for name in trace.names() if name.startswith("generator.")} == {length}
        assert trace["encoder.layers.1.self_attn.weights"].shape == (4, length, length)


def test_nobody_else_computes_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one Computer of the process is never inside two calls: hooks of both would see both."""
    held: list[bool] = []

    def computer(_request: Request, *_watched: object) -> SimpleNamespace:
        held.append(lending.one_at_a_time.locked())
        return SimpleNamespace(trace=None)

    monkeypatch.setattr(lending, "computer_of_process", lambda: computer)
    explorer.explore(SENTENCE, preset="tiny")

    assert held == [True]
    assert not lending.one_at_a_time.locked()


def test_a_bare_import_is_light() -> None:
    """Neither torch nor Qt nor NumPy nor jieba comes with it, and a Trace and a Change come without torch."""
    heavy = "{'torch', 'PySide6', 'jieba', 'numpy', 'pyqtgraph'} & set(sys.modules)"
    run = [
        sys.executable,
        "-c",
        f"import sys, explorer; print({heavy}); explorer.Trace, explorer.Change; print('torch' in sys.modules)",
    ]
    root = Path(explorer.__file__).parents[1]
    told = subprocess.run(run, capture_output=True, text=True, check=True, timeout=60, cwd=root)

    assert told.stdout.split("\n")[:2] == ["set()", "False"]
    assert told.stderr == ""


def test_only_public_names_are_there() -> None:
    """A slip gives an AttributeError with the name."""
    assert set(explorer.__all__) == {
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
    }
    with pytest.raises(AttributeError, match="exploer"):
        explorer.exploer  # noqa: B018  asking is the test


def test_why_and_lens_are_a_call_each() -> None:
    """With what `explore` takes; the same numbers as from a Trace that was made with both."""
    parts = explorer.attribute("我爱北京天安门", 1, preset="tiny", n_layers=1)
    both = explorer.explore("我爱北京天安门", preset="tiny", n_layers=1, experiments=("why", "lens"))
    assert np.array_equal(parts.shares, both.why(1).shares)
    assert parts.exact and parts.position == 1
    found = explorer.lens("我爱北京天安门", preset="tiny", n_layers=1)
    assert np.array_equal(found.probabilities, both.lens().probabilities)
    with pytest.raises(NotLookedInto):
        explorer.explore("我爱你", preset="tiny").why()
    with pytest.raises(NoWrittenWords):
        explorer.lens("我爱你", preset="tiny", architecture="encoder-only")


@pytest.mark.slow  # each part is switched off in a pass of its own
def test_effects_are_those_of_the_page() -> None:
    """The same sweep that a page shows, and one word of it alone."""
    found = explorer.ablate("她给了我一本书。")
    one = explorer.ablate("她给了我一本书。", word="book")

    assert isinstance(found, explorer.Effects)
    assert found.values.shape == (3, 3, 8, 7)
    assert found.hidden[found.tokens.index("本书"), found.words.index("␣book")] == pytest.approx(-6.17, abs=0.02)
    assert one.words == ("␣book",)
    assert np.array_equal(one.heads, found.heads[..., 4:5])


def test_effects_of_a_heads_cells_come_with_the_others() -> None:
    """For one word alone they are its slice; in JSON, None stands where there is nothing to close."""
    found = explorer.ablate(SENTENCE, preset="tiny", architecture="decoder-only", edges="decoder.self_attn.1.0")
    assert found.edges is not None and found.edges.exact and found.edges.words == found.words
    one = found.of(1)
    assert one.edges is not None and np.array_equal(one.edges.values, found.edges.values[..., 1:2], equal_nan=True)
    told = json.loads(json.dumps(found.to_dict()))["edges"]
    assert told["values"][0][0][0] is None and told["alone"][0][0] and told["closed"][0][1]
    for head in ("decoder.self_attn.1.9", "decoder.self_attn"):
        with pytest.raises(NoSuchPart):
            explorer.ablate(SENTENCE, preset="tiny", architecture="decoder-only", edges=head)


def test_former_names_give_the_same_and_name_the_new_one() -> None:
    """They stay until the next release, in Python as on the command line (`tests/cli/test_spoken.py`)."""
    with pytest.warns(DeprecationWarning, match=r"explorer\.ablate"):
        effects = explorer.effects("他看书", preset="tiny")
    np.testing.assert_array_equal(effects.heads, explorer.ablate("他看书", preset="tiny").heads)
    with pytest.warns(DeprecationWarning, match=r"explorer\.attribute"):
        why = explorer.why("他看书", 1, preset="tiny")
    assert why.difference == explorer.attribute("他看书", 1, preset="tiny").difference


def test_why_opens_its_parts() -> None:
    """The same links as on the page, down to the embedding."""
    why = explorer.attribute(SENTENCE, step=1, preset="tiny")
    head = why.inside("decoder.cross_attn", 1, 2)
    assert isinstance(head, ByKey)
    key = head.inside(0, "key", 5)
    assert key.recorded == pytest.approx(float(why.trace["decoder.layers.1.cross_attn.key"][2, 0, 5]))
    assert abs(key.remainder) < 1e-4 and key.parts[0].kind == "token"
    deeper = key.inside("encoder.self_attn", 0, 1)
    assert isinstance(deeper, ByKey) and deeper.inside(1, "value").exact


def test_effects_are_of_the_pass_with_changes() -> None:
    """A head that is off already has no effect; a word that the pass did not write is refused."""
    change = explorer.Change("encoder.layers.0.self_attn.mixed", "scale", head=1, value=0.0)
    found = explorer.ablate(SENTENCE, preset="tiny", changes=[change])

    assert np.abs(found.heads[0, 0, 1]).max() < 1e-6 < np.abs(found.heads[0, 0, 0]).max()
    with pytest.raises(UnknownWord):
        explorer.ablate(SENTENCE, preset="tiny", word="cat")


def test_effects_of_a_text_without_room_are_refused() -> None:
    """Their many passes need all maps whole."""
    with pytest.raises(TooLongForEffects, match="600"):
        explorer.ablate("一" * 600, preset="tiny", tokenizer="characters", max_len=1024, memory_budget=16)


def test_a_pass_is_written_as_plain_pytorch(tmp_path: Path) -> None:
    """The text that stands in the file is given back; its comments are in the language that is asked for."""
    out = tmp_path / "model.py"
    text = explorer.to_pytorch(SENTENCE, out, preset="tiny", language="en", position="alibi")
    assert out.read_text("utf-8") == text and (tmp_path / "model.safetensors").exists()
    assert "def alibi(n):" in text and "Press et al. 2022" in text
    drawn = explorer.to_pytorch(SENTENCE, preset="tiny", language="zh", position="alibi")
    assert "manual_seed" in drawn and "manual_seed" not in text and "未训练的权重" in drawn
    with pytest.raises(KnobNotAChoice):
        explorer.to_pytorch(SENTENCE, preset="tiny", language="tlh")
    with pytest.raises(EmptyText):
        explorer.to_pytorch("  ", tmp_path / "nothing.py", preset="tiny")
    assert not (tmp_path / "nothing.safetensors").exists()
