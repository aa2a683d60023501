"""The git importer on real repositories: texts, dates, places that stay, histories that grow, and what it refuses."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lodmem.engine import Engine
from lodmem.errors import InputError, UnknownPath
from lodmem.ingest.importers.git import MAX_PATHS, GitImporter
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, to_us

from .conftest import Repository

NewRepository = Callable[..., Repository]


def drafts(path: Path) -> list[Draft]:
    items = list(GitImporter().read(path))
    assert not [item for item in items if isinstance(item, Problem)]
    return [item for item in items if isinstance(item, Draft)]


@pytest.mark.req("R5.18")
def test_a_commit_is_a_memory_with_its_message_date_and_paths(new_repository: NewRepository) -> None:
    repo = new_repository()
    name = repo.commit(
        "Add the door\n\nIt opens both ways.\n", {"door.py": "a", "docs/door.md": "b"}, "2024-05-01T10:00:00+02:00"
    )
    (draft,) = drafts(repo.path)
    assert draft.full == "Add the door\n\nIt opens both ways.\n\nTouched: docs/door.md, door.py"
    assert draft.created_us == to_us(datetime(2024, 5, 1, 8, tzinfo=UTC))
    assert draft.tags == ("git",)
    assert draft.meta == {"commit": name, "author": "Ada Example", "files": 2}
    assert draft.source is not None
    assert (draft.source.uri, draft.source.session, draft.source.sequence) == (f"git:{name[:12]}", "history", 0)
    assert (draft.space, draft.agent) == ("", "")


def test_many_paths_are_cut_and_counted(new_repository: NewRepository) -> None:
    repo = new_repository()
    repo.commit("Many", {f"f{n:02}.txt": "x" for n in range(MAX_PATHS + 12)})
    (draft,) = drafts(repo.path)
    assert draft.full.endswith("f29.txt and 12 more")
    assert draft.meta["files"] == MAX_PATHS + 12


def test_a_moved_file_touches_both_its_names(new_repository: NewRepository) -> None:
    repo = new_repository()
    repo.commit("First", {"old.txt": "the same text in both\n" * 9})
    (repo.path / "old.txt").rename(repo.path / "new.txt")
    repo.commit("Move")
    assert drafts(repo.path)[1].full == "Move\n\nTouched: new.txt, old.txt"


def test_odd_names_and_messages_come_through(new_repository: NewRepository) -> None:
    repo = new_repository()
    names = {":colon": "1", "with space.txt": "2", "naïve 文.txt": "3", "new\nline": "4", '"quoted"': "5"}
    repo.commit(":starts with a colon\n\n:000000 100644 looks like raw output", names)
    repo.commit("plain", {"a": "1"})
    first, second = drafts(repo.path)
    assert first.full.startswith(":starts with a colon\n\n:000000 100644 looks like raw output\n\nTouched: ")
    assert all(name in first.full for name in names)
    assert second.full == "plain\n\nTouched: a"


def test_a_message_that_is_not_utf8_is_read_as_far_as_it_goes_and_says_so(new_repository: NewRepository) -> None:
    repo = new_repository()
    repo.raw_commit(b"Caf\xe9 opened\n", {"a": "1"})
    repo.commit("Grüße", {"a": "2"})
    broken, fine = drafts(repo.path)
    assert broken.full.startswith("Caf\ufffd opened")
    assert "not UTF-8" in str(broken.meta["encoding"])
    assert "encoding" not in fine.meta
    assert fine.full.startswith("Grüße")


def test_a_declared_encoding_is_honoured(new_repository: NewRepository) -> None:
    repo = new_repository()
    repo.git("config", "i18n.commitEncoding", "ISO-8859-1")
    repo.commit(b"Caf\xe9 opened", {"a": "1"})
    (draft,) = drafts(repo.path)
    assert draft.full.startswith("Café opened")
    assert "encoding" not in draft.meta


def test_a_commit_of_nothing_is_a_problem_and_the_rest_goes_on(new_repository: NewRepository) -> None:
    repo = new_repository()
    repo.commit("First", {"a": "1"})
    name = repo.commit("")
    repo.commit("", {"a": "2"})
    repo.commit("no files")
    first, problem, wordless, fileless = GitImporter().read(repo.path)
    assert isinstance(first, Draft)
    assert problem == Problem(f"commit {name[:10]}", "it has neither a message nor files")
    assert isinstance(wordless, Draft)
    assert wordless.full == "Touched: a"
    assert isinstance(fileless, Draft)
    assert fileless.full == "no files"


def test_a_date_beyond_the_calendar_is_no_date(new_repository: NewRepository) -> None:
    repo = new_repository()
    repo.commit("Far away", {"a": "1"}, "@99999999999999 +0000")
    assert drafts(repo.path)[0].created_us is None


# -- places -----------------------------------------------------------------------------------------------------------


def places(path: Path) -> dict[str, int]:
    return {draft.full.split("\n")[0]: draft.source.sequence for draft in drafts(path) if draft.source}


def test_parents_come_before_children_and_stand_lower(new_repository: NewRepository) -> None:
    repo = new_repository()
    repo.commit("root", {"a": "1"})
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit("side 1", {"b": "1"}, "2020-01-01T00:00:00Z")
    repo.commit("side 2", {"b": "2"}, "2020-01-02T00:00:00Z")
    repo.git("checkout", "--quiet", "main")
    repo.commit("main 1", {"a": "2"}, "2025-01-01T00:00:00Z")
    repo.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")
    assert places(repo.path) == {"root": 0, "side 1": 1, "side 2": 2, "main 1": 1, "merge": 3}
    order = [draft.full.split("\n")[0] for draft in drafts(repo.path)]
    assert order.index("root") < order.index("side 1") < order.index("side 2") < order.index("merge")
    assert order.index("root") < order.index("main 1") < order.index("merge")


def test_a_merge_of_old_work_moves_no_commit(new_repository: NewRepository) -> None:
    repo = new_repository()
    repo.commit("root", {"a": "1"})
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit("side 1", {"b": "1"}, "2020-01-01T00:00:00Z")
    repo.git("checkout", "--quiet", "main")
    for n in range(4):
        repo.commit(f"main {n}", {"a": f"{n}2"})
    before = places(repo.path)
    repo.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")
    after = places(repo.path)
    assert before.items() <= after.items()
    assert len(after) == len(before) + 2


def test_the_repository_is_the_same_in_every_clone_worktree_and_bare_copy(
    new_repository: NewRepository, tmp_path: Path
) -> None:
    repo = new_repository()
    repo.commit("root", {"a": "1"})
    repo.commit("next", {"a": "2"})
    repo.git("clone", "--quiet", str(repo.path), str(tmp_path / "clone"))
    repo.git("clone", "--quiet", "--bare", str(repo.path), str(tmp_path / "bare.git"))
    repo.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "tree"))
    expected = drafts(repo.path)
    for other in ("clone", "bare.git", "tree", "repo/.git"):
        assert GitImporter().recognises(tmp_path / other)
        assert drafts(tmp_path / other) == expected


def test_an_unrelated_history_that_is_merged_in_changes_no_name(new_repository: NewRepository) -> None:
    repo = new_repository()
    root = repo.commit("root", {"a": "1"})
    repo.git("checkout", "--quiet", "--orphan", "pages")
    repo.commit("other root", {"b": "1"})
    repo.git("checkout", "--quiet", "main")
    repo.git("merge", "--quiet", "--allow-unrelated-histories", "-m", "join", "pages")
    assert {draft.source.uri for draft in drafts(repo.path) if draft.source} == {f"git:{root[:12]}"}


def test_a_shallow_clone_is_read_and_says_what_is_missing(new_repository: NewRepository, tmp_path: Path) -> None:
    repo = new_repository()
    for n in range(5):
        repo.commit(f"commit {n}", {"a": str(n)})
    repo.git("clone", "--quiet", "--depth=2", repo.path.as_uri(), str(tmp_path / "shallow"))
    problem, *rest = GitImporter().read(tmp_path / "shallow")
    assert isinstance(problem, Problem)
    assert "shallow" in problem.why
    assert len(rest) == 2


def test_the_repositorys_own_settings_do_not_change_what_is_read(new_repository: NewRepository) -> None:
    repo = new_repository()
    repo.commit("root", {"b.txt": "1", "a.txt": "1"})
    repo.commit("next", {"b.txt": "2", "sub/c.txt": "1"})
    expected = drafts(repo.path)
    trap = repo.path / "trap"
    (repo.path / "order").write_text("b*\n", encoding="utf-8")
    settings = {
        "log.showSignature": "true",
        "gpg.program": f"touch {trap}; false",
        "core.pager": f"touch {trap}",
        "core.fsmonitor": f"touch {trap}",
        "diff.external": f"touch {trap}",
        "diff.renames": "copies",
        "diff.orderFile": str(repo.path / "order"),
        "diff.noprefix": "true",
        "color.ui": "always",
        "log.follow": "true",
        "i18n.logOutputEncoding": "ISO-8859-1",
        "format.pretty": "oneline",
    }
    for key, value in settings.items():
        repo.git("config", key, value)
    assert drafts(repo.path) == expected
    assert not trap.exists()


def test_a_repository_named_by_the_environment_is_not_read_instead(
    new_repository: NewRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = new_repository("mine"), new_repository("other")
    mine.commit("mine", {"a": "1"})
    other.commit("other", {"a": "1"})
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    assert places(mine.path) == {"mine": 0}


# -- what cannot be read ----------------------------------------------------------------------------------------------


def test_what_is_no_repository_is_refused(tmp_path: Path, new_repository: NewRepository) -> None:
    importer = GitImporter()
    repo = new_repository()
    inner = repo.path / "inner"
    repo.commit("First", {"inner/a": "1"})
    (tmp_path / "plain").mkdir()
    for path in (tmp_path / "plain", inner, repo.path / "inner" / "a"):
        assert not importer.recognises(path)
        with pytest.raises(InputError, match="not a git repository") as caught:
            list(importer.read(path))
        assert caught.value.hint
    with pytest.raises(UnknownPath):
        list(importer.read(tmp_path / "nowhere"))


def test_a_repository_without_commits_is_refused(new_repository: NewRepository) -> None:
    repo = new_repository()
    for call in (GitImporter().count, lambda path: list(GitImporter().read(path))):
        with pytest.raises(InputError, match="no commits") as caught:
            call(repo.path)
        assert "markdown" in caught.value.hint


def test_a_broken_repository_is_refused_with_what_git_says(tmp_path: Path, new_repository: NewRepository) -> None:
    (tmp_path / "fake" / ".git").mkdir(parents=True)
    with pytest.raises(InputError, match="git cannot read"):
        list(GitImporter().read(tmp_path / "fake"))
    repo = new_repository()
    repo.commit("First", {"a": "1"})
    lost = repo.commit("Second", {"a": "2"})
    repo.commit("Third", {"a": "3"})
    (repo.path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    with pytest.raises(InputError, match="git cannot read"):
        list(GitImporter().read(repo.path))


def test_without_git_the_reason_is_clear(
    new_repository: NewRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo = new_repository()
    repo.commit("First", {"a": "1"})
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="git command was not found") as caught:
        list(GitImporter().read(repo.path))
    assert "install git" in caught.value.hint


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc to list child processes")
def test_reading_only_a_part_leaves_no_process_behind(new_repository: NewRepository) -> None:
    repo = new_repository()
    for n in range(3):
        repo.commit(f"commit {n}", {"a": str(n)})
    reading = GitImporter().read(repo.path)
    next(reading)
    reading.close()  # type: ignore[attr-defined]
    children = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "args="], capture_output=True, text=True, check=False)
    assert "topo-order" not in children.stdout


# -- into a store -----------------------------------------------------------------------------------------------------


@pytest.mark.req("R5.18", "R5.19")
def test_a_grown_repository_adds_only_what_is_new(new_repository: NewRepository, engine: Engine) -> None:
    repo = new_repository()
    for n in range(5):
        repo.commit(f"commit {n}", {"a": str(n)}, f"2024-05-0{n + 1}T10:00:00Z")
    first = engine.ingest(repo.path)
    assert (first.importer, first.added, first.unchanged, first.problems) == ("git", 5, 0, ())
    again = engine.ingest(repo.path)
    assert (again.added, again.unchanged) == (0, 5)
    repo.git("checkout", "--quiet", "-b", "side", "HEAD~3")
    repo.commit("side", {"b": "1"}, "2024-05-02T10:00:00Z")
    repo.git("checkout", "--quiet", "main")
    repo.git("merge", "--quiet", "--no-ff", "-m", "merge", "side", env={"GIT_AUTHOR_DATE": "2024-06-01T10:00:00Z"})
    grown = engine.ingest(repo.path)
    assert (grown.added, grown.unchanged) == (2, 5)
    assert engine.stats().memories == 7
    window = engine.window("May 2024", limit=50)
    assert len(window) == 6


@pytest.mark.req("R5.19")
def test_a_clone_elsewhere_adds_nothing(new_repository: NewRepository, engine: Engine, tmp_path: Path) -> None:
    repo = new_repository()
    repo.commit("one", {"a": "1"})
    repo.commit("two", {"a": "2"})
    engine.ingest(repo.path)
    repo.git("clone", "--quiet", str(repo.path), str(tmp_path / "elsewhere"))
    assert engine.ingest(tmp_path / "elsewhere").added == 0
