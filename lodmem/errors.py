"""The error tree. Every error has one machine code; surfaces map the code to an exit code, an MCP error, a status.

LodmemError
+-- InputError            what the caller gave cannot be used        exit 2
|   +-- EmptyText             empty_text
|   +-- TooLarge              too_large
|   +-- BadEncoding           bad_encoding
|   +-- EngineOutput          engine_output      our own rendering was about to be ingested
|   +-- BadParameter          bad_parameter
|   +-- BadDate               bad_date
|   `-- ParameterLocked       parameter_locked   the profile forbids the override
+-- NotFound              it is not there                            exit 3
|   +-- UnknownMemory         unknown_memory
|   +-- UnknownProfile        unknown_profile
|   +-- UnknownPath           unknown_path
|   +-- UnknownToken          unknown_token
|   `-- UnknownConflict       unknown_conflict
+-- StoreError            the store cannot do it                     exit 4
|   +-- StorePathError        store_path
|   +-- StoreMissing          store_missing
|   +-- StoreReadOnly         store_read_only
|   +-- StoreFull             store_full
|   +-- StoreBusy             store_busy
|   +-- StoreCorrupt          store_corrupt
|   +-- StoreNewer            store_newer
|   +-- StoreClosed           store_closed
|   `-- ModelMismatch         model_mismatch     made with another embedding model
`-- ModelError            an embedding or language model failed      exit 5
    +-- ModelUnavailable      model_unavailable
    +-- ModelBadAnswer        model_bad_answer
    +-- ModelRefused          model_refused    it answered, and would not do it
    `-- SpendCapReached       spend_cap        the call would cost more than was allowed
"""

from __future__ import annotations

from typing import ClassVar


class LodmemError(Exception):
    """Base of every error lodmem raises on purpose. `hint` says what to do about it."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InputError(LodmemError):
    code = "input"
    exit_code = 2


class EmptyText(InputError):
    code = "empty_text"


class TooLarge(InputError):
    code = "too_large"


class BadEncoding(InputError):
    code = "bad_encoding"


class EngineOutput(InputError):
    code = "engine_output"


class BadParameter(InputError):
    code = "bad_parameter"


class BadDate(InputError):
    code = "bad_date"


class ParameterLocked(InputError):
    code = "parameter_locked"


class NotFound(LodmemError):
    code = "not_found"
    exit_code = 3


class UnknownMemory(NotFound):
    code = "unknown_memory"


class UnknownProfile(NotFound):
    code = "unknown_profile"


class UnknownPath(NotFound):
    code = "unknown_path"


class UnknownToken(NotFound):
    code = "unknown_token"


class UnknownConflict(NotFound):
    code = "unknown_conflict"


class StoreError(LodmemError):
    code = "store"
    exit_code = 4


class StorePathError(StoreError):
    code = "store_path"


class StoreMissing(StoreError):
    code = "store_missing"


class StoreReadOnly(StoreError):
    code = "store_read_only"


class StoreFull(StoreError):
    code = "store_full"


class StoreBusy(StoreError):
    code = "store_busy"


class StoreCorrupt(StoreError):
    code = "store_corrupt"


class StoreNewer(StoreError):
    code = "store_newer"


class StoreClosed(StoreError):
    code = "store_closed"


class ModelMismatch(StoreError):
    code = "model_mismatch"


class ModelError(LodmemError):
    code = "model"
    exit_code = 5


class ModelUnavailable(ModelError):
    code = "model_unavailable"


class ModelBadAnswer(ModelError):
    code = "model_bad_answer"


class ModelRefused(ModelError):
    code = "model_refused"


class SpendCapReached(ModelError):
    code = "spend_cap"
