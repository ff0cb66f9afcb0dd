"""A refresh that is disturbed as it begins a step: `python disturbed_run.py STEP MODE` kills itself there, hard;
`python disturbed_run.py STEP MODE FILE` waits there until the file exists."""

import os
import signal
import sys
import time
from pathlib import Path

from flows import recording
from flows.refresh import refresh

original = recording.Recorder.step


def disturbed(self: recording.Recorder, name: str):  # type: ignore[no-untyped-def]
    step, _, *file = sys.argv[1:]
    if name == step:
        self.update(step=name)
        if not file:
            os.kill(os.getpid(), signal.SIGKILL)
        while not Path(file[0]).exists():
            time.sleep(0.1)
    return original(self, name)


if __name__ == "__main__":
    recording.Recorder.step = disturbed  # type: ignore[method-assign]
    refresh(mode=sys.argv[2])  # type: ignore[arg-type]
