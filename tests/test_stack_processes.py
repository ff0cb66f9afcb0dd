"""Server processes: found by command line, outlive their parent, end for certain."""

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from stack import processes

SLEEP = "import time; time.sleep(60)"
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(60)"
)


def spawn(code: str, log: Path) -> tuple[str, psutil.Process]:
    mark = f"test-{uuid4()}"
    server = processes.spawn([sys.executable, "-c", code, mark], log=log, environment={"NAME": "ä"})
    assert server, processes.tail(log)
    return mark, server


def test_a_server_outlives_the_command_that_started_it(tmp_path: Path) -> None:
    mark = f"test-{uuid4()}"
    code = f"""
from pathlib import Path
from stack import processes
processes.spawn([{sys.executable!r}, "-c", {SLEEP!r}, {mark!r}], log=Path({str(tmp_path / "log")!r}), environment={{}})
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)
    (server,) = processes.running(mark)
    assert server.terminal() is None
    processes.end([server])
    assert not processes.running(mark)


def test_its_output_is_appended_to_the_log_and_its_environment_is_only_what_is_given(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    _, server = spawn(f"import os; print(sorted(os.environ), flush=True); {SLEEP}", log)
    for _ in processes.until(time.monotonic() + 10):
        if "NAME" in processes.tail(log):
            break
    processes.end([server])
    assert processes.tail(log).startswith("before\n[")
    assert "'PATH'" not in processes.tail(log).replace("'PWD'", "")


def test_one_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    mark, server = spawn(STUBBORN, tmp_path / "log")
    for _ in processes.until(time.monotonic() + 10):
        if "ready" in processes.tail(tmp_path / "log"):
            break
    processes.end([server], patience_s=0.3)
    assert not processes.running(mark)


def test_a_zombie_is_not_running() -> None:
    mark = f"test-{uuid4()}"
    child = subprocess.Popen([sys.executable, "-c", SLEEP, mark])
    try:
        assert [each.pid for each in processes.running(mark)] == [child.pid]
        child.send_signal(signal.SIGKILL)
        for _ in processes.until(time.monotonic() + 10, 0.01):
            if psutil.Process(child.pid).status() == psutil.STATUS_ZOMBIE:
                break
        assert processes.running(mark) == []
    finally:
        child.wait()


def test_the_preferred_free_port_is_taken() -> None:
    with socket.socket() as taken, socket.socket() as free:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        free.bind(("127.0.0.1", 0))
        port, other = taken.getsockname()[1], free.getsockname()[1]
        free.close()
        assert processes.free_port([port, other]) == other
        assert processes.free_port([port]) != port
        assert processes.listens(psutil.Process(), port)
        assert not processes.listens(psutil.Process(), other)


def test_a_strangers_port_is_not_ours(tmp_path: Path) -> None:
    with socket.socket() as mine:
        mine.bind(("127.0.0.1", 0))
        mine.listen()
        _, server = spawn(SLEEP, tmp_path / "log")
        assert not processes.listens(server, mine.getsockname()[1])
        processes.end([server])


def test_the_end_of_a_log(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes("xä".encode() * 3000)
    assert processes.tail(tmp_path / "log", 10).endswith("xäxäxä")
    assert processes.tail(tmp_path / "none") == ""


@pytest.mark.parametrize("gone", [False, True])
def test_memory(gone: bool, tmp_path: Path) -> None:
    _, server = spawn(SLEEP, tmp_path / "log")
    if gone:
        processes.end([server])
        assert processes.memory_mb(server) is None
    else:
        # It has only just begun: the shell may not have made way for it yet.
        for _ in processes.until(time.monotonic() + 10):
            if (processes.memory_mb(server) or 0) > 1:
                break
        assert (processes.memory_mb(server) or 0) > 1
        processes.end([server])
