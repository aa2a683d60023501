"""The harness with the product and the exact yardstick, in processes of their own, on invented data."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.peers import harness
from benchmarks.peers.environments import Unavailable, fingerprint, python_of, quiet_environment
from benchmarks.peers.harness import Plan, measure
from benchmarks.peers.jobs import lay_case, lay_synthetic, readings_of
from benchmarks.peers.roster import HERE, PEERS, Peer, chosen
from benchmarks.peers.table import page

from lodmem.evals.datasets import Case, Dataset, Question
from lodmem.model.memory import Draft, Source
from lodmem.ports import EmbedderIdentity, Floats

ROOT = HERE.parents[1]
TURNS = (
    "Ilse: I adopted a three-legged greyhound called Comet.",
    "Tomasz: The glider club let me fly solo over the reservoir.",
    "Ilse: My rye loaf won a ribbon at the village fair.",
    "Tomasz: I sold the lathe and bought a loom.",
    "Ilse: Comet is afraid of thunder.",
    "Tomasz: Weaving calms me after night shifts.",
)
ASKED = (("Which dog did Ilse adopt?", 0), ("Who flew a glider?", 1), ("What did Tomasz buy after the lathe? ", 3))


class Hashing:
    """Words to directions, so that texts with common words are near."""

    identity = EmbedderIdentity(name="hashing", revision="1", dims=64)

    def embed(self, texts: Any) -> Floats:
        rows = np.zeros((len(texts), 64), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().replace("?", "").replace(".", "").split():
                row[sum(word.encode()) % 64] += 1.0
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def conversation() -> Case:
    drafts = tuple(
        Draft(full=text, created_us=1_650_000_000_000_000 + n * 60_000_000, source=Source("talk", "s1", n + 1))
        for n, text in enumerate(TURNS)
    )
    asked = tuple(Question(id=f"q{n}", text=text, category="one", gold=(f"t{gold}",)) for n, (text, gold) in enumerate(ASKED))
    labels = tuple(f"t{n}" for n in range(len(TURNS)))
    return Case(
        id="talk", drafts=drafts, labels=labels, sessions=("s1",) * len(TURNS), questions=asked, now_us=1_700_000_000_000_000
    )


@pytest.fixture
def dataset() -> Dataset:
    return Dataset(name="talks", cases=(conversation(),), skipped=0, dropped=0, in_tune=lambda question: question.id == "q0")


@pytest.fixture
def plan(tmp_path: Path, dataset: Dataset) -> Plan:
    case = lay_case(tmp_path / "data" / "talk", dataset.cases[0], Hashing())
    size = lay_synthetic(tmp_path / "data" / "rows", 200, 12)
    return Plan(work=tmp_path, dataset=dataset, cases=[case], sizes=[size], ks=(5, 50))


def named(key: str) -> Peer:
    return chosen(key)[0]


def test_the_yardstick_is_exact_and_timed(plan: Plan) -> None:
    found = measure(named("numpy"), plan)
    figures = found["sizes"]["200"]
    assert found["versions"]["numpy"] == np.__version__
    for k in ("5", "50"):
        assert figures["calls"]["search"][k]["share_of_exact"] == 1.0
        assert figures["calls"]["search"][k]["ids_p50"] == int(k)
        assert figures["calls"]["search"][k]["questions"] == 12
        assert figures["calls"]["search"][k]["wall_ms_p50"] > 0
    assert figures["disk_mb"] == pytest.approx(200 * 384 * 4 / 1e6, abs=0.1)
    assert figures["network_tried"] == []
    assert not (plan.work / "stores" / "numpy").exists()


def test_the_product_is_measured_by_each_of_its_calls(plan: Plan) -> None:
    found = measure(named("lodmem"), plan)
    assert "unavailable" not in found, found
    assert set(found["quality"]) == {"rank", "relevance"}
    assert found["quality"]["relevance"]["recall_at"]["5"] == 100.0
    assert found["quality"]["relevance"]["by_category"] == {"one": found["quality"]["relevance"]["recall_at"]}
    figures = found["sizes"]["200"]
    assert figures["calls"]["rank"]["50"]["ids_p50"] == 50
    assert figures["calls"]["landscape"]["50"]["ids_p50"] == 50
    assert figures["memories_a_second"] > 0


def test_recall_counts_what_stands_within_k(plan: Plan, dataset: Dataset, tmp_path: Path) -> None:
    # Six memories and six questions that point at one each: the yardstick's rank is the cosine's.
    asked = tuple(Question(id=f"q{n}", text=TURNS[n], category="self", gold=(f"t{n}",)) for n in range(len(TURNS)))
    case = replace(dataset.cases[0], questions=asked)
    whole = replace(dataset, cases=(case,), in_tune=lambda question: True)
    laid = lay_case(tmp_path / "data" / "self", case, Hashing())
    found = measure(named("numpy"), replace(plan, dataset=whole, cases=[laid], sizes=[]))
    assert found["quality"]["search"]["recall_at"] == {"5": 100.0, "10": 100.0, "20": 100.0, "50": 100.0}
    assert found["quality"]["search"]["recall_at_check_half"] == {}


def test_a_peer_that_fails_is_reported_and_nothing_invented(plan: Plan) -> None:
    broken = replace(named("numpy"), quality={"no such call": ""}, speed={"no such call": ""})
    found = measure(broken, plan)
    assert found["unavailable"].startswith("ask failed: ")
    assert "quality" not in found
    assert "sizes" not in found


def test_a_peer_that_would_take_too_long_is_left_out(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "python_of", lambda peer, root: Path(sys.executable))
    larger = lay_synthetic(plan.work / "data" / "more", 400, 12)
    peer = replace(named("numpy"), own=False)
    found = measure(peer, replace(plan, dataset=None, cases=[], sizes=[plan.sizes[0], larger], limit_s=1e-6))
    assert "calls" in found["sizes"]["200"]
    assert found["sizes"]["400"]["unavailable"].startswith("would take over 0 s to build: it keeps ")


def test_a_worker_that_takes_too_long_is_stopped(plan: Plan) -> None:
    found = measure(named("numpy"), replace(plan, dataset=None, cases=[], own_limit_s=0.01))
    assert found["sizes"]["200"]["unavailable"] == "build took longer than 0 s"


class Made(Peer):
    """A peer whose requirements lie elsewhere."""

    @property
    def requirements(self) -> Path:
        return Path(self.adapter)


def made(folder: Path, wanted: str) -> Made:
    requirements = folder / "requirements.txt"
    requirements.write_text(wanted)
    return Made(key="made", title="Made", adapter=str(requirements), quality={}, speed={}, finds="", lacks=(), needs_gb=0.0)


def test_an_environment_is_used_again_until_its_requirements_change(tmp_path: Path) -> None:
    peer, home = made(tmp_path, "one==1\n"), tmp_path / "made"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "python").symlink_to(sys.executable)
    (home / "made-of").write_text(fingerprint(peer, home))
    assert python_of(peer, tmp_path) == home / "bin" / "python"
    changed = replace(made(tmp_path, "one==2\n"), needs_gb=1e6)
    with pytest.raises(Unavailable, match="wants 1000000 GB of free disk"):
        python_of(changed, tmp_path)


@pytest.mark.slow
def test_an_environment_that_cannot_be_made_has_a_reason(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"pip install failed: .*missing\.whl"):
        python_of(made(tmp_path, "./missing.whl\n"), tmp_path)


def test_readings_hold_all_that_the_product_embeds() -> None:
    drafts = conversation().drafts
    readings = readings_of(drafts, Hashing.identity)
    assert set(TURNS) <= set(readings)
    assert f"{TURNS[0]}\n{TURNS[1]}" in readings


def test_no_network_and_nothing_of_the_callers_in_a_worker(plan: Plan, tmp_path: Path) -> None:
    adapter = tmp_path / "calling.py"
    adapter.write_text(
        "import socket\n"
        "PACKAGES = ('numpy',)\n"
        "def resolve(host): return socket.getaddrinfo(host, 443)\n"
        "class Calling:\n"
        "    def add(self, memories, vectors):\n"
        "        for reach, where in ((socket.create_connection, ('192.0.2.1', 80)), (resolve, 'telemetry.example')):\n"
        "            try:\n"
        "                reach(where)\n"
        "            except OSError:\n"
        "                pass\n"
        "    def finish(self): pass\n"
        "    def calls(self): return {'search': lambda text, vector, k: list(range(k))}\n"
        "    def close(self): pass\n"
        "def open_store(folder, given): return Calling()\n"
    )

    class Elsewhere(Peer):
        @property
        def adapter_path(self) -> Path:
            return adapter

    peer = Elsewhere(key="calling", title="Calling", adapter="", quality={}, speed={"search": ""}, finds="", lacks=(), own=True)
    found = measure(peer, replace(plan, dataset=None, cases=[]))
    assert found["sizes"]["200"]["network_tried"] == ["192.0.2.1", "telemetry.example"]
    assert quiet_environment(tmp_path)["HOME"] == str(tmp_path)


def test_every_peer_has_its_adapter_and_pinned_requirements() -> None:
    for peer in PEERS:
        assert peer.adapter_path.is_file(), peer.key
        if not peer.own:
            lines = peer.requirements.read_text(encoding="utf-8").split("\n")
            assert lines, peer.key
            assert all("==" in line for line in lines if line), peer.key


def test_an_unknown_peer_is_told_who_there_is() -> None:
    with pytest.raises(SystemExit, match=r"no such peer: nobody \(one of lodmem, "):
        chosen("lodmem,nobody")


def run_module(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.peers", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_command_measures_writes_and_keeps(tmp_path: Path) -> None:
    out, sheet = tmp_path / "results.json", tmp_path / "peers.md"
    common = ["--sizes", "80", "--questions", "5", "--json", str(out), "--page", str(sheet), "--work", str(tmp_path / "work")]
    done = run_module("--peers", "numpy", *common)
    assert done.returncode == 0, done.stderr
    assert [system["key"] for system in json.loads(out.read_text())["systems"]] == ["numpy"]
    done = run_module("--peers", "lodmem", "--keep", *common)
    assert done.returncode == 0, done.stderr
    assert {system["key"] for system in json.loads(out.read_text())["systems"]} == {"lodmem", "numpy"}
    text = sheet.read_text()
    assert "## Speed at 80 memories" in text
    assert "## Quality" not in text
    assert "| lodmem " in text
    assert "| numpy " in text
    assert list((tmp_path / "work").iterdir()) == []
    again = tmp_path / "again.md"
    assert run_module("--from", str(out), "--page", str(again)).returncode == 0
    assert again.read_text() == text


def test_the_command_says_where_a_missing_file_comes_from(tmp_path: Path) -> None:
    done = run_module("--locomo", str(tmp_path / "none.json"), "--work", str(tmp_path / "work"))
    assert done.returncode == 1
    assert "locomo10.json" in done.stderr


def test_the_page_says_what_the_results_say() -> None:
    results = json.loads((HERE / "results.json").read_text(encoding="utf-8"))
    assert (ROOT / "docs" / "reference" / "peers.md").read_text(encoding="utf-8") == page(results)
