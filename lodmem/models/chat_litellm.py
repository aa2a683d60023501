"""A client over the litellm package, for makers that speak neither of our two dialects. Loaded when it is first asked.

litellm reads each maker's own key from its variable where none is given. It tries nothing again: the guard does, and counts.
Answers come as a whole, whatever LODMEM_LLM_STREAM says: what a time-out means within a stream, whether its tokens are counted
and whether hanging up ends the work differs from maker to maker there, and some streams are only whole answers cut up.
Source: https://docs.litellm.ai/docs/completion/input and https://docs.litellm.ai/docs/exception_mapping
"""

from __future__ import annotations

import importlib
import threading
from typing import Any

from lodmem.errors import BadParameter, ModelBadAnswer, ModelRefused, ModelUnavailable
from lodmem.models.chat import Said, Unusable, counted, most_tokens, said, unreadable
from lodmem.models.http import PASSING, Failure, Manners, checked_key, endpoint_url, retry_after

WHO = "the language model's server"
INSTALL = "pip install 'lodmem[litellm]'"
_EXCERPT = 200
# litellm reads these when it is loaded: nothing fetched from the network by itself, no .env file of the working directory.
QUIET = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_OFFLINE_MODE": "true",
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_LOG": "ERROR",
}
_loading = threading.Lock()


class LiteLlmChat:
    """`model`: PROVIDER/MODEL. Raises BadParameter for a name, an address or a key that cannot be used."""

    def __init__(self, *, model: str, base_url: str | None, api_key: str, manners: Manners) -> None:
        if "/" not in model.strip("/"):
            raise BadParameter(
                f"{model!r} does not say whose model it is", hint="litellm:PROVIDER/MODEL, e.g. mistral/mistral-small"
            )
        self._model, self._key, self._manners = model, checked_key(api_key), manners
        self._url = base_url.strip().rstrip("/") if base_url else None
        if self._url is not None:
            endpoint_url(self._url, "", who=WHO, example="http://localhost:11434/v1")

    def __repr__(self) -> str:
        return f"LiteLlmChat({self._model})"

    @property
    def name(self) -> str:
        return self._model

    def ask(self, system: str, user: str, *, max_tokens: int) -> Said:
        try:
            litellm = _loaded()
        except ImportError as error:
            away = ModelUnavailable(f"litellm cannot be loaded: {error}", hint=INSTALL)
            away.__cause__ = error
            return Failure(error=away)
        try:
            answer = litellm.completion(
                model=self._model,
                messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
                max_tokens=max_tokens,
                temperature=0,
                timeout=self._manners.timeout_s,
                api_base=self._url,
                api_key=self._key or None,
                num_retries=0,
                max_retries=0,
                drop_params=True,
            )
        except Exception as error:  # noqa: BLE001  # whatever it raises, and each maker's part raises its own, is no answer
            return self._failed(error, asked=(system, user))
        return self._read(answer, (system, user), max_tokens)

    def close(self) -> None:
        """litellm keeps its connections to itself."""

    def _read(self, answer: Any, asked: tuple[str, str], max_tokens: int) -> Said:
        try:
            choice = answer.choices[0]
            text, stop = choice.message.content, choice.finish_reason
            usage = {name: getattr(answer.usage, name, None) for name in ("prompt_tokens", "completion_tokens")}
        except (AttributeError, IndexError, TypeError):
            return unreadable("it has no `choices[0].message`")
        if text is not None and not isinstance(text, str):
            return unreadable("its `content` is no text")
        ended = {"content_filter": "refused", "length": "cut"}.get(str(stop), "")
        most = (most_tokens(*asked), min(max_tokens, most_tokens(text or "")))
        used = counted(usage, ("prompt_tokens", "completion_tokens"), most)
        return said(text or "", model=self._model, used=used, max_tokens=max_tokens, stop=ended)

    def _failed(self, error: Exception, *, asked: tuple[str, str]) -> Said:
        """An error of litellm as ours: what may pass, what will not, and whether the server may have worked."""
        kind, status = type(error).__name__, getattr(error, "status_code", 0)
        told = f"{WHO} ({self._model}) answered {kind}: {self._clean(str(getattr(error, 'message', '') or error))}"
        if kind == "ContentPolicyViolationError":
            refused = ModelRefused(f"{self._model} refused to answer", hint="the text stays as it is; another model may answer")
            return Unusable(refused, most_tokens(*asked), 0)
        if kind in ("Timeout", "APIConnectionError"):
            away = ModelUnavailable(told, hint="is it running?")
            away.__cause__ = error
            return Failure(error=away, passing=True, worked=True)
        number = status if isinstance(status, int) else 0
        if number in PASSING:
            headers = getattr(getattr(error, "response", None), "headers", None) or {}
            wait_s = retry_after(headers.get("retry-after"), self._manners.now())
            long = wait_s is not None and wait_s > self._manners.longest_wait_s
            away = ModelUnavailable(told, hint=f"it asks to wait {wait_s:.0f} s; try again then" if long else "is it running?")
            return Failure(error=away, passing=not long, wait_s=None if long else wait_s, status=number)
        if number in (401, 402, 403, 404):
            hint = "check the model's name" if number == 404 else "check the API key"
            return Failure(error=ModelUnavailable(told, hint=hint), status=number)
        bad = ModelBadAnswer(told, hint=self._manners.bad_request_hint)
        bad.__cause__ = error
        return Failure(error=bad, worked=not number, status=number)

    def _clean(self, text: str) -> str:
        """One short line, without the key should it be in it."""
        if self._key:
            text = text.replace(self._key, "***")
        return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_EXCERPT]


def _loaded() -> Any:
    """The package, made quiet. Raises ImportError."""
    with _loading:
        litellm: Any = importlib.import_module("litellm")
        litellm.telemetry, litellm.suppress_debug_info = False, True
    return litellm
