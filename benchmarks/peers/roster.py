"""Who is measured: each peer's adapter, requirements, and what a reader must know before comparing it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """`quality` and `speed` name the adapter's calls that are measured, with how the tables say them ('' for none).

    `by_cosine`: calls that promise the order of the cosine, so that their exactness can be told. `own`: runs in this
    interpreter, not in an environment of its own. `needs_gb`: free disk that its environment wants.
    """

    key: str
    title: str
    adapter: str
    quality: dict[str, str]
    speed: dict[str, str]
    finds: str
    lacks: tuple[str, ...]
    by_cosine: tuple[str, ...] = ()
    own: bool = False
    needs_gb: float = 2.0

    @property
    def adapter_path(self) -> Path:
        return HERE / "adapters" / f"{self.adapter}.py"

    @property
    def requirements(self) -> Path:
        return HERE / "requirements" / f"{self.key}.txt"


PEERS = (
    Peer(
        key="lodmem",
        title="lodmem",
        adapter="lodmem_engine",
        quality={"rank": "default profile", "relevance": "alpha 1"},
        speed={"rank": "ids with S, D, LOD", "landscape": "whole landscape"},
        finds="words, vectors, neighbours in the source, dates; exact",
        lacks=("memories/s leaves out the search for near copies and contradictions that follows (some 2.5 ms CPU each)",),
        own=True,
    ),
    Peer(
        key="chromadb",
        title="Chroma",
        adapter="chroma",
        quality={"search": ""},
        speed={"search": ""},
        finds="vectors; approximate (HNSW)",
        lacks=("no words in the ranking: its local store can only filter by them",),
        by_cosine=("search",),
    ),
    Peer(
        key="mem0",
        title="Mem0",
        adapter="mem0_local",
        quality={"search": "infer=False"},
        speed={"search": "infer=False"},
        finds="vectors; exact (embedded Qdrant)",
        lacks=(
            "no words here: its keyword search and entity links need models fetched at run time (fastembed's Qdrant/bm25, "
            "spaCy's en_core_web_sm)",
            "no inference here: with a language model it stores facts drawn from the texts instead of the texts",
        ),
        by_cosine=("search",),
    ),
    Peer(
        key="langgraph",
        title="LangGraph SqliteStore",
        adapter="langgraph_sqlite",
        quality={"search": ""},
        speed={"search": ""},
        finds="vectors; exact (sqlite-vec)",
        lacks=("no words",),
        by_cosine=("search",),
    ),
    Peer(
        key="lancedb",
        title="LanceDB",
        adapter="lancedb_hybrid",
        quality={"hybrid": "hybrid", "vector": "vectors alone"},
        speed={"hybrid": "hybrid", "vector": "vectors alone"},
        finds="words and vectors, fused by reciprocal rank; exact without a vector index",
        lacks=("faster than a full scan only with a vector index, which is approximate and built by hand",),
        by_cosine=("vector",),
    ),
    Peer(
        key="txtai",
        title="txtai",
        adapter="txtai_hybrid",
        quality={"hybrid": "hybrid"},
        speed={"hybrid": "hybrid"},
        finds="words and vectors, equal weights; approximate above 5,000 (Faiss IVF)",
        lacks=(
            "approximate above 5,000 memories",
            "an index in memory that is saved as a whole: a write is not durable by itself",
        ),
        needs_gb=6.0,
    ),
    Peer(
        key="mempalace",
        title="MemPalace",
        adapter="mempalace_local",
        quality={"search": ""},
        speed={"search": ""},
        finds="vectors, reordered with words among four times as many candidates; approximate (Chroma)",
        lacks=(
            "words find nothing that the vectors did not bring in, by default",
            "its embedder is fetched at run time, so the vectors were put in its place",
            "nothing was mined, so there are no closets to lift what they point to",
        ),
    ),
    Peer(
        key="numpy",
        title="numpy",
        adapter="numpy_exact",
        quality={"search": ""},
        speed={"search": ""},
        finds="vectors; exact cosine over float32, a yardstick and no store",
        lacks=("ids alone: no texts, no words, no updates",),
        by_cosine=("search",),
        own=True,
    ),
)


def chosen(names: str | None) -> tuple[Peer, ...]:
    """The peers named, divided by commas, in the roster's order; None: all. Raises SystemExit for an unknown name."""
    if not names:
        return PEERS
    wanted = {name.strip() for name in names.split(",") if name.strip()}
    unknown = wanted - {peer.key for peer in PEERS}
    if unknown:
        known = ", ".join(peer.key for peer in PEERS)
        raise SystemExit(f"no such peer: {', '.join(sorted(unknown))} (one of {known})")
    return tuple(peer for peer in PEERS if peer.key in wanted)
