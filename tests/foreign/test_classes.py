"""Classifiers: the numbers of their classes are those of the model's own pass, and their labels are read as data."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import explorer
from explorer import Change
from explorer.cli import main as cli
from explorer.engine.compute import Computer
from explorer.engine.errand import TryAll
from explorer.errors import ExplorerError, KnobDoesNothing, LacksTap, MissingWeights, NoEndSymbol, NotAModel, WeightsDoNotFit
from explorer.foreign.card import card_of
from explorer.foreign.folder import check_folder
from explorer.foreign.opening import open_model
from explorer.foreign.settings import read_labels
from explorer.lang import LANGUAGES, Words
from explorer.state.tries import tries, unchanged_wish
from explorer.state.wish import Wish
from explorer.trace.found.consequences import Consequence
from explorer.trace.model_card import ClassHead, ModelCard
from explorer.trace.trace import Trace
from tests.foreign.models import WHOLE, write_folder, write_tokenizer

slow = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox loves the dogs 我爱"
LABELS = ("bad", "好", "so so")
HEADS = {
    "bert": ("BertForSequenceClassification", "BertForTokenClassification"),
    "roberta": ("RobertaForSequenceClassification", "RobertaForTokenClassification"),
    "distilbert": ("DistilBertForSequenceClassification", "DistilBertForTokenClassification"),
    "electra": ("ElectraForSequenceClassification", "ElectraForTokenClassification"),
    "gpt2": ("GPT2ForSequenceClassification", "GPT2ForTokenClassification"),
    "llama": ("LlamaForSequenceClassification", "LlamaForTokenClassification"),
    "qwen2": ("Qwen2ForSequenceClassification", "Qwen2ForTokenClassification"),
}
"""The classifiers of a family: of texts, and of tokens."""
EVERY = [(family, kind) for family, kinds in HEADS.items() for kind in kinds]


def made(family: str, kind: str, **changed: Any) -> Any:
    """A tiny classifier with random weights."""
    import transformers

    settings, _own, values = WHOLE[family]
    torch.manual_seed(2)
    told = {"id2label": dict(enumerate(LABELS)), "label2id": {label: n for n, label in enumerate(LABELS)}}
    model = getattr(transformers, kind)(getattr(transformers, settings)(**(values | told | changed))).eval()
    for parameter in model.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    return model


def written(folder: Path, family: str, kind: str, **changed: Any) -> Path:
    """The folder of a tiny classifier."""
    made(family, kind, **changed).save_pretrained(folder)
    write_tokenizer(folder)
    return folder


def with_settings(folder: Path, **changed: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))


def own_logits(model: Any, trace: Trace) -> Any:
    """[row, class] what the model's own eager pass says of the same tokens."""
    model.set_attn_implementation("eager")
    ids = torch.tensor([[token.id for token in trace.tokens.source or trace.tokens.target]])
    with torch.inference_mode():
        return np.atleast_2d(model(input_ids=ids).logits[0].numpy())


@slow
@pytest.mark.parametrize(("family", "kind"), EVERY)
def test_the_classes_are_those_of_the_models_own_pass(family: str, kind: str, tmp_path: Path) -> None:
    """Logits and probabilities, with a row for the text or one for each token; the card has the labels of the folder."""
    trace = explorer.explore(TEXT, preset=written(tmp_path / "m", family, kind))
    logits, of_text = own_logits(made(family, kind), trace), "Sequence" in kind
    softmax = np.exp(logits.astype(np.float64)) / np.exp(logits.astype(np.float64)).sum(-1, keepdims=True)

    assert trace.axes("classifier.logits") == ("text" if of_text else "position", "class")
    assert trace.shape("classifier.logits") == (1 if of_text else len(trace.side("classifier.logits")), 3)
    assert abs(trace["classifier.logits"] - logits).max() <= 1e-5 * abs(logits).max()
    assert abs(trace["classifier.probabilities"] - softmax).max() <= 1e-5
    assert np.ptp(logits) > 0.1
    assert trace.card.classes == ClassHead(labels=LABELS, of="text" if of_text else "tokens", by="softmax")
    assert trace.card.why_absent("generator.logits") == "absent.classifies"
    assert "generator.logits" not in trace
    assert f"{'decoder' if family in ('gpt2', 'llama', 'qwen2') else 'encoder'}.layers.1.residual2" in trace


@slow
def test_the_logits_are_the_same_to_the_bit_without_packed_weights(tmp_path: Path) -> None:
    """Taps change nothing: the class logits are those of transformers, bit for bit, where its own layers compute them."""
    from explorer.engine.recording.recorder import record

    found = open_model(check_folder(written(tmp_path / "m", "bert", "BertForSequenceClassification")))
    own = made("bert", "BertForSequenceClassification")
    own.set_attn_implementation("eager")
    ids = torch.tensor([[1, 4, 5, 9, 2]])
    with torch.inference_mode(), record(found.foreign) as recording:
        out = found.foreign(ids, None)
        assert torch.equal(out, own(input_ids=ids).logits)
    assert (recording.arrays["classifier.logits"][0] == out[0].numpy()).all()


BOTH = {
    "bart": ("BartForSequenceClassification", {"eos_token_id": 2}),
    "mbart": ("MBartForSequenceClassification", {"eos_token_id": 2}),
    "t5": ("T5ForSequenceClassification", {"eos_token_id": 2}),
    "t5 gated": ("T5ForSequenceClassification", {"eos_token_id": 2}),
}
"""Classifiers with both sides, whose decoder reads the text once more; [SEP] ends a text here."""


@slow
@pytest.mark.parametrize("family", BOTH)
def test_a_classifier_with_both_sides_reads_the_text_twice(family: str, tmp_path: Path) -> None:
    """The classes are those of the model's own pass, which is told the text alone; both sides are seen."""
    kind, changed = BOTH[family]
    trace = explorer.explore(TEXT, preset=written(tmp_path / "m", family, kind, **changed))
    model = made(family, kind, **changed)
    logits = own_logits(model, trace)

    assert trace.shape("classifier.logits") == (1, 3)
    assert abs(trace["classifier.logits"] - logits).max() <= 1e-5 * abs(logits).max()
    assert trace.card.classes == ClassHead(labels=LABELS, of="text", by="softmax")
    ids = [token.id for token in trace.tokens.source]
    # [CLS] has the number of the padding here, so that this family counts one token less.
    first = ids[-2] if family == "mbart" else model.config.decoder_start_token_id
    assert [token.id for token in trace.tokens.target] == [first, *ids[:-1]]
    assert trace.expected == () and "decoder.layers.1.cross_attn.weights" in trace
    assert trace.card.why_absent("generator.logits") == "absent.classifies"
    off = Change("decoder.layers.1.cross_attn.mixed", "scale", head=0, value=0.0)
    changed_trace = explorer.explore(TEXT, preset=tmp_path / "m", changes=[off])
    assert abs(changed_trace["classifier.logits"] - trace["classifier.logits"]).max() > 1e-4


@slow
def test_without_an_end_there_is_no_place_to_read_classes_off(tmp_path: Path) -> None:
    """Nor can a target be typed, since there is none."""
    kind, changed = BOTH["bart"]
    folder = written(tmp_path / "m", "bart", kind, **(changed | {"eos_token_id": 38}))
    with pytest.raises(NoEndSymbol, match="38"):
        explorer.explore(TEXT, preset=folder)
    with pytest.raises(KnobDoesNothing):
        explorer.explore(TEXT, "the", preset=folder)


@slow
@pytest.mark.parametrize(
    ("changed", "by"),
    [
        ({"problem_type": "multi_label_classification"}, "sigmoid"),
        ({"problem_type": "single_label_classification"}, "softmax"),
        ({"problem_type": "regression"}, "number"),
        ({"id2label": {0: "score"}, "label2id": {"score": 0}}, "number"),
        ({"id2label": {0: "a"}, "label2id": {"a": 0}, "problem_type": "multi_label_classification"}, "sigmoid"),
    ],
)
def test_the_kind_of_problem_says_what_the_numbers_mean(changed: dict[str, Any], by: str, tmp_path: Path) -> None:
    """Classes that exclude each other, classes that do not, or numbers that mean themselves and have no probabilities."""
    kind = "RobertaForSequenceClassification"
    trace = explorer.explore(TEXT, preset=written(tmp_path / "m", "roberta", kind, **changed))
    logits = own_logits(made("roberta", kind, **changed), trace).astype(np.float64)

    assert trace.card.classes is not None and trace.card.classes.by == by
    if by == "number":
        assert trace.card.classes.tap == "classifier.logits"
        assert "classifier.probabilities" not in trace
        assert trace.card.why_absent("classifier.probabilities") == "absent.numbers"
        return
    wanted = 1 / (1 + np.exp(-logits)) if by == "sigmoid" else np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    assert abs(trace["classifier.probabilities"] - wanted).max() <= 1e-6


@slow
def test_a_change_is_obeyed_and_what_needs_words_is_refused(tmp_path: Path) -> None:
    """A head switched off moves the classes, and logits that are set are the output; what needs words has none."""
    folder = written(tmp_path / "m", "bert", "BertForSequenceClassification")
    plain = explorer.explore(TEXT, preset=folder)
    off = explorer.explore(
        TEXT, preset=folder, changes=[Change("encoder.layers.0.self_attn.mixed", "scale", head=1, value=0.0)]
    )
    put = explorer.explore(TEXT, preset=folder, changes=[Change("classifier.logits", "set", columns=(1,), value=9.0)])

    assert abs(off["classifier.logits"] - plain["classifier.logits"]).max() > 1e-4
    assert put["classifier.logits"][0, 1] == 9
    assert put["classifier.probabilities"][0, 1] > plain["classifier.probabilities"][0, 1]
    for ask in (explorer.attribute, explorer.lens, explorer.cloze, explorer.generate):
        with pytest.raises(ExplorerError):
            ask(TEXT, preset=folder)


@slow
def test_a_classifier_makes_the_same_vectors_as_its_model_without_a_head(tmp_path: Path) -> None:
    """Sentences are compared by what stands before the head."""
    folder = written(tmp_path / "m", "distilbert", "DistilBertForSequenceClassification")
    found = explorer.similar(["the fox", "the dog"], preset=folder)
    model = made("distilbert", "DistilBertForSequenceClassification").distilbert
    with torch.inference_mode():
        own = [model(input_ids=torch.tensor([[1, 4, each, 2]])).last_hidden_state[0].mean(0) for each in (5, 7)]

    for ours, theirs in zip(found.vectors, own, strict=True):
        assert abs(ours - (theirs / theirs.norm()).numpy()).max() <= 1e-5


@slow
def test_a_card_with_classes_is_read_back(tmp_path: Path) -> None:
    """From its own values and from a file."""
    trace = explorer.explore(TEXT, preset=written(tmp_path / "m", "bert", "BertForTokenClassification"))
    trace.save(tmp_path / "x.npz")
    again = Trace.load(tmp_path / "x.npz")

    assert again.card == trace.card == ModelCard.of_values(json.loads(json.dumps(trace.card.values())))
    assert again.axes("classifier.probabilities") == ("position", "class")
    assert (again["classifier.probabilities"] == trace["classifier.probabilities"]).all()


@slow
@pytest.mark.parametrize("kind", HEADS["bert"])
def test_the_command_says_the_classes(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The likeliest of the text first, or that of each token."""
    folder = written(tmp_path / "m", "bert", kind)
    shares = explorer.explore(TEXT, preset=folder)["classifier.probabilities"]

    assert cli.main(["--language", "en", "show", TEXT, "--preset", str(folder)]) == 0
    out = capsys.readouterr().out
    best = int(shares[0].argmax())
    assert f"{'Classes: ' if 'Sequence' in kind else 'Class of each token: [CLS] '}{LABELS[best]} {shares[0, best]:.3f}" in out
    assert "classifier.probabilities" in out


@slow
def test_a_head_that_is_missing_or_of_another_size_is_refused(tmp_path: Path) -> None:
    """Random numbers in its place would be no classes."""
    folder = written(tmp_path / "m", "bert", "BertForSequenceClassification")
    with_settings(folder, id2label={str(n): str(n) for n in range(4)})
    with pytest.raises(WeightsDoNotFit, match=r"classifier"):
        open_model(check_folder(folder))

    bare = written(tmp_path / "b", "bert", "BertForSequenceClassification")
    from safetensors.numpy import load_file, save_file

    tensors = load_file(bare / "model.safetensors")
    del tensors["classifier.weight"]
    save_file(tensors, bare / "model.safetensors", {"format": "pt"})
    with pytest.raises(MissingWeights, match=r"classifier\.weight"):
        open_model(check_folder(bare))


@slow
def test_the_card_of_a_streamed_classifier_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its head is read from the files like all else."""
    from explorer.foreign import folder as folder_room

    path = written(tmp_path / "m", "gpt2", "GPT2ForSequenceClassification")
    whole = open_model(check_folder(path))
    monkeypatch.setattr(folder_room, "way_to_hold", lambda *_given: "streamed")
    streamed = open_model(check_folder(path))
    ids = torch.tensor([[1, 4, 5, 9, 2]])
    with torch.inference_mode():
        assert (streamed.foreign(None, ids) - whole.foreign(None, ids)).abs().max() <= 1e-5
    assert card_of(streamed, "x").classes == card_of(whole, "x").classes == ClassHead(labels=LABELS, of="text", by="softmax")


CLASSIFIER = {"architectures": ["GPT2ForSequenceClassification"]}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a hundred thousand": ({"id2label": {str(n): "x" for n in range(100_000)}}, "100,000 > 4,096"),
    "no table": ({"id2label": ["a", "b"]}, "list"),
    "an empty table": ({"id2label": {}}, "dict"),
    "no text": ({"id2label": {"0": None}}, "0: NoneType"),
    "tables": ({"id2label": {"0": {"auto_map": "x.Y"}}}, "0: dict"),
    "a gap": ({"id2label": {"0": "a", "2": "b"}}, "0 … 1"),
    "one number twice": ({"id2label": {"0": "a", "00": "b"}}, "0 … 1"),
    "no number": ({"id2label": {"__class__": "a"}}, "__class__"),
    "other digits": ({"id2label": {"٠": "a"}}, "٠"),
    "a huge key": ({"id2label": {"9" * 10**6: "a"}}, "999"),
    "a huge count": ({"num_labels": 10**9}, "1000000000"),
    "no count": ({"num_labels": "three"}, "three"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_hostile_labels_are_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    """A short one with the reason, in both languages, before anything is built; of other models nobody reads them."""
    told, reason = REFUSED[name]
    folder = write_folder(tmp_path / "m", **CLASSIFIER, **told)

    with pytest.raises(NotAModel) as caught:
        check_folder(folder)
    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value)
        assert reason in sentence
        assert len(sentence) < 400 + len(str(folder))
    assert check_folder(write_folder(tmp_path / "other", **told)).labels == ()


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("B-LOC", "B-LOC"),
        ("_", "_"),
        ("好 评", "好 评"),
        (3, "3"),
        ("a\n\tb\x1b[31mc", "a b [31mc"),
        ("safe\u202egnihton", "safe gnihton"),
        ("\ud800x", "�x"),
        ("\n", "LABEL_0"),
        ("x" * 10**6, "x" * 59 + "…"),
        ("<b>bold</b>", "<b>bold</b>"),
    ],
)
def test_a_label_is_a_legible_text_of_one_line(label: object, shown: str, tmp_path: Path) -> None:
    """Without signs that cannot be seen, and cut where it is very long."""
    assert read_labels(write_folder(tmp_path / "m", **CLASSIFIER, id2label={"0": label})) == (shown,)


def test_labels_may_have_the_names_of_settings(tmp_path: Path) -> None:
    """What a class is called is no setting, and reaches nobody but the reader."""
    labels = ["_", "auto_map", "n_layer", "quantization"]
    folder = write_folder(
        tmp_path / "m",
        **CLASSIFIER,
        id2label={str(n): label for n, label in enumerate(labels)},
        label2id=dict.fromkeys(labels, 10**9),
    )
    found = check_folder(folder)

    assert found.labels == tuple(labels)
    assert not {"id2label", "label2id"} & set(found.settings)


def test_classes_without_labels_are_numbered(tmp_path: Path) -> None:
    """As many as the folder says, two where it says nothing, as transformers takes it."""
    assert read_labels(write_folder(tmp_path / "a", **CLASSIFIER, num_labels=3)) == ("LABEL_0", "LABEL_1", "LABEL_2")
    assert read_labels(write_folder(tmp_path / "b", **CLASSIFIER)) == ("LABEL_0", "LABEL_1")


@pytest.mark.parametrize("wrong", [{"labels": ()}, {"of": "images"}, {"by": "chance"}])
def test_a_head_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    """Also where a file says so."""
    with pytest.raises(ValueError):
        ClassHead.of_values({"labels": ["a"], "of": "text", "by": "softmax"} | wrong)


@slow
@pytest.mark.parametrize(("family", "which"), [("bert", 0), ("llama", 1), ("gpt2", 0)])
def test_effects_patching_and_saliency_are_those_of_the_predicted_class(family: str, which: int, tmp_path: Path) -> None:
    """Of the text, or of each token: each number is that of a pass with this change, in log p of the class."""
    path, other = written(tmp_path / "m", family, HEADS[family][which]), "a fox and the dogs 我爱"
    trace, found = explorer.explore(TEXT, preset=path), explorer.ablate(TEXT, preset=path)
    side = trace.card.sides[0].name
    likeliest = trace["classifier.logits"].argmax(-1)
    assert found.measured == "class" and found.words == tuple(LABELS[each] for each in likeliest)

    def log_p(traced: Trace) -> Any:
        return np.log(traced["classifier.probabilities"][np.arange(len(likeliest)), likeliest])

    for tap, head, effect in (
        (f"{side}.layers.1.feed_forward.output", None, found.feed_forwards[0, 1]),
        (f"{side}.layers.0.self_attn.mixed", 2, found.heads[0, 0, 2]),
    ):
        off = explorer.explore(TEXT, preset=path, changes=[Change(tap, "scale", head=head, value=0.0)])
        np.testing.assert_allclose(effect, log_p(off) - log_p(trace), atol=1e-5)
    saliency = explorer.saliency(TEXT, preset=path)
    np.testing.assert_allclose(saliency.log_p, log_p(trace), atol=1e-5)
    told = saliency.integrated[side].sum(axis=-1) - saliency.errors
    np.testing.assert_allclose(told, saliency.log_p - saliency.baseline_log_p, atol=1e-4)
    patched = explorer.patching(TEXT, other, preset=path)
    (stream,) = [made for made in patched.maps if made.kind == "stream"]
    for n, step in enumerate(patched.steps):
        if step.measurable:
            own, theirs = patched.pairs[side][2]
            put = Change(stream.taps[1], "patch", rows=[own], columns=None, text=other)
            row = explorer.explore(TEXT, preset=path, changes=[put])["classifier.logits"][step.position]
            share = (row[step.other_word[0]] - row[step.word[0]] - step.gap) / (step.other_gap - step.gap)
            assert own == theirs and stream.recovered[1, own, n] == pytest.approx(share, abs=1e-3)


@slow
def test_classes_that_are_each_right_or_wrong_say_why_there_are_no_effects(tmp_path: Path) -> None:
    """A sentence of its own, and one for a number."""
    several = written(tmp_path / "a", "bert", "BertForSequenceClassification", problem_type="multi_label_classification")
    number = written(tmp_path / "b", "bert", "BertForSequenceClassification", problem_type="regression")
    for path, reason in ((several, "absent.several_classes"), (number, "absent.numbers")):
        for ask in (explorer.ablate, explorer.saliency):
            with pytest.raises(LacksTap) as caught:
                ask(TEXT, preset=path)
            assert caught.value.values["why"] == reason


@slow
@pytest.mark.parametrize("kind", ["BertForSequenceClassification", "BertForTokenClassification"])
def test_a_row_of_an_intervention_says_what_it_does_to_the_class(kind: str, tmp_path: Path) -> None:
    """Before it is switched on: log p of the likeliest class is that of passes without and with the change."""
    folder = written(tmp_path / "m", "bert", kind)
    change = Change("encoder.layers.0.self_attn.mixed", "scale", head=0, value=0.0)
    wish = Wish.from_preset(str(folder), TEXT)
    errand = TryAll(unchanged=unchanged_wish(wish), tries=tries(wish, ((change,),)))
    found = Computer().piece(errand, len(errand.tries) - 1, lambda: False).found
    assert isinstance(found, Consequence)
    plain, changed = explorer.explore(TEXT, preset=folder), explorer.explore(TEXT, preset=folder, changes=[change])
    likeliest = plain["classifier.logits"].argmax(axis=-1)
    assert found.words == tuple(LABELS[each] for each in likeliest)
    for trace, log_p in ((plain, found.log_p), (changed, found.log_p_after)):
        of_classes = trace["classifier.probabilities"][range(len(likeliest)), likeliest]
        np.testing.assert_allclose(log_p, np.log(of_classes), atol=1e-5)
    assert not np.allclose(found.log_p, found.log_p_after)
