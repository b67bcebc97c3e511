"""Two buttons beside the heads of a river: the mean or the maximum of all heads in place of one."""

from explorer.lang import Words
from explorer.picture.marks import Box, Label, Mark, Rect
from explorer.picture.river.place import Place
from explorer.picture.river.river import River
from explorer.picture.river.scene import Drawn, Hot, about_width

_LETTERS, _HIGH, _GAP = 11.0, 16.0, 3.0  # px


def pool_switch(river: River, room: Rect, words: Words) -> Drawn:
    """The buttons, one below the other; the one that is on gives the chosen head back. Without room there are none."""
    texts = {key: words(f"river.pools.{key}") for key in river.pools}
    wide = max((about_width(text, _LETTERS) + 14 for text in texts.values()), default=0.0)
    if not texts or wide > room.wide or len(texts) * (_HIGH + _GAP) > room.high:
        return Drawn(())
    scene: list[Mark] = []
    hot: list[Hot] = []
    for place, (key, text) in enumerate(texts.items()):
        rect, on = Rect(room.x, room.y + place * (_HIGH + _GAP), wide, _HIGH), key == river.pooled
        scene.append(Box(rect, "accent" if on else "card", "" if on else "hairline", radius=3))
        scene.append(Label(rect.x + wide / 2, rect.y + 8, text, _LETTERS, "on_accent" if on else "text", on, "middle"))
        hot.append(Hot(rect, Place("pool", side=key, attention=river.attention, layer=river.layer)))
    return Drawn(tuple(scene), tuple(hot))
