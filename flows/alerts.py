"""Alerts by Prefect's automations: when a refresh failed, did not start in time, or did not happen.

Arrives: the address of a webhook. Leaves: a webhook block and three automations on the Prefect server that is set; the
same call again replaces them. It is the server that watches: while it is away nobody is told (docs/operating.md has
what watches the server).
"""

from datetime import timedelta

import httpx
from prefect.blocks.webhook import Webhook
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.events.actions import CallWebhook
from prefect.events.schemas.automations import AutomationCore, EventTrigger, Posture
from prefect.exceptions import PrefectHTTPStatusError
from prefect.settings import get_current_settings
from prefect.types import SecretDict
from pydantic import SecretStr

from cpq_graph.errors import StackError

BLOCK = "cpq-graph-alerts"
NAMES = ("cpq-graph: refresh failed", "cpq-graph: refresh late", "cpq-graph: refresh absent")

# Of any run of the flow `refresh`, wherever it runs.
_RUNS = {
    "match": {"prefect.resource.id": "prefect.flow-run.*"},
    "match_related": {"prefect.resource.role": "flow", "prefect.resource.name": "refresh"},
}
# Slack, Mattermost, Teams and Google Chat show a field `text`. A run's message may hold quotes and line breaks.
_TEXT = '{"text": {{ (%s) | tojson }}}'
_STATE = (
    '" Run " ~ flow_run.name ~ ", " ~ flow_run.state.name ~ ": " ~ (flow_run.state.message or "")'
    ' ~ " " ~ (flow_run | ui_url)'
)


def alerts(webhook: str, within: timedelta) -> list[AutomationCore]:
    """The automations, which call the block with id `webhook`. `within` is how long after a good run the next one has
    to have ended well."""
    hours = f"{within.total_seconds() / 3600:g} hours"
    # A good run both ends the wait of the one before and begins one of its own.
    good = {"prefect.flow-run.Completed"}
    parts = (
        (_reactive("Failed", "Crashed", "TimedOut"), f'"cpq-graph: the refresh failed." ~ {_STATE}'),
        # Of a run that no worker took: there is none, or it hangs.
        (_reactive("Late"), f'"cpq-graph: the refresh has not started in time. Is a worker there?" ~ {_STATE}'),
        (
            EventTrigger.model_validate(
                {"posture": Posture.Proactive, "after": good, "expect": good, "within": within, "threshold": 1, **_RUNS}
            ),
            f'"cpq-graph: no refresh has ended well for {hours}. See: cpq-graph status"',
        ),
    )
    return [
        AutomationCore(
            name=name, trigger=trigger, tags=["cpq-graph"],
            actions=[CallWebhook.model_validate({"block_document_id": webhook, "payload": _TEXT % text})],
        )
        for name, (trigger, text) in zip(NAMES, parts, strict=True)
    ]  # fmt: skip


def _reactive(*states: str) -> EventTrigger:
    events = {f"prefect.flow-run.{state}" for state in states}
    return EventTrigger.model_validate(
        {"posture": Posture.Reactive, "expect": events, "for_each": {"prefect.resource.id"}, "threshold": 1, **_RUNS}
    )


def set_alerts(webhook_url: SecretStr, within: timedelta) -> list[str]:
    """Makes block and automations, in the place of those from before. Returns the automations' names. Raises StackError
    when the Prefect server does not answer."""
    try:
        with get_client(sync_client=True) as client:
            headers = SecretDict({"Content-Type": "application/json"})
            block = Webhook(url=webhook_url, method="POST", headers=headers).save(BLOCK, overwrite=True)
            made = alerts(str(block), within)
            _remove(client)
            for each in made:
                client.create_automation(each)
    except (httpx.HTTPError, PrefectHTTPStatusError) as error:
        raise _away(error) from None
    return [each.name for each in made]


def remove_alerts() -> list[str]:
    """Removes the automations. Returns their names. Raises StackError when the Prefect server does not answer."""
    try:
        with get_client(sync_client=True) as client:
            return _remove(client)
    except (httpx.HTTPError, PrefectHTTPStatusError) as error:
        raise _away(error) from None


def _remove(client: SyncPrefectClient) -> list[str]:
    found = [each for name in NAMES for each in client.read_automations_by_name(name)]
    for each in found:
        client.delete_automation(each.id)
    return [each.name for each in found]


def _away(error: Exception) -> StackError:
    where = get_current_settings().api.url
    return StackError(f"the Prefect server at {where} does not answer: {error}", hint="Check PREFECT_API_URL.")
