"""Names of models, and the embedder or language model's client that each stands for. It refuses to know where the settings came
from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from lodmem.errors import BadParameter
from lodmem.models.http import Manners
from lodmem.models.minilm import MiniLmEmbedder
from lodmem.ports import Embedder

if TYPE_CHECKING:
    from lodmem.models.chat import ChatClient


class EmbedderSettings(Protocol):
    """What an embedder over HTTP has to be told; the local one needs nothing."""

    @property
    def openai_base_url(self) -> str | None: ...

    @property
    def openai_api_key(self) -> str | None: ...

    @property
    def openai_model(self) -> str | None: ...

    @property
    def openai_c0(self) -> float | None: ...

    @property
    def openai_c1(self) -> float | None: ...


def make_embedder(name: str, settings: EmbedderSettings) -> Embedder | None:
    """The embedder of that name, nothing loaded or asked yet; None for 'none': words alone.

    Raises:
        BadParameter: no embedder has this name, or its settings cannot be used.
    """
    make = _EMBEDDERS.get(name)
    if make is None:
        raise BadParameter(f"{name!r} is not an embedder", hint="one of " + ", ".join(_EMBEDDERS))
    return make(settings)


def make_chat(
    maker: str, model: str, *, base_url: str | None, api_key: str | None, timeout_s: float, stream: bool = True
) -> ChatClient:
    """A client for the language model of that name, nothing asked yet. `maker`: openai, anthropic or litellm.

    It may be silent for `timeout_s`; with `stream` False it has to have answered by then.

    Raises:
        BadParameter: an unknown maker, or an address or key that cannot be used.
    """
    from lodmem.models import chat, chat_anthropic, chat_litellm, chat_openai

    manners = Manners(
        timeout_s=timeout_s,
        longest_s=chat.LONGEST_ANSWER * timeout_s,
        max_bytes=chat.MAX_ANSWER_BYTES,
        bad_request_hint="check the model's name, and LODMEM_LLM_URL",
    )
    key = api_key or ""
    if maker == "openai":
        url = base_url or chat_openai.DEFAULT_URL
        return chat_openai.OpenAiChat(model=model, base_url=url, api_key=key, manners=manners, stream=stream)
    if maker == "anthropic":
        url = base_url or chat_anthropic.DEFAULT_URL
        return chat_anthropic.AnthropicChat(model=model, base_url=url, api_key=key, manners=manners, stream=stream)
    if maker == "litellm":
        return chat_litellm.LiteLlmChat(model=model, base_url=base_url, api_key=key, manners=manners)
    raise BadParameter(f"{maker!r} makes no language models", hint="openai:MODEL, anthropic:MODEL or litellm:PROVIDER/MODEL")


def _minilm(_: EmbedderSettings) -> Embedder:
    return MiniLmEmbedder()


def _none(_: EmbedderSettings) -> None:
    return None


def _openai_compatible(settings: EmbedderSettings) -> Embedder:
    from lodmem.models.openai_compatible import OpenAiCompatibleEmbedder

    if not settings.openai_base_url or not settings.openai_model:
        raise BadParameter(
            "the openai-compatible embedder needs a base URL and a model",
            hint="e.g. base URL http://localhost:11434/v1, model nomic-embed-text",
        )
    return OpenAiCompatibleEmbedder(
        base_url=settings.openai_base_url,
        model=settings.openai_model,
        api_key=settings.openai_api_key or "",
        c0=settings.openai_c0,
        c1=settings.openai_c1,
    )


_EMBEDDERS: Mapping[str, Callable[[EmbedderSettings], Embedder | None]] = MappingProxyType(
    {"auto": _minilm, "minilm": _minilm, "none": _none, "openai-compatible": _openai_compatible}
)
