"""A group of commands whose modules are imported when they run, so that ``--help`` stays fast."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from convoscope.errors import nearest

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """A click group over a package: module ``NAME`` has the command NAME, as ``command``.

    Parameters
    ----------
    package
        The package of the commands' modules.
    lines
        Command name → what it does, in one line.
    """

    def __init__(self, *args: Any, package: str, lines: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.package = package
        self.lines = lines

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order they are told in."""
        return list(self.lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in self.lines:
            return None
        command: click.Command = import_module(f"{self.package}.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was asked for, or name the nearest one."""
        if args and not args[0].startswith("-") and args[0] not in self.lines:
            hint = nearest(args[0], self.lines, what="commands")
            raise click.UsageError(f"no command {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.lines.items()))
