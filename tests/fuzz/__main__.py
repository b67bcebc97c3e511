"""Run it: `python -m tests.fuzz --minutes 10 --seed 1`. The exit status is 1 if anything was bad."""

import sys

import click

from tests.fuzz.case import Case, Limits
from tests.fuzz.kinds import KINDS
from tests.fuzz.report import faults, table
from tests.fuzz.run import Fuzz


@click.command()
@click.option("--minutes", default=1.0, show_default=True, help="How long; each kind runs once in any case.")
@click.option("--seconds", type=float, help="The same in seconds.")
@click.option("--seed", default=0, show_default=True, help="The same seed makes the same cases; the time says how many.")
@click.option("--only", multiple=True, type=click.Choice([kind.name for kind in KINDS]), help="May stand several times.")
@click.option("--case", "case_seed", type=int, help="Run this one case of the kind given by --only.")
@click.option("--stories", is_flag=True, help="Print the end of each traceback.")
def main(minutes: float, seconds: float | None, seed: int, only: tuple[str, ...], case_seed: int | None, stories: bool) -> None:
    """Use the program at random, and tell what it cannot take."""
    kinds = [kind for kind in KINDS if not only or kind.name in only]
    fuzz = Fuzz(kinds, seed, Limits(), lambda line: print(line, flush=True))
    if case_seed is None:
        fuzz.run(60 * minutes if seconds is None else seconds)
    elif len(kinds) == 1:
        fuzz.run_one(kinds[0], Case(kinds[0].name, case_seed))
    else:
        raise click.UsageError("--case needs one --only")
    print(f"\nseed {seed}\n{table(fuzz)}")
    if told := faults(fuzz, stories=stories or case_seed is not None):
        print(f"\n{told}")
    sys.exit(any(fault.counts for fault in fuzz.faults.values()))


if __name__ == "__main__":  # each child imports this file too
    main()
