"""``convoscope assets``: the embedded models, their licences and checksums."""

from __future__ import annotations

import json
import sys

import click

__all__ = ["command"]


@click.command("assets")
@click.option("--verify", is_flag=True, help="Compare every file with its checksum.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifests as JSON.")
def command(verify: bool, as_json: bool) -> None:
    """List the embedded models and tables with their licences and measured quality."""
    from convoscope.assets import assets

    found = assets()
    if as_json:
        click.echo(json.dumps([a.manifest for a in found], indent=2, ensure_ascii=False))
    else:
        for asset in found:
            size = sum(f["size"] for f in asset.manifest["files"].values())
            click.echo(f"{asset.name} {asset.version}  {size / 1e6:.1f} MB  {asset.licence}")
            click.echo(f"  {asset.manifest['title']}")
            for key, value in asset.manifest["quality"].items():
                click.echo(f"  {key}: {value}")
    problems = [p for a in found for p in a.verify()] if verify else []
    for problem in problems:
        click.echo(f"convoscope: {problem}", err=True)
    if verify and not problems:
        click.echo("all checksums are right", err=True)
    if problems:
        sys.exit(1)
