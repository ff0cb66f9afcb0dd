"""The command line without servers: help, exit codes, JSON, settings."""

import json
import logging
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cpq_graph.cli import main
from cpq_graph.logs import configure_logging
from cpq_graph.settings import Settings
from tests.docs import commands

README = Path(__file__).resolve().parent.parent / "README.md"
COMMANDS = list(commands())


@pytest.fixture(autouse=True)
def _empty_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPQ_GRAPH_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_every_command_has_help_and_is_in_the_readme(name: str, command: click.Command) -> None:
    done = CliRunner().invoke(main, [*name.split()[1:], "--help"])

    assert done.exit_code == 0
    assert command.help and len(command.help) > 20
    assert f"`{name}`" in README.read_text(encoding="utf-8")
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.name} has no help"


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_every_command_speaks_json_but_the_demo(name: str, command: click.Command) -> None:
    has_json = any("--json" in parameter.opts for parameter in command.params)

    assert has_json != (name == "cpq-graph demo")


@pytest.mark.parametrize(
    "arguments",
    [["no-such-command"], ["ask"], ["refresh", "--mode", "sideways"], ["sample", "create", "--offers", "0"]],
)
def test_wrong_usage_ends_with_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(main, arguments).exit_code == 2


@pytest.mark.parametrize("arguments", [["ask", "How many offers?"], ["rollback"], ["context", "show", "schema"]])
def test_without_a_graph_it_says_what_to_do(arguments: list[str]) -> None:
    done = CliRunner().invoke(main, [*arguments, "--json"])

    assert done.exit_code == 1
    assert json.loads(done.stdout)["status"] == "ERROR"
    assert "refresh" in done.stderr


def test_status_before_the_first_refresh() -> None:
    done = CliRunner().invoke(main, ["status", "--json"])

    assert done.exit_code == 0
    assert json.loads(done.stdout) == {"serving": None, "counts": {}, "runs": []}


def test_check_passes_repairs_and_refuses() -> None:
    def check(cypher: str) -> tuple[int, dict[str, object]]:
        done = CliRunner().invoke(main, ["check", cypher, "--json"])
        return done.exit_code, json.loads(done.stdout)

    code, passed = check("MATCH (o:Offer) RETURN o.id")
    assert (code, passed["status"], passed["findings"]) == (0, "OK", [])

    code, repaired = check("MATCH (o:Offer)<-[:SENT_BY]-(p:Participant) RETURN p.name")
    assert (code, repaired["status"]) == (0, "REPAIRED")
    assert repaired["cypher"] == "MATCH (o:Offer)-[:SENT_BY]->(p:Participant) RETURN p.name"

    code, refused = check("MATCH (o:Offer) DETACH DELETE o")
    assert (code, refused["status"]) == (1, "REFUSED")
    assert {"rule", "message", "line", "column", "repaired"} <= set(refused["findings"][0])  # type: ignore[index]


def test_check_reads_stdin() -> None:
    done = CliRunner().invoke(main, ["check", "-", "--json"], input="MATCH (o:Offer) RETURN o.id")

    assert json.loads(done.stdout)["status"] == "OK"


def test_a_wrong_setting_is_named_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPQ_GRAPH_WORKERS", "canary-4711")

    done = CliRunner().invoke(main, ["status"])

    assert done.exit_code == 1
    assert "CPQ_GRAPH_WORKERS" in done.stderr
    assert "canary-4711" not in done.output + done.stderr


def test_a_path_in_a_file_of_settings_may_begin_with_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CPQ_GRAPH_DATA_DIR", raising=False)
    (tmp_path / ".env").write_text("CPQ_GRAPH_SOURCE_DIR=~/my-source\nCPQ_GRAPH_DATA_DIR=~/my data, and more\n")
    settings = Settings()
    assert settings.source_dir == Path.home() / "my-source"
    assert settings.data_dir == Path.home() / "my data, and more"


def test_log_lines_can_be_json(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(log_format="json", verbose=False)
    try:
        logging.getLogger("flows.test").info("loaded %d", 3)
    finally:
        logging.basicConfig(force=True)

    record = json.loads(capsys.readouterr().err)
    assert (record["level"], record["message"]) == ("INFO", "loaded 3")


@pytest.mark.parametrize("imported", ["click", "cpq_graph.cli.demo", "sample_data.create"])
def test_ctrl_c_ends_it_in_one_line(imported: str, tmp_path: Path) -> None:
    """While it is still being imported, and at work."""
    command = [sys.executable, "-X", "importtime", "-m", "cpq_graph", "sample", "create", "--offers", "100000"]
    with subprocess.Popen([*command, "--out", str(tmp_path / "s")], stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr
        for line in running.stderr:
            if line.split("|")[-1].strip() == imported:
                break
        running.send_signal(signal.SIGINT)
        said = [line for line in running.stderr if not line.startswith("import time:")]
    assert (running.returncode, said) == (130, ["Interrupted.\n"])
