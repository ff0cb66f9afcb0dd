"""All measurements that need nothing but the demo: `make bench`.

Parsing beside xmllint; understanding questions with a catalog grown to the largest that is planned for, and running
them on the graph that serves (the demo's), the slowest with their query plans; deltas on servers of their own.
`bench/check.py` needs files of its own.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

for name in ("parse.py", "language.py", "questions.py", "delta.py"):
    sys.stdout.write(f"\n## {name}\n\n")
    sys.stdout.flush()
    subprocess.run([sys.executable, str(HERE / name)], check=True)
