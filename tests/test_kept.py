"""What tests of a file share is made once, and goes with the file."""

from tests.kept import kept_for_the_file, let_go


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
