"""Runs all scripts of a folder where this project cannot be imported, and keeps what each computes. It runs by itself."""

import gc
import importlib.abc
import pathlib
import runpy
import sys

import numpy as np


class Refusing(importlib.abc.MetaPathFinder):
    """An editable install of the package does not count: whoever gets a script has none."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if fullname.partition(".")[0] in ("explorer", "tests"):
            raise ModuleNotFoundError(fullname, name=fullname)


def main(folder: pathlib.Path) -> None:
    gc.disable()  # A third of the time to load torch and to end is the collector's.
    sys.meta_path.insert(0, Refusing())
    try:
        import explorer  # noqa: F401
    except ModuleNotFoundError:
        pass
    else:
        raise SystemExit("explorer can be imported")
    for script in sorted(folder.glob("*.py")):
        taps = runpy.run_path(str(script), run_name=script.stem)["run"]()
        np.savez(script.with_suffix(".npz"), **{name: tensor.numpy() for name, tensor in taps.items()})
    gc.freeze()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
