"""A full disk, said plainly, whoever found it so: the pipeline's own writes, Polars', a worker process's."""

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cpq_graph.errors import CpqGraphError, StackError

# Disks, quotas and limits on the size of files.
_NUMBERS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
# Polars says it in words only.
_WORDS = tuple(f"os error {number}" for number in _NUMBERS)


@contextmanager
def explained_disk(data_dir: Path) -> Iterator[None]:
    """Turns what a full disk makes of the block into a StackError that says where and what to do."""
    try:
        yield
    except CpqGraphError:
        raise
    except Exception as error:
        if not _is_full(error):
            raise
        free = shutil.disk_usage(data_dir).free / 1e6
        raise StackError(
            f"a disk is full: {error}",
            hint=f"{free:.0f} MB are free at {data_dir}. Free some space, or set CPQ_GRAPH_DATA_DIR; then run it "
            "again: what was parsed is kept, and the graph before still answers.",
        ) from error


def _is_full(error: Exception) -> bool:
    return (isinstance(error, OSError) and error.errno in _NUMBERS) or any(word in str(error) for word in _WORDS)
