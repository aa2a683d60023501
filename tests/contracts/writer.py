"""Run as a process of its own: adds memories one by one and prints each id once it is acknowledged.

python writer.py ADDRESS NAME COUNT
"""

from __future__ import annotations

import sys

from contract_kit import NOW, open_at, prepared

from lodmem.model.memory import Source

address, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
store = open_at(address)
for n in range(count):
    (added,) = store.add([prepared(f"{name} {n}", source=Source(name, "", n))], now_us=NOW)
    store.record_use(now_us=NOW + n, retrieved=[1], shown={})
    print(added.id, n, flush=True)
store.close()
