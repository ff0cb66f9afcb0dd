"""Every setting, in one frozen class.

Arrives: environment variables `CPQ_GRAPH_<NAME>` and a `.env` file in the working directory (the environment wins).
Leaves: `Settings`. Secrets are `SecretStr`, so that no log line, error or JSON shows them.
"""

import os
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from cpq_graph.errors import ConfigurationError

CHECKOUT = Path(__file__).resolve().parent.parent


class Settings(BaseSettings):
    """What a user may set. Each has a default that works with the local stack and the sample source."""

    model_config = SettingsConfigDict(
        env_prefix="CPQ_GRAPH_", env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True
    )

    postgres_url: SecretStr | None = Field(
        default=None, description="Source database, as postgresql://user:password@host/db. Unset: the local stack's."
    )
    neo4j_uri: str | None = Field(
        default=None, description="Target server, as bolt://host:7687. Unset: the local stack's serving graph."
    )
    neo4j_user: str = Field(default="neo4j", description="User at the target server.")
    neo4j_password: SecretStr = Field(default=SecretStr(""), description="Password at the target server.")
    neo4j_ca_file: Path | None = Field(
        default=None,
        description="CA certificates (PEM) for a target server with TLS (bolt+s://, neo4j+s://). Unset: the system's.",
    )
    neo4j_database: str = Field(default="neo4j", description="Database at the target server.")
    neo4j_version: str = Field(default="2026.08.1", description="Neo4j version that the local stack runs.")
    neo4j_heap_mb: int = Field(default=1024, ge=256, description="Heap of a local Neo4j server, MB.")
    neo4j_java_options: str | None = Field(
        default=None, description="Further options for the Java of a local Neo4j, separated by spaces."
    )
    cache_dir: Path = Field(
        default=Path("~/.cache/cpq-graph"),
        description="Where Neo4j's jars are kept for all checkouts; the data folder where it cannot be written.",
    )
    maven_url: str | None = Field(
        default=None, description="Base address of a Maven repository for Neo4j's jars. Unset: Maven Central."
    )
    data_dir: Path = Field(
        default=CHECKOUT / ".cpq-graph", description="Where servers, parsed parts, runs and artifacts are kept."
    )
    source_dir: Path = Field(
        default=CHECKOUT / "extract" / "source", description="Folder of the site's .sql files and its site.toml."
    )
    period_from: date | None = Field(
        default=None, description="First day of the offers to load. Unset: as site.toml says."
    )
    period_to: date | None = Field(
        default=None, description="Last day of the offers to load. Unset: as site.toml says."
    )
    max_reject_share: float = Field(
        default=0.1, ge=0, le=1,
        description="Share of a table's rows that may be rejected; over it a run fails before the switch.",
    )  # fmt: skip
    workers: int = Field(default=os.cpu_count() or 1, ge=1, description="Processes that parse.")
    part_mb: int = Field(default=32, ge=1, description="XML that one parse task takes, MB.")
    memory_mb: int = Field(default=1500, ge=256, description="Memory that the pipeline's own processes may take, MB.")
    query_timeout_s: float = Field(default=30, gt=0, description="Longest a question's Cypher may run, s.")
    max_rows: int = Field(default=1000, ge=1, description="Rows of an answer, after which it is cut and says so.")
    log_format: Literal["text", "json"] = Field(default="text", description="How log lines on stderr look.")
    metrics_file: Path | None = Field(
        default=None, description="File (*.prom) that each run writes its numbers into, for Prometheus. Unset: none."
    )
    alert_webhook: SecretStr | None = Field(
        default=None, description="Webhook that `cpq-graph alerts` has Prefect call when a night goes wrong."
    )
    keep_runs: int = Field(
        default=60, ge=1,
        description="Runs whose report and rejects are kept, beside those of the graph that serves and the one before.",
    )  # fmt: skip

    @property
    def target_password(self) -> str:
        """The password for the graph's server; none where it is the local stack's, which asks for none."""
        return self.neo4j_password.get_secret_value() if self.neo4j_uri else ""

    @property
    def target_ca_file(self) -> Path | None:
        """What the certificate of the graph's server is checked against; None where it is the local stack's."""
        return self.neo4j_ca_file if self.neo4j_uri else None

    @field_validator("neo4j_ca_file", "cache_dir", "data_dir", "source_dir", "metrics_file")
    @classmethod
    def _knows_home(cls, path: Path | None) -> Path | None:
        """In a .env file no shell says what ~ is."""
        with suppress(RuntimeError):
            return path.expanduser() if path else path
        return path

    @field_validator("neo4j_uri")
    @classmethod
    def _holds_no_password(cls, url: str | None) -> str | None:
        """Addresses are shown, logged and kept; passwords have places of their own."""
        if url is not None and "@" in url.partition("://")[2]:
            raise ValueError("an address without user and password is wanted")
        return url


def load_settings() -> Settings:
    """The settings. Raises ConfigurationError that names each variable that is wrong, without its value."""
    try:
        return Settings()
    except ValidationError as error:
        problems = "; ".join(
            f"CPQ_GRAPH_{'_'.join(map(str, problem['loc'])).upper()}: {problem['msg']}" for problem in error.errors()
        )
        raise ConfigurationError(problems, hint="Correct it in the environment or in .env.") from None
    except SettingsError as error:
        raise ConfigurationError(str(error), hint="Lists are written as JSON.") from None
