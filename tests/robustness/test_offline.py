"""The main job needs no network: every way to open a connection is cut off."""

from __future__ import annotations

import subprocess
import sys

CUT_OFF = """
import socket, sys

def refuse(*args, **kwargs):
    raise AssertionError("the network was touched")

socket.socket.connect = refuse
socket.socket.connect_ex = refuse
socket.getaddrinfo = refuse
socket.create_connection = refuse
sys.argv = ["convoscope", *sys.argv[1:]]
from convoscope.cli import main
main()
"""


def test_demo_runs_with_the_network_cut_off(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", CUT_OFF, "demo", "-o", "demo"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "demo" / "report.html").stat().st_size > 10_000
    assert "POSScore" in done.stdout
