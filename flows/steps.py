"""How a function of a stage becomes a Prefect task: retries, tags, nothing hashed and nothing kept."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.task_runners import ProcessPoolTaskRunner, TaskRunner
from prefect.tasks import Task

from cpq_graph.errors import ConfigurationError, DataError
from cpq_graph.settings import Settings

P = ParamSpec("P")
R = TypeVar("R")


def step(name: str, *, retries: int = 0) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a task of a function. Its arguments are frames and connections: hashing them costs more than it does."""
    return task(
        name=name, retries=retries, retry_delay_seconds=2, retry_condition_fn=is_worth_a_retry, cache_policy=NO_CACHE,
        persist_result=False, tags=["cpq-graph"],
    )  # fmt: skip


def is_worth_a_retry(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Servers may be back in a moment; settings and data are as they are."""
    error = state.result(raise_on_failure=False)
    return not isinstance(error, ConfigurationError | DataError)


def task_runner(settings: Settings) -> TaskRunner[Any]:
    """Where the parse runs: as many processes as set."""
    return ProcessPoolTaskRunner(max_workers=settings.workers)
