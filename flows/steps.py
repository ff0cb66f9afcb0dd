"""How a function of a stage becomes a Prefect task: retries, tags, nothing hashed and nothing kept."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.task_runners import ProcessPoolTaskRunner, TaskRunner
from prefect.tasks import Task, exponential_backoff

from cpq_graph.errors import CpqGraphError
from cpq_graph.settings import Settings
from stack.processes import end_with_parent

log = logging.getLogger(__name__)

# Before a server that is away is asked again: it may have to start and recover.
PAUSES_S = (2, 8, 30)
# Before the first, second, third … try again: 2 s, 4 s, 8 s, …
BACKOFF = exponential_backoff(backoff_factor=2)

P = ParamSpec("P")
R = TypeVar("R")


def step(name: str, *, retries: int = 0) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a task of a function. Its arguments are frames and connections: hashing them costs more than it does."""
    return task(
        name=name, retries=retries, retry_delay_seconds=BACKOFF, retry_condition_fn=is_worth_a_retry,
        cache_policy=NO_CACHE, persist_result=False, tags=["cpq-graph"],
    )  # fmt: skip


def is_worth_a_retry(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Servers may be back in a moment; settings, data and bugs are as they are."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, CpqGraphError) and error.transient


def again(work: Callable[[], R], pauses_s: Sequence[float] = PAUSES_S) -> R:
    """Does `work`, and does it again after each of the pauses for as long as what fails may be over by then."""
    for pause in pauses_s:
        try:
            return work()
        except CpqGraphError as error:
            if not error.transient:
                raise
            log.warning("%s: trying again in %g s", error.message, pause)
            time.sleep(pause)
    return work()


def task_runner(settings: Settings) -> TaskRunner[Any]:
    """Where the parse runs: as many processes as set, which end with this one, however it ends."""
    return ProcessPoolTaskRunner(max_workers=settings.workers, initializer=end_with_parent)
