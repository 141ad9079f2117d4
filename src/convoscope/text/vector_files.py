"""Word vectors in files: word2vec (text or binary), GloVe, fastText's ``.vec``; gzipped or not."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from convoscope.errors import InputError

__all__ = ["FileVectors", "read_vectors"]

# Longer headers or words are a sign of a file that is something else.
_LONGEST_WORD = 10_000
_BLOCK = 4096
_FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")


class FileVectors:
    """Word vectors read from a file; words it does not have get a row of zeros.

    Parameters
    ----------
    words
        The words of the rows.
    matrix
        One row a word.
    signature
        What identifies the vectors.
    """

    def __init__(self, words: Sequence[str], matrix: NDArray[np.float32], signature: str) -> None:
        # A word that comes twice keeps its first vector, as in gensim.
        self._row = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))
        self._matrix = matrix
        self._signature = signature

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return int(self._matrix.shape[1])

    @property
    def signature(self) -> str:
        """What identifies the vectors: file name, dimensions and the file's SHA-256."""
        return self._signature

    def __len__(self) -> int:
        return len(self._row)

    def lookup(self, types: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of `types`, one a row: as written, else lower-cased, else zeros."""
        found = np.zeros((len(types), self.dim), np.float32)
        at, rows = [], []
        for i, word in enumerate(types):
            row = self._row.get(word)
            if row is None:
                row = self._row.get(word.lower())
            if row is not None:
                at.append(i)
                rows.append(row)
        found[at] = self._matrix[rows]
        return found


@lru_cache(maxsize=2)
def read_vectors(path: Path, mtime_ns: int, size: int) -> FileVectors:
    """Return the vectors in a file; its time and size make a changed file be read again.

    Raises
    ------
    InputError
        The file is not what it should be; names the line.
    """
    del mtime_ns, size
    with path.open("rb") as raw:
        digest = hashlib.file_digest(raw, "sha256").hexdigest()
    with _open(path) as handle:
        words, matrix = _read(handle, path)
    return FileVectors(words, matrix, f"vectors:{path.name}-{matrix.shape[1]}-{digest[:12]}")


def _open(path: Path) -> IO[bytes]:
    with path.open("rb") as raw:
        magic = raw.read(4)
    if magic[:2] == b"\x1f\x8b":
        return cast("IO[bytes]", gzip.GzipFile(path, "rb"))
    if magic == b"PK\x03\x04":
        raise InputError("a zip archive; unpack it and give the file inside", where=str(path))
    if magic == _FASTTEXT_MAGIC:
        raise InputError("a fastText model; give the .vec file that comes with it", where=str(path))
    return path.open("rb")


def _read(handle: IO[bytes], path: Path) -> tuple[list[str], NDArray[np.float32]]:
    try:
        first = handle.readline(_LONGEST_WORD * 32)
        if not first.strip():
            raise InputError(
                "the file is empty" if not first else "the first line is empty", where=f"{path}:1"
            )
        header = _header(first, path)
        if header is None:
            return _read_text(handle, path, first, None)
        peek = handle.read(_LONGEST_WORD)
        handle.seek(len(first))
        if _is_binary(peek, header[1]):
            return _read_binary(handle, path, *header)
        return _read_text(handle, path, None, header)
    except (gzip.BadGzipFile, EOFError) as error:
        raise InputError(f"the gzip file is damaged ({error})", where=str(path)) from error


def _header(line: bytes, path: Path) -> tuple[int, int] | None:
    """Return the number of rows and of dimensions if `line` is a header."""
    fields = line.split()
    if len(fields) != 2:
        return None
    try:
        rows, dim = int(fields[0]), int(fields[1])
    except ValueError as error:
        raise InputError(
            f"the first line has two fields, {line[:60].strip()!r}, but is no header of two whole "
            "numbers (rows and dimensions)",
            where=f"{path}:1",
        ) from error
    if rows < 1 or dim < 1:
        raise InputError(
            f"the header promises {rows} rows of {dim} dimensions; both must be 1 or more",
            where=f"{path}:1",
        )
    return rows, dim


def _is_binary(start: bytes, dim: int) -> bool:
    """Tell whether what follows the header is word2vec's binary form.

    Text has a number after the first word; four bytes of a float that happen to look like one
    would also have to be followed by as many more as there are dimensions.
    """
    line = start.split(b"\n", 1)[0]
    numbers = line.split()[1 : dim + 1]
    try:
        for number in numbers:
            float(number)
    except ValueError:
        # One bad number in a line that is printable throughout is an error in a text file.
        return not line.strip().isascii() or any(c < 32 and c not in b"\t\r" for c in line)
    return not numbers


def _read_text(
    handle: IO[bytes], path: Path, first: bytes | None, header: tuple[int, int] | None
) -> tuple[list[str], NDArray[np.float32]]:
    words: list[str] = []
    blocks: list[NDArray[np.float32]] = []
    pending: list[tuple[int, list[bytes]]] = []
    dim = header[1] if header else len((first or b"").split()) - 1
    if dim < 1:
        raise InputError("a word without a vector", where=f"{path}:1")

    def flush() -> None:
        if pending:
            blocks.append(_numbers(pending, path))
            pending.clear()

    number = 0 if header is None else 1
    for line in _lines(handle, first):
        number += 1
        # Only ASCII whitespace separates: a word may hold any other kind.
        fields = line.strip(b" \t\r\n").rsplit(None, dim)
        if not fields:
            raise InputError("an empty line", where=f"{path}:{number}")
        if len(fields) != dim + 1 or _ends_in_number(fields[0]):
            raise InputError(
                f"{len(line.split()) - 1} numbers after the word, but "
                f"{'the header says' if header else 'the first line has'} {dim}",
                where=f"{path}:{number}",
            )
        words.append(_word(fields[0], f"{path}:{number}"))
        pending.append((number, fields[1:]))
        if len(pending) == _BLOCK:
            flush()
    flush()
    if header and len(words) != header[0]:
        raise InputError(
            f"the header says {header[0]} rows, the file has {len(words)}", where=f"{path}:{number}"
        )
    return words, np.concatenate(blocks)


def _lines(handle: IO[bytes], first: bytes | None) -> Iterator[bytes]:
    if first is not None:
        yield first
    yield from handle


def _ends_in_number(word: bytes) -> bool:
    # Some GloVe files have words with spaces in them (". . ."): what is left of the last `dim`
    # fields is the word, unless it, too, ends in a number, for then the row is too long.
    _, space, last = word.rpartition(b" ")
    if not space:
        return False
    try:
        float(last)
    except ValueError:
        return False
    return True


def _word(raw: bytes, where: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"the word {raw[:40]!r} is not UTF-8", where=where) from error


def _numbers(rows: list[tuple[int, list[bytes]]], path: Path) -> NDArray[np.float32]:
    try:
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
            block = np.array([fields for _, fields in rows], dtype=np.bytes_).astype(np.float32)
    except ValueError:
        block = np.full((1, 1), np.nan, np.float32)
    if not np.isfinite(block).all():
        _blame(rows, path)
    return block


def _blame(rows: list[tuple[int, list[bytes]]], path: Path) -> None:
    """Raise for the first number among `rows` that cannot be used."""
    for line, fields in rows:
        for field in fields:
            try:
                usable = abs(float(field)) <= float(np.finfo(np.float32).max)
            except ValueError:
                usable = False
            if not usable:
                raise InputError(
                    f"{field[:40].decode('utf-8', 'replace')!r} is not a finite number",
                    where=f"{path}:{line}",
                )


def _read_binary(
    handle: IO[bytes], path: Path, rows: int, dim: int
) -> tuple[list[str], NDArray[np.float32]]:
    words: list[str] = []
    blocks: list[NDArray[np.float32]] = []
    values: list[bytes] = []
    width = 4 * dim
    buffer, at = b"", 0

    def flush() -> None:
        block = np.frombuffer(b"".join(values), "<f4").reshape(-1, dim).astype(np.float32)
        bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if len(bad):
            row = len(words) - len(values) + int(bad[0])
            raise InputError(
                f"the vector of {words[row]!r} has NaN or infinite numbers",
                where=f"{path}:{row + 2}",
            )
        blocks.append(block)
        values.clear()

    for row in range(rows):
        where = f"{path}:{row + 2}"
        space = buffer.find(b" ", at)
        while space < 0 or len(buffer) < space + 1 + width:
            if space < 0 and len(buffer) - at > _LONGEST_WORD:
                raise InputError("no end of the word in sight; not a word2vec file?", where=where)
            more = handle.read(max(1 << 20, width))
            if not more:
                raise InputError(
                    f"the header says {rows} rows, the file ends in row {row + 1}", where=where
                )
            buffer, at = buffer[at:] + more, 0
            space = buffer.find(b" ")
        # Some writers end each row with a line feed, some do not.
        words.append(_word(buffer[at:space].lstrip(b"\n"), where))
        at = space + 1 + width
        values.append(buffer[space + 1 : at])
        if len(values) == _BLOCK:
            flush()
    if values:
        flush()
    if (buffer[at:] + handle.read(2)).strip(b"\n"):
        raise InputError(
            f"the header says {rows} rows, but more follows", where=f"{path}:{rows + 2}"
        )
    return words, np.concatenate(blocks)
