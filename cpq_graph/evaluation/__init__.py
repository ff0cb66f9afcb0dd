"""Evaluation: question sets, gold answers from the source rows, a harness, statistics and a report."""
