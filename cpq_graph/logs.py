"""Log lines on stderr: plain text for people, or one JSON object a line for log collectors.

Arrives: records of the standard `logging`. Leaves: lines. A JSON line has time (UTC, ISO 8601), level, logger, message,
the run and the step under way, and whatever a record brings in `extra={"fields": {...}}`.
"""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

OWN_LOGGERS = ("cpq_graph", "extract", "transform", "load", "stack", "flows", "sample_data")

# The run and the step under way in this process, which runs one at a time.
under_way: dict[str, str | None] = {"run": None, "step": None}


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        document: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **{name: value for name, value in under_way.items() if value is not None},
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            document["exception"] = self.formatException(record.exc_info)
        return json.dumps(document, ensure_ascii=False, default=str)


def configure_logging(*, log_format: str, verbose: bool) -> None:
    """Sends log lines to stderr: ours from INFO (DEBUG when verbose), the libraries' from WARNING."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if log_format == "json" else logging.Formatter("%(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in OWN_LOGGERS:
        logging.getLogger(name).setLevel(logging.DEBUG if verbose else logging.INFO)
    # A query on an empty graph draws a notification for each name it has not seen yet; the checker reports its own.
    logging.getLogger("neo4j.notifications").setLevel(logging.ERROR)


def are_json() -> bool:
    """Whether log lines of this process are JSON."""
    return any(isinstance(handler.formatter, JsonLines) for handler in logging.getLogger().handlers)
