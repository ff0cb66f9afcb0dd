"""`alerts`: who is told when a night goes wrong."""

import os
from datetime import timedelta

import click

from cpq_graph.cli.output import emit_json, ends_cleanly, json_option, line
from cpq_graph.errors import ConfigurationError
from cpq_graph.settings import Settings


@click.command()
@click.option(
    "--within", "hours", type=click.FloatRange(min=0.003), default=28, show_default=True,
    help="Hours after a good run in which the next one has to end well: 28 is 06:00 for a run that ends at 02:00.",
)  # fmt: skip
@click.option("--remove", is_flag=True, help="Remove the alerts.")
@json_option
@click.pass_obj
@ends_cleanly
def alerts(settings: Settings, *, hours: float, remove: bool, as_json: bool) -> None:
    """Have Prefect call a webhook when a refresh failed, is late, or did not happen.

    Makes three automations on the Prefect server of PREFECT_API_URL, which post {"text": …} to the address in
    CPQ_GRAPH_ALERT_WEBHOOK. Again: replaces them.
    """
    if "PREFECT_API_URL" not in os.environ:
        from stack import prefect_server

        os.environ["PREFECT_API_URL"] = prefect_server.ensure(settings.data_dir)
    from flows.alerts import remove_alerts, set_alerts

    if remove:
        names = remove_alerts()
    elif settings.alert_webhook is None:
        raise ConfigurationError(
            "nobody to tell: CPQ_GRAPH_ALERT_WEBHOOK is not set",
            hint="Set it to the address of an incoming webhook (Slack, Teams, Mattermost, your own); it is a secret.",
        )
    else:
        names = set_alerts(settings.alert_webhook, timedelta(hours=hours))
    if as_json:
        emit_json({"removed" if remove else "set": names})
    else:
        line(f"{'Removed' if remove else 'Set'}: {', '.join(names) or 'nothing'}.")


COMMANDS = (alerts,)
