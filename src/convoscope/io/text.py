"""Bytes to lines to JSON, with errors that say where and what would be right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from convoscope.collection import CollectionBuilder
from convoscope.errors import quoted

__all__ = ["describe", "json_lines", "lone_surrogate", "parse_json", "text_lines", "whole_text"]

BOM = b"\xef\xbb\xbf"
_OTHER_ENCODINGS = (
    (b"\xff\xfe", "UTF-16 text; convert it with: iconv -f UTF-16 -t UTF-8"),
    (b"\xfe\xff", "UTF-16 text; convert it with: iconv -f UTF-16 -t UTF-8"),
    (b"\x1f\x8b", "gzip-compressed; unpack it with: gunzip"),
    (b"PK\x03\x04", "a zip archive or spreadsheet; export it as text"),
    (b"PAR1", "Parquet; read it with the format 'table'"),
)


class JsonProblem(ValueError):
    """What is wrong with a JSON text, and on which line of it."""

    def __init__(self, message: str, line: int = 1) -> None:
        self.line = line
        super().__init__(message)


def _refuse_constant(name: str) -> object:
    raise JsonProblem(f"{name} is not JSON; leave the field out, or write a finite number")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(k for k, _ in pairs if k in seen or seen.add(k))  # type: ignore[func-returns-value]
        raise JsonProblem(f"field {quoted(twice)} is given twice; keep one")
    return found


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_object)


def parse_json(text: str) -> object:
    """Parse a JSON text strictly: no NaN, no repeated keys.

    Raises
    ------
    JsonProblem
        It is not JSON; the message is one short line.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()):
            raise JsonProblem(
                f"invalid JSON at column {error.colno}: it ends too early (truncated?)",
                error.lineno,
            ) from None
        near = quoted(text[error.pos : error.pos + 30])
        what = error.msg[:1].lower() + error.msg[1:]
        raise JsonProblem(
            f"invalid JSON at column {error.colno}: {what}, near {near}", error.lineno
        ) from None
    except RecursionError:
        raise JsonProblem("invalid JSON: brackets are nested too deeply") from None
    except JsonProblem:
        raise
    except ValueError:
        # Python refuses integers of thousands of digits.
        raise JsonProblem("a number has too many digits") from None


def lone_surrogate(value: object, field: str = "") -> str | None:
    """Return the path of the first string that holds half a surrogate pair, if any."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return field
        return None
    if isinstance(value, dict):
        for key, inner in value.items():
            found = lone_surrogate(key, str(key)) or lone_surrogate(inner, _inner(field, key))
            if found is not None:
                return found
    if isinstance(value, list):
        for index, inner in enumerate(value):
            found = lone_surrogate(inner, f"{field}[{index}]")
            if found is not None:
                return found
    return None


def _inner(field: str, key: str) -> str:
    return f"{field}.{key}" if field else key


def describe(value: object) -> str:
    """Say what a JSON value is, shortly: ``the string 'x'``, ``the number 3``, ``a list``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"the string {quoted(value)}"
    if isinstance(value, (int, float)):
        try:
            return f"the number {str(value)[:30]}"
        except ValueError:
            return "a very long number"
    return "a list" if isinstance(value, list) else "an object"


def text_lines(path: Path, into: CollectionBuilder) -> Iterator[tuple[int, str]]:
    """Yield (line number, line without its end) of a UTF-8 file; blank lines are left out.

    A byte order mark at the start is skipped. Lines end at LF or CRLF and nowhere else, so that
    U+2028 and the like stay in their texts.
    """
    empty = True
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            if number == 1:
                if _other_encoding(raw, path, into):
                    return
                raw = raw.removeprefix(BOM)
            raw = raw.rstrip(b"\r\n")
            try:
                line = raw.decode()
            except UnicodeDecodeError as error:
                empty = False
                into.problem(_not_utf8(raw, error.start), f"{path}:{number}")
                continue
            if line and not line.isspace():
                empty = False
                yield number, line
    if empty:
        into.problem("the file is empty", str(path))


def whole_text(path: Path, into: CollectionBuilder) -> str | None:
    """Return the text of a UTF-8 file, or None after reporting why there is none."""
    data = path.read_bytes()
    if _other_encoding(data, path, into):
        return None
    data = data.removeprefix(BOM)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line_start = data.rfind(b"\n", 0, error.start) + 1
        number = data.count(b"\n", 0, error.start) + 1
        message = _not_utf8(data[line_start : error.start + 1], error.start - line_start)
        into.problem(message, f"{path}:{number}")
        return None
    if not text or text.isspace():
        into.problem("the file is empty", str(path))
        return None
    return text


def json_lines(path: Path, into: CollectionBuilder) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield (line number, object) of a JSON Lines file; what is not an object is a problem."""
    for number, line in text_lines(path, into):
        try:
            value = parse_json(line)
        except JsonProblem as problem:
            into.problem(str(problem), f"{path}:{number}")
            continue
        if not isinstance(value, dict):
            into.problem(
                f"each line must be one JSON object, not {describe(value)}", f"{path}:{number}"
            )
            continue
        if "\\u" in line and not _surrogates_paired(value, into, f"{path}:{number}"):
            continue
        yield number, value


def _surrogates_paired(value: object, into: CollectionBuilder, where: str) -> bool:
    field = lone_surrogate(value)
    if field is None:
        return True
    into.problem(
        f"field {quoted(field)} holds half of a surrogate pair (\\ud800 to \\udfff), which is no "
        "character; write both halves or the character itself",
        where,
    )
    return False


def _other_encoding(head: bytes, path: Path, into: CollectionBuilder) -> bool:
    for magic, what in _OTHER_ENCODINGS:
        if head.startswith(magic):
            into.problem(f"the file is not UTF-8 text; it looks like {what}", str(path))
            return True
    return False


def _not_utf8(line: bytes, start: int) -> str:
    return (
        f"invalid UTF-8 at byte {start + 1} of the line (0x{line[start]:02x}); convert the file, "
        "for example with: iconv -f WINDOWS-1252 -t UTF-8"
    )
