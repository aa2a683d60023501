from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def turn(dia_id: str, speaker: str, text: str, **more: object) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": dia_id, "text": text, **more}


def sample() -> dict[str, Any]:
    """An invented conversation in LoCoMo's official format, with the blemishes of the public file."""
    return {
        "sample_id": "conv-900",
        "event_summary": {},
        "observation": {},
        "session_summary": {},
        "conversation": {
            "speaker_a": "Ilse",
            "speaker_b": "Tomasz",
            "session_2_date_time": "12:05 am on 1 March, 2022",
            "session_2": [
                turn("D2:1", "Tomasz", "The glider club let me fly solo over the reservoir."),
                turn("D2:2", "Ilse", "Bravo! I baked a rye loaf to celebrate."),
            ],
            "session_1_date_time": "1:56 pm on 8 February, 2022",
            "session_1": [
                turn("D1:1", "Ilse", "I adopted a three-legged greyhound called Comet."),
                turn(
                    "D1:2",
                    "Tomasz",
                    "Here is my new workshop. ",
                    img_url=["https://pictures.example/1.jpg"],
                    blip_caption="a photo of a lathe beside a window",
                    query="lathe",
                ),
                turn("D1:3", "Ilse", "Lovely light in there.", blip_caption=""),
            ],
            "session_3_date_time": "9:00 am on 2 March, 2022",
        },
        "qa": [
            {"question": "Which dog did Ilse adopt?", "answer": "a greyhound", "evidence": ["D1:1"], "category": 4},
            {"question": "What did both celebrate?", "answer": "x", "evidence": ["D1:2; D2:1", "D:2:02"], "category": 1},
            {"question": "Who flew?", "answer": "Tomasz", "evidence": ["D2:01", "D2:1", "D7:1", "D"], "category": 2},
            {"question": "Who sang?", "answer": "nobody", "evidence": ["D9:9"], "category": 3},
            {"question": "Who swam?", "adversarial_answer": "Ilse", "evidence": [], "category": 5},
            {"question": "What stands beside the window?", "adversarial_answer": "x", "evidence": ["D1:2"], "category": 5},
        ],
    }


@pytest.fixture
def locomo_file(tmp_path: Path) -> Path:
    second = sample()
    second["sample_id"] = "conv-901"
    second["qa"] = second["qa"][:1]
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([sample(), second]))
    return path


@pytest.fixture(scope="session")
def bench_data() -> Path:
    """The folder of public data that users fetch themselves."""
    folder = Path(os.environ.get("LODMEM_BENCH_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "locomo-dev.json").is_file():
        pytest.skip("no public benchmark data: set LODMEM_BENCH_DATA to its folder")
    return folder
