#!/bin/sh
# Makes the checkout's .venv hold exactly what requirements.lock says, and the checkout itself.
# Needs Python 3.11 or newer and a Python package index in reach. The second time it only compares a stamp.
set -eu
cd "$(dirname "$0")/.."

UV_VERSION=0.13.9
# uv would otherwise download a Python of its own from outside of the package index.
export UV_PYTHON_DOWNLOADS=never
stamp=.venv/installed
wanted="$(cat requirements.lock pyproject.toml stack/bootstrap.sh | cksum) $PWD"
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    exit 0
fi

say() { printf '%s\n' "$*" >&2; }

python=
for candidate in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11; do
    # Run, not only found: a version manager's shim is there for versions that are not.
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    say "cpq-graph needs Python 3.11 or newer; here is: $(python3 --version 2>&1 || true)"
    say "Install it (Debian: apt install python3 python3-venv), or name it: make PYTHON=/path/to/python3"
    exit 1
fi

# A .venv that was made elsewhere (a moved checkout), or whose Python has gone, is made anew.
if ! .venv/bin/python -c '
import os, sys
sys.exit(os.path.realpath(sys.prefix) != os.path.realpath(".venv"))' >/dev/null 2>&1 ||
    { [ -f "$stamp" ] && [ "$(cut -d" " -f3- "$stamp")" != "$PWD" ]; }; then
    say "Making .venv with $("$python" --version)"
    if ! "$python" -m venv --clear .venv >/dev/null 2>&1 && ! uv venv -q --clear --seed --python "$python" .venv; then
        say "This Python cannot make a virtual environment. Debian and Ubuntu: apt install python3-venv"
        exit 1
    fi
fi

rm -f "$stamp"
say "Installing what requirements.lock names"
.venv/bin/python -m pip install -q --disable-pip-version-check "uv==$UV_VERSION"
.venv/bin/uv pip sync -q --python .venv/bin/python requirements.lock
.venv/bin/uv pip install -q --python .venv/bin/python --no-deps --no-build-isolation -e .
printf '%s\n' "$wanted" >"$stamp"
