"""Computers for tests: each is new and has models of its own."""

from explorer.api.lending import computer_of_process
from explorer.engine.compute import Computer


def new_computer() -> Computer:
    """One that has answered nothing yet. It has jieba's dictionary from the process's Computer, as one of a live module has:
    to read it takes a fifth of a second and 60 MB."""
    return Computer(computer_of_process().sources.tokenizers)
