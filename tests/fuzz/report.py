"""The table at the end: counts by kind, and each fault with the command that does it again."""

from tests.fuzz.run import Fault, Fuzz

_STORY_LINES = 14
_SEEDS = 5


def table(fuzz: Fuzz) -> str:
    """A line for each kind."""
    rows = [("kind", "cases", "errors told", "bad", "seconds")]
    for kind in fuzz.kinds:
        tally = fuzz.tallies[kind.name]
        bad = sum(len(fault.seeds) for fault in fuzz.faults.values() if fault.kind == kind.name and fault.counts)
        rows.append((kind.name, str(tally.cases), str(tally.told.total()), str(bad), f"{tally.seconds:.0f}"))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join((row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))))
        for row in rows
    )


def faults(fuzz: Fuzz, *, stories: bool) -> str:
    """Everything that is bad; with the tracebacks if asked."""
    counted = [fault for fault in fuzz.faults.values() if fault.counts]
    others = [fault for fault in fuzz.faults.values() if not fault.counts]
    parts = [_fault(fault, stories=stories) for fault in counted]
    if others:
        parts.append(
            "late once, but not when tried alone, so the machine's:\n"
            + "\n".join(f"  {fault.kind} {fault.seeds[0]}: {fault.bad.what} at {fault.bad.where or '?'}" for fault in others)
        )
    warnings = [
        f"  {kind}: {text} ({count})"
        for kind, tally in fuzz.tallies.items()
        for text, count in tally.warnings.most_common(_SEEDS)
    ]
    if warnings:
        parts.append("warnings of Qt:\n" + "\n".join(warnings))
    return "\n\n".join(parts)


def _fault(fault: Fault, *, stories: bool) -> str:
    again = {True: "again alone", False: "not again alone", None: "not tried alone"}[fault.again]
    seeds = " ".join(map(str, fault.seeds[:_SEEDS])) + (" …" if len(fault.seeds) > _SEEDS else "")
    lines = [
        f"{fault.kind}: {fault.bad.what}",
        f"  where  {fault.bad.where or '?'}",
        f"  seeds  {seeds} ({len(fault.seeds)} cases, {again})",
        f"  again  python -m tests.fuzz --only {fault.kind} --case {fault.seeds[0]}",
    ]
    if stories:
        lines += (f"    {line}" for line in fault.bad.story.rstrip().splitlines()[-_STORY_LINES:])
    return "\n".join(lines)
