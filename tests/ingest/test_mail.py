"""Mail: who wrote when about what, threads as neighbours, bodies whole, attachments out, and messages of any make."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.engine import Engine
from lodmem.ingest.importers import mail
from lodmem.ingest.importers.base import Meter
from lodmem.ingest.importers.mail import MailImporter
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, Source

from .kit import DATA, read, us

POST = DATA / "mail" / "post.mbox"
HEAD = "From: Ada <ada@example.org>\nSubject: s\nMessage-ID: <m@x>\nDate: Sat, 03 May 2025 08:00:00 +0000\n"


def one(tmp_path: Path, raw: str | bytes) -> Draft | Problem:
    path = tmp_path / "a.eml"
    path.write_bytes(raw.encode() if isinstance(raw, str) else raw)
    (item,) = MailImporter().read(path)
    return item


def body(tmp_path: Path, raw: str | bytes) -> str:
    item = one(tmp_path, raw)
    assert isinstance(item, Draft), item
    return item.full.partition("\n\n")[2]


@pytest.mark.req("R5.20")
def test_a_mailbox_gives_a_memory_a_message() -> None:
    (first, second), (problem,) = read(POST)
    assert first.full == "Ada Example: The opening – nine\n\nWe open at nine. Café too.\nFrom Monday on.\n\n-- \nAda"
    assert second.full == "ben@example.org: Re: The opening\n\nFine & good.\n\nBen\n\nWe open at nine."
    assert first.created_us == us("2025-05-03T08:00:00+00:00")
    assert first.source == Source("mail:one@example.org", "", us("2025-05-03T08:00:00+00:00") // 1_000_000)
    assert second.source == Source("mail:one@example.org", "", us("2025-05-03T09:00:00+00:00") // 1_000_000)
    assert first.meta["attachments"] == 1
    assert (first.meta["speaker"], first.meta["from"], first.meta["to"]) == (
        "Ada Example",
        "ada@example.org",
        "Ben <ben@example.org>",
    )
    assert problem == Problem(f"{POST}:48", "no e-mail: it has no headers")


def test_progress_is_in_bytes() -> None:
    meter = Meter()
    list(MailImporter().stream(POST, meter))
    assert meter.done == MailImporter().size(POST) == POST.stat().st_size


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (HEAD + "\nplain", "plain"),
        (HEAD + "Content-Type: text/plain; charset=nonsense\n\ncaf\u00e9", "café"),
        (HEAD.encode() + b"Content-Type: text/plain; charset=utf-8\n\n\xff\xfe", "��"),
        (HEAD + "Content-Transfer-Encoding: base64\n\n####", ""),
        (HEAD + 'Content-Type: text/plain; charset="a\0b"\n\nx', "x"),
        (HEAD + "Content-Type: multipart/mixed\n\nno edge", ""),
        (HEAD + "Content-Type: image/png\n\nxyz", ""),
        (HEAD + "Content-Type: text/html\n\n<script>bad()</script>a<br>b<!-- c -->", "a\nb"),
        (HEAD + "Content-Type: text/html\n\n" + "<" * 100_000 + "script>", ("<" * 100_000).rstrip("<")),
    ],
)
def test_bodies_of_any_make(tmp_path: Path, raw: str | bytes, text: str) -> None:
    found = body(tmp_path, raw)
    assert found.strip("<").strip() == text.strip()


@pytest.mark.parametrize("date", ["", "yesterday", "Sat, 99 May 2025 08:00:00 +0000", "Sat, 03 May 99999 08:00:00 +0000"])
def test_a_date_that_is_none_is_not_made_up(tmp_path: Path, date: str) -> None:
    item = one(tmp_path, f"From: a@b\nSubject: s\nMessage-ID: <m@x>\nDate: {date}\n\ntext")
    assert isinstance(item, Draft)
    assert item.created_us is None


def test_a_message_without_a_name_lies_in_its_file(tmp_path: Path) -> None:
    item = one(tmp_path, "From: a@b\nSubject: s\n\ntext")
    assert isinstance(item, Draft)
    assert item.source == Source((tmp_path / "a.eml").as_uri(), "", 1)


def test_nesting_beyond_measure_is_a_problem(tmp_path: Path) -> None:
    raw = HEAD
    for depth in range(3000):
        raw += f'Content-Type: multipart/mixed; boundary="b{depth}"\n\n--b{depth}\n'
    item = one(tmp_path, raw)
    assert isinstance(item, Problem | Draft)
    if isinstance(item, Problem):
        assert item.why == "nested too deeply"


def test_of_a_large_message_its_beginning_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail, "MAX_MESSAGE_BYTES", 2000)
    path = tmp_path / "a.mbox"
    part = 'Content-Type: multipart/mixed; boundary="e"\n\n--e\n\nThe text.\n--e\nContent-Type: application/x\n\n'
    path.write_text(
        f"From a Sat May  3 08:00:00 2025\n{HEAD}{part}{'QUJD' * 9000}\n--e--\n\nFrom b Sat May  3 08:00:00 2025\n{HEAD}\nlast"
    )
    (first, last), (problem,) = read(path)
    assert first.full.endswith("The text.")
    assert last.full.endswith("last")
    assert "only its beginning" in problem.why


def test_a_line_that_only_begins_like_a_message_begins_none(tmp_path: Path) -> None:
    path = tmp_path / "Inbox"
    path.write_text(
        f"From a Sat May  3 08:00:00 2025\n{HEAD}\nOne.\n\nFrom here on it rains.\n\n"
        f"From b Sat May  3 08:00:00 2025\n{HEAD}\nTwo.\n"
    )
    drafts, _ = read(path)
    assert [draft.full.partition("\n\n")[2] for draft in drafts] == ["One.\n\nFrom here on it rains.", "Two."]


PIECES = st.sampled_from(
    [
        b"From a Sat May  3 08:00:00 2025\n", b"\n", b"From: ", b"Subject: ", b"Content-Type: multipart/mixed; boundary=e\n",
        b"--e\n", b"--e--\n", b"Content-Type: text/html; charset=utf-7\n", b"Content-Transfer-Encoding: quoted-printable\n",
        b"=?utf-8?b?////?=", b"=?x?q?=FF?=", b"Date: Sat, 03 May 2025 08:00:00 +9999\n", b"References: <a@b> <c\n", b"\xff\0",
        b"Content-Type: message/rfc822\n\n", b"Content-Transfer-Encoding: uuencode\n", b"=\n", b"<p", b"x",
        b"Content-Type: text/plain; charset*=utf-8''%ff\n", b"Message-ID: <\xc3\xa9@x>\n",
    ]
)  # fmt: skip


@given(st.lists(PIECES | st.binary(max_size=20), max_size=14).map(b"".join))
def test_any_bytes_give_drafts_or_problems(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "a.mbox"
    path.write_bytes(data)
    found = list(MailImporter().read(path))
    assert all(isinstance(item, Draft | Problem) for item in found)
    assert found == list(MailImporter().read(path))
    for item in found:
        if isinstance(item, Draft):
            item.full.encode()


@pytest.mark.req("R5.19")
def test_the_same_mail_comes_in_once_wherever_it_lies(tmp_path: Path, engine: Engine) -> None:
    assert engine.ingest(POST).added == 2
    copy = tmp_path / "copy.mbox"
    copy.write_bytes(POST.read_bytes() + b"\n" + POST.read_bytes())
    again = engine.ingest(copy)
    assert (again.importer, again.added, again.unchanged) == ("mail", 0, 4)
