"""``convoscope evaluate``: loose responses against references, no collection needed."""

from __future__ import annotations

import json
from pathlib import Path

import click

from convoscope.errors import InputError

__all__ = ["command"]


@click.command("evaluate")
@click.argument("candidates", type=click.Path(path_type=Path))
@click.argument("references", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-m", "--metric", "metrics", multiple=True, required=True, metavar="METRIC")
@click.option("--json", "as_json", is_flag=True, help="Print values and signatures as JSON.")
def command(
    candidates: Path, references: tuple[Path, ...], metrics: tuple[str, ...], as_json: bool
) -> None:
    """Score the lines of CANDIDATES against the lines of one or more REFERENCES files."""
    from convoscope.metrics import parse_many
    from convoscope.scoring import evaluate

    chosen = parse_many(metrics)
    texts = _lines(candidates)
    streams = [_lines(f) for f in references]
    for file, lines in zip(references, streams, strict=True):
        if len(lines) != len(texts):
            raise InputError(
                f"{len(lines)} lines, but {candidates} has {len(texts)}; "
                "line i of every file belongs to response i",
                where=str(file),
            )
    nested = [list(refs) for refs in zip(*streams, strict=True)]
    result = evaluate(chosen, candidates=texts, references=nested)
    if as_json:
        rows = [
            {
                "metric": name,
                "signature": result.signatures[name],
                "mean": None if mean != mean else mean,
                "values": [None if v != v else v for v in result[name].tolist()],
            }
            for name, mean in result.means.items()
        ]
        click.echo(json.dumps({"responses": len(texts), "results": rows}, ensure_ascii=False))
        return
    for name, mean in result.means.items():
        click.echo(f"{name} = {mean:.6f}  ({result.signatures[name]})")


def _lines(path: Path) -> list[str]:
    if not path.is_file():
        raise InputError("no such file; give a text file with one response a line", where=str(path))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError(
            f"not UTF-8 (byte 0x{error.object[error.start]:02x}); save the file as UTF-8",
            where=f"{path}:{line}",
        ) from None
    # Only line feeds end a line: other Unicode line breaks may stand inside a response.
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines and not lines[-1] else lines
