"""Models whose tokenizers do what no model can read: a sentence refuses each text before any pass, and the next one goes on."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.errors import BadVocabulary, IdOutsideModel, NoTokens, TokenizerFailed, TooManyCharacters
from explorer.lang import LANGUAGES, Words
from tests.foreign.models import write_model

pytestmark = pytest.mark.slow  # To import transformers takes seconds.


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("models") / "gpt2", "gpt2")


@pytest.fixture
def strange(model: Path, tmp_path: Path) -> Callable[..., Path]:
    """The folder of a tiny GPT-2 whose tokenizer has other parts."""

    def of(**parts: Any) -> Path:
        folder = tmp_path / "strange"
        shutil.copytree(model, folder)
        path = folder / "tokenizer.json"
        path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | parts), encoding="utf-8")
        return folder

    return of


def replaced(pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}


def framed(number: int) -> dict[str, Any]:
    row = [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]
    symbols = {"[SEP]": {"id": "[SEP]", "ids": [number], "tokens": ["[SEP]"]}}
    return {"type": "TemplateProcessing", "single": row, "pair": row, "special_tokens": symbols}


def test_an_id_without_a_vector_is_refused(strange: Callable[..., Path]) -> None:
    """A frame around each text may have any id; it was an IndexError of the embedding."""
    folder = strange(post_processor=framed(40))
    with pytest.raises(IdOutsideModel) as caught:
        explorer.explore("the fox", preset=folder)
    assert caught.value.values == {"path": str(folder), "token": "[SEP]", "id": 40, "size": 40}
    assert all("40" in Words.load(language).error(caught.value) for language in LANGUAGES)


def test_the_last_id_with_a_vector_is_read(strange: Callable[..., Path]) -> None:
    """So the border is where it should be."""
    assert explorer.explore("the fox", preset=strange(post_processor=framed(39))).tokens.target[-1].id == 39


def test_an_id_far_away_is_refused_at_opening(strange: Callable[..., Path], model: Path) -> None:
    """Before the model is, and without a list of all ids below it."""
    told = json.loads((model / "tokenizer.json").read_text("utf-8"))["model"]
    with pytest.raises(BadVocabulary, match="1,000,000,000"):
        explorer.explore("the fox", preset=strange(model=told | {"vocab": told["vocab"] | {"far": 10**9}}))


def test_a_text_of_which_nothing_is_left_is_refused(strange: Callable[..., Path]) -> None:
    """A model reads one token at least; another text is read."""
    folder = strange(normalizer=replaced("x", ""), post_processor=None)
    with pytest.raises(NoTokens):
        explorer.explore("xxx", preset=folder)
    assert [token.text for token in explorer.explore("the x", preset=folder).tokens.target] == ["the"]


def test_a_text_that_cannot_fit_is_refused_at_once(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its length alone: the tokenizer never sees it."""
    from explorer.tokens.fenced_tokenizer import FencedTokenizer

    seen: list[str] = []
    own = FencedTokenizer.tokenize

    def tokenize(self: FencedTokenizer, text: str, *, special: bool = True) -> Any:
        seen.append(text)
        return own(self, text, special=special)

    monkeypatch.setattr(FencedTokenizer, "tokenize", tokenize)
    with pytest.raises(TooManyCharacters) as caught:
        explorer.explore("a" * 10**6, preset=model)
    assert caught.value.values == {"limit": 65_536, "got": 10**6}
    assert seen == []


def test_the_engine_goes_on_after_a_panic(strange: Callable[..., Path]) -> None:
    """Forty "a" and "!" made the library panic, which ended the compute thread."""
    split = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
    computer, request = Computer(), Request.from_preset(str(strange(pre_tokenizer=split)), "the")
    first = computer(request).trace.tokens
    with pytest.raises(TokenizerFailed, match="PanicException"):
        computer(request.wishing(text="a" * 40 + "!"))
    assert computer(request).trace.tokens == first


def test_a_mean_vector_of_no_token_is_refused(model: Path, tmp_path: Path) -> None:
    """Sentences that are compared go the same way as those that are typed."""
    folder = write_model(tmp_path / "bert", "bert without an output")
    path = folder / "tokenizer.json"
    parts = {"normalizer": replaced("x", ""), "post_processor": None}
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | parts), encoding="utf-8")
    with pytest.raises(NoTokens):
        explorer.similar(["the fox", "xxx"], preset=folder)
    with pytest.raises(TooManyCharacters):
        explorer.similar(["the fox", "a" * 10**6], preset=folder)
