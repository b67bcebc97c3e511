"""From Markdown to HTML, in the forms in which the manual is written."""

import pytest

from explorer.manual.markdown import blocks, inline


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**bold** and *slanted*", "<b>bold</b> and <i>slanted</i>"),
        ("`<unk>` & <bos>", "<code>&lt;unk&gt;</code> &amp; &lt;bos&gt;"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("`**x**`", "<code>**x**</code>"),
        ("[page](page:why)", '<a href="page:why">page</a>'),
        ("trace[R]", "trace[R]"),
    ],
)
def test_a_line_is_marked_up(text: str, html: str) -> None:
    """What a reader types as a sign stays one; code is taken as it is."""
    assert inline(text) == html


def test_each_block_becomes_its_element() -> None:
    """Headings tell their level and text; what is HTML already stays."""
    text = (
        "# A\n\none\ntwo\n\n- x\n- y\n  z\n\n1. first\n\n```toml\n# no heading\n\na = 1\n```\n\n"
        "| h |\n|---|\n| c |\n\n<p>raw</p>\n\n<bos> begins"
    )
    found = list(blocks(text))
    assert found[0] == (1, "A", "A")
    assert [html for _level, _text, html in found[1:]] == [
        "<p>one two</p>",
        "<ul><li>x</li><li>y z</li></ul>",
        "<ol><li>first</li></ol>",
        "<pre># no heading\n\na = 1</pre>",
        '<table width="100%" cellspacing="0" cellpadding="5"><tr><th align="left">h</th></tr>'
        '<tr><td align="left">c</td></tr></table>',
        "<p>raw</p>",
        "<p>&lt;bos&gt; begins</p>",
    ]


def test_lines_are_joined_as_their_script_wants() -> None:
    """With a space, but not between two Chinese characters."""
    assert [html for *_, html in blocks("我爱\n北京 and\nyou")] == ["<p>我爱北京 and you</p>"]


def test_a_fence_that_is_not_closed_reaches_to_the_end() -> None:
    """Nothing of the text is lost."""
    assert [html for *_, html in blocks("one\n```\ncode\n\nmore")] == ["<p>one</p>", "<pre>code\n\nmore</pre>"]
