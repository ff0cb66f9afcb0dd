"""The command `cpq-graph`, and `python -m cpq_graph`: Ctrl-C ends it in one line from its first moment on."""

import sys


def main() -> None:
    """Runs the command line."""
    try:
        # Takes a second or two, in which somebody may already have thought better of it.
        from cpq_graph.cli import main as run

        run(prog_name="cpq-graph")
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
