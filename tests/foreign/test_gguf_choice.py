"""Which of several files in GGUF one can open: whole models, by their names."""

from pathlib import Path

import pytest

from explorer.errors import BadWeights, PartOfGguf, SeveralGguf, UnknownFamily
from explorer.foreign.folder import check_folder
from explorer.foreign.gguf_choice import chosen
from explorer.lang import LANGUAGES, Words
from tests.foreign.gguf_files import gguf

MODEL, PROJECTOR = "SmolVLM-Q4_K_M.gguf", "mmproj-SmolVLM-f16.gguf"


def files(*names: str) -> list[Path]:
    return [Path("/m", name) for name in names]


@pytest.mark.parametrize(
    ("names", "one"),
    [
        ((MODEL,), MODEL),
        ((MODEL, PROJECTOR), MODEL),
        (("SmolVLM.MMPROJ-Q8_0.gguf", MODEL), MODEL),
        ((PROJECTOR,), PROJECTOR),
        (("a-00001-of-00002.gguf", "a-00002-of-00002.gguf"), "a-00001-of-00002.gguf"),
        (("a-00002-of-00002.gguf",), "a-00002-of-00002.gguf"),
    ],
)
def test_a_folder_with_one_model_needs_no_choice(names: tuple[str, ...], one: str) -> None:
    """A projector of pictures beside it is none, and the parts of one model are one."""
    assert chosen(Path("/m"), files(*names)) == Path("/m", one)


def test_several_models_are_named_with_the_way_to_choose() -> None:
    """In both languages: all of them, and a flag that opens one. The projector and later parts are not offered."""
    names = ("a-Q4_0.gguf", "a-Q8_0.gguf", "b-00001-of-00002.gguf", "b-00002-of-00002.gguf", PROJECTOR)
    with pytest.raises(SeveralGguf) as caught:
        chosen(Path("/m"), files(*names))
    assert caught.value.values["files"] == tuple(map(str, files(*names[:3])))
    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value)
        assert "a-Q4_0.gguf, a-Q8_0.gguf, b-00001-of-00002.gguf" in sentence and "3" in sentence
        assert f'--preset "{Path("/m/a-Q4_0.gguf")}"' in sentence


def test_of_very_many_the_first_twelve_are_named() -> None:
    """A sentence is read; the window offers all."""
    with pytest.raises(SeveralGguf) as caught:
        chosen(Path("/m"), files(*(f"{number:02}.gguf" for number in range(30))))
    assert caught.value.values["found"].endswith("11.gguf, …") and caught.value.values["count"] == 30
    assert len(caught.value.values["files"]) == 30


def test_a_folder_of_packings_is_refused_with_the_choice_and_a_projector_is_passed_by(tmp_path: Path) -> None:
    """Before a file is read; what is opened says itself what it is."""
    (tmp_path / MODEL).write_bytes(b"")
    (tmp_path / PROJECTOR).write_bytes(gguf({"general.architecture": "clip"}, {}))
    with pytest.raises(BadWeights, match=MODEL):
        check_folder(tmp_path)
    (tmp_path / "SmolVLM-Q8_0.gguf").write_bytes(b"")
    with pytest.raises(SeveralGguf, match="Q8_0"):
        check_folder(tmp_path)
    (tmp_path / "SmolVLM-Q8_0.gguf").unlink()
    (tmp_path / MODEL).unlink()
    with pytest.raises(UnknownFamily, match="clip"):
        check_folder(tmp_path)


def test_a_part_of_a_model_says_so(tmp_path: Path) -> None:
    """It has all the settings and some of the tensors."""
    (tmp_path / "a-00001-of-00003.gguf").write_bytes(gguf({"general.architecture": "llama", "split.count": 3}, {}))
    with pytest.raises(PartOfGguf) as caught:
        check_folder(tmp_path)
    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value)
        assert "00001-of-00003" in sentence and "3" in sentence and "--merge" in sentence
