"""Secrets that show by their own form: data only. Each row: kind, the literals it begins with, the form.

`STARTING`: the form is tried where one of the literals stands, so a text without them costs a substring search each.
`SPACED`: likewise, and may hold white space or be short. `INSIDE`: the literal lies within the form, which is searched for
in a text that has it.

Every form is linear: a repetition is bounded, or nothing can fail after it, or it cannot begin twice in one run of its own
characters. A group named `s` is the secret where it is not the whole match,
`c` what is looked at to tell it from a stand-in. Source: the issuers' documentation of their formats.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# A token begins after anything but a letter or digit, an escaped line end ("\n" in JSON), or a percent code ("%3D" in a URL).
_LEAD = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_RUN_LEAD = r"(?:(?<![\w-])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_END = r"(?![A-Za-z0-9])"
_RUN_END = r"(?![\w-])"


# No token is shorter: a text whose words are all shorter has none.
SHORTEST = 20


class Pattern(NamedTuple):
    """One form. `checked`: whether a value that looks made up (EXAMPLE, xxxx) is left alone."""

    kind: str
    literals: tuple[str, ...]
    form: re.Pattern[str]
    checked: bool = True


def _at(kind: str, literals: str, rest: str, *, end: str = _END, lead: str = _LEAD) -> Pattern:
    """Tokens that begin with one of the literals (separated by spaces) and go on as `rest`."""
    each = tuple(literals.split())
    return Pattern(kind, each, re.compile(f"{lead}(?:{'|'.join(map(re.escape, each))})(?:{rest}){end}", re.ASCII))


def _form(kind: str, literals: tuple[str, ...], form: str, *, checked: bool = True) -> Pattern:
    return Pattern(kind, literals, re.compile(form, re.ASCII), checked)


# Kinds of values that their names make secrets.
NAMED = ("password", "credential", "secret", "token", "api key", "aws secret key", "twilio token", "authorization header")

# A key's block: up to its own end, or, where it was cut off, as many lines as can be nothing else.
_BLOCK = (
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}%s-----"
    r"(?:(?:[^-]|-(?!----))*+-----END (?:[A-Z0-9]{1,12} ){0,3}%s-----|(?:(?:\\[nr]|\s)+[A-Za-z0-9+/=]{16,}+)+)"
)

# Told by their surroundings, so of any length.
SPACED: tuple[Pattern, ...] = (
    _form("private key", ("-----BEGIN ",), _BLOCK % ("PRIVATE KEY", "PRIVATE KEY"), checked=False),
    _form("pgp private key", ("-----BEGIN PGP",), _BLOCK % ("PRIVATE KEY BLOCK", "PRIVATE KEY BLOCK"), checked=False),
    _form("url password", ("://",), r"""://[^\s:/@?#"'<>`]{0,128}:(?P<s>[^\s/"'<>`]{3,256})@(?=[\w\[$%{.-])"""),
)

STARTING: tuple[Pattern, ...] = (
    _at("aws access key", "AKIA ASIA ABIA ACCA", r"[A-Z2-7]{16}"),
    _at("google api key", "AIza", r"[\w-]{35}", end=_RUN_END),
    _at("google oauth token", "ya29.", r"[\w-]{20,}+(?:\.[\w-]{4,}+)?", end=""),
    _at("google client secret", "GOCSPX-", r"[\w-]{24,}+", end=""),
    _at("google refresh token", "1//0", r"[\w-]{30,}+", end=""),
    _at("github token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{30,}+", end=""),
    _at("github token", "github_pat_", r"[A-Za-z0-9]{20,30}_[A-Za-z0-9]{50,}+", end=""),
    _at(
        "gitlab token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- glffct-",
        r"[\w-]{20,}+(?:\.[0-9a-z]{2,9}){0,2}",
        end="",
    ),
    _at("bitbucket token", "ATBB", r"[A-Za-z0-9_=]{28,}+", end=""),
    _at("slack token", "xoxb- xoxp- xoxa- xoxo- xoxe- xoxr- xoxs- xoxc- xoxd-", r"[A-Za-z0-9%-]{20,}+", end=""),
    _at("slack token", "xoxe.xoxp- xoxe.xoxb- xapp-", r"\d-[A-Za-z0-9-]{20,}+", end=""),
    _at("anthropic key", "sk-ant-", r"[a-z]{3,8}\d{2}-[\w-]{20,}+", end=""),
    _at("openrouter key", "sk-or-", r"v\d-[0-9a-f]{40,}+", end=""),
    _at("openai key", "sk-proj- sk-svcacct- sk-admin- sk-None-", r"[\w-]{20,}+", end=""),
    _at("openai key", "sk-", r"[A-Za-z0-9]{32,}+", end=_RUN_END),
    _at("stripe key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[A-Za-z0-9]{16,}+", end=""),
    _at("webhook secret", "whsec_", r"[A-Za-z0-9+/=]{24,}+", end=""),
    _at("twilio key", "SK", r"[0-9a-f]{32}"),
    _at("sendgrid key", "SG.", r"[\w-]{16,32}\.[\w-]{32,}+", end=""),
    _at("mailgun key", "key-", r"[0-9a-f]{32}", lead=_RUN_LEAD),
    _at("npm token", "npm_", r"[A-Za-z0-9]{36}"),
    _at("pypi token", "pypi-Ag", r"[\w-]{50,}+", end=""),
    _at("hugging face token", "hf_ api_org_", r"[A-Za-z0-9]{30,40}"),
    _at("discord webhook", "discord.com/api discordapp.com/api", r"(?:/v\d+)?/webhooks/\d{16,20}/[\w-]{50,}+", end=""),
    _at("slack webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9/]{20,}+", end=""),
    _at("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    _at("shopify token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}"),
    _at("square token", "sq0atp- sq0csp-", r"[\w-]{22,43}", end=_RUN_END),
    _at("databricks token", "dapi", r"[0-9a-f]{32}(?:-\d)?"),
    _at("linear key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{32,}+", end=""),
    _at("notion token", "ntn_ secret_", r"[A-Za-z0-9]{43,50}"),
    _at("atlassian token", "ATATT3 ATCTT3", r"[\w=-]{60,}+", end=""),
    _at("grafana token", "glsa_ glc_", r"[A-Za-z0-9_=+/]{32,}+", end=""),
    _at("vault token", "hvs. hvb. hvr.", r"[\w-]{24,}+", end=""),
    _at("docker token", "dckr_pat_ dckr_oat_", r"[\w-]{27,}+", end=""),
    _at("replicate token", "r8_", r"[A-Za-z0-9]{37}"),
    _at("groq key", "gsk_", r"[A-Za-z0-9]{40,}+", end=""),
    _at("xai key", "xai-", r"[A-Za-z0-9]{60,}+", end=""),
    _at("perplexity key", "pplx-", r"[A-Za-z0-9]{40,}+", end=""),
    _at("age key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{50,}+", end=""),
    _at("postman key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    _at("new relic key", "NRAK-", r"[A-Z0-9]{27}"),
    _at("sentry token", "sntrys_ sntryu_", r"[\w+/=-]{40,}+", end=""),
    _at("doppler token", "dp.pt. dp.st. dp.sa. dp.ct.", r"(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    _at("planetscale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w.=-]{32,}+", end=""),
    _at("supabase token", "sbp_ sb_secret_", r"[\w-]{30,}+", end=""),
    _at("figma token", "figd_", r"[\w-]{38,}+", end=""),
    _at("rubygems key", "rubygems_", r"[0-9a-f]{48}"),
    _at("tailscale key", "tskey-", r"(?:auth|api|client|webhook)-[A-Za-z0-9]{8,20}-[A-Za-z0-9]{20,}+", end=""),
    _at("langsmith key", "lsv2_", r"(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    _at("facebook token", "EAA", r"[A-Za-z0-9]{90,}+", end=""),
    _at("jwt", "eyJ", r"[\w-]{10,}+\.eyJ[\w-]{8,}+\.[\w-]{16,}+", end="", lead=_RUN_LEAD),
)

INSIDE: tuple[Pattern, ...] = (
    _form("telegram token", (":AA",), r"(?:(?<![\w-])|(?<=bot))\d{8,10}:(?P<c>AA[\w-]{32,35})(?![\w-])"),
    _form("azure client secret", ("Q~",), r"(?<![\w~.-])[A-Za-z0-9_~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~-])"),
    _form("azure storage key", ("AccountKey=", "accountkey="), r"(?i:AccountKey=)(?P<s>[A-Za-z0-9+/]{40,}+={0,2})"),
    _form("azure signature", ("sig=",), r"(?<![A-Za-z0-9])sig=(?P<s>[A-Za-z0-9%+/]{40,}+={0,2})"),
    _form("mailchimp key", ("-us",), r"[0-9a-f](?<![A-Za-z0-9][0-9a-f])[0-9a-f]{31}-us\d{1,2}(?![\w-])"),
    _form("terraform token", (".atlasv1.",), r"[A-Za-z0-9](?<![A-Za-z0-9].)[A-Za-z0-9]{13}\.atlasv1\.[\w-]{60,}+"),
    _form("airtable token", ("pat",), r"pat(?<![A-Za-z0-9]pat)[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![A-Za-z0-9])"),
    _form("discord token", (".",), r"[MNO](?<![\w.-].)[\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])"),
)

KINDS = frozenset((*NAMED, *(pattern.kind for pattern in (*STARTING, *SPACED, *INSIDE))))
