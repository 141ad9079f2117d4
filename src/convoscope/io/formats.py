"""Which file formats exist, and loading, detecting and saving by their names."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from convoscope.collection import Collection, CollectionBuilder
from convoscope.errors import InputError, nearest, quoted
from convoscope.io.options import Option, parse_options

__all__ = [
    "Format",
    "Option",
    "detect",
    "format_for_suffix",
    "format_names",
    "get_format",
    "load",
    "register",
    "save",
]

StrPath = str | os.PathLike[str]
Reader = Callable[..., None]
Writer = Callable[[Collection, Path], None]
HEAD_BYTES = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Format:
    """A file format: what it is called, how it is recognised, read and written."""

    name: str
    """What ``load`` and the command line call it."""
    summary: str
    """One line for lists of formats."""
    suffixes: tuple[str, ...]
    """File name endings, with the dot, lower case."""
    read: Reader
    """``read(path, into, **options)`` adds the file's parts to a builder."""
    write: Writer | None = None
    """``write(collection, path)``; None where the format is only read."""
    options: tuple[Option, ...] = ()
    """What the reader lets the caller choose."""
    sniff: Callable[[bytes], bool] | None = None
    """Whether a file that starts with these bytes is of this format."""
    losses: Callable[[Collection, Path], list[str]] | None = None
    """What of a collection the writer cannot carry, in words."""
    source: Literal["file", "directory", "either"] = "file"
    """What the path must be."""


# The order is the order of detection: the narrowest contents first.
_MODULES = ("jsonl", "chat", "usr", "table")
_added: dict[str, Format] = {}


@cache
def _builtin() -> dict[str, Format]:
    formats = (importlib.import_module(f"convoscope.io.{m}").FORMAT for m in _MODULES)
    return {f.name: f for f in formats}


def _formats() -> dict[str, Format]:
    return {**_builtin(), **_added}


def register(new: Format) -> Format:
    """Add a format for this process.

    Raises
    ------
    InputError
        The name belongs to another format.
    """
    if _formats().get(new.name, new) is not new:
        raise InputError(f"a format called {new.name!r} exists already; choose another name")
    _added[new.name] = new
    return new


def format_names() -> list[str]:
    """Return the names of all formats."""
    return list(_formats())


def get_format(name: str) -> Format:
    """Return the format called `name`.

    Raises
    ------
    InputError
        No format has this name (the nearest one is suggested).
    """
    try:
        return _formats()[name]
    except KeyError:
        hint = nearest(name, _formats(), what="formats")
        raise InputError(f"unknown format {quoted(name)}{hint}") from None


def load(format: str, path: StrPath, *, name: str | None = None, **options: object) -> Collection:
    """Read a file into a collection; the first problem is raised.

    Parameters
    ----------
    format
        The format's name; :func:`detect` finds it where it is not known.
    path
        The file.
    name
        What to call the collection; the default is the file's own name for itself, or its stem.
    options
        The options of the format, such as ``reference="Original Ground Truth"``.

    Raises
    ------
    InputError
        The file, the format or an option cannot be used.
    """
    chosen = get_format(format)
    into = read_into(chosen, Path(path), options, gather=False)
    if name is not None:
        into.name = name
    return into.build()


def read_into(
    chosen: Format, path: Path, options: Mapping[str, object], *, gather: bool
) -> CollectionBuilder:
    """Run a format's reader on a file and return the builder it filled."""
    arguments = parse_options(chosen.name, chosen.options, options)
    check_source(path, chosen.source)
    into = CollectionBuilder(path.stem or path.name, gather=gather)
    try:
        chosen.read(path, into, **arguments)
    except OSError as error:
        raise InputError(f"cannot read it ({error.strerror})", where=str(path)) from None
    return into


def check_source(path: Path, source: str) -> None:
    """Refuse a path that does not exist or is not the kind of thing the format reads."""
    if not path.exists():
        siblings: list[str] = []
        if path.parent.is_dir():
            siblings = [p.name for p in path.parent.iterdir()][:1000]
        hint = nearest(path.name, siblings).split(" (known")[0]
        raise InputError(f"no such file{hint}", where=str(path))
    if path.is_dir() and source == "file":
        raise InputError("it is a directory; name a file in it", where=str(path))
    if not path.is_dir() and source == "directory":
        raise InputError("it is a file; name the directory that holds it", where=str(path))


def detect(path: StrPath) -> str:
    """Return the name of the format of a file, by its content and then by its suffix.

    Raises
    ------
    InputError
        The file does not exist, or no format recognises it.
    """
    target = Path(path)
    check_source(target, "either")
    formats = _formats()
    if target.is_file():
        try:
            with target.open("rb") as file:
                head = file.read(HEAD_BYTES)
        except OSError as error:
            raise InputError(f"cannot read it ({error.strerror})", where=str(path)) from None
        for name, known in formats.items():
            if known.sniff is not None and known.sniff(head):
                return name
    return format_for_suffix(target)


def format_for_suffix(path: StrPath) -> str:
    """Return the name of the format that a file name's suffix stands for.

    Raises
    ------
    InputError
        No format has the suffix.
    """
    for name, known in _formats().items():
        if Path(path).suffix.lower() in known.suffixes:
            return name
    if Path(path).is_dir():
        raise InputError("it is a directory; name a file in it", where=str(path))
    raise InputError(
        f"cannot tell its format; name one of: {', '.join(_formats())}", where=str(path)
    )


def save(
    collection: Collection, path: StrPath, format: str = "jsonl", *, drop: bool = False
) -> list[str]:
    """Write a collection to a file, whole or not at all.

    Parameters
    ----------
    collection
        What to write; its parts are checked as a reader would.
    path
        The file; an existing one is replaced.
    format
        The format's name.
    drop
        Leave out what the format cannot carry instead of refusing.

    Returns
    -------
    list of str
        What was left out, in words; empty unless `drop` was needed.

    Raises
    ------
    InputError
        The format is only read, cannot carry all of the collection, or the file cannot be
        written.
    """
    chosen = get_format(format)
    target = Path(path)
    if chosen.write is None:
        able = [n for n, f in _formats().items() if f.write is not None]
        raise InputError(f"format {format!r} can only be read; write one of: {', '.join(able)}")
    whole = checked(collection)
    lost = chosen.losses(whole, target) if chosen.losses else []
    if lost and not drop:
        raise InputError(
            f"format {format!r} cannot carry {'; '.join(lost)}; save as jsonl, or ask for "
            "these to be dropped (drop=True, --drop)"
        )
    if target.is_dir():
        raise InputError("it is a directory; name a file in it", where=str(path))
    try:
        _replace(chosen.write, whole, target)
    except BrokenPipeError:
        raise  # Whoever read our output has seen enough, which is no error.
    except OSError as error:
        raise InputError(f"cannot write it ({error.strerror})", where=str(path)) from None
    return lost


def _replace(write: Writer, collection: Collection, target: Path) -> None:
    if target.exists() and not target.is_file():
        # A pipe or device, such as /dev/stdout: there is nothing to replace.
        write(collection, target)
        return
    # A reader of the target never sees half a file, and a failed write leaves the old one.
    target = target.resolve()
    handle, scratch = tempfile.mkstemp(prefix=".", suffix=target.suffix, dir=target.parent)
    os.close(handle)
    try:
        write(collection, Path(scratch))
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(scratch, 0o666 & ~mask)
        os.replace(scratch, target)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise


def checked(collection: Collection) -> Collection:
    """Return the collection after a reader's checks, its responses in canonical order."""
    into = CollectionBuilder(collection.name)
    into.reference_system = collection.reference_system
    for item in collection.items:
        into.add_item(item, f"item {quoted(item.id)}")
    for run in collection.runs:
        where = f"run {quoted(run.system)}"
        into.add_run(run.system, run.kind, where)
        for response in run.responses:
            into.add_response(run.system, response, where)
    for judgement in collection.judgements:
        into.add_judgement(judgement, "judgements")
    for session in collection.sessions:
        into.add_session(session, f"session {quoted(session.id)}")
    return into.build()
