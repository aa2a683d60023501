"""Named profiles and which agent uses which. The presets are always there; a saved profile stands in front of its name."""

from __future__ import annotations

import json

import apsw

from lodmem.errors import UnknownProfile
from lodmem.model.kept import AgentProfile
from lodmem.model.profile import DEFAULT_PROFILE, PRESETS, Profile


def profiles(conn: apsw.Connection) -> dict[str, Profile]:
    """All of them by name."""
    return {**PRESETS, **{profile.name: profile for profile in saved(conn)}}


def saved(conn: apsw.Connection) -> list[Profile]:
    """Those that were saved, by name."""
    return [Profile.from_dict(json.loads(body)) for (body,) in conn.execute("SELECT body FROM profile ORDER BY name")]


def save_profile(conn: apsw.Connection, profile: Profile) -> None:
    """Store or replace a profile."""
    conn.execute(
        "INSERT INTO profile VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET body = ?2",
        (profile.name, json.dumps(profile.to_dict(), ensure_ascii=False)),
    )


def agent_profile(conn: apsw.Connection, agent: str) -> str:
    """Name of the agent's profile, the default one where none was chosen."""
    name: str | None = conn.execute("SELECT profile FROM agent WHERE name = ?", (agent,)).get
    return DEFAULT_PROFILE if name is None else name


def agent_profiles(conn: apsw.Connection) -> list[AgentProfile]:
    """Those that were chosen, by the agent's name."""
    found = conn.execute("SELECT name, profile FROM agent WHERE profile IS NOT NULL ORDER BY name")
    return [AgentProfile(agent=agent, profile=profile) for agent, profile in found]


def set_agent_profile(conn: apsw.Connection, agent: str, profile: str) -> None:
    """Point an agent to a profile. Raises UnknownProfile."""
    known = profiles(conn)
    if profile not in known:
        raise UnknownProfile(f"there is no profile {profile!r}", hint="one of " + ", ".join(sorted(known)))
    conn.execute(
        "INSERT INTO agent (name, profile) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET profile = ?2", (agent, profile)
    )
