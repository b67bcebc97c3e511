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

from tests.bench.peers.lines import serve

_DPI = 100


def draw_wall(values: np.ndarray, wide_px: int, high_px: int) -> None:
    """A figure of as many axes as there are maps, to pixels in memory."""
    layers, heads = values.shape[:2]
    figure = Figure(figsize=(wide_px / _DPI, high_px / _DPI), dpi=_DPI)
    canvas = FigureCanvasAgg(figure)
    grid = figure.subplots(layers, heads, squeeze=False, gridspec_kw={"wspace": 0.12, "hspace": 0.12})
    for axes, map_values in zip(grid.flat, values.reshape(-1, *values.shape[2:]), strict=True):
        axes.set_xticks([])
        axes.set_yticks([])
        axes.imshow(map_values, cmap="cividis", vmin=0, vmax=1, interpolation="nearest")
    canvas.draw()
    canvas.buffer_rgba()


def make_wall(file: str, wide_px: int, high_px: int) -> float:
    """A new figure of `file`, an array [set, layer, head, query, key], and its drawing, in ms."""
    values = np.load(file)[0]
    start = time.perf_counter()
    draw_wall(values, wide_px, high_px)
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
    serve({"make wall": make_wall, "save maps": save_maps}, f"matplotlib {matplotlib.__version__}")


if __name__ == "__main__":
    main()
