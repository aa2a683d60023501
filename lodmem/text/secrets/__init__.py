"""Secrets in a text: where they stand, of what kind they are, and the text without them.

`patterns` knows tokens by their own form, `assigned` knows values by the name they are given, `plausible` tells both from what
only looks like one. docs/decisions/0014-secrets.md says what is masked and what is left alone, and how well.
"""

from lodmem.text.secrets.masking import Masked, Secret, find, mask, mask_json, placeholder, told

__all__ = ["Masked", "Secret", "find", "mask", "mask_json", "placeholder", "told"]
