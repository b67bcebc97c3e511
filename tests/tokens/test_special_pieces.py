"""Special pieces by the names that templates use, of newer and older files."""

from explorer.tokens.special_pieces import special_pieces


def test_pieces_have_their_names_as_texts_or_in_tables() -> None:
    """Those that a model has of its own, too; what is no piece, such as a flag, has none."""
    about = {
        "bos_token": "<s>",
        "eos_token": {"content": "</s>", "lstrip": False},
        "pad_token": None,
        "add_bos_token": True,
        "image_token": "<i>",
        "additional_special_tokens": ["<a>", {"content": "<b>"}, 3],
        "extra_special_tokens": {"thumbnail": "<t>"},
        "added_tokens_decoder": {},
    }
    assert dict(special_pieces(about, {})) == {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "image_token": "<i>",
        "thumbnail": "<t>",
        "additional_special_tokens": ("<a>", "<b>"),
    }


def test_the_map_beside_older_files_is_read() -> None:
    """It goes before them, as in the reference; newer files, which list their added tokens, are enough."""
    mapped = {"bos_token": {"content": "<|begin|>"}, "eos_token": "<|end|>"}
    assert dict(special_pieces({"bos_token": "<s>"}, mapped)) == {"bos_token": "<|begin|>", "eos_token": "<|end|>"}
    assert dict(special_pieces({"bos_token": "<s>", "added_tokens_decoder": {}}, mapped)) == {"bos_token": "<s>"}
    assert special_pieces({}, {}) == ()
