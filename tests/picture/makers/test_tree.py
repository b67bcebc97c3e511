"""The picture of a search: states, ranks, scores, words; the layout's promises; the figure."""

import math
from itertools import pairwise
from xml.etree import ElementTree

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.picture.decoding_kinds import Tree
from explorer.picture.figure.svg import render
from explorer.picture.figure.text import width
from explorer.picture.layout.tree import CHIP_PX, TreeLayout, layout, neighbour
from explorer.picture.layout.tree_marks import ink
from explorer.picture.makers.tree import search_tree
from explorer.picture.theme import DARK, LIGHT, THEMES
from explorer.picture.tree_branches import ROOT, best_places, depths, describe, path, probability, sentence, summary
from explorer.state.look import Look
from explorer.tokens.bpe import BYTES
from explorer.tokens.vocabulary import END
from explorer.trace.search_tree import Search
from tests.picture.examples import LANGUAGES, example, words
from tests.picture.trees import BOOK, HE, READS, ROWS, SEARCH, STOP, SYMBOLS, A, found, grown, nodes, trace_of, tree_of

SVG = "{http://www.w3.org/2000/svg}"


def square(text: str, size: float) -> float:
    return len(text) * size


def states(tree: Tree) -> list[str]:
    return [branch.state for branch in tree.branches]


# The picture


def test_each_branch_says_where_it_led() -> None:
    """Best, kept and dropped by hand; ranks at the ends alone."""
    tree = tree_of()
    expected = ["best", "kept", "best", "dropped", "kept", "best", "dropped", "kept", "best", "dropped", "best", "best"]
    assert expected == states(tree)
    assert [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1] == [branch.rank for branch in tree.branches]
    assert ["␣He", "␣She", "␣reads"] == [branch.label for branch in tree.branches[:3]]
    assert [(node.parent, node.log_p, node.total) for node in SEARCH.nodes] == [
        (branch.parent, branch.log_p, branch.total) for branch in tree.branches
    ]


def test_what_the_user_put_is_forced() -> None:
    """Also where it lies on the best sentence; the note says what the dashes are."""
    tree = tree_of(attrs.evolve(SEARCH, nodes=nodes(*ROWS, forced=1)))
    assert ["forced", "kept", "best"] == states(tree)[:3]
    assert tree.caption.note == words()("tree.note_forced") != tree_of().caption.note


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_closed_says_what_it_would_repeat(language: str) -> None:
    """The note says what the crossed tokens are; the token keeps the model's own probability."""
    rows = ((-1, A, -0.5), (0, BOOK, -0.5), (1, A, -0.5), (2, BOOK, -0.25), (2, STOP, -2.0), (4, END, -0.125))
    made = [attrs.evolve(node, closed=place == 3) for place, node in enumerate(nodes(*rows))]
    tree = tree_of(Search(tuple(made), (5,), 1, 1.0), language)
    assert ["best", "best", "best", "closed", "best", "best"] == states(tree)
    said = describe(tree, 3, words(language))
    assert words(language)("tree.state.closed") in said and words(language)("tree.repeated", sentence="a book") in said
    assert "−0.25" in said and words(language)("tree.note_closed") in tree.caption.note
    assert words(language)("tree.note_closed") not in tree_of(language=language).caption.note


def test_a_sentence_that_was_still_open_has_no_rank() -> None:
    """As the search stopped, it had not ended: only those that ended are ranked."""
    tree = tree_of(attrs.evolve(SEARCH, ends=(11, 7, 9)))
    assert "dropped" == tree.branches[9].state and 0 == tree.branches[9].rank


def test_where_none_ended_the_longest_are_ranked() -> None:
    """A search that ran to the greatest length has a best sentence all the same."""
    tree = tree_of(Search(nodes((-1, HE, -1.0), (0, READS, -1.0)), (1,), 1, 1.0))
    assert ["best", "best"] == states(tree) and 1 == tree.branches[1].rank


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_caption_says_beam_formula_and_size(language: str) -> None:
    """With the very α of the search."""
    caption = tree_of(attrs.evolve(SEARCH, length_penalty=0.6), language).caption
    assert "2" in caption.title
    assert caption.formula.endswith("|y|<sup>α</sup>, α = 0.6")
    assert "[step 6, node 12]" == caption.shape
    assert words(language)("tree.note") == caption.note


@pytest.mark.parametrize(
    ("architecture", "trained", "key"),
    [
        ("decoder-only", True, "no_translation"),
        ("encoder-decoder", False, "untrained"),
        ("encoder-decoder", True, "own_target"),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_tree_says_why(architecture: str, trained: bool, key: str, language: str) -> None:
    """No translation, no training, or a target of one's own."""
    made = example(architecture)
    trace = attrs.evolve(made, card=attrs.evolve(made.card, trained=trained))
    tree = search_tree(trace, Look(), words(language))
    assert () == tree.branches
    assert words(language)(f"tree.{key}") == tree.caption.note == summary(tree, words(language))
    assert render(tree, words(language))


def test_a_real_search_becomes_a_tree() -> None:
    """Every node is a branch, every rank given once, the best sentence is the search's own."""
    made = found(4)
    tree = search_tree(trace_of(made), Look(), words())
    assert len(made.nodes) == len(tree.branches)
    ranks = sorted(branch.rank for branch in tree.branches if branch.rank)
    assert list(range(1, len(ranks) + 1)) == ranks
    best = next(index for index, branch in enumerate(tree.branches) if branch.rank == 1)
    assert made.path(made.ends[0]) == tuple(tree.branches[index].node for index in path(tree, best))


# Words


def test_a_branch_is_described_whole() -> None:
    """Token, P, log P, the sentence so far, sum, score and rank, by hand."""
    text = describe(tree_of(), 11, words("en"))
    for part in ("<eos>", f"{math.exp(-0.125):.4g}", "−0.125", "He reads a book.", "−1.75", "−0.2917", "length 6", "1 of 2"):
        assert part in text
    assert words("en")("tree.state.dropped") in describe(tree_of(), 9, words("en"))
    assert "<bos>" in describe(tree_of(), ROOT, words("en"))


def test_the_score_follows_the_length_penalty() -> None:
    """Without a penalty it is the sum itself."""
    tree = tree_of(attrs.evolve(SEARCH, length_penalty=0.0))
    assert "score −1.75" in describe(tree, 11, words("en"))


def test_a_sentence_is_read_as_it_would_be_written() -> None:
    """Word marks become blanks, bytes their character; a half one is shown by its bytes."""
    first = SYMBOLS.index(BYTES[0xE4])
    assert [BYTES[0xE4], BYTES[0xE5]] == list(SYMBOLS[first : first + 2])
    tree = tree_of(Search(nodes((-1, HE, -1.0), (0, 7, -1.0), (1, first, -1.0), (2, END, -1.0)), (3,), 1, 1.0))
    assert ["He", "Heing", f"Heing{BYTES[0xE4]}"] == [sentence(tree, index) for index in range(3)]
    branches = [attrs.evolve(tree.branches[0], label=BYTES[byte], parent=place - 1) for place, byte in enumerate("中".encode())]
    assert "中" == sentence(attrs.evolve(tree, branches=tuple(branches)), 2)


def test_the_summary_lists_finished_sentences_best_first() -> None:
    """Rank, text and score."""
    assert ["Rank 1: He reads a book. (score −0.2917)", "Rank 2: She reads (score −1.333)"] == summary(
        tree_of(), words("en")
    ).split("\n")


def test_the_best_sentences_tokens_have_places() -> None:
    """Behind the begin symbol; the end symbol is no token of the target."""
    assert {0: 1, 2: 2, 5: 3, 8: 4, 10: 5} == best_places(tree_of())
    assert {} == best_places(grown([-1, 0]))


@pytest.mark.parametrize(
    ("p", "text"), [(1.0, "1.00"), (0.996, "1.00"), (0.5, "0.50"), (0.05, "0.050"), (0.00123, "0.0012"), (1e-7, "1.0e−07")]
)
def test_a_probability_is_short(p: float, text: str) -> None:
    """Two figures."""
    assert text == probability(math.log(p))


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_states_can_be_told_apart(theme: str) -> None:
    """No two are drawn alike, and the best is the thickest."""
    inks = [ink(state, THEMES[theme]) for state in ("best", "kept", "dropped", "forced", "closed")]
    assert 5 == len(set(inks))
    assert THEMES[theme].accent == inks[0].line and inks[0].line_px > inks[1].line_px > inks[2].line_px


# TreeLayout


def overlaps(made: TreeLayout) -> list[tuple[int, int]]:
    chips = list(made.chips.values())
    return [
        (a.branch, b.branch)
        for i, a in enumerate(chips)
        for b in chips[i + 1 :]
        if a.top < b.top + CHIP_PX and b.top < a.top + CHIP_PX and a.left < b.right and b.left < a.right
    ]


def crossings(made: TreeLayout) -> list[tuple[int, int]]:
    """Links between the same columns whose parents and children are in different orders."""
    chips, links = made.chips, made.links
    return [
        (a.branch, b.branch)
        for a in links
        for b in links
        if chips[a.branch].column == chips[b.branch].column
        and chips[a.parent].row < chips[b.parent].row
        and chips[a.branch].row > chips[b.branch].row
    ]


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    return grown([draw(st.integers(-1, place - 1)) for place in range(draw(st.integers(1, 60)))])


@given(trees(), st.sets(st.integers(0, 59)))
def test_nothing_overlaps_and_no_lines_cross(tree: Tree, folded: set[int]) -> None:
    """For trees of any form, folded anywhere: a step is a column, the first child stands beside its parent."""
    made = layout(tree, square, folded)
    assert [] == overlaps(made) and [] == crossings(made)
    steps = depths(tree)
    assert all(chip.column == (0 if index == ROOT else steps[index]) for index, chip in made.chips.items())
    lefts = {(chip.column, chip.left) for chip in made.chips.values()}
    assert len(lefts) == len({column for column, _ in lefts})
    for link in made.links:
        assert link.x0 <= link.x1 < link.x2
        assert neighbour(made, link.parent, 1, 0) != link.branch or made.chips[link.branch].row == made.chips[link.parent].row
    assert made.width == max(chip.right for chip in made.chips.values())


@given(trees(), st.sets(st.integers(0, 59)))
def test_a_fold_hides_what_is_below_and_counts_it(tree: Tree, folded: set[int]) -> None:
    """Seen and hidden nodes together are all nodes."""
    made = layout(tree, square, folded)
    hidden = sum(chip.hidden for chip in made.chips.values())
    assert len(tree.branches) + 1 == len(made.chips) + hidden
    assert all(chip.control == f"+{chip.hidden}" for chip in made.chips.values() if chip.hidden)
    for index in made.chips:
        assert index == ROOT or not folded & set(path(tree, index)[:-1])


def test_the_checks_of_the_layout_can_fail() -> None:
    """An overlap and a crossing that were made on purpose are found."""
    made = layout(grown([-1, -1, 0, 1]), square)
    moved = {**made.chips, 3: attrs.evolve(made.chips[3], top=made.chips[2].top)}
    assert [(2, 3)] == overlaps(attrs.evolve(made, chips=moved))
    swapped = {**made.chips, 2: attrs.evolve(made.chips[2], row=5)}
    assert [(2, 3)] == crossings(attrs.evolve(made, chips=swapped))


def test_the_best_sentence_is_the_first_row() -> None:
    """And a chain takes no more than its chips and the lines between them."""
    tree = tree_of()
    made = layout(tree, square)
    assert {0} == {made.chips[index].row for index, branch in enumerate(tree.branches) if branch.state == "best"}
    chain = layout(grown([-1, 0, 1, 2]), square)
    chips = [chain.chips[index] for index in (ROOT, 0, 1, 2, 3)]
    assert {0} == {chip.row for chip in chips}
    assert all(0 < after.left - before.right <= 12 for before, after in pairwise(chips))


def test_a_branch_tucks_under_the_one_above() -> None:
    """It stands no lower than the contours need: its own second child goes on below the other's."""
    made = layout(grown([-1, -1, 0, 2, 1, 1, 5, 2]), square)
    assert {ROOT: 0, 0: 0, 1: 1, 2: 0, 3: 0, 7: 1, 4: 1, 5: 2, 6: 2} == {index: chip.row for index, chip in made.chips.items()}


def test_handles_stand_where_the_tree_branches() -> None:
    """Not in a chain, not at the beginning, and none in a figure."""
    made = layout(tree_of(), square)
    assert {0, 2} == {index for index, chip in made.chips.items() if chip.control}
    assert {""} == {chip.control for chip in layout(tree_of(), square, controls=False).chips.values()}


def test_a_step_leads_to_a_neighbour() -> None:
    """Parent, first child, the next above and below in the column, and itself at the border."""
    made = layout(tree_of(), square)
    assert [ROOT, 2, 1, 0] == [neighbour(made, 0, *step) for step in ((-1, 0), (1, 0), (0, 1), (0, -1))]
    assert 11 == neighbour(made, 11, 1, 0) and ROOT == neighbour(made, ROOT, -1, 0)


def test_a_long_token_is_shortened() -> None:
    """The whole one is in the hover text."""
    tree = grown([-1])
    tree = attrs.evolve(tree, branches=(attrs.evolve(tree.branches[0], label="长" * 60),))
    assert "长" * 24 + "…" == layout(tree, square).chips[0].token
    assert "长" * 60 in describe(tree, 0, words())


# The figure


def parsed(tree: Tree, theme: str = "light") -> ElementTree.Element:
    return ElementTree.fromstring(render(tree, words("en"), THEMES[theme]))


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_the_figure_has_every_token_unfolded(theme: str) -> None:
    """Chips, probabilities and the finished sentences' ranks, within the page."""
    tree = search_tree(trace_of(found(4)), Look(), words("en"))
    page = parsed(tree, theme)
    written = [element.text or "" for element in page.iter(f"{SVG}text")]
    for branch in tree.branches:
        assert branch.label in written and probability(branch.log_p) in written
    assert any(line.startswith("#1 ") for line in written)
    chips = [rect for rect in page.iter(f"{SVG}rect") if rect.get("rx")]
    assert len(tree.branches) + 1 == len(chips)
    assert len(tree.branches) == len([line for line in page.iter(f"{SVG}path") if "C" in line.get("d", "")])
    for rect in chips:
        assert float(rect.get("x", 0)) + float(rect.get("width", 0)) <= float(page.get("width", 0)) - 24


def test_no_letter_leaves_its_chip() -> None:
    """By the bundled font's own widths."""
    chips = layout(tree_of(), width, controls=False).chips.values()
    for chip in chips:
        assert 6 + width(chip.token, 13) < chip.figure_left
        ends = [chip.figure_left + width(chip.figure, 10)] + [chip.verdict_left + width(chip.verdict, 10)] * bool(chip.verdict)
        assert max(ends) < chip.width or not chip.figure


def test_the_best_line_is_drawn_last_and_in_the_accent() -> None:
    """Where lines meet it stays on top."""
    for theme in (LIGHT, DARK):
        lines = [line.get("stroke") for line in parsed(tree_of(), theme.name).iter(f"{SVG}path")]
        assert [theme.accent] * 6 == lines[-6:] and theme.accent not in lines[:-6]


def test_hostile_tokens_stay_text() -> None:
    """Markup is escaped, what cannot be printed becomes a box."""
    tree = grown([-1, 0])
    labels = ("<b>&amp;", "a\x00\ud800")
    tree = attrs.evolve(
        tree, branches=tuple(attrs.evolve(branch, label=label) for branch, label in zip(tree.branches, labels, strict=True))
    )
    written = [element.text for element in parsed(tree).iter(f"{SVG}text")]
    assert "<b>&amp;" in written and "a□□" in written
