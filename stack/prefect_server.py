"""A Prefect server of the local stack, so that runs are recorded and can be looked at when no server is set.

Arrives: a data folder. Leaves: the URL of a server's API. Like the databases it outlives the command that started it
and is found again by its command line; its SQLite database is kept in the data folder.
"""

import sys
import time
from pathlib import Path

import httpx
import psutil
from filelock import FileLock

from cpq_graph.errors import StackError
from stack import processes

# Prefect's own, so that its command line finds the server without a setting.
PREFERRED_PORTS = (4200, 4201)
START_PATIENCE_S = 180


def ensure(data_dir: Path) -> str:
    """Starts the server, or finds it running, and waits until it is healthy. Returns the URL of its API.

    Raises StackError with the end of its log.
    """
    home = folder(data_dir)
    home.mkdir(parents=True, exist_ok=True)
    with FileLock(home.parent / ".prefect.lock"):
        for _ in range(2):
            process = running(data_dir) or _launch(home)
            if process and _is_healthy(process):
                return api_url(process)
            stop(data_dir)
    raise StackError(
        f"the Prefect server does not start:\n{processes.tail(home / 'server.log') or 'it says nothing'}",
        hint="Set PREFECT_API_URL to use a server of your own.",
    )


def folder(data_dir: Path) -> Path:
    """Where the server keeps its database and its log."""
    return data_dir.resolve() / "stack" / "prefect"


def running(data_dir: Path) -> psutil.Process | None:
    """The server's process, if it runs."""
    return next(iter(processes.running(_mark(folder(data_dir)))), None)


def stop(data_dir: Path) -> None:
    """Ends the server, if it runs."""
    processes.end(processes.running(_mark(folder(data_dir))))


def api_url(process: psutil.Process) -> str:
    """The URL of a running server's API."""
    line = process.cmdline()
    return f"http://{processes.LOOPBACK}:{line[line.index('--port') + 1]}/api"


def _mark(home: Path) -> str:
    # Python ignores -X options that it does not know.
    return f"cpq_graph.prefect={home}"


def _launch(home: Path) -> psutil.Process | None:
    port = processes.free_port(PREFERRED_PORTS)
    url = f"http://{processes.LOOPBACK}:{port}"
    log = home / "server.log"
    log.unlink(missing_ok=True)
    environment = {
        **processes.plain_environment(),
        "PREFECT_HOME": str(home),
        "PREFECT_API_URL": f"{url}/api",
        "PREFECT_UI_API_URL": f"{url}/api",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    }
    # uvicorn itself and not `prefect server start`, whose child would stay behind when its parent is killed.
    options = ["--factory", "prefect.server.api.server:create_app", "--host", processes.LOOPBACK, "--port", str(port)]
    command = [sys.executable, "-X", _mark(home), "-m", "uvicorn", *options, "--log-level", "warning"]
    return processes.spawn(command, log=log, environment=environment)


def _is_healthy(process: psutil.Process) -> bool:
    url = f"{api_url(process)}/health"
    for _ in processes.until(time.monotonic() + START_PATIENCE_S, 0.3):
        if not processes.is_alive(process):
            return False
        try:
            if httpx.get(url, timeout=5).status_code == httpx.codes.OK:
                return True
        except httpx.HTTPError:
            continue
    return False
