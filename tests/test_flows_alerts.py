"""Alerts on a real Prefect server: a run that failed, one that no worker takes, one that does not happen."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from cpq_graph.settings import CHECKOUT
from stack import prefect_server

COMMAND = Path(sys.executable).with_name("cpq-graph")
pytestmark = pytest.mark.skipif(not os.environ.get("CPQ_GRAPH_TEST_LONG"), reason="waits for alerts: make test-long")


@pytest.fixture
def told() -> Iterator[tuple[str, list[str]]]:
    """A webhook's address, and what it was told."""
    texts: list[str] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.headers["Content-Type"] == "application/json"
            texts.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"])
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Hook) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/hook?token=canary-4711", texts
        server.shutdown()


@pytest.fixture
def run(told: tuple[str, list[str]], tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Runs a command of this environment against a Prefect server of its own; returns all that it printed."""
    own = {
        "PREFECT_API_URL": prefect_server.ensure(tmp_path),
        "PREFECT_HOME": str(tmp_path / "home"),
        "CPQ_GRAPH_DATA_DIR": str(tmp_path / "data"),
        "CPQ_GRAPH_HOME": str(CHECKOUT),
        "CPQ_GRAPH_ALERT_WEBHOOK": told[0],
        # Says at once that it fails.
        "CPQ_GRAPH_SOURCE_DIR": str(tmp_path / 'no "such"\nfolder'),
    }

    def run(*command: str, code: int = 0) -> str:
        done = subprocess.run(
            command, env=os.environ | own, capture_output=True, text=True, check=False, timeout=300, cwd=CHECKOUT
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    yield run
    prefect_server.stop(tmp_path)


def until(condition: Callable[[], Any], patience_s: float = 120) -> bool:
    deadline = time.monotonic() + patience_s
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.2)
    return bool(condition())


def test_who_is_told_and_when(run: Callable[..., str], told: tuple[str, list[str]]) -> None:
    _, texts = told
    prefect = [sys.executable, "-m", "prefect", "--no-prompt"]
    printed = [run(str(COMMAND), "alerts"), run(str(COMMAND), "alerts", "--json")]
    # Twice set is once set.
    printed.append(run(*prefect, "automation", "ls"))
    assert printed[-1].count("cpq-graph: refresh") == 3

    printed.append(run(str(COMMAND), "refresh", code=1))
    assert until(lambda: any("the refresh failed" in text for text in texts))
    assert 'no "such"\nfolder' in texts[0]

    run(*prefect, "work-pool", "create", "cpq-graph", "--type", "process")
    run(*prefect, "deploy", "--all")
    run(*prefect, "deployment", "run", "refresh/nightly")
    assert until(lambda: any("has not started in time" in text for text in texts))
    assert len(texts) == 2

    # A good run, and none after it within 36 s.
    printed.append(run(str(COMMAND), "alerts", "--within", "0.01"))
    run(sys.executable, "-c", "from prefect import flow\n@flow(name='refresh')\ndef good(): pass\ngood()")
    assert until(lambda: any("no refresh has ended well for 0.01 hours" in text for text in texts))

    printed.append(run(str(COMMAND), "alerts", "--remove"))
    assert "cpq-graph: refresh" not in run(*prefect, "automation", "ls")
    assert "canary-4711" not in "".join(printed)
