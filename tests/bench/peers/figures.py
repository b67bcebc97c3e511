"""The same walls and maps by matplotlib with Agg, as its users draw them.

python -m tests.bench.peers.figures FONT
"""

import sys
import time
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from tests.bench.peers.lines import serve

_DPI = 100


class Wall:
    """A figure of as many axes as there are maps; new values go into the images that are there, which is its fastest way."""

    def __init__(self, values: np.ndarray, wide_px: int, high_px: int) -> None:
        layers, heads = values.shape[:2]
        self.figure = Figure(figsize=(wide_px / _DPI, high_px / _DPI), dpi=_DPI)
        self.canvas = FigureCanvasAgg(self.figure)
        grid = self.figure.subplots(layers, heads, squeeze=False, gridspec_kw={"wspace": 0.12, "hspace": 0.12})
        self.images: list[AxesImage] = []
        for axes, values_of_one in zip(grid.flat, values.reshape(-1, *values.shape[2:]), strict=True):
            axes.set_xticks([])
            axes.set_yticks([])
            self.images.append(axes.imshow(values_of_one, cmap="cividis", vmin=0, vmax=1, interpolation="nearest"))

    def draw(self, values: np.ndarray) -> None:
        """New values, to pixels in memory."""
        for image, values_of_one in zip(self.images, values.reshape(-1, *values.shape[2:]), strict=True):
            image.set_data(values_of_one)
        self.canvas.draw()
        self.canvas.buffer_rgba()


class Walls:
    """Answers about walls; the newest one is kept."""

    def __init__(self) -> None:
        self._wall: Wall | None = None
        self._turn = 0

    def make(self, file: str, wide_px: int, high_px: int) -> float:
        """A new figure of `file`, an array [set, layer, head, query, key], and its first drawing, in ms."""
        values = np.load(file)[0]
        start = time.perf_counter()
        self._wall = Wall(values, wide_px, high_px)
        self._wall.draw(values)
        return (time.perf_counter() - start) * 1e3

    def draw(self, file: str) -> float:
        """The next set of values in the figure that is there, in ms."""
        assert self._wall is not None  # one was asked for before
        self._turn += 1
        sets = np.load(file)
        values = sets[self._turn % len(sets)]
        start = time.perf_counter()
        self._wall.draw(values)
        return (time.perf_counter() - start) * 1e3


def save_maps(file: str, labels: list[str], folder: str, wide_px: int, high_px: int, most: int | None = None) -> float:
    """Each map of an array [map, query, key] as a PNG with labels on both axes, a number in each cell and a colour bar, in ms
    for all."""
    maps = np.load(file)[:most]
    start = time.perf_counter()
    for number, values in enumerate(maps):
        figure = Figure(figsize=(wide_px / _DPI, high_px / _DPI), dpi=_DPI)
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        figure.subplots_adjust(left=0.15, bottom=0.15)  # an automatic layout would cost it another drawing
        image = axes.imshow(values, cmap="cividis", vmin=0, vmax=1)
        axes.set_xticks(range(len(labels)), labels, rotation=50)
        axes.set_yticks(range(len(labels)), labels)
        axes.set_xlabel("key")
        axes.set_ylabel("query")
        axes.set_title(f"head {number}")
        for (row, column), value in np.ndenumerate(values):
            ink = "black" if value > 0.5 else "white"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=ink, fontsize=8)
        figure.colorbar(image)
        figure.savefig(Path(folder) / f"{number}.png", dpi=_DPI)
    return (time.perf_counter() - start) * 1e3


def main() -> None:
    """Use our font, so that both sides draw the same labels, and answer."""
    font_manager.fontManager.addfont(sys.argv[1])
    matplotlib.rcParams["font.family"] = font_manager.FontProperties(fname=sys.argv[1]).get_name()
    walls = Walls()
    serve({"make wall": walls.make, "draw wall": walls.draw, "save maps": save_maps}, f"matplotlib {matplotlib.__version__}")


if __name__ == "__main__":
    main()
