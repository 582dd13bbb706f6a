"""What an error says."""

from __future__ import annotations

from equilag.errors import InputError


def test_an_input_error_names_its_place_on_one_line() -> None:
    error = InputError("is\nodd\r", "members[3]", "a.json")
    assert str(error) == "a.json: members[3]: is odd "
    assert str(InputError("is odd")) == "is odd"
