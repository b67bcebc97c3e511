"""A Trace of somebody's model from its folder: asked for as every other one is, without a network and without its code."""

import builtins
import json
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

import explorer
from explorer import Change
from explorer.cli import main as cli
from explorer.engine.compute import Computer
from explorer.engine.recording import long_text
from explorer.engine.recording.memory import trace_bytes
from explorer.engine.request import Request
from explorer.errors import (
    BadChange,
    BadVocabulary,
    ExplorerError,
    KnobDoesNothing,
    NeedsIds,
    NoChatTemplate,
    NotAModel,
    NotForThisModel,
    NotKept,
    NotOwnModel,
    OutOfTensor,
    TooLong,
    UnknownHead,
    UnknownKnob,
    UnknownTap,
)
from explorer.foreign.model import Foreign
from explorer.stops import Superseded
from explorer.trace.trace import Trace
from tests.foreign.models import fresh, write_model
from tests.sweeps import sweep

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox loves the dogs 我爱"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a family's tiny model."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            made[name] = write_model(tmp_path_factory.mktemp("models") / name.replace(" ", "-"), name)
        return made[name]

    return of


Folder = Callable[[str], Path]


def own_logits(name: str, **ids: list[int]) -> Any:
    """The logits [position, vocab] of the model's own eager pass."""
    model = fresh(name)
    model.set_attn_implementation("eager")
    with torch.inference_mode():
        return model(**{key: torch.tensor([row]) for key, row in ids.items()}, use_cache=False).logits[0].numpy()


def test_a_decoder_says_what_comes_next(folder: Folder) -> None:
    """Its text stands on the target's side, and the output has the distribution of the next token at each place."""
    trace = explorer.explore(TEXT, preset=folder("gpt2"))
    ids = [token.id for token in trace.tokens.target]
    logits = own_logits("gpt2", input_ids=ids)

    assert trace.tokens.source == ()
    assert [token.text for token in trace.tokens.target[:3]] == ["[CLS]", "the", "fox"]
    assert abs(trace["generator.logits"] - logits).max() <= 1e-5 * abs(logits).max()
    assert abs(trace["generator.probabilities"].sum(-1) - 1).max() <= 1e-5
    assert trace["decoder.layers.0.self_attn.weights"].shape == (4, len(ids), len(ids))
    assert np.isneginf(trace["decoder.layers.0.self_attn.masked"][:, 0, 1:]).all()
    assert trace.expected == ()
    assert len(trace.symbols) == 40
    assert trace.symbols[8] == "我"
    assert trace.config is None
    assert trace.trained


def test_an_encoder_fills_in_words(folder: Folder) -> None:
    """Its text stands on the source's side."""
    trace = explorer.explore(TEXT, preset=folder("bert"))
    logits = own_logits("bert", input_ids=[token.id for token in trace.tokens.source])

    assert trace.tokens.target == ()
    assert trace.side("generator.logits") == trace.tokens.source
    assert abs(trace["generator.logits"] - logits).max() <= 1e-5 * abs(logits).max()


def test_an_encoder_without_an_output_has_none(folder: Folder) -> None:
    """And says why."""
    trace = explorer.explore(TEXT, preset=folder("bert without an output"))

    assert "generator.logits" not in trace
    assert trace.symbols == ()
    assert trace.card.why_absent("generator.logits") == "absent.no_output"
    with pytest.raises(UnknownTap):
        trace["generator.logits"]


@pytest.mark.parametrize("name", ["t5", "marian"])
def test_a_model_with_both_sides_writes_its_target(name: str, folder: Folder) -> None:
    """At each step it says the likeliest token; the library's own greedy search says the same."""
    trace = explorer.explore("the fox", preset=folder(name))
    source = [token.id for token in trace.tokens.source]
    target = [token.id for token in trace.tokens.target]
    model = fresh(name)
    model.generation_config.forced_eos_token_id = None
    found = model.generate(torch.tensor([source]), max_new_tokens=len(target) - 1, do_sample=False, num_beams=1)[0].tolist()
    logits = own_logits(name, input_ids=source, decoder_input_ids=target)

    assert target == found[: len(target)]
    assert abs(trace["generator.logits"] - logits).max() <= 1e-5 * abs(logits).max()
    assert trace.expected[:-1] == tuple(target[1:])
    assert trace.expected[-1] == model.config.eos_token_id
    assert trace["decoder.layers.1.cross_attn.weights"].shape == (4, len(target), len(source))


def test_a_target_is_written_once(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another page asks for it again and gets the same; another text, temperature or change has a target of its own."""
    computer, request = Computer(), Request.from_preset(str(folder("marian")), "the fox")
    first = computer(request).trace.tokens
    begun: list[int] = []
    encode = Foreign.encode
    monkeypatch.setattr(Foreign, "encode", lambda self, ids: begun.append(1) or encode(self, ids))
    again = computer(attrs.evolve(request, serial=request.serial + 1))
    assert not begun and again.trace.tokens == first

    change = Change("encoder.layers.0.self_attn.mixed", "scale", value=0.0)
    wish = request.wish
    others = (
        wish.of_text("the dog"),
        attrs.evolve(wish, config=wish.config.changed(temperature=2.0)),
        attrs.evolve(wish, changes=(change,)),
    )
    for other in others:
        begun.clear()
        found = computer(attrs.evolve(request, wish=other)).trace.tokens
        assert begun, other
        assert found == Computer()(attrs.evolve(request, wish=other)).trace.tokens
    assert computer(request).trace.tokens == first


def test_a_target_that_is_typed_is_taken(folder: Folder) -> None:
    """After the begin symbol, without the special tokens of a text."""
    trace = explorer.explore("the fox", target="the dog", preset=folder("marian"))
    assert [token.text for token in trace.tokens.target] == ["[SEP]", "the", "dog"]  # 2 is its begin symbol.


def test_a_change_is_made_inside_the_pass(folder: Folder) -> None:
    """A head that is switched off gives zeros; a closed cell has no weight; a patch of the same text changes nothing."""
    own = explorer.explore(TEXT, preset=folder("llama"))
    mixed, masked = "decoder.layers.0.self_attn.mixed", "decoder.layers.1.self_attn.masked"
    off = explorer.explore(TEXT, preset=folder("llama"), changes=[Change(mixed, "scale", head=1, value=0.0)])
    closed = explorer.explore(TEXT, preset=folder("llama"), changes=[Change(masked, "close", head=0, rows=(4,), columns=(2,))])
    same = explorer.explore(TEXT, preset=folder("llama"), changes=[Change(mixed, "patch", text=TEXT)])

    assert (off[mixed][1] == 0).all()
    assert (off[mixed][0] == own[mixed][0]).all()
    assert abs(off["generator.logits"] - own["generator.logits"]).max() > 1e-3
    assert closed["decoder.layers.1.self_attn.weights"][0, 4, 2] == 0
    assert closed["decoder.layers.1.self_attn.weights"][0, 4].sum() == pytest.approx(1, abs=1e-6)
    assert (same["generator.logits"] == own["generator.logits"]).all()
    assert (explorer.explore(TEXT, preset=folder("llama"))["generator.logits"] == own["generator.logits"]).all()


def test_a_change_that_cannot_be_made_is_refused(folder: Folder) -> None:
    """Keys have fewer heads than queries here; places and taps are checked before anything is computed."""
    base = "decoder.layers.0.self_attn"
    for change, kind in (
        (Change(f"{base}.key", "scale", head=2, value=0.0), UnknownHead),
        (Change(f"{base}.query", "scale", head=4, value=0.0), UnknownHead),
        (Change("decoder.embedding.positions", "scale", value=0.0), UnknownTap),
        (Change("decoder.layers.0.feed_forward.gate", "set", columns=(48,), value=1.0), OutOfTensor),
    ):
        with pytest.raises(kind):
            explorer.explore(TEXT, preset=folder("llama"), changes=[change])


def test_knobs_act_or_are_refused(folder: Folder) -> None:
    """The temperature divides the scores; a size of our own models is no knob of this one."""
    base = "encoder.layers.0.self_attn"
    cold, warm = (explorer.explore(TEXT, preset=folder("bert"), temperature=t) for t in (1.0, 4.0))

    assert abs(warm[f"{base}.scaled"] - cold[f"{base}.scaled"] / 4).max() <= 1e-5
    assert (warm.card.temperature, cold.card.temperature) == (4.0, 1.0)
    for knobs in ({"n_heads": 2}, {"trained": False}):
        with pytest.raises(KnobDoesNothing):
            explorer.explore(TEXT, preset=folder("bert"), **knobs)
    with pytest.raises(UnknownKnob):
        explorer.explore(TEXT, preset=folder("bert"), n_wings=2)


def test_what_is_not_made_for_it_is_said_so(folder: Folder) -> None:
    """Nothing is shown half."""
    with pytest.raises(NotForThisModel, match="depth"):
        explorer.explore(TEXT, preset=folder("gpt2"), experiments=["depth"])
    with pytest.raises(NotOwnModel):
        explorer.translate(TEXT, preset=folder("t5"))


def test_a_text_longer_than_the_model_is_refused(folder: Folder) -> None:
    """It has 32 positions."""
    with pytest.raises(TooLong) as caught:
        explorer.explore("a " * 40, preset=folder("gpt2"))
    assert caught.value.values == {"limit": 32, "got": 42}


def test_a_long_text_is_kept_as_far_as_the_budget_goes(folder: Folder) -> None:
    """Its maps come in blocks, and heads that were not kept say so, also where queries and keys were."""
    text = "the fox and the dog " * 120
    whole = explorer.explore(text, target="the", preset=folder("t5"), memory_budget=4096)
    trace = explorer.explore(text, target="the", preset=folder("t5"), memory_budget=16)
    tap = "encoder.layers.0.self_attn.weights"
    blocks = trace.map(tap).levels
    assert blocks is not None
    assert not trace.whole
    assert whole.whole
    assert trace.shape(tap) == whole.shape(tap)
    with pytest.raises(NotKept):
        trace[tap]
    with pytest.raises(NotKept):
        trace.head(tap, 0)


def test_a_trace_comes_back_from_a_file(folder: Folder, tmp_path: Path) -> None:
    """With its card and its special tokens, which need no model to be read."""
    trace = explorer.explore(TEXT, preset=folder("t5"))
    trace.save(tmp_path / "x.npz")
    again = Trace.load(tmp_path / "x.npz")

    assert again.card == trace.card
    assert again.tokens == trace.tokens
    assert again.expected == trace.expected
    assert [token.special for token in again.tokens.source] == [True, *[False] * 8, True]


def test_a_relative_path_and_a_model_that_was_written_anew(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is kept while its folder stays as it is."""
    shutil.copytree(folder("gpt2"), tmp_path / "here")
    monkeypatch.chdir(tmp_path)
    computer = Computer()
    request = Request.from_preset("here", TEXT)
    first = computer(request)
    source = computer.sources.of(request.wish)
    assert computer.sources.of(request.wish) is source

    write_model(tmp_path / "here", "gpt2")
    assert computer.sources.of(request.wish) is not source
    assert (computer(request).trace["generator.logits"] == first.trace["generator.logits"]).all()


def test_a_pass_can_be_stopped(folder: Folder) -> None:
    """At the next tap, and between two words of a target."""
    for name in ("gpt2", "t5"):
        with pytest.raises(Superseded):
            Computer()(Request.from_preset(str(folder(name)), TEXT), stop=lambda: True)


def test_an_own_model_comes_after_it_as_before(folder: Folder) -> None:
    """Opening a folder leaves the passes of our own models alone."""
    before = explorer.explore("我爱北京", preset="tiny")
    explorer.explore(TEXT, preset=folder("gpt2"))
    after = explorer.explore("我爱北京", preset="tiny")
    assert all((before[tap] == after[tap]).all() for tap in before.names())


def test_no_socket_is_opened_and_no_file_of_the_folder_is_run(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the name to the Trace; modules in the folder and names of places in the network do nothing."""
    trapped = tmp_path / "trapped"
    shutil.copytree(folder("bert"), trapped)
    for name in ("modeling_bert.py", "configuration_bert.py", "tokenization.py", "handler.py", "conftest.py"):
        (trapped / name).write_text(f"import pathlib; pathlib.Path({str(tmp_path / 'ran')!r}).touch()\n")
    (trapped / "tokenizer_config.json").write_text('{"auto_map": {"AutoTokenizer": ["tokenization.T", null]}}')
    (trapped / "modules.json").write_text('[{"idx": 0, "path": "", "type": "modeling_bert.Evil"}]')
    (trapped / "adapter_config.json").write_text('{"base_model_name_or_path": "evil/model", "peft_type": "LORA"}')
    (trapped / "generation_config.json").write_text('{"custom_generate": "evil/generate"}')

    def refuse(*_given: object, **_named: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    real = builtins.__import__
    seen: list[str] = []
    monkeypatch.setattr(builtins, "__import__", lambda name, *rest: (seen.append(name), real(name, *rest))[1])

    trace = Computer()(Request.from_preset(str(trapped), TEXT)).trace

    assert trace.tokens.source
    assert not (tmp_path / "ran").exists()
    assert not {name.partition(".")[0] for name in seen} & {"modeling_bert", "configuration_bert", "tokenization", "evil"}


def test_folders_without_a_vocabulary_or_settings(folder: Folder, tmp_path: Path) -> None:
    """Each is told what it lacks."""
    copied = tmp_path / "copied"
    shutil.copytree(folder("gpt2"), copied)
    (copied / "tokenizer.json").unlink()
    with pytest.raises(NeedsIds):
        explorer.explore(TEXT, preset=copied)
    shutil.copy(folder("gpt2") / "tokenizer.json", copied)
    text = (copied / "tokenizer.json").read_text()
    (copied / "tokenizer.json").write_text(text.replace('"z": 38', '"z": 99').replace('"z":38', '"z":99'))
    with pytest.raises(BadVocabulary):
        explorer.explore(TEXT, preset=copied)
    (copied / "config.json").unlink()
    with pytest.raises(NotAModel):
        explorer.explore(TEXT, preset=copied)


def test_one_piece_more_than_the_model_has_vectors_stands_in_nobodys_way(folder: Folder, tmp_path: Path) -> None:
    """Many folders have a [PAD] that was added and never trained. Only a text with that very piece cannot be read."""
    copied = tmp_path / "copied"
    shutil.copytree(folder("gpt2"), copied)
    vocabulary = Tokenizer.from_file(str(copied / "tokenizer.json"))
    vocabulary.add_tokens([f"<extra{number}>" for number in range(41 - vocabulary.get_vocab_size())])
    vocabulary.save(str(copied / "tokenizer.json"))

    assert explorer.explore(TEXT, preset=copied).tokens == explorer.explore(TEXT, preset=folder("gpt2")).tokens
    with pytest.raises(ExplorerError, match=r"<extra\d>.*40"):
        explorer.explore(f"{TEXT} {vocabulary.id_to_token(40)}", preset=copied)


@pytest.mark.parametrize(
    "name",
    sweep(
        ["gpt2", "llama", "bert", "bert without an output", "t5 gated", "marian", "gemma2", "gpt_neox", "phi", "olmo2"],
        telling=["gpt2", "bert without an output", "t5 gated", "olmo2"],
    ),
)
def test_the_estimate_is_what_a_trace_takes(name: str, folder: Folder) -> None:
    """The absent taps take nothing; a tensor that two taps show is counted twice, and a final norm where there is none."""
    trace = explorer.explore(TEXT, preset=folder(name))
    taken = sum(array.nbytes for array in trace.arrays.values())
    estimate = trace_bytes(trace.card, len(trace.tokens.source), len(trace.tokens.target))
    vectors = 4 * trace.card.d_model * (len(trace.tokens.source) + len(trace.tokens.target))

    assert taken <= estimate <= taken + (0 if "llama" in name else 3 * vectors)


def test_show_says_the_next_token_and_what_is_absent(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    """At the command line, with tokens and taps."""
    path = str(folder("gpt2"))
    assert cli.main(["show", TEXT, "--preset", path, "--language", "en"]) == 0
    out = capsys.readouterr().out
    trace = explorer.explore(TEXT, preset=path)
    shares = trace["generator.probabilities"][-1]
    likeliest = int(shares.argmax())

    assert f"Next token: {trace.symbols[likeliest]} {shares[likeliest]:.3f}, " in out
    assert "[CLS] / the / fox / [UNK]?" in out
    assert "– feed_forward.gate: The feed-forward network of this model has no gate." in out
    assert all(name in out for name in trace.names())


def test_show_says_what_is_behind_a_mask(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a model that fills in words, at the place of each masked one."""
    path = str(folder("bert"))
    assert cli.main(["show", "the [MASK] and the dog", "--preset", path, "--language", "en"]) == 0
    out = capsys.readouterr().out
    shares = explorer.explore("the [MASK] and the dog", preset=path)["generator.probabilities"][2]
    likeliest = int(shares.argmax())
    symbol = explorer.explore("the", preset=path).symbols[likeliest]

    assert f"[MASK] at position 2: {symbol} {shares[likeliest]:.3f}, " in out
    assert "Next token" not in out
    assert cli.main(["show", "the [MASK]", "--preset", str(folder("bert without an output")), "--language", "en"]) == 0
    assert "at position" not in capsys.readouterr().out


def test_a_text_may_be_a_message_in_the_models_chat_template(
    folder: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Off unless it is asked for. The tokens are those of the whole prompt, and stand where the text stands in it."""
    talking = tmp_path / "talking"
    shutil.copytree(folder("gpt2"), talking)
    template = "a b {{ messages[0].content }}{% if add_generation_prompt %} and{% endif %}"
    (talking / "tokenizer_config.json").write_text(json.dumps({"chat_template": template}))
    plain, chat = (explorer.explore("the fox", preset=talking, chat=chat) for chat in (False, True))

    assert [token.text for token in plain.tokens.target] == ["[CLS]", "the", "fox", "[SEP]"]
    assert [token.text for token in chat.tokens.target] == ["a", "b", "the", "fox", "and"]
    assert [(token.start, token.end) for token in chat.tokens.target] == [(0, 0), (0, 0), (0, 3), (4, 7), (0, 0)]
    assert (plain.card.chat, plain.prompt, chat.prompt) == (True, "", "a b the fox and")
    chat.save(tmp_path / "chat.npz")
    assert explorer.Trace.load(tmp_path / "chat.npz").prompt == chat.prompt
    same = explorer.explore("a b the fox and", preset=talking)
    assert [token.id for token in same.tokens.target[1:-1]] == [token.id for token in chat.tokens.target]
    assert cli.main(["show", "the fox", "--preset", str(talking), "--chat"]) == 0
    assert "a / b / the / fox / and" in capsys.readouterr().out
    for preset in (folder("bert"), "tiny"):
        with pytest.raises(NoChatTemplate):
            explorer.explore("the fox", preset=preset, chat=True)


def test_the_choice_of_experts_can_be_changed(folder: Folder) -> None:
    """One that is closed is no longer chosen; one that there is not is refused, and so is a mask where there is none."""
    path, tap = folder("mixtral"), "decoder.layers.0.feed_forward.routing"
    plain = explorer.explore(TEXT, preset=path)
    first = int(plain[tap][0].argmax())
    closed = explorer.explore(TEXT, preset=path, changes=[Change(tap, "scale", columns=[first], value=0.0)])

    assert plain.axes(tap) == ("position", "expert")
    assert np.allclose(plain[tap].sum(axis=1), 1)
    assert plain[tap.replace("routing", "chosen")][0, first] > 0
    assert not closed[tap.replace("routing", "chosen")][:, first].any()
    for change in (Change(tap, "scale", columns=[4], value=0.0), Change(tap, "close", columns=[0])):
        with pytest.raises(BadChange):
            explorer.explore(TEXT, preset=path, changes=[change])


def test_files_are_written_of_it(folder: Folder, tmp_path: Path) -> None:
    """A picture of each head, numbers, and the JSON beside them with the card."""
    path, tap = str(folder("bert")), "encoder.layers.0.self_attn.weights"
    for out in (tmp_path / "one.svg", tmp_path / "one.npz", tmp_path / "one.csv"):
        assert cli.main(["export", TEXT, "--preset", path, "--tap", tap, "--out", str(out)]) == 0
    assert cli.main(["export", TEXT, "--preset", path, "--out", str(tmp_path / "all.npz")]) == 0
    trace = explorer.explore(TEXT, preset=path)
    about = json.loads((tmp_path / "one.svg.json").read_text("utf-8"))

    assert about["config"] is None
    assert about["model"]["family"] == "bert"
    assert about["source"] == TEXT
    assert "transformers" in json.dumps(about)
    with np.load(tmp_path / "one.npz") as file:
        assert any((file[name] == trace[tap]).all() for name in file.files if file[name].shape == trace[tap].shape)


@pytest.mark.parametrize(
    ("arguments", "told"), [(("show", TEXT, "--n-heads", "2"), "n_heads"), (("translate", TEXT), "explorer.explore")]
)
def test_what_cannot_be_done_with_it_is_one_line(
    arguments: tuple[str, ...], told: str, folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    """On stderr, with exit status 2."""
    path = str(folder("gpt2"))
    capsys.readouterr()  # What was written while the model was made.
    assert cli.main([*arguments, "--preset", path, "--language", "en"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "name",
    sweep(
        ["gpt2", "bert", "roberta", "marian", "bart", "t5", "llama", "m2m_100"], telling=["roberta", "t5", "llama", "m2m_100"]
    ),
)
def test_the_table_of_positions_is_what_is_added(name: str, folder: Folder) -> None:
    """It goes on behind the text, and begins where the family's first token stands."""
    trace = explorer.explore(TEXT, preset=folder(name))
    for side in trace.card.sides:
        table, tap = trace.table(side.name), f"{side.name}.embedding.positions"
        assert len(table) == (31 if name == "roberta" else 128 if name == "t5" else 32)
        if tap in trace:
            # Of this family, a token whose id is that of the padding has no position; [CLS] is one here.
            skipped = 1 if name == "m2m_100" and side.name == "encoder" else 0
            rows = trace[tap][skipped:]
            assert (table[: len(rows)] == rows).all()
        else:
            assert not table.any()
            assert trace.card.why_absent(tap) == "absent.no_positions"


def test_layers_with_different_masks_share_what_is_closed_in_all(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every second layer of this family sees four tokens back, the others all: only the future is closed in both."""
    text = "the fox and the dog " * 5
    trace = explorer.explore(text, preset=folder("gemma2"))
    near, far = (trace[f"decoder.layers.{layer}.self_attn.masked"][0] for layer in (0, 1))
    assert np.isneginf(near).sum() > np.isneginf(far).sum()

    monkeypatch.setattr(long_text, "_LARGE_CELLS", 0)  # So that its maps have levels, with the mask that they share.
    shared = long_text.with_levels(trace, ()).map("decoder.layers.0.self_attn.masked").closed
    assert (shared == np.isneginf(far)).all()
