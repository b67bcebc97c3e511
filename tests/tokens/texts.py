"""Texts for property tests."""

from hypothesis import settings
from hypothesis import strategies as st

from explorer.errors import BadText
from explorer.tokens.check import check_text

unhurried = settings(deadline=None)  # a busy machine is no fault of the text


def is_fine(text: str) -> bool:
    try:
        check_text(text)
    except BadText:
        return False
    return True


_DIFFICULT = (
    "我爱北京天安门清华大学圖書館乾隆自然语言处理𠮷龘 \t\n\u3000aAbTz09%.-'+#&，。！…␣_"
    "é\u0301\ufe0f\u200d👨👩👧🇨🇳\u200fשלוםاЖかカ한"
)

anything = st.one_of(st.text(st.sampled_from(_DIFFICULT), max_size=40), st.text(max_size=40)).filter(is_fine)
"""Any text that can be worked on, mostly of what is difficult."""

SIMPLIFIED = "我爱北京天安门清华大学自然语言处理的了和图书馆 ，。aBT恤C#+9"

chinese = st.text(st.sampled_from(SIMPLIFIED), min_size=1, max_size=30)
"""Simplified Chinese with letters among it."""
