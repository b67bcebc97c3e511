"""Random texts: of every plane of Unicode, and of what is difficult in each."""

from random import Random

_RANGES = (
    (0x20, 0x7E),
    (0x4E00, 0x9FFF),
    (0x3000, 0x303F),
    (0xFF00, 0xFFEF),
    (0xA0, 0x24F),
    (0x370, 0x52F),
    (0x590, 0x6FF),
    (0x900, 0xDFF),
    (0xE00, 0xEFF),
    (0x1100, 0x11FF),
    (0xAC00, 0xD7A3),
    (0x2000, 0x206F),
    (0x2190, 0x2BFF),
    (0xE000, 0xF8FF),
    (0xFE00, 0xFE0F),
    (0x1F000, 0x1FAFF),
    (0x20000, 0x323AF),
    (0xE0000, 0xE01EF),
    (0xF0000, 0x10FFFF),
)
_PIECES = (
    "我爱北京天安门",
    "自然语言处理",
    "圖書館",
    "他在图书馆看书。",
    "乾隆",
    "好",
    "，",
    "。",
    "…",
    "＿",
    " ",
    "  ",
    "\u3000",
    "\t",
    "\n",
    "\r\n",
    "\u2028",
    "\u2029",
    "\x85",
    "\ufeff",
    "\u200b",
    "\u202e",
    "\u2066",
    "\u00ad",
    "<unk>",
    "<bos>",
    "<pad>",
    "👨‍👩‍👧",
    "🇨🇳🇫",
    "🏳️‍🌈",
    "👍🏽",
    "e\u0301\u0302\u0303",
    "\u0301",
    "ﷺ",
    "שלום",
    "مرحبا",
    "ก็็็็็",
    "각",
    "\u1100\u1161\u11a8",
    "𠮷",
    "𝕏",
    "\U0001f9ff",
    "\ufffe",
    "\uffff",
    "\U0010ffff",
    "C#",
    "T恤",
    "1,234.5e-7",
    "0.1%",
    "don't",
    "&amp;<b>",
    "%s{0}{name}",
    "\\",
    "'",
    '"',
    "`$(x)",
    "-",
    "--",
    "{",
    "}",
    "İ",
    "ß",
    "ﬁ",
    "ǅ",
)
_UNFIT = ("\0", "\x1b", "\x7f", "\x80", "\ud800", "\udfff", "\udc80", "\x07", "\x0b", "\x0c")
_LENGTHS = (0, 1, 1, 2, 3, 5, 8, 8, 13, 21, 34, 60)


def text(chance: Random, longest: int = 60, *, unfit: float = 0.1) -> str:
    """A text of at most about `longest` pieces; with a chance of `unfit` it holds what no text may hold."""
    kinds = [_letter, _piece, _chinese]
    way = chance.choice((*kinds, _mixed))
    pieces = [way(chance) for _ in range(min(longest, chance.choice(_LENGTHS)))]
    if pieces and chance.random() < 0.05:
        pieces = pieces[:3] * chance.choice((2, 20, 60))
    if chance.random() < unfit:
        pieces.insert(chance.randint(0, len(pieces)), chance.choice(_UNFIT))
    return "".join(pieces)


def word(chance: Random) -> str:
    """Something short."""
    return text(chance, 3)


def sentence(chance: Random) -> str:
    """A text that is no mistake by itself."""
    while not (found := text(chance, 12, unfit=0)).strip() or any(unfit in found for unfit in (*_UNFIT, "\x85")):
        pass
    return found


def _letter(chance: Random) -> str:
    first, last = chance.choice(_RANGES)
    return chr(chance.randint(first, last))


def _piece(chance: Random) -> str:
    return chance.choice(_PIECES)


def _chinese(chance: Random) -> str:
    return chance.choice("我爱北京天安门你他的了在图书馆看书和同学一起去清华大学自然语言处理。，")


def _mixed(chance: Random) -> str:
    return chance.choice((_letter, _piece, _chinese))(chance)
