"""Files whose content is pinned. It knows a path and a checksum, and refuses to know what is inside."""

from __future__ import annotations

import hashlib
from pathlib import Path

from lodmem.errors import ModelUnavailable


def read_checked(path: Path, sha256: str, *, hint: str) -> bytes:
    """The bytes of `path`, once their SHA-256 (hex) is the expected one. The bytes checked are the bytes returned.

    Raises:
        ModelUnavailable: the file cannot be read or holds something else; `hint` says how to get it back.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelUnavailable(f"cannot read {path}: {error.strerror or error}", hint=hint) from error
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise ModelUnavailable(f"{path} is not the expected file: SHA-256 {found}, expected {sha256}", hint=hint)
    return data
