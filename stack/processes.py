"""Server processes that outlive the command which started them.

Arrives: a command line. Leaves: psutil processes. Which server runs is asked of the operating system and not of a pid
file: a kill -9 leaves no stale answer behind, and a server that a killed command had only just started is found too.
"""

import contextlib
import multiprocessing
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from multiprocessing import connection
from pathlib import Path

import psutil

LOOPBACK = "127.0.0.1"


def spawn(command: Sequence[str], *, log: Path, environment: Mapping[str, str]) -> psutil.Process | None:
    """Starts a server in a session of its own, detached from this process and its terminal. None when it ended at once.

    A shell starts it in the background and ends, so the server belongs to init: it does not become a zombie of ours,
    and Ctrl-C does not reach it.
    """
    shell = ["sh", "-c", '"$@" >>"$0" 2>&1 </dev/null & echo $!', str(log)]
    done = subprocess.run(
        [*shell, *command], check=True, cwd="/", env=dict(environment), start_new_session=True, stdout=subprocess.PIPE
    )
    try:
        return psutil.Process(int(done.stdout))
    except psutil.NoSuchProcess:
        return None


def plain_environment() -> dict[str, str]:
    """The environment without settings of ours and of Prefect's, which would change what a program does."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("CPQ_GRAPH_", "PREFECT_"))}


def running(*arguments: str) -> list[psutil.Process]:
    """The processes whose command line has all these arguments."""
    return [process for process, line in command_lines() if all(each in line for each in arguments)]


def command_lines() -> Iterator[tuple[psutil.Process, list[str]]]:
    """Every process that is alive and may be looked at, with its command line."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            line = process.cmdline()
            if line and is_alive(process):
                yield process, line


def working_in(folder: Path) -> list[psutil.Process]:
    """The processes whose working directory this is."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.cwd() == str(folder):
                found.append(process)
    return found


def end(processes: Iterable[psutil.Process], *, first: signal.Signals = signal.SIGTERM, patience_s: float = 30) -> None:
    """Ends processes by `first`, those that are still there after `patience_s` by SIGKILL, and waits for them."""
    alive = list(processes)
    for sign, patience in ((first, patience_s), (signal.SIGKILL, 10)):
        for process in alive:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(sign)
        for _ in until(time.monotonic() + patience, 0.02):
            alive = [process for process in alive if is_alive(process)]
            if not alive:
                return


def end_with_parent() -> None:
    """Ends this process when the one that started it is gone. A pool's worker would wait for work for ever after a
    kill -9 of its parent."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def is_alive(process: psutil.Process) -> bool:
    """Whether it is at work. A zombie is not (in a container without an init nobody may ever take it away), unless
    threads of it still hold its files and ports."""
    try:
        return process.is_running() and (process.status() != psutil.STATUS_ZOMBIE or process.num_threads() > 1)
    except psutil.NoSuchProcess:
        return False


def listens(process: psutil.Process, port: int) -> bool:
    """Whether this very process (or a child of it) has the port: a stranger's server there is no answer of ours."""
    with contextlib.suppress(psutil.Error):
        family = [process, *process.children()]
        connections = (each for member in family for each in member.net_connections("tcp"))
        return any(each.status == psutil.CONN_LISTEN and each.laddr.port == port for each in connections)
    return False


def is_free(port: int) -> bool:
    """Whether nobody listens on this loopback port."""
    with socket.socket() as probe:
        # Without this a port that a server left a second ago counts as taken (TIME_WAIT).
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def free_port(preferred: Iterable[int] = ()) -> int:
    """The first free port of `preferred`, else any."""
    for port in preferred:
        if is_free(port):
            return port
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def memory_mb(process: psutil.Process) -> int | None:
    """Resident memory of a process with its children, MB; None when it is gone."""
    if not is_alive(process):
        return None
    try:
        family = [process, *process.children(recursive=True)]
        return int(sum(member.memory_info().rss for member in family)) // 2**20
    except psutil.Error:
        return None


def tail(path: Path, characters: int = 2000) -> str:
    """The end of a log, "" when there is none."""
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - characters))
            return file.read().decode("utf-8", "replace").strip()
    except OSError:
        return ""


def until(deadline: float, pause_s: float = 0.1) -> Iterator[None]:
    """Comes round every `pause_s` until the deadline of `time.monotonic()` is over."""
    while time.monotonic() < deadline:
        yield
        time.sleep(pause_s)
