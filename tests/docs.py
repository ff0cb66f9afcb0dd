"""Tables of README.md that are made from the code (`make docs`)."""

from collections.abc import Iterator

import click

from cpq_graph.cli import main
from cpq_graph.settings import Settings


def commands(group: click.Group = main, prefix: str = "cpq-graph") -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, with its full name."""
    for name, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def command_table() -> str:
    rows = [f"| `{name}` | {command.get_short_help_str(120)} |" for name, command in commands()]
    return "\n".join(["| command | what it does |", "|---|---|", *rows])


def settings_table() -> str:
    rows = []
    for name, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if name in ("data_dir", "source_dir"):
            default = {"data_dir": ".cpq-graph", "source_dir": "extract/source"}[name]
        elif name == "workers":
            default = "the cores"
        shown = "" if default is None or name.endswith("password") else f"`{default}`"
        rows.append(f"| `CPQ_GRAPH_{name.upper()}` | {shown} | {field.description} |")
    return "\n".join(["| variable | default | meaning |", "|---|---|---|", *rows])
