"""The README as a package index shows it: nothing in it points to a file beside it. Hatch calls this for every package.

Where `[project.urls]` names the project's address as "Source", links and pictures lead there, to the version's own tag. Without
an address a link is its text, and a picture is left out.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]\n]*)\]\((?P<target>(?!https?:|mailto:|#)[^)\s]+)\)")
_EMPTY_LINES = re.compile(r"\n{3,}")


def for_index(text: str, source: str, version: str) -> str:
    """A README without links to files beside it; `source` is the address of the repository, or ""."""

    def told(found: re.Match[str]) -> str:
        kind = "raw" if found["picture"] else "blob"
        if source:
            return f"{found['picture']}[{found['text']}]({source.rstrip('/')}/{kind}/v{version}/{found['target']})"
        return "" if found["picture"] else found["text"]

    return _EMPTY_LINES.sub("\n\n", _LINK.sub(told, text))


class IndexReadme(MetadataHookInterface):
    """Hatch's hook."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README to the metadata."""
        root = Path(self.root)
        found = re.search(r'__version__ = "([^"]+)"', (root / "explorer" / "version.py").read_text("utf-8"))
        assert found is not None
        text = for_index((root / "README.md").read_text("utf-8"), metadata.get("urls", {}).get("Source", ""), found[1])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
