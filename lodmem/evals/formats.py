"""Recognises which data set a file holds, for measures that run on any of them."""

from __future__ import annotations

from pathlib import Path

from lodmem.errors import BadParameter
from lodmem.evals import beam, changes, datasets, locomo, longmemeval
from lodmem.evals.datasets import Dataset
from lodmem.evals.files import read_json

ORIGIN = f"LoCoMo: {locomo.ORIGIN}. LongMemEval: {longmemeval.ORIGIN}. BEAM: {beam.ORIGIN}. {changes.ORIGIN}"


def load_any(path: Path, *, pooled: bool = False) -> Dataset:
    """The data set in a LoCoMo, LongMemEval, BEAM or changes file, or a BEAM folder. `pooled`: all its memories in one store.

    Raises:
        UnknownPath: nothing is there; says where the public files are.
        BadParameter: it is none of these formats.
    """
    if path.is_dir():
        dataset = beam.load_beam(path)
    else:
        data = read_json(path, origin=ORIGIN)
        if longmemeval.is_longmemeval(data):
            # Haystacks share sessions, each of which is in the pool once.
            return longmemeval.dataset_of(data, path, pooled=pooled)
        if locomo.is_locomo(data):
            dataset = locomo.dataset_of(data, path)
        elif beam.is_beam(data):
            dataset = beam.dataset_of(data, path)
        elif changes.is_changes(data):
            dataset = changes.dataset_of(data, path)
        else:
            raise BadParameter(f"{path} is in none of the formats of LoCoMo, LongMemEval, BEAM and changing facts", hint=ORIGIN)
    return datasets.pooled(dataset) if pooled else dataset
