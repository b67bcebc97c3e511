"""The example sentences of WordNet, one a line, as further sentences for a language model of English.

python -m tests.training.wordnet FOLDER > wordnet-sentences.tsv, with the folder of WordNet's files data.noun, data.verb …

WordNet's examples are phrases ("the pervasive odor of garlic") and sentences ("he was born out of wedlock"). A sentence begins
with a capital letter or a pronoun, or with an article and has an auxiliary verb. It gets a capital letter and a full stop.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

FILES = ("data.noun", "data.verb", "data.adj", "data.adv")

_EXAMPLE = re.compile(r'"([^"]+)"')
_PRONOUN = re.compile(r"(I|you|he|she|it|we|they|there)\b")
_ARTICLE = re.compile(r"(the|a|an|this|that|these|those|my|your|his|her|its|our|their|some|no|all)\b")
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|has|had|have|will|would|can|could|must|may|might|shall|should|do|does|did|isn't|wasn't|don't|didn't)\b"
)
_FEWEST_WORDS = 3


def sentences(folder: Path) -> Iterator[str]:
    """The sentences in the order of the files."""
    for name in FILES:
        for line in (folder / name).read_text(encoding="latin-1").splitlines():
            gloss = line.partition(" | ")[2]
            yield from filter(None, map(sentence, _EXAMPLE.findall(gloss)))


def sentence(example: str) -> str:
    """The example as a sentence; an empty text if it is a phrase, or is cut off."""
    text = " ".join(example.replace("`", "'").split()).rstrip(" ;,:")
    begins = text[:1].isupper() or _PRONOUN.match(text) or (_ARTICLE.match(text) and _AUXILIARY.search(text))
    if not begins or len(text.split()) < _FEWEST_WORDS or "..." in text or " - " in text:
        return ""
    return text[0].upper() + text[1:] + ("" if text.rstrip("'")[-1] in ".!?" else ".")


if __name__ == "__main__":
    for each in dict.fromkeys(sentences(Path(sys.argv[1]))):
        print(each)
