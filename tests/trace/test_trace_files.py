"""Saving and loading: everything comes back, foreign files are refused, nothing is unpickled, no old file is lost."""

import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from explorer.errors import CannotRead, CannotWrite, DiskFull, NotAFile, NotATrace, UnknownHead, UnknownTap
from explorer.lang import Words
from explorer.trace.arrays import frozen_array
from explorer.trace.changes import Change
from explorer.trace.trace import Trace
from tests.trace.runs import a_trace

unpickled: list[str] = []


class Trap:
    """Whoever unpickles this is noticed."""

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return notice, ("caught",)


def notice(mark: str) -> None:
    unpickled.append(mark)


def special() -> Trace:
    """With -inf, inf and NaN in it."""
    trace = a_trace()
    odd = frozen_array(np.array([[-np.inf, np.nan], [np.inf, -0.0]]))
    return attrs.evolve(trace, arrays={**trace.arrays, "encoder.norm": odd})


def rewritten(path: Path, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> Path:
    """A saved Trace with its table of contents or its arrays changed."""
    a_trace().save(path)
    with np.load(path) as file:
        arrays = dict(file)
    about = json.loads(str(arrays.pop("about.json")))
    change(about, arrays)
    np.savez(path, **{"about.json": np.array(json.dumps(about))}, **arrays)
    return path


def test_everything_comes_back(tmp_path: Path) -> None:
    """Arrays to the bit, axes, order, tokens with their merges, Config, texts, symbols."""
    trace = special()
    trace.save(tmp_path / "x.npz")
    loaded = Trace.load(tmp_path / "x.npz")

    assert loaded.names() == trace.names()
    for name in trace.names():
        assert loaded[name].tobytes() == trace[name].tobytes()
        assert loaded.axes(name) == trace.axes(name)
        assert not loaded[name].flags.writeable
    assert loaded.places.tobytes() == trace.places.tobytes()
    fields = ("tokens", "config", "source", "target", "preset", "symbols", "parameters")
    assert [getattr(loaded, field) for field in fields] == [getattr(trace, field) for field in fields]
    assert loaded.tokens.target[0].merges == ("t h", "th e")


def test_the_word_that_fell_apart_comes_back(tmp_path: Path) -> None:
    """A span is a pair again, and a token of an older file has none."""
    trace = a_trace()
    first, *rest = trace.tokens.source
    tokens = attrs.evolve(trace.tokens, source=(attrs.evolve(first, word=(0, 2)), *rest))
    attrs.evolve(trace, tokens=tokens).save(tmp_path / "a.npz")

    def older(about: dict[str, Any], _arrays: dict[str, Any]) -> None:
        for row in about["tokens"]["source"]:
            del row["word"]

    assert Trace.load(tmp_path / "a.npz").tokens == tokens
    assert Trace.load(rewritten(tmp_path / "b.npz", older)).tokens == trace.tokens


def test_a_name_is_enough(tmp_path: Path) -> None:
    """A str serves as well as a Path, and the name gets no ending of NumPy's."""
    a_trace().save(str(tmp_path / "trace.of.mine"))

    assert [path.name for path in tmp_path.iterdir()] == ["trace.of.mine"]
    assert Trace.load(str(tmp_path / "trace.of.mine")).source == "我爱北京天"


def test_saving_again_replaces_the_file(tmp_path: Path) -> None:
    """And leaves nothing beside it."""
    path = tmp_path / "x.npz"
    path.write_bytes(b"old")
    a_trace().save(path)

    assert Trace.load(path).preset == "tiny"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [b"", b"garbage", b"PK\x03\x04garbage", "我爱北京".encode()])
def test_garbage_is_no_trace(tmp_path: Path, content: bytes) -> None:
    """The sentence names the file."""
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    with pytest.raises(NotATrace) as caught:
        Trace.load(path)

    assert str(path) in Words.load("zh").error(caught.value)


def test_a_truncated_file_is_no_trace(tmp_path: Path) -> None:
    """Wherever it was cut off."""
    path = tmp_path / "x.npz"
    a_trace().save(path)
    whole = path.read_bytes()
    for share in (0.01, 0.5, 0.9, 0.999):
        path.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(NotATrace):
            Trace.load(path)


def test_a_flipped_byte_is_no_trace(tmp_path: Path) -> None:
    """The archive has checksums."""
    path = tmp_path / "x.npz"
    a_trace().save(path)
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 255
    path.write_bytes(whole)

    with pytest.raises(NotATrace):
        Trace.load(path)


def test_a_plain_array_is_no_trace(tmp_path: Path) -> None:
    """A file of NumPy's that holds something else is refused."""
    np.save(tmp_path / "plain.npy", np.ones(3))
    with pytest.raises(NotATrace):
        Trace.load(tmp_path / "plain.npy")


def test_a_missing_file_and_a_folder_cannot_be_read(tmp_path: Path) -> None:
    """That is another sentence: it names the path and the system's reason."""
    for name in ("missing.npz", ""):
        with pytest.raises(CannotRead) as caught:
            Trace.load(tmp_path / name)
        assert str(tmp_path / name) in Words.load("en").error(caught.value)


@pytest.mark.parametrize("name", ["about.json", "places", "encoder.norm"])
def test_nothing_is_ever_unpickled(tmp_path: Path, name: str) -> None:
    """An array of objects holds code that runs when it is read; a whole pickle too."""
    trapped = np.array([Trap()], dtype=object)
    with np.load(_saved(tmp_path)) as file:
        arrays = dict(file)
    np.savez(tmp_path / "bad.npz", **{**arrays, name: trapped})
    (tmp_path / "pickle.npz").write_bytes(pickle.dumps(Trap()))

    for bad in ("bad.npz", "pickle.npz"):
        with pytest.raises(NotATrace):
            Trace.load(tmp_path / bad)
    assert unpickled == []


def test_the_trap_works() -> None:
    """Unpickled it does leave its mark, so the test above can fail."""
    pickle.loads(pickle.dumps(Trap()))

    assert unpickled.pop() == "caught"


def _saved(folder: Path) -> Path:
    a_trace().save(folder / "good.npz")
    return folder / "good.npz"


CHANGES: dict[str, Callable[[dict[str, Any], dict[str, Any]], object]] = {
    "no axes": lambda about, _: about.pop("axes"),
    "axes of a missing array": lambda about, _: about["axes"].update(missing=["position"]),
    "axes in a list": lambda about, _: about.update(axes=["encoder.norm"]),
    "too few axes": lambda about, _: about["axes"].update({"encoder.norm": ["position"]}),
    "no places": lambda _, arrays: arrays.pop("places"),
    "places in a row": lambda _, arrays: arrays.update(places=np.ones(3, dtype=np.float32)),
    "an array of words": lambda _, arrays: arrays.update({"encoder.norm": np.array([["a", "b"]])}),
    "complex numbers": lambda _, arrays: arrays.update({"encoder.norm": np.ones((2, 2), dtype=complex)}),
    "no config": lambda about, _: about.pop("config"),
    "a knob out of range": lambda about, _: about["config"].update(n_layers=0),
    "an unknown knob": lambda about, _: about["config"].update(n_wings=2),
    "heads that do not fit": lambda about, _: about["config"].update(n_heads=5),
    "tokens in a list": lambda about, _: about.update(tokens=[1, 2]),
    "an unknown side": lambda about, _: about["tokens"].update(middle=[]),
    "a token without its merges": lambda about, _: about["tokens"]["source"][0].pop("merges"),
    "a token that is none": lambda about, _: about["tokens"].update(source=[7]),
}


@pytest.mark.parametrize("what", CHANGES)
def test_wrong_contents_are_no_trace(tmp_path: Path, what: str) -> None:
    """They are refused at the border, not met later in a picture."""
    path = rewritten(tmp_path / "x.npz", CHANGES[what])

    with pytest.raises(NotATrace):
        Trace.load(path)


def test_rewriting_alone_breaks_nothing(tmp_path: Path) -> None:
    """So each refusal above is for its own change."""
    assert Trace.load(rewritten(tmp_path / "x.npz", lambda _about, _arrays: None)).source == "我爱北京天"


def test_a_contents_that_is_no_table_is_no_trace(tmp_path: Path) -> None:
    """A list, a number, or no JSON at all."""
    for content in ("[1, 2]", "7", "{"):
        np.savez(tmp_path / "x.npz", **{"about.json": np.array(content)})
        with pytest.raises(NotATrace):
            Trace.load(tmp_path / "x.npz")


def test_an_array_larger_than_any_memory_is_no_trace(tmp_path: Path) -> None:
    """A header may promise anything."""
    path = _saved(tmp_path)
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 1024), }"
    header = header.ljust(117) + b"\n"
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(tmp_path / "big.npz", "w") as changed:
        for name in whole.namelist():
            lie = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
            changed.writestr(name, lie if name == "encoder.norm.npy" else whole.read(name))

    with pytest.raises(NotATrace):
        Trace.load(tmp_path / "big.npz")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written to the device that is always full: the system's own error, and the old Trace is still whole."""
    path = _saved(tmp_path)
    original = Path.open

    def full(self: Path, mode: str = "r", *rest: Any) -> Any:
        return original(Path("/dev/full") if mode == "wb" else self, mode, *rest)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(DiskFull) as caught:
        special().save(path)
    monkeypatch.undo()

    assert str(path) in Words.load("zh").error(caught.value)
    assert np.isfinite(Trace.load(path)["encoder.norm"]).all()
    assert list(tmp_path.iterdir()) == [path]


def test_a_fault_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it was: a bug passes through as it is, and no half file stays."""
    path = _saved(tmp_path)

    def broken(*_args: object, **_named: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(np, "savez", broken)
    with pytest.raises(ZeroDivisionError):
        special().save(path)

    assert np.isfinite(Trace.load(path)["encoder.norm"]).all()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["missing/x.npz", "file/x.npz", "folder", "nul\0.npz"])
def test_where_nothing_can_be_written_it_says_so(tmp_path: Path, name: str) -> None:
    """A missing folder, a folder that is a file, a file that is a folder, a name that none can have."""
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(CannotWrite) as caught:
        a_trace().save(tmp_path / name)

    assert name.replace("\0", "\N{REPLACEMENT CHARACTER}") in Words.load("en").error(caught.value)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["nul\0", "a" * 9000, "missing.npz", "", "."])
def test_a_name_that_nothing_can_be_read_from_is_told(name: str) -> None:
    """Never as a traceback."""
    with pytest.raises(CannotRead) as caught:
        Trace.load(name)

    assert Words.load("en").error(caught.value).isprintable()


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Nobody will ever write to it."""
    os.mkfifo(tmp_path / "x.npz")
    with pytest.raises(NotAFile):
        Trace.load(tmp_path / "x.npz")


def test_a_file_that_unpacks_to_much_more_is_refused(tmp_path: Path) -> None:
    """`save` does not compress: a megabyte of zeros that were a gigabyte is a trap."""
    path = tmp_path / "x.npz"
    a_trace().save(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("more.npy", bytes(50 * path.stat().st_size))
    with pytest.raises(NotATrace):
        Trace.load(path)


@pytest.mark.parametrize("name", [None, 3, ["a"], slice(2), 0.5, ("a", "b")], ids=repr)
def test_what_is_no_name_is_told(name: Any) -> None:
    """In a sentence, not as a TypeError."""
    for ask in (a_trace().__getitem__, a_trace().axes, a_trace().shape):
        with pytest.raises(UnknownTap):
            ask(name)
    with pytest.raises(CannotRead):
        Trace.load(name)
    with pytest.raises(UnknownHead):
        a_trace().head("encoder.layers.0.self_attn.weights", name if name != 3 else 99)


def test_changes_are_saved_with_what_they_made(tmp_path: Path) -> None:
    """Equal to the bit; a file from before there were any has none, and one with nonsense is none of ours."""
    changes = (
        Change("encoder.layers.0.self_attn.mixed", "scale", head=1, value=0.1),
        Change("encoder.norm", "patch", rows=[0, 2], text="上海"),
    )
    trace = attrs.evolve(a_trace(), changes=changes)
    trace.save(tmp_path / "a.npz")
    assert Trace.load(tmp_path / "a.npz").changes == changes

    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        entries = {name: file[name] for name in file.files}
    about = json.loads(str(entries["about.json"]))
    for told, wanted in (
        (None, ()),
        ([], ()),
        ([{"tap": "a"}], None),
        ([{**about["changes"][0], "value": "x"}], None),
        (5, None),
    ):
        about["changes"] = told
        if told is None:
            del about["changes"]
        np.savez(tmp_path / "b.npz", **{**entries, "about.json": np.array(json.dumps(about))})
        if wanted is None:
            with pytest.raises(NotATrace):
                Trace.load(tmp_path / "b.npz")
        else:
            assert Trace.load(tmp_path / "b.npz").changes == wanted


@pytest.mark.parametrize("name", ["id", "start", "end"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, None, [], 1.5, True])
def test_a_token_whose_numbers_are_none_is_refused(name: str, value: object, tmp_path: Path) -> None:
    """At the border, and not by the first measure that counts with it."""
    a_trace().save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        entries = {each: file[each] for each in file.files}
    about = json.loads(str(entries["about.json"]))
    about["tokens"]["source"][0][name] = value
    np.savez(tmp_path / "b.npz", **{**entries, "about.json": np.array(json.dumps(about))})
    with pytest.raises(NotATrace):
        Trace.load(tmp_path / "b.npz")
