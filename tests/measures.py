"""Prints how well ordered the code is: `python tests/measures.py [FOLDER]`.

FOLDER is the root of a checkout, this one if none is named. To compare with an earlier state, write that state into a folder
(`git archive COMMIT | tar -x -C FOLDER`) and name it. Imports inside functions and those for types alone count as imports.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import attrs
import grimp

SMALL = 80  # lines; a file that is not longer and has one reader may stand in that reader
_CACHES = frozenset({"lru_cache", "cache", "cached_property", "weak_lru", "cachedmethod"})
_EMPTY = frozenset({"{}", "None", "dict()", "OrderedDict()", "WeakKeyDictionary()"})
_QT_DRAWS = ("draw", "fill", "stroke")
_SPEED = ("speed", "fast", "quick", "packed", "rounded", "cache", "kept", "faster", "unseen")
_PRIVATES_OF_PYTHON = frozenset({"_replace", "_asdict", "_fields", "_make", "_meta", "_current_frames", "_"})
"""Names that Python's own manual documents."""


@attrs.frozen
class Tree:
    """The parsed files of a checkout, by their paths below it."""

    root: Path
    files: dict[str, ast.Module]
    texts: dict[str, str]

    @classmethod
    def read(cls, root: Path) -> "Tree":
        """All Python files of the program and of its tests."""
        paths = [path for folder in ("explorer", "tests") for path in sorted((root / folder).rglob("*.py"))]
        texts = {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in paths}
        return cls(root, {name: ast.parse(text) for name, text in texts.items()}, texts)

    def of(self, folder: str) -> dict[str, ast.Module]:
        """The files below a folder."""
        return {name: module for name, module in self.files.items() if name.startswith(f"{folder}/")}

    def lines(self, folder: str) -> int:
        """The number of lines of the files below a folder."""
        return sum(len(self.texts[name].splitlines()) for name in self.of(folder))


def graph_of(root: Path) -> grimp.ImportGraph:
    """Who imports whom in `explorer`, with imports inside functions and those for types."""
    sys.path.insert(0, str(root))
    try:
        return grimp.build_graph("explorer", exclude_type_checking_imports=False, cache_dir=None)
    finally:
        sys.path.pop(0)


def circles(graph: grimp.ImportGraph) -> list[list[str]]:
    """The groups of files that reach each other by imports, the largest first (Tarjan 1972, without recursion)."""
    importers = {name: sorted(graph.find_modules_directly_imported_by(name)) for name in sorted(graph.modules)}
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    on_path: set[str] = set()
    found: list[list[str]] = []
    for start in importers:
        if start in number:
            continue
        work: list[tuple[str, Iterator[str]]] = []
        _enter(start, number, low, path, on_path, work, importers)
        while work:
            name, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == number[name]:
                    found.append(_leave(name, path, on_path))
            elif following not in number:
                _enter(following, number, low, path, on_path, work, importers)
            elif following in on_path:
                low[name] = min(low[name], number[following])
    return sorted((group for group in found if len(group) > 1), key=lambda group: (-len(group), group))


def _enter(
    name: str,
    number: dict[str, int],
    low: dict[str, int],
    path: list[str],
    on_path: set[str],
    work: list[tuple[str, Iterator[str]]],
    importers: dict[str, list[str]],
) -> None:
    number[name] = low[name] = len(number)
    path.append(name)
    on_path.add(name)
    work.append((name, iter(importers[name])))


def _leave(name: str, path: list[str], on_path: set[str]) -> list[str]:
    group = []
    while True:
        last = path.pop()
        on_path.discard(last)
        group.append(last)
        if last == name:
            return sorted(group)


def arrows_up(graph: grimp.ImportGraph, room: str) -> list[tuple[str, str]]:
    """The imports between two folders of a room that go against the direction in which most of them go.

    The files that stand in the room itself count as one folder, but for its face, the file that others open first, which
    stands above all.
    """
    prefix = f"explorer.{room}."

    def folder(name: str) -> str:
        parts = name.removeprefix(prefix).split(".")
        return parts[0] if len(parts) > 1 or parts[0] in {room, "main", "compute"} else "."

    between: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for name in sorted(graph.modules):
        if name.startswith(prefix):
            for other in sorted(graph.find_modules_directly_imported_by(name)):
                if other.startswith(prefix) and folder(other) != folder(name):
                    between[folder(name), folder(other)].append((name, other))
    return [
        arrow
        for (first, last), arrows in between.items()
        if (back := between.get((last, first))) and (len(arrows), first) < (len(back), last)
        for arrow in arrows
    ]


def knowing_experiments(tree: Tree) -> dict[str, list[str]]:
    """For each experiment the files that speak of experiments and have its key as a text, which is the name of nothing else.

    Pictures, exports and formulas of lessons show what was found and are left out. So are the `key` of a page, its own name,
    and the field of the Look that a page `sets`.
    """
    keys = experiment_keys(tree)
    known: dict[str, list[str]] = {key: [] for key in keys}
    for room in ("engine", "trace", "app", "api", "cli"):
        for name, module in tree.of(f"explorer/{room}").items():
            if _speaks_of_experiments(module):
                for key in keys & _texts(module, but=_names_another):
                    known[key].append(name)
    return known


def _speaks_of_experiments(module: ast.Module) -> bool:
    """Whether a name in some code has to do with experiments: a field, a variable or a class."""
    names = (getattr(node, "id", "") or getattr(node, "attr", "") or getattr(node, "arg", "") for node in ast.walk(module))
    return any("experiment" in str(name).lower() for name in names)


def experiment_keys(tree: Tree) -> set[str]:
    """The keys of the experiments: those that their rows declare, each an Experiment."""
    calls = (node for module in tree.of("explorer").values() for node in ast.walk(module) if isinstance(node, ast.Call))
    rows = (call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Experiment")
    return set().union(*(_texts(each.value) for row in rows for each in row.keywords if each.arg == "key"))


def _texts(tree: ast.AST, but: Callable[[ast.AST], bool] = lambda _node: False) -> set[str]:
    """All texts that stand in some code, but for those right in a node that is left out."""
    left_out = [child for node in ast.walk(tree) if but(node) for child in ast.iter_child_nodes(node)]
    return {node.value for node in ast.walk(tree) if _is_text(node) and node not in left_out}


def _names_another(node: ast.AST) -> bool:
    """Whether a text right in this node is a page's own key, `key = …`, or a field of the Look, `….sets(…)`."""
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == "key" for target in node.targets)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sets"


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def drawing_by_hand(tree: Tree) -> list[str]:
    """The files of views of pictures that call a painter's drawing functions, and all files that write SVG elements.

    A pattern by which a file reads SVG is no element that it writes.
    """
    painting = [
        name for name, module in tree.of("explorer/views/pictures").items() if any(_draws(node) for node in ast.walk(module))
    ]
    return painting + [
        name for name, module in tree.of("explorer").items() if any(_is_element(node) for node in _but_patterns(module))
    ]


def _draws(node: ast.AST) -> bool:
    """Whether this is a call such as `painter.drawRect(…)`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr.startswith(_QT_DRAWS)
        and isinstance(node.func.value, ast.Name | ast.Attribute)
        and ast.unparse(node.func.value).endswith("painter")
    )


def _but_patterns(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those inside a call of `re.compile`."""
    yield tree
    if not (isinstance(tree, ast.Call) and ast.unparse(tree.func) == "re.compile"):
        for child in ast.iter_child_nodes(tree):
            yield from _but_patterns(child)


def _is_element(node: ast.AST) -> bool:
    """Whether this is the beginning of an SVG element."""
    elements = ("<rect ", "<path ", "<circle ", "<line ", "<polyline ", "<polygon ", "<image ", "<text ")
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(elements)


def about_speed(tree: Tree) -> list[str]:
    """The lines of `model/` in which a word of speed stands."""
    return [
        f"{name}:{number}: {line.strip()}"
        for name in tree.of("explorer/model")
        for number, line in enumerate(tree.texts[name].splitlines(), 1)
        if any(word in line.lower().replace("_", " ").split() for word in _SPEED)
    ]


def classes_twice(tree: Tree) -> dict[str, list[str]]:
    """Public names of classes that several files define."""
    where: dict[str, list[str]] = defaultdict(list)
    for name, module in tree.of("explorer").items():
        for node in module.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where[node.name].append(name)
    return {name: files for name, files in sorted(where.items()) if len(files) > 1}


def of_one_reader(tree: Tree, graph: grimp.ImportGraph) -> list[str]:
    """Small files that one file imports, which stands in the same folder."""
    found = []
    for module in sorted(graph.modules):
        name = module.replace(".", "/") + ".py"
        if name not in tree.texts or len(tree.texts[name].splitlines()) > SMALL:
            continue
        readers = graph.find_modules_that_directly_import(module)
        if len(readers) == 1 and next(iter(readers)).rpartition(".")[0] == module.rpartition(".")[0]:
            found.append(name)
    return found


def caches(tree: Tree) -> list[str]:
    """Functions and properties whose results are kept, and attributes that are named after it.

    A variable of one function ends with its call, and a field of a class begins empty for each value: both keep nothing.
    """
    found = []
    for name, module in tree.of("explorer").items():
        passing = _passing(module)
        for node in ast.walk(module):
            if isinstance(node, ast.FunctionDef) and any(_is_cache(each) for each in node.decorator_list):
                found.append(f"{name}:{node.lineno}: {node.name}")
            elif isinstance(node, ast.AnnAssign | ast.Assign) and node not in passing and _is_kept(node):
                found.append(f"{name}:{node.lineno}: {ast.unparse(node)[:60]}")
    return found


def _variables(module: ast.Module) -> set[ast.AST]:
    """The assignments to variables inside functions, which are gone when the function returns."""
    inside = (node for function in ast.walk(module) if isinstance(function, ast.FunctionDef) for node in ast.walk(function))
    return {
        node
        for node in inside
        if (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name))
        or (isinstance(node, ast.Assign) and all(isinstance(target, ast.Name) for target in node.targets))
    }


def _is_cache(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called).rpartition(".")[2] in _CACHES


def _passing(module: ast.Module) -> set[ast.AST]:
    """The statements that set a field of a class, or a variable of one function that no function inside it sets again."""
    shared = {name for node in ast.walk(module) if isinstance(node, ast.Nonlocal | ast.Global) for name in node.names}
    found: set[ast.AST] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef):
            found.update(node.body)
        elif isinstance(node, ast.FunctionDef):
            found.update(
                each
                for each in ast.walk(node)
                if isinstance(each, ast.AnnAssign | ast.Assign)
                for target in ([each.target] if isinstance(each, ast.AnnAssign) else each.targets)
                if isinstance(target, ast.Name) and target.id not in shared
            )
    return found


def _is_kept(node: ast.AnnAssign | ast.Assign) -> bool:
    """Whether a field that begins empty is named after what it keeps."""
    targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
    empty = node.value is not None and ast.unparse(node.value) in {
        "{}",
        "None",
        "OrderedDict()",
        "WeakKeyDictionary()",
        "dict()",
    }
    names = [ast.unparse(target).rpartition(".")[2] for target in targets]
    return empty and any(word in name.split("_") for name in names for word in ("kept", "cache", "cached", "memo", "made"))


def reaching_into_privates(tree: Tree) -> list[str]:
    """The files of tests that use a name with a leading underscore of something that is not their own."""
    return [name for name, module in tree.of("tests").items() if any(_is_private(node) for node in ast.walk(module))]


def _is_private(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        ours = (node.module or "").startswith("explorer")
        return ours and any(alias.name.startswith("_") and not alias.name.startswith("__") for alias in node.names)
    if not isinstance(node, ast.Attribute) or not node.attr.startswith("_") or node.attr.startswith("__"):
        return False
    own = ast.unparse(node.value) in {"self", "cls", "super()"}
    of_notebooks = node.attr.endswith("_")  # Notebooks call _repr_html_ and its like.
    return not own and not of_notebooks and node.attr not in _PRIVATES_OF_PYTHON


def recipes(root: Path) -> tuple[int, int]:
    """How many recipes of CONTRIBUTING a test applies and runs, and how many there are.

    It runs those with a diff and a line that runs tests.
    """
    path = root / ".github" / "CONTRIBUTING.md"
    part = path.read_text("utf-8").partition("\n## Recipes\n")[2].split("\n## ")[0] if path.exists() else ""
    found = part.split("\n### ")[1:]
    run = [each for each in found if "\n```diff\n" in each and "\n```\n.venv/bin/python -m pytest " in each]
    return len(run) if (root / "tests" / "test_recipes.py").exists() else 0, len(found)


def rows(root: Path) -> Iterator[tuple[str, str, str]]:
    """What is measured, its value and the aim."""
    tree, graph = Tree.read(root), graph_of(root)
    knots = circles(graph)
    yield "circles of imports (files in each)", f"{len(knots)} ({', '.join(str(len(each)) for each in knots)})", "0"
    for room in ("picture", "trace", "engine", "app", "views"):
        yield f"arrows that run up inside {room}", str(len(arrows_up(graph, room))), "≤ 4"
    known = knowing_experiments(tree)
    most = max(known.values(), key=len, default=[])
    yield "files that know one experiment, at most", str(len(most)), "2"
    yield "files that draw by hand", str(len(drawing_by_hand(tree))), "2"
    yield "lines of model/ that speak of speed", str(len(about_speed(tree))), "0"
    yield "public class names in several files", str(len(classes_twice(tree))), "≤ 10"
    yield f"files of ≤ {SMALL} lines with one reader beside them", str(len(of_one_reader(tree, graph))), "≤ 15"
    yield "caches and kept values", str(len(caches(tree))), "those that a benchmark row pays for"
    reaching = reaching_into_privates(tree)
    yield "test files that reach into privates", f"{len(reaching)} of {len(tree.of('tests'))}", "≤ 30"
    yield "files of explorer", str(len(tree.of("explorer"))), "≤ 600"
    yield "lines of explorer", str(tree.lines("explorer")), "≤ 75,000"
    yield "lines of tests", str(tree.lines("tests")), ""
    yield "recipes that a test applies and runs", "{} of {}".format(*recipes(root)), "all"


def details(root: Path) -> Iterator[tuple[str, Iterable[str]]]:
    """What stands behind the figures, name by name."""
    tree, graph = Tree.read(root), graph_of(root)
    yield "circles", [" ".join(group) for group in circles(graph)]
    yield (
        "arrows up",
        [f"{a} → {b}" for room in ("picture", "trace", "engine", "app", "views") for a, b in arrows_up(graph, room)],
    )
    yield "experiments", [f"{key}: {' '.join(files)}" for key, files in knowing_experiments(tree).items()]
    yield "drawing by hand", drawing_by_hand(tree)
    yield "speed", about_speed(tree)
    yield "class names", [f"{name}: {' '.join(files)}" for name, files in classes_twice(tree).items()]
    yield "one reader", of_one_reader(tree, graph)
    yield "caches", caches(tree)
    yield "privates", reaching_into_privates(tree)


def main(arguments: list[str]) -> None:
    """Print the table; with --details also what stands behind each figure."""
    folders = [each for each in arguments if not each.startswith("-")]
    root = Path(folders[0]) if folders else Path(__file__).parents[1]
    for what, value, aim in rows(root):
        print(f"{what:52} {value:28} {aim}")
    if "--details" in arguments:
        for what, lines in details(root):
            print(f"\n{what}", *lines, sep="\n  ")


if __name__ == "__main__":
    main(sys.argv[1:])
