"""Another method for the landmarks, in a process of its own: UMAP, which brings a compiler that must not run in a server.

`python -m lodmem.plane.heavy umap IN OUT` lays out the vectors of one numpy file from the start positions beside them.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from lodmem.errors import ModelBadAnswer, ModelUnavailable
from lodmem.plane.build import Layout
from lodmem.plane.layout import NEIGHBOURS, SPREAD
from lodmem.ports.basics import Floats

METHODS = {"umap": "umap"}  # name, module
_SECONDS = 3600
_TOLD = 300


def outside(method: str) -> Layout:
    """The layout by this method, done in a process that ends with it.

    Raises ModelUnavailable where it is not installed; the layout raises ModelBadAnswer when that process fails.
    """
    if importlib.util.find_spec(METHODS[method]) is None:
        raise ModelUnavailable(f"the method {method} is not installed", hint="pip install 'lodmem[map]'")
    return lambda vectors, start: _run(method, vectors, start)


def _run(method: str, vectors: Floats, start: Floats) -> Floats:
    with tempfile.TemporaryDirectory(prefix="lodmem-map-") as folder:
        given, found = Path(folder) / "in.npz", Path(folder) / "out.npy"
        np.savez(given, vectors=vectors, start=start)
        command = [sys.executable, "-m", __name__, method, str(given), str(found)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise ModelBadAnswer(
                f"{method} took longer than {_SECONDS} s", hint="lodmem map --rebuild makes our own"
            ) from error
        if done.returncode or not found.exists():
            why = (done.stderr.strip().splitlines() or ["it said nothing"])[-1][:_TOLD]
            raise ModelBadAnswer(f"{method} failed: {why}", hint="lodmem map --rebuild makes our own")
        at = np.asarray(np.load(found), np.float32)
    if at.shape != start.shape or not np.isfinite(at).all():
        raise ModelBadAnswer(f"{method} gave no usable positions", hint="lodmem map --rebuild makes our own")
    return at


def _umap(vectors: Floats, start: Floats) -> Floats:
    import umap

    neighbours = min(NEIGHBOURS, len(vectors) - 1)
    begun = start / max(float(np.abs(start).max()), 1e-9) * SPREAD
    made = umap.UMAP(n_neighbors=neighbours, metric="cosine", init=begun, random_state=0, n_jobs=1, min_dist=0.3)
    return np.asarray(made.fit_transform(vectors), np.float32)


def main(argv: list[str]) -> None:
    """Lay out what one file holds into another."""
    _, given, found = argv
    with np.load(given) as arrays:
        at = _umap(arrays["vectors"], arrays["start"])
    np.save(found, at)


if __name__ == "__main__":
    main(sys.argv[1:])
