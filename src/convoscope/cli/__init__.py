"""The command line: one file per subcommand, loaded when it is asked for."""

from __future__ import annotations

import sys

import click

from convoscope._version import __version__
from convoscope.cli.lazy import LazyGroup
from convoscope.errors import ConvoscopeError

__all__ = ["main"]

# Name → one line; the module convoscope.cli.<name> has the command, as ``command``.
_COMMANDS = {
    "demo": "Score the bundled sample collection and open up the whole story.",
    "validate": "Say what a collection file holds and everything wrong with it.",
    "convert": "Convert a collection from one format to another.",
    "score": "Score a collection with metrics into a run directory.",
    "evaluate": "Score loose responses against references, line by line.",
    "meta": "Meta-evaluate: which metrics can be believed?",
    "report": "Write a run directory's report as one HTML file.",
    "metrics": "List the metrics, their parameters and signatures.",
    "assets": "List the embedded models with licences, and verify them.",
    "reproduce": "Print a paper's tables, the paper's values beside ours.",
}


@click.group(
    cls=LazyGroup,
    package="convoscope.cli",
    lines=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="convoscope")
def group() -> None:
    """Score the responses of dialogue systems, and learn which metrics to believe.

    Exit codes: 0 ok, 1 a check failed, 2 usage or bad input.
    """


def main() -> None:
    """Run the command line; every user's error ends as one line and exit code 2."""
    try:
        code = group.main(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(2)
    except click.ClickException as error:
        if isinstance(error, click.UsageError) and error.ctx is not None:
            click.echo(error.ctx.get_usage(), err=True)
        _fail(error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt):
        _fail("interrupted; the same command goes on from the last finished block", 130)
    except ConvoscopeError as error:
        _fail(str(error), 2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _fail(f"{place}{(error.strerror or str(error)).lower()}", 2)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str, code: int) -> None:
    click.echo(f"convoscope: error: {' '.join(message.split())}", err=True)
    sys.exit(code)
