"""How a function of a stage becomes a Prefect task: retries, tags, nothing hashed and nothing kept."""

import multiprocessing
import os
import threading
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any, ParamSpec, TypeVar

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.task_runners import ProcessPoolTaskRunner, TaskRunner
from prefect.tasks import Task, exponential_backoff

from cpq_graph.errors import CpqGraphError
from cpq_graph.settings import Settings

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


def task_runner(settings: Settings) -> TaskRunner[Any]:
    """Where the parse runs: as many processes as set, which end with this one, however it ends."""
    return ProcessPoolTaskRunner(max_workers=settings.workers, initializer=end_with_parent)


def end_with_parent() -> None:
    """Ends this process when the one that started it is gone. A pool's worker would wait for work for ever after a
    kill -9 of its parent."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()
