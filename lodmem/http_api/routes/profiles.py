"""Profiles: how agents look."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from starlette.responses import Response

from lodmem.engine import Engine
from lodmem.http_api import answers, asked
from lodmem.http_api.routes.common import Asking
from lodmem.model.profile import Profile

router = APIRouter(prefix="/profiles", tags=["profiles"])

ProfileName = Annotated[str, Path(min_length=1, max_length=255)]


@router.get("", response_model=answers.Profiles, summary="All profiles, and the one this agent looks with")
async def profiles(asker: Asking) -> Response:
    return await asker.json(
        lambda engine: {"profiles": [each.to_dict() for each in engine.profiles().values()], "used": engine.profile.name}
    )


@router.put("/{name}", response_model=answers.Profile, summary="Keep a profile under its name")
async def save(asker: Asking, name: ProfileName, body: asked.Profiling) -> Response:
    """No stored memory is touched. Presets can be replaced."""
    asker.whole()

    def work(engine: Engine) -> dict[str, Any]:
        profile = Profile.from_dict({"name": name, **body.model_dump()})
        engine.save_profile(profile)
        return profile.to_dict()

    return await asker.json(work)


@router.post("/{name}/use", response_model=answers.Profile, summary="Make an agent look with it")
async def use(asker: Asking, name: ProfileName, body: asked.Using) -> Response:
    if body.agent is not None:
        asker.whole()

    def work(engine: Engine) -> dict[str, Any]:
        engine.use_profile(name, agent=body.agent)
        return engine.profiles()[name].to_dict()

    return await asker.json(work)
