"""How the manual looks: one style sheet, for Qt's rich text in the colours of a theme, and for a browser."""

import attrs

from explorer.picture.theme import DARK, LIGHT, STACK, Theme

# Qt's rich text has classes and elements, but no variables, so the colours are filled in.
_SHEET = """
h1 {{ font-size: x-large; font-weight: 700; margin-top: 4px; margin-bottom: 10px; }}
h2 {{ font-size: large; font-weight: 700; margin-top: 22px; margin-bottom: 6px; }}
h3, h4 {{ font-size: medium; font-weight: 700; margin-top: 12px; margin-bottom: 4px; }}
p, ul, ol {{ margin-top: 0; margin-bottom: 9px; line-height: 140%; }}
li {{ margin-bottom: 4px; }}
a {{ color: {accent}; text-decoration: none; }}
code {{ background-color: {pale}; }}
pre {{ background-color: {pale}; margin-bottom: 10px; }}
i {{ color: {faint}; font-style: normal; }}
table {{ border-collapse: collapse; margin-bottom: 10px; }}
th {{ color: {faint}; font-weight: 400; border-bottom: 1px solid {hairline}; }}
td {{ border-bottom: 1px solid {hairline}; }}
"""
_FILE = """
body { font: 15px/1.55 STACK; max-width: 46em; margin: 2em auto; padding: 0 1em; font-variant-numeric: tabular-nums; }
td, th { vertical-align: top; padding: 5px 12px 5px 0; } pre { padding: 8px 10px; white-space: pre-wrap; }
nav ul { list-style: none; padding-left: 1em; } nav > ul { padding-left: 0; columns: 14em; }
nav > ul > li { break-inside: avoid; }
section { border-top: 1px solid #888; margin-top: 3em; }
@media print { body { max-width: none; margin: 0; font-size: 10pt; } section { break-before: page; border: none; }
  h1, h2, h3 { break-after: avoid; } tr, li { break-inside: avoid; } }
"""


def sheet(theme: Theme) -> str:
    """The style sheet for Qt's rich text."""
    return _SHEET.format(**attrs.asdict(theme))


def page_sheet() -> str:
    """The style sheet of a page in a browser: light, or dark where the reader's system is; paper is always light."""
    plain = "body {{ color: {text}; background: {card}; }}"
    light, dark = (plain.format(**attrs.asdict(theme)) + sheet(theme) for theme in (LIGHT, DARK))
    return f"{light}@media screen and (prefers-color-scheme: dark) {{{dark}}}{_FILE.replace('STACK', STACK)}"
