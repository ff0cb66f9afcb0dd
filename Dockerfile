# The worker and the Prefect server of docker-compose.yml: the checkout, installed as `make install` does it.
FROM python:3.13-slim
ENV UV_PYTHON_DOWNLOADS=never PYTHONUNBUFFERED=1 PATH=/app/.venv/bin:$PATH
RUN useradd --create-home --uid 10001 cpq && install -d -o cpq -g cpq /app /data
USER cpq
WORKDIR /app
# First what changes seldom, so that a change of the code downloads nothing again.
COPY --chown=cpq pyproject.toml requirements.lock README.md ./
COPY --chown=cpq stack/bootstrap.sh stack/
COPY --chown=cpq cpq_graph/__init__.py cpq_graph/
RUN sh stack/bootstrap.sh
COPY --chown=cpq . .
VOLUME /data
CMD ["cpq-graph", "--help"]
