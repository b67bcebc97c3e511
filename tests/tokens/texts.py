"""Texts for property tests."""

from hypothesis import strategies as st

from explorer.errors import BadText
from explorer.tokens.check import check_text


def is_fine(text: str) -> bool:
    try:
        check_text(text)
    except BadText:
        return False
    return True


_SCRIPTS = "我爱北京天安门清华大学圖書館乾隆自然语言处理𠮷龘 \t\n　aAbTz09%.-'+#&，。！…＿_é\u0301\ufe0f\u200d👨👩👧🇨🇳שלוםاЖかカ한\u200f"

anything = st.one_of(st.text(st.sampled_from(_SCRIPTS), max_size=40), st.text(max_size=40)).filter(is_fine)
"""Any text that can be worked on, mostly of what is difficult."""

chinese = st.text(st.sampled_from("我爱北京天安门清华大学自然语言处理的了和图书馆 ，。aBT恤C#+9"), min_size=1, max_size=30)
"""Simplified Chinese with letters among it."""
