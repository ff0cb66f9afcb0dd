"""The engine: a question in, an answer with its evidence out.

Link → plan → compile → check → read-only run → say. Between two questions it reads which graph serves, and follows a
switch by itself: driver, catalog and names always belong to the same graph, whose fingerprint is compared with the
artifacts'.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, TypeVar

import neo4j
import polars as pl
from neo4j.exceptions import Neo4jError, ServiceUnavailable, SessionExpired

from cpq_graph.bolt import open_driver, unreachable
from cpq_graph.catalog import Catalog, PartyName
from cpq_graph.errors import ArtifactsError, ConfigurationError, CpqGraphError
from cpq_graph.manifest import CATALOG_JSON, NAMES, Graph, read_manifest, read_serving
from cpq_graph.model import MODEL
from cpq_graph.query.answer import Answer, QueryResult
from cpq_graph.query.check import Checked, GraphSchema, ValueLookup, check, schema_of
from cpq_graph.query.check.explain import explained
from cpq_graph.query.check.lookup import GraphLookup
from cpq_graph.query.compile import compile_plan
from cpq_graph.query.execute import Rows, run_read
from cpq_graph.query.language import Declined, Linker, understand
from cpq_graph.query.language.describe import describe_condition
from cpq_graph.query.plan import Plan
from cpq_graph.query.say import say
from cpq_graph.servers import Address
from cpq_graph.settings import Settings, load_settings

log = logging.getLogger(__name__)

ENGINES = ("compiled",)
# Where a misplaced value is looked for: what answers at once on a large graph.
_INDEXED = frozenset((node.label, p.name) for node in MODEL.nodes for p in node.properties if p.indexed)
# How long graph and artifacts may differ before it is an error, s.
_PATIENCE_S = 1.5
# One in each language, which every graph can answer.
_WARMING = ("How many offers are there?", "Montako tarjousta on?")

_Result = TypeVar("_Result")


@dataclass(slots=True)
class _Session:
    """Everything that belongs to one graph, and how many questions are being asked of it."""

    graph: Graph
    driver: neo4j.Driver
    linker: Linker
    lookup: ValueLookup
    users: int = field(default=0, compare=False)


class Engine:
    """Answers questions on the graph that serves, whichever that is by then: it follows every switch by itself.

    For a process that asks more than once: the connection and what is known of the graph are kept between questions.
    Safe to share between threads and tasks; close it, or use it in `with`. Without `settings` those of the environment.

        >>> with Engine() as engine:
        ...     engine.warm_up()
        ...     answer = engine.ask("How many offers are there?")
    """

    def __init__(self, settings: Settings | None = None, *, graph: Graph | None = None) -> None:
        self.settings = settings or load_settings()
        # A graph that does not serve yet, to be asked before the switch. Without one, whichever serves.
        self._pinned = graph
        self.schema: GraphSchema = schema_of(MODEL)
        self._session: _Session | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection to the graph, once the questions under way are answered."""
        with self._lock:
            self._replace(None)

    def warm_up(self) -> None:
        """Does what the first questions would wait for, so that they take no longer than later ones.

        Connects, reads the names of the graph, loads the words of both languages, has Neo4j plan a query. Raises as
        `ask` does.
        """
        for question in _WARMING:
            self.ask(question)

    def ask(self, question: str, *, engine: str = "compiled", language: str | None = None) -> Answer:
        """The answer to an English or Finnish question. `language` en or fi overrides what is detected.

        Never raises for a question that cannot be answered: it is DECLINED with the reason. Raises ConfigurationError
        for an engine or language that does not exist, ArtifactsError and TargetError when there is no graph to ask.
        """
        if engine not in ENGINES:
            raise ConfigurationError(f"there is no engine {engine!r}", hint=f"Engines: {', '.join(ENGINES)}")
        if language not in (None, "en", "fi"):
            raise ConfigurationError(f"language {language!r} is not spoken here", hint="Languages: en, fi")
        clock = _Clock()
        return self._following(lambda session: self._ask(session, question, language, clock))

    async def ask_async(self, question: str, *, engine: str = "compiled", language: str | None = None) -> Answer:
        """`ask` for asyncio: runs in a thread, so that the loop goes on.

        >>> answers = await asyncio.gather(*(engine.ask_async(question) for question in questions))
        """
        return await asyncio.to_thread(self.ask, question, engine=engine, language=language)

    def query(self, cypher: str, parameters: dict[str, Any] | None = None) -> QueryResult:
        """Checks Cypher from anyone, and runs it read-only when it passed or could be repaired."""
        return self._following(lambda session: self._query(session, cypher, parameters or {}))

    def check(self, cypher: str) -> Checked:
        """Checks Cypher from anyone against the model's schema, without a server."""
        return check(cypher, self.schema)

    def _query(self, session: _Session, cypher: str, parameters: dict[str, Any]) -> QueryResult:
        clock = _Clock()
        with clock("check"):
            checked = self._check(session, cypher, parameters)
        if checked.status == "REFUSED":
            return QueryResult(
                status="REFUSED", cypher=cypher, findings=checked.findings, timings_ms=clock.timings,
                reason="; ".join(finding.message for finding in checked.findings if not finding.repaired),
            )  # fmt: skip
        with clock("run"):
            rows = self._run(session, checked.cypher, parameters)
        return QueryResult(
            status=checked.status, cypher=checked.cypher, columns=rows.columns, rows=tuple(rows.rows),
            truncated=rows.truncated, findings=checked.findings, timings_ms=clock.timings,
        )  # fmt: skip

    def _ask(self, session: _Session, question: str, language: str | None, clock: "_Clock") -> Answer:
        with clock("link"):
            understood = understand(question, session.linker, language=language)
        if isinstance(understood, Declined):
            return Answer(
                status="DECLINED", language=understood.language, reason=understood.reason,
                suggestions=understood.suggestions, timings_ms=clock.timings,
            )  # fmt: skip
        with clock("compile"):
            query = compile_plan(understood.plan)
        with clock("check"):
            checked = self._check(session, query.cypher, query.parameters)
        answer = Answer(
            status="OK", language=understood.language, understanding=understood.understanding, cypher=checked.cypher,
            parameters={key: _plain(value) for key, value in query.parameters.items()}, findings=checked.findings,
        )  # fmt: skip
        if checked.status == "REFUSED":
            # A compiled query that its own checker refuses is a fault of ours: no answer is better than a wrong one.
            reason = "; ".join(finding.message for finding in checked.findings)
            return answer.model_copy(update={"status": "ERROR", "reason": reason, "timings_ms": clock.timings})
        try:
            with clock("run"):
                rows = self._run(session, checked.cypher, query.parameters)
        except CpqGraphError as error:
            return answer.model_copy(update={"status": "ERROR", "reason": str(error), "timings_ms": clock.timings})
        with clock("say"):
            text = say(
                understood.plan, query.columns, rows, understood.language,
                count=lambda plan: self._count(session, plan),
                name=lambda condition: describe_condition(condition, session.linker, understood.language),
            )  # fmt: skip
        return answer.model_copy(
            update={
                "answer": text,
                "columns": rows.columns,
                "rows": tuple(rows.rows),
                "truncated": rows.truncated,
                "timings_ms": clock.timings,
            }
        )

    def _count(self, session: _Session, plan: Plan) -> int:
        """The rows that a plan leaves, to find the condition that left nothing."""
        query = compile_plan(plan)
        rows = self._run(session, query.cypher, query.parameters)
        return int(next(iter(rows.rows[0].values()))) if rows.rows else 0

    def _check(self, session: _Session, cypher: str, parameters: dict[str, Any]) -> Checked:
        """Whoever wrote it: the rules first, the server's EXPLAIN last."""
        checked = check(cypher, self.schema, lookup=session.lookup)
        return explained(session.driver, checked, database=session.graph.database, parameters=parameters)

    def _run(self, session: _Session, cypher: str, parameters: dict[str, Any]) -> Rows:
        return run_read(
            session.driver, session.graph.database, cypher, parameters,
            timeout_s=self.settings.query_timeout_s, max_rows=self.settings.max_rows,
        )  # fmt: skip

    def _following(self, step: Callable[[_Session], _Result]) -> _Result:
        """What a step gives on the graph that serves; tried again when that graph went away meanwhile."""
        try:
            try:
                with self._serving() as session:
                    return step(session)
            except (ServiceUnavailable, SessionExpired):
                # The graph was switched and its server retired between the look and the run.
                self.close()
                with self._serving() as session:
                    return step(session)
        except (ServiceUnavailable, SessionExpired) as error:
            graph = self._pinned or read_serving(self.settings.data_dir).current
            raise unreachable(self._address(graph), error) from None

    @contextmanager
    def _serving(self) -> Iterator[_Session]:
        """The session of the graph that serves now, which is not closed before this ends."""
        with self._lock:
            session = self._follow()
            session.users += 1
        try:
            yield session
        finally:
            with self._lock:
                session.users -= 1
                if session is not self._session and session.users == 0:
                    session.driver.close()

    def _follow(self) -> _Session:
        """The session of the graph that serves now; a new one after a switch."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            graph = self._pinned or read_serving(self.settings.data_dir).current
            if self._session is not None and self._session.graph == graph:
                return self._session
            try:
                session = self._open(graph)
            except ArtifactsError:
                # A delta marks its graph complete just before the pointer says so.
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.3)
                continue
            self._replace(session)
            return session

    def _replace(self, session: _Session | None) -> None:
        """Another session, or none. The one before is closed by whoever uses it last."""
        before, self._session = self._session, session
        if before is not None and before.users == 0:
            before.driver.close()

    def _open(self, graph: Graph) -> _Session:
        """Connects to a graph and reads its artifacts. Raises ArtifactsError when they do not belong together."""
        log.debug("following graph %s", graph.fingerprint[:12])
        folder = self.settings.data_dir / graph.artifacts
        address = self._address(graph)
        driver = open_driver(address, self.settings.target_password)
        try:
            loaded = _fingerprint(driver, graph.database)
            newer = folder.with_name(loaded or "none")
            if loaded != graph.fingerprint and newer.is_dir():
                # A delta that was killed between the graph's word and the pointer's: what it built is that graph's.
                folder = newer
            manifest = read_manifest(folder, verify=True)
            if loaded != manifest.fingerprint:
                raise ArtifactsError(
                    f"the artifacts are of graph {manifest.fingerprint[:12]}, Neo4j holds {loaded[:12] or 'another'}",
                    hint="Run: cpq-graph context build",
                )
            catalog = Catalog.model_validate_json((folder / CATALOG_JSON).read_bytes())
            rows = pl.read_parquet(folder / NAMES, glob=False).rows(named=True)
            names = [PartyName.model_validate(row) for row in rows]
            lookup = GraphLookup(driver, self.schema, database=graph.database, properties=_INDEXED)
            return _Session(graph, driver, Linker(catalog, names), lookup)
        except Neo4jError as error:
            driver.close()
            raise unreachable(address, error) from None
        except BaseException:
            driver.close()
            raise

    def _address(self, graph: Graph) -> Address:
        settings = self.settings
        uri = settings.neo4j_uri or graph.uri
        return Address(uri, settings.neo4j_user, graph.database, settings.target_ca_file)


def _fingerprint(driver: neo4j.Driver, database: str) -> str:
    """What the graph says it was made from; empty when it says nothing."""
    # Not execute_query, which tries again for half a minute where nobody answers.
    with driver.session(database=database, default_access_mode=neo4j.READ_ACCESS) as session:
        # The label has other nodes, too, that say something else.
        query = f"MATCH (state:{MODEL.state.label}) WHERE state.fingerprint IS NOT NULL RETURN state.fingerprint"
        record = session.run(query).single()
        return str(record[0]) if record else ""


def _plain(value: Any) -> Any:
    """A parameter as JSON shows it."""
    return value if isinstance(value, str | int | float | bool | list | None) else str(value)


class _Clock:
    """Milliseconds by step, with their total."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._steps: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - started) * 1000
            self._steps[step] = round(self._steps.get(step, 0.0) + spent, 3)

    @property
    def timings(self) -> dict[str, float]:
        return {**self._steps, "total": round((time.perf_counter() - self._started) * 1000, 3)}
