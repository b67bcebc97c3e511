"""Sentences to compare with: the typed one first, suggestions until others are typed."""

from explorer.state.suggested_sentences import MOST_SENTENCES, SUGGESTED, compared


def test_the_typed_sentence_is_the_first() -> None:
    """Behind it the suggested ones, or those that were typed; an empty one is left out, and so are those beyond the most."""
    assert compared("a", ()) == ("a", *SUGGESTED)
    assert compared("a", ("b", "c")) == ("a", "b", "c")
    assert compared(" ", ("b",)) == ("b",)
    assert len(compared("a", ("b",) * 99)) == MOST_SENTENCES
