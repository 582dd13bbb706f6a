"""A cursor over bytes in Kafka's encoding: the primitive types of its protocol guide.

All numbers are big-endian. *Compact* forms, in the flexible versions of KIP-482, put an unsigned
varint of length + 1 before strings, bytes and arrays (0 for null); the others an integer (-1 for
null).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final, TypeVar
from uuid import UUID

from equilag.domain.errors import EquilagError

T = TypeVar("T")

_INT8: Final = struct.Struct(">b")
_INT16: Final = struct.Struct(">h")
_INT32: Final = struct.Struct(">i")
_INT64: Final = struct.Struct(">q")
_VARINT_BITS: Final = 35
"""Five groups of seven bits: enough for every length."""


class BrokenRecord(EquilagError):
    """Bytes that do not fit their version: too short, invalid UTF-8, an unexpected null."""


class Cursor:
    """A position in `data` that each read moves on. Every method raises BrokenRecord."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    @property
    def rest(self) -> int:
        """Number of unread bytes."""
        return len(self.data) - self.at

    def int8(self) -> int:
        return self._integer(_INT8)

    def int16(self) -> int:
        return self._integer(_INT16)

    def int32(self) -> int:
        return self._integer(_INT32)

    def int64(self) -> int:
        return self._integer(_INT64)

    def _integer(self, form: struct.Struct) -> int:
        at = self.at
        try:
            (value,) = form.unpack_from(self.data, at)
        except struct.error:
            raise self._too_short(form.size) from None
        self.at = at + form.size
        return int(value)

    def uuid(self) -> UUID:
        return UUID(bytes=self._take(16))

    def unsigned_varint(self) -> int:
        """Seven bits per byte, the lowest first; the top bit means that more follow."""
        if self.at < len(self.data) and (byte := self.data[self.at]) < 0x80:  # nearly always
            self.at += 1
            return byte
        value = 0
        for shift in range(0, _VARINT_BITS, 7):
            byte = self._take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise BrokenRecord(f"a varint of more than 5 bytes before byte {self.at}")

    def string(self) -> str:
        return _present(self._text(self.int16()))

    def nullable_string(self) -> str | None:
        return self._text(self.int16())

    def compact_string(self) -> str:
        return _present(self.compact_nullable_string())

    def compact_nullable_string(self) -> str | None:
        return self._text(self.unsigned_varint() - 1)

    def blob(self) -> bytes:
        return _present(self.nullable_blob())

    def nullable_blob(self) -> bytes | None:
        return self._bytes(self.int32())

    def compact_blob(self) -> bytes:
        return _present(self._bytes(self.unsigned_varint() - 1))

    def array(self, item: Callable[[], T]) -> list[T]:
        """Read an array; `item` is a method that reads one element."""
        return self._items(self.int32(), item)

    def compact_array(self, item: Callable[[], T]) -> list[T]:
        return self._items(self.unsigned_varint() - 1, item)

    def tagged_fields(self) -> dict[int, bytes]:
        """Return tag -> undecoded value; callers ignore unknown tags."""
        found: dict[int, bytes] = {}
        for _ in range(self.unsigned_varint()):
            tag = self.unsigned_varint()
            found[tag] = self._take(self.unsigned_varint())
        return found

    def _take(self, size: int) -> bytes:
        end = self.at + size
        if end > len(self.data):
            raise self._too_short(size)
        piece = self.data[self.at : end]
        self.at = end
        return piece

    def _bytes(self, size: int) -> bytes | None:
        if size < -1:
            raise BrokenRecord(f"a length of {size} before byte {self.at}")
        return None if size == -1 else self._take(size)

    def _text(self, size: int) -> str | None:
        if size < 0:
            self._bytes(size)  # null or an error
            return None
        end = self.at + size
        if end > len(self.data):
            raise self._too_short(size)
        try:
            text = self.data[self.at : end].decode()
        except UnicodeDecodeError:
            raise BrokenRecord(f"a text that is not UTF-8 at byte {self.at}") from None
        self.at = end
        return text

    def _items(self, count: int, item: Callable[[], T]) -> list[T]:
        # Every item takes at least a byte: an impossible length must not allocate memory.
        if count > self.rest:
            raise self._too_short(count)
        if count < 0:
            raise BrokenRecord(f"an array of length {count} before byte {self.at}")
        return [item() for _ in range(count)]

    def _too_short(self, wanted: int) -> BrokenRecord:
        return BrokenRecord(
            f"expected {wanted} more bytes at byte {self.at}, but it ends at byte {len(self.data)}"
        )


def _present(value: T | None) -> T:
    if value is None:
        raise BrokenRecord("a null instead of a value")
    return value
