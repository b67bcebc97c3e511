"""What is said about a followed cell depends on its numbers: each condition once, in both languages."""

import numpy as np
import pytest

from explorer.picture.follow_text import (
    description,
    figure,
    headline,
    note,
    power,
    score,
    sentence,
    signed,
    term_sentence,
    title,
    weight,
)
from explorer.picture.followed import BEATS, Followed
from explorer.picture.kinds import Axis
from explorer.trace.tap_names import Cell
from tests.picture.examples import LANGUAGES, by_hand, words
from tests.picture.test_followed import wide

EN, ZH = words("en"), words("zh")
CROSS = Cell("decoder.cross_attn", 0, 0, 2, 0)
OPEN = (False,) * 4
SHUT = (True,) * 4
DOMINANT = by_hand((1.0, 3.0, 0.1), (1.0, 3.0, -0.1))
CANCELLED = by_hand((1.0, 1.0, 1.0, 1.0), (3.0, -3.0, 2.0, -1.9))
EVEN = by_hand((1.0, 1.0, 1.0), (1.0, 1.1, 0.9))
NAN = by_hand(closed=SHUT, weights=np.full(4, np.nan), passed=np.full(4, np.nan), mixed=np.full(2, np.nan))
FINITE = np.full(4, -1e9)
SAID: dict[str, tuple[Followed, str, str, str]] = {
    "one product makes up more than two fifths": (
        DOMINANT,
        "products",
        "Feature by feature, 3 products add up to 9.99; feature 1 alone contributes +9.00.",
        "同一维相乘，3 个乘积加起来是 9.99；第 1 维一项就有 +9.00。",
    ),
    "products cancel": (
        CANCELLED,
        "products",
        "Feature by feature, 4 products add up to 0.10: +5.00 and −4.90 mostly cancel out.",
        "同一维相乘，4 个乘积加起来是 0.10：正的共 +5.00，负的共 −4.90，大半抵消。",
    ),
    "no product stands out": (
        EVEN,
        "products",
        "Feature by feature, 3 products add up to 3.00; none of them makes up half of it.",
        "同一维相乘，3 个乘积加起来是 3.00，没有哪一维占到一半。",
    ),
    "the root": (
        by_hand(),
        "scaled",
        "More features give larger sums, so the score is divided by √4 ≈ 2: 1.50 becomes 0.75.",
        "维数越多和越大，所以得分除以 √4 ≈ 2：1.50 变成 0.75。",
    ),
    "the root and the temperature": (
        by_hand(temperature=0.5),
        "scaled",
        "Divided by √4 ≈ 2 and by the temperature 0.5: 1.50 becomes 0.75.",
        "除以 √4 ≈ 2，再除以温度 0.5：1.50 变成 0.75。",
    ),
    "a number of the model's own": (
        by_hand(scores_over=16.0, divisor=16.0),
        "scaled",
        "This model divides by 16, as its settings say: 1.50 becomes 0.75.",
        "这个模型按自己的设置除以 16：1.50 变成 0.75。",
    ),
    "the temperature alone": (
        by_hand(temperature=2.0, scales=False),
        "scaled",
        "Not divided by √4 here, only by the temperature 2: 1.50 becomes 0.75.",
        "这里不除以 √4，只除以温度 2：1.50 变成 0.75。",
    ),
    "nothing": (
        by_hand(scales=False),
        "scaled",
        "The score is not divided here: 1.50 stays 0.75.",
        "这里不做除法：1.50 还是 0.75。",
    ),
    "no cell is closed": (
        by_hand(closed=OPEN),
        "masked",
        "No cell is masked here: me sees every word.",
        "这里没有遮蔽的格子：me 看得见所有的词。",
    ),
    "no cell is closed in cross-attention": (
        by_hand(closed=OPEN, cell=CROSS),
        "masked",
        "No cell is masked in cross-attention: every source word is seen.",
        "交叉注意力里没有遮蔽的格子：源句的词全都看得见。",
    ),
    "a closed cell would be stronger": (
        by_hand(),
        "masked",
        "1 masked cell becomes −∞. Without the mask, <&> would get 0.546, more than the 0.095 of <bos>.",
        "遮蔽的 1 格换成 −∞；没有掩码时，<&> 会得到 0.546，超过 <bos> 的 0.095。",
    ),
    "no closed cell would be stronger": (
        by_hand(other=(-1.0, 4.0, -5.0)),
        "masked",
        "1 masked cell becomes −∞. Even without the mask, none would get more than <bos>.",
        "遮蔽的 1 格换成 −∞；就算没有掩码，也没有一格超过 <bos>。",
    ),
    "the cell itself is closed": (
        by_hand(closed=(True, False, False, False)),
        "masked",
        "This cell itself is masked: 0.75 becomes −∞. Without the mask, <bos> would get 0.095.",
        "这一格自己被遮蔽：0.75 换成 −∞；没有掩码时，<bos> 会得到 0.095。",
    ),
    "all cells are closed": (NAN, "masked", "The whole row is masked: me sees no key.", "这一行全被遮蔽：me 看不到任何键。"),
    "a bias by distance": (
        by_hand(closed=OPEN, bias=np.array([-0.5, 0, 0, 0])),
        "masked",
        "A distance bias of −0.50 is added: 0.75 becomes 0.25. No cell is masked here: me sees every word.",
        "加上距离偏置 −0.50：0.75 变成 0.25。这里没有遮蔽的格子：me 看得见所有的词。",
    ),
    "the largest weight": (
        by_hand(other=(-1.0, 1.0, 5.0)),
        "softmax",
        "Softmax: e to the score, divided by the row's sum. <bos> gets 0.484, the most; the row sums to 1.",
        "softmax：取指数，再除以整行的和。<bos> 得到 0.484，这一行里最多；一行的和是 1。",
    ),
    "not the largest weight": (
        by_hand(),
        "softmax",
        "Softmax: e to the score, divided by the row's sum. <bos> gets 0.209, me the most (0.731); the row sums to 1.",
        "softmax：取指数，再除以整行的和。<bos> 得到 0.209，最多的是 me（0.731）；一行的和是 1。",
    ),
    "a closed cell has no weight": (
        by_hand(closed=(True, False, False, False)),
        "softmax",
        "A masked cell is −∞, and e to that is 0: the weight of <bos> is exactly 0.",
        "遮蔽的格子是 −∞，取指数之后是 0：<bos> 的权重正好是 0。",
    ),
    "a row that is closed with a finite number": (
        by_hand(closed=SHUT, masked=FINITE, weights=np.full(4, 0.25), passed=np.full(4, 0.25)),
        "softmax",
        "All cells are −1e9, none is larger: each key gets an equal 0.250.",
        "所有格子都是 −1e9，没有哪个更大：每个键平分到 0.250。",
    ),
    "a row that is closed with an infinity": (
        NAN,
        "softmax",
        "All cells are −∞, and e to that is 0: 0 divided by 0 is NaN.",
        "所有格子都是 −∞，取指数之后都是 0：0 除以 0 是 NaN。",
    ),
    "most of the output": (
        by_hand(other=(-1.0, -2.0, 5.0)),
        "mixed",
        "The values of all words are added up by weight. <bos> has the weight 0.685; its weighted value makes up 95 % of "
        "the output (measured along its direction), more than any other.",
        "按权重把各词的 V 加起来：<bos> 的权重是 0.685，加权后的 V 占输出的 95 %（顺着输出的方向量），是最大的一份。",
    ),
    "some of the output": (
        by_hand(),
        "mixed",
        "The values of all words are added up by weight. <bos> has the weight 0.209; its weighted value makes up 10 % of "
        "the output (measured along its direction). The largest share comes from me (95 %).",
        "按权重把各词的 V 加起来：<bos> 的权重是 0.209，加权后的 V 占输出的 10 %（顺着输出的方向量）；"
        "份额最大的是 me（95 %）。",
    ),
    "against the output": (
        by_hand(other=(3.0, -2.0, -5.0)),
        "mixed",
        "The values of all words are added up by weight. <bos> has the weight 0.304, but its weighted value points away "
        "from the output (−6 %). The largest share comes from She (118 %).",
        "按权重把各词的 V 加起来：<bos> 的权重是 0.304，但加权后的 V 与输出方向相反（−6 %）；份额最大的是 She（118 %）。",
    ),
    "an output of zero": (
        by_hand(value=np.zeros((4, 2))),
        "mixed",
        "The values of all words are added up by weight. <bos> has the weight 0.209; the sum is zero.",
        "按权重把各词的 V 加起来：<bos> 的权重是 0.209，和是零。",
    ),
    "nothing of the output": (
        by_hand(closed=(True, False, False, False)),
        "mixed",
        "The weight of <bos> is 0, so its value contributes nothing.",
        "<bos> 的权重是 0：它的 V 没有贡献。",
    ),
    "dropout": (
        by_hand(passed=np.array([0.42, 0.0, 0.0, 0.0])),
        "mixed",
        "Dropout changes the weight of <bos> from 0.209 to 0.420, and the values are added up by that.",
        "dropout 把 <bos> 的权重从 0.209 变成 0.420，再按它把各词的 V 加起来。",
    ),
    "no number at all": (NAN, "mixed", "The weights are NaN, and so is their sum.", "权重是 NaN，和也是 NaN。"),
    "two rows": (
        by_hand(),
        "vectors",
        "me sends a query of 4 numbers, <bos> offers a key of 4 numbers.",
        "me 给出 4 个数的查询，<bos> 给出 4 个数的键。",
    ),
    "a row that is about to write": (
        by_hand(queries=Axis("writing", ("→␣She", "→␣gave", "→␣me", "→<eos>"), "target", shift=1)),
        "vectors",
        "The position that predicts me sends a query of 4 numbers, <bos> offers a key of 4 numbers.",
        "要预测 me 的位置给出 4 个数的查询，<bos> 给出 4 个数的键。",
    ),
    "two rows that were turned": (
        by_hand(rotary=True),
        "vectors",
        "The position of me sends a query of 4 numbers, <bos> offers a key of 4, both rotated by their positions.",
        "me 给出 4 个数的查询，<bos> 给出 4 个数的键，都已按各自的位置旋转。",
    ),
}


@pytest.mark.parametrize("case", SAID)
def test_the_sentence_says_what_the_numbers_are(case: str) -> None:
    """Word by word, in both languages."""
    made, beat, english, chinese = SAID[case]
    assert sentence(made, beat, EN) == english
    assert sentence(made, beat, ZH) == chinese


def test_every_sentence_of_the_texts_is_said_in_some_case() -> None:
    """None is left over, and none is said always."""
    beats = ("vectors", "products", "scaled", "masked", "softmax", "mixed")
    keys = {key for key in EN.keys() if key.split(".")[0] == "follow" and key.split(".")[1] in beats}  # noqa: SIM118
    assert len(SAID) == len({said[2] for said in SAID.values()})
    assert len(keys - {"follow.products.step", "follow.products.rest"}) == len(SAID)


def test_each_term_says_its_product_and_the_sum_so_far() -> None:
    """Of a wide head, the last term is all that was left out."""
    assert term_sentence(by_hand(), 1, EN) == "Feature 1: −2.00 × 0.50 = −1.00, sum so far 2.00."
    assert term_sentence(by_hand(), 2, ZH) == "第 2 维：0.50 × −1.00 = −0.50，加到 1.50。"
    last = term_sentence(wide(), 63, EN)
    assert last.startswith("The other 137 features contribute ") and last.endswith(f"{score(wide().products.sum())}.")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (21.284, "21.28"),
        (-2.0, "−2.00"),
        (-0.001, "0.00"),
        (-np.inf, "−∞"),
        (-1e9, "−1e9"),
        (np.nan, "NaN"),
        (123456.0, "1.23e+05"),
    ],
)
def test_a_score_has_two_decimals_or_the_masks_name(value: float, text: str) -> None:
    """And no minus before nothing."""
    assert score(value) == text


def test_small_numbers_are_not_rounded_to_nothing() -> None:
    """A weight that is not zero says so; zero is 0."""
    assert [weight(value) for value in (0.0, 0.0001, 0.784, float("nan"))] == ["0", "<0.001", "0.784", "NaN"]
    assert [power(value) for value in (0.0, 0.0012, 43.061, 12345.0)] == ["0", "0.0012", "43.06", "12,345"]
    assert [signed(value) for value in (1.5, -1.5, 0.0, -np.inf)] == ["+1.50", "−1.50", "0.00", "−∞"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_beat_has_a_title_and_a_number(language: str) -> None:
    """And the whole is told to whoever does not see it."""
    made, spoken = by_hand(temperature=0.5), words(language)
    assert [figure(made, beat, spoken) for beat in BEATS[1:5]] == ["1.50", "0.75", "0.75", "0.209"]
    assert title(made, "scaled", spoken) == "③ ÷ √4 ÷ 0.5"
    assert title(by_hand(temperature=0.5, scores_over=16.0), "scaled", spoken) == "③ ÷ 16 ÷ 0.5"
    assert headline(made, spoken) in description(made, spoken)
    assert all(sentence(made, beat, spoken) in description(made, spoken) for beat in BEATS)


def test_numbers_that_are_not_the_record_say_so() -> None:
    """Products always are computed; a stage that was changed, or made again, has its own sentence."""
    assert note(by_hand(), "products", EN) == EN("follow.computed")
    assert [note(by_hand(), beat, EN) for beat in ("vectors", "scaled", "masked", "softmax")] == [""] * 4
    assert note(by_hand(), "mixed", EN) == EN("follow.output_shares")
    assert note(by_hand(remade=frozenset({"weights"})), "softmax", EN) == EN("follow.remade")
    changed = by_hand(weights=np.array([0.1, 0.2, 0.3, 0.4]))
    assert note(changed, "softmax", EN) == EN("follow.differs")
    assert note(by_hand(scores=np.array([9.0, -1, 4, 5])), "products", EN) == EN("follow.differs")


def test_a_sentence_names_a_long_token_by_its_beginning() -> None:
    """So that it still can be read; the map has the whole one."""
    axis = by_hand().keys
    long = by_hand(keys=Axis(axis.name, tuple(label * 20 for label in axis.labels), axis.side))
    assert headline(long, EN) == "me → <bos><bos><bos>…: 0.209"


def test_a_chinese_token_stands_in_quotes_in_a_chinese_sentence() -> None:
    """Nothing else would divide the two; in an English one, and in the headline, it needs none."""
    axis = Axis("key", ("了", "she", "书", "。"), "source")
    made = by_hand(keys=axis, queries=axis)
    assert sentence(made, "vectors", ZH) == "“书”给出 4 个数的查询，“了”给出 4 个数的键。"
    assert sentence(made, "vectors", EN).startswith("书 sends")
    assert headline(made, ZH) == "书 → 了：0.209"
    stops = Axis("key", ("，", ",", ".", "。"), "source")
    made = by_hand(keys=stops, queries=stops)  # They would be read as the sentence's own.
    assert sentence(made, "vectors", ZH) == "“.”给出 4 个数的查询，“，”给出 4 个数的键。"
    assert sentence(made, "vectors", EN).startswith('"." sends') and '"，"' in sentence(made, "vectors", EN)


def test_a_query_that_is_about_to_write_says_so() -> None:
    """In cross-attention the row bears the name of the token to come."""
    axis = Axis("writing", ("→␣She", "→␣gave", "→␣me", "→<eos>"), "target", shift=1)
    made = by_hand(queries=axis)
    assert sentence(made, "vectors", EN).startswith("The position that predicts me sends")
    assert headline(made, ZH).startswith("待生成的 me → <bos>")
