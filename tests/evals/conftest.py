from __future__ import annotations

import gzip
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


def said(role: str, content: str, **more: object) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def haystacks() -> list[dict[str, Any]]:
    """Invented questions in LongMemEval's official format: sessions shared between haystacks, repeated, blank turns."""
    bees = [
        said("user", "My beehives stand behind the barn.", has_answer=True),
        said("assistant", "Behind a barn they are safe from wind."),
    ]
    moved = [
        said("user", "   "),
        said("user", "I moved the beehives to the orchard yesterday.", has_answer=True),
        said("assistant", "An orchard is a fine place for bees.", has_answer=False),
    ]
    tram = [said("user", "Which tram goes to the harbour?"), said("assistant", "Line twelve goes there.", has_answer=True)]
    return [
        {
            "question_id": "q-bees",
            "question_type": "knowledge-update",
            "question": "Where do my beehives stand now?",
            "answer": "in the orchard",
            "question_date": "2023/06/07 (Wed) 04:15",
            "haystack_session_ids": ["answer_1", "tram", "answer_2", "tram"],
            "haystack_dates": [
                "2023/05/01 (Mon) 10:00",
                "2023/05/02 (Tue) 11:30",
                "2023/05/30 (Tue) 23:40",
                "2023/06/01 (Thu) 08:00",
            ],
            "haystack_sessions": [bees, tram, moved, tram],
            "answer_session_ids": ["answer_1", "answer_2", "answer_9"],
        },
        {
            "question_id": "q-tram",
            "question_type": "single-session-assistant",
            "question": "Which line did you name for the harbour?",
            "answer": "line twelve",
            "question_date": "2023/06/20 (Tue) 12:00",
            "haystack_session_ids": ["tram", "answer_2"],
            "haystack_dates": ["2023/05/02 (Tue) 11:30", "2023/05/30 (Tue) 23:40"],
            "haystack_sessions": [tram, moved],
            "answer_session_ids": ["tram"],
        },
        {
            "question_id": "q-goat_abs",
            "question_type": "single-session-user",
            "question": "What is the name of my goat?",
            "answer": "You never named one.",
            "question_date": "2023/06/20 (Tue) 12:00",
            "haystack_session_ids": ["answer_1"],
            "haystack_dates": ["2023/05/01 (Mon) 10:00"],
            "haystack_sessions": [bees],
            "answer_session_ids": ["answer_1"],
        },
    ]


@pytest.fixture
def longmemeval_file(tmp_path: Path) -> Path:
    path = tmp_path / "longmemeval.json.gz"
    path.write_bytes(gzip.compress(json.dumps(haystacks()).encode()))
    return path


def chat() -> dict[str, Any]:
    """An invented chat in BEAM's format, with the ways in which the public files nest the ids of messages."""

    def message(number: int, role: str, content: str, **more: object) -> dict[str, Any]:
        return {"role": role, "id": number, "content": content, **more}

    first = [
        message(0, "user", "The kiln fires at 900 degrees. ->-> 1,1", time_anchor="March-15-2024", index="1,1"),
        message(1, "assistant", "That suits earthenware."),
        message(2, "user", "I glaze with cobalt. ->-> 1,2"),
    ]
    second = [
        message(3, "user", "I raised the kiln to 1100 degrees.", time_anchor="April-05-2024"),
        message(4, "assistant", "Now stoneware is possible."),
        message(5, "user", " ->-> 2,2"),
    ]
    questions = {
        "abstention": [{"question": "Who taught me?", "ideal_response": "unknown"}],
        "knowledge_update": [
            {
                "question": "How hot does the kiln fire?",
                "answer": "1100 degrees",
                "source_chat_ids": {"original_info": [0], "updated_info": [3]},
            },
            {
                "question": "Which glaze do I use?",
                "ideal_answer": "cobalt",
                "source_chat_ids": {"original_info": [2], "updated_info": [2]},
            },
        ],
        "event_ordering": [{"question": "In which order?", "answer": "x", "source_chat_ids": [0, [2, 3], 99]}],
    }
    return {
        "id": "7",
        "chat": [
            {"batch_number": 1, "turns": [first[:2], first[2:]], "time_anchor": None},
            {"batch_number": 2, "turns": [second], "time_anchor": None},
        ],
        "probing_questions": questions,
    }


@pytest.fixture
def beam_file(tmp_path: Path) -> Path:
    path = tmp_path / "beam.json"
    path.write_text(json.dumps([chat()]))
    return path


@pytest.fixture(scope="session")
def bench_data() -> Path:
    """The folder of public data that users fetch themselves."""
    folder = Path(os.environ.get("LODMEM_BENCH_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "locomo-dev.json").is_file():
        pytest.skip("no public benchmark data: set LODMEM_BENCH_DATA to its folder")
    return folder
