"""What tests of a file share is made once, and goes with the file."""

from tests.kept import Tidying, kept_for_the_file, let_go


def test_a_value_is_made_once_until_it_is_let_go() -> None:
    """For each set of arguments."""
    made: list[int] = []

    @kept_for_the_file
    def double(n: int) -> int:
        made.append(n)
        return 2 * n

    assert [double(1), double(1), double(2)] == [2, 2, 4]
    assert made == [1, 2]
    let_go()
    assert double(1) == 2
    assert made == [1, 2, 1]


def test_memory_goes_back_when_it_has_grown_much() -> None:
    """A cycle that holds 128 MB: Python would not look for it, and the C library would keep it."""

    class Knot:
        def __init__(self) -> None:
            self.itself, self.held = self, [b"x" * 2**26 for _ in range(2)]  # too large to come from free memory

    tidying = Tidying(most_bytes=2**25)
    assert not tidying.tidy()
    Knot()
    assert tidying.tidy()
    assert not tidying.tidy()
