"""The pipeline as Prefect flows: the only place that knows Prefect."""
