"""What an error says."""

from __future__ import annotations

from equilag.domain.errors import MAX_TEXT, InputError, describe_error


def test_an_input_error_names_its_place_on_one_line() -> None:
    error = InputError("is\nodd\r", "members[3]", "a.json")
    assert str(error) == "a.json: members[3]: is odd "
    assert str(InputError("is odd")) == "is odd"


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_any_error_is_described_in_one_line() -> None:
    assert describe_error(KeyError("a")) == "KeyError: 'a'"
    assert describe_error(ValueError(" two\n\t lines ")) == "ValueError: two lines"
    assert describe_error(ValueError("x" * 2_000)) == f"ValueError: {'x' * MAX_TEXT}"
    assert describe_error(Mute()) == "Mute: (its text cannot be shown)"
    assert describe_error(SystemExit()) == "SystemExit"
