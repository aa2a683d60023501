"""The labelled set that masking is measured on: made-up secrets in the forms of real ones, and what only looks like one.

Everything is made from templates by a seeded generator, so no file holds a complete key. In a template `<w:36>` stands for 36
characters of the alphabet `w`; `{}` in a surrounding for the secret. `TRIED` was looked at while the patterns were written,
`HELD_OUT` (other surroundings, other names, other look-alikes) was written after them and only measured.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass

ALPHABETS = {
    "w": string.ascii_letters + string.digits,
    "u": string.ascii_letters + string.digits + "-_",
    "b": string.ascii_letters + string.digits + "+/",
    "h": "0123456789abcdef",
    "A": string.ascii_uppercase + string.digits,
    "2": string.ascii_uppercase + "234567",
    "d": string.digits,
    "n": "123456789",
    "l": string.ascii_lowercase,
    "k": string.ascii_lowercase + string.digits,
    "s": "!@#$%^&*+=~",
}
_HOLE = re.compile(r"<(\w):(\d+)>")


@dataclass(frozen=True)
class Case:
    """`secret` is what must not survive, '' in a look-alike. `kind`: of the secret, or of what it looks like."""

    kind: str
    text: str
    secret: str = ""


def made(template: str, rng: random.Random) -> str:
    return _HOLE.sub(lambda hole: "".join(rng.choice(ALPHABETS[hole[1]]) for _ in range(int(hole[2]))), template)


def _block(name: str) -> str:
    lines = "\n".join(["<b:64>"] * 6)
    return f"-----BEGIN {name}-----\n{lines}\n<b:30>==\n-----END {name}-----"


_P = "PRIVATE" + " KEY"
FORMS: dict[str, tuple[str, ...]] = {
    "aws access key": ("AKIA<2:16>", "ASIA<2:16>"),
    "google api key": ("AIza<u:35>",),
    "google oauth token": ("ya29.a0<u:60>",),
    "google client secret": ("GOCSPX-<u:28>",),
    "github token": ("ghp_<w:36>", "gho_<w:36>", "ghs_<w:36>", "github_pat_<w:22>_<w:59>"),
    "gitlab token": ("glpat-<u:20>", "gldt-<u:20>", "glpat-<u:27>.01.<k:9>"),
    "slack token": ("xoxb-<d:12>-<d:12>-<w:24>", "xoxp-<d:11>-<d:11>-<d:12>-<h:32>", "xapp-1-A<A:10>-<d:13>-<h:64>"),
    "slack webhook": ("hooks.slack.com/services/T<A:8>/B<A:8>/<w:24>",),
    "anthropic key": ("sk-ant-api03-<u:93>AA", "sk-ant-oat01-<u:80>"),
    "openai key": ("sk-<w:48>", "sk-proj-<u:74>", "sk-svcacct-<u:60>"),
    "openrouter key": ("sk-or-v1-<h:64>",),
    "stripe key": ("sk_live_<w:24>", "rk_live_<w:32>", "sk_test_<w:99>"),
    "webhook secret": ("whsec_<w:32>",),
    "twilio key": ("SK<h:32>",),
    "sendgrid key": ("SG.<u:22>.<u:43>",),
    "mailgun key": ("key-<h:32>",),
    "mailchimp key": ("<h:32>-us1<d:1>",),
    "npm token": ("npm_<w:36>",),
    "pypi token": ("pypi-AgEIcHlwaS5vcmc<u:120>",),
    "hugging face token": ("hf_<w:34>",),
    "telegram token": ("<n:10>:AA<u:33>",),
    "discord token": ("MT<w:24>.G<u:5>.<u:38>", "ND<w:22>.X<u:5>.<u:27>"),
    "discord webhook": ("discord.com/api/webhooks/<n:18>/<u:68>",),
    "digitalocean token": ("dop_v1_<h:64>",),
    "shopify token": ("shpat_<h:32>",),
    "databricks token": ("dapi<h:32>",),
    "linear key": ("lin_api_<w:40>",),
    "notion token": ("ntn_<w:46>", "secret_<w:43>"),
    "atlassian token": ("ATATT3xFfGF0<u:180>=<A:8>",),
    "grafana token": ("glsa_<w:32>_<h:8>",),
    "vault token": ("hvs.<u:90>",),
    "docker token": ("dckr_pat_<u:27>",),
    "groq key": ("gsk_<w:52>",),
    "replicate token": ("r8_<w:37>",),
    "age key": ("AGE-SECRET-KEY-1<A:58>",),
    "new relic key": ("NRAK-<A:27>",),
    "azure client secret": ("<w:3>8Q~<w:34>",),
    "jwt": ("eyJhbGciOiJIUzI1NiJ9.eyJ<w:60>.<u:43>", "eyJ<w:40>.eyJ<w:120>.<u:86>"),
    "private key": (_block("RSA " + _P), _block(_P), _block("OPENSSH " + _P), _block("EC " + _P)),
    "pgp private key": (_block("PGP " + _P + " BLOCK"),),
}
TRIED_PLACES = (
    "{}",
    "The key is {} and it runs out in March.",
    "export SERVICE_TOKEN={}\nexport REGION=eu-west-1",
    '{{"name": "ci", "value": "{}"}}',
    "user: can you try it with {}?\nassistant: yes.",
)
HELD_OUT_PLACES = (
    "ok (it was {}), thanks",
    "headers = {{'X-Auth': '{}'}}  # remove before commit",
    "| staging | {} | 2026-05-04 |",
    'log line: {{\\"auth\\":\\"{}\\"}}\\n',
)

# (kind, the whole with the secret between the marks, what it is made of): values that show by their names.
TRIED_NAMED = (
    ("password", "password={}", "<w:8><d:2><s:1>"),
    ("password", "DB_PASSWORD={}\nDB_HOST=localhost", "<w:7><d:3><w:6>"),
    ("password", 'spring.datasource.password: "{}"', "<l:6><d:3><s:1>"),
    ("password", "the wifi password is {}.", "<l:6><d:3><s:1><A:4>"),
    ("password", "I changed the root password to {} yesterday", "<A:2><l:6><d:3><s:1>"),
    ("password", '{{"user": "ada", "pwd": "{}"}}', "<w:12><d:1>"),
    ("password", "mysql -u root --password={} shop", "<w:10><d:2>"),
    ("password", "Server=db;Uid=app;Password={};Port=5432", "<w:10><d:2>"),
    ("api key", "API_KEY={}", "<w:32><d:1>"),
    ("api key", "api_key: '{}'", "<h:31><d:1>"),
    ("api key", "https://api.example.net/v1/data?apikey={}&limit=10", "<w:24><d:1>"),
    ("api key", 'const accessKey = "{}";', "<w:30><d:1>"),
    ("secret", 'client_secret = "{}"', "<u:39><d:1>"),
    ("secret", "SECRET={}", "<b:43><d:1>"),
    ("token", "ACCESS_TOKEN={}", "<w:39><d:1>"),
    ("token", "token: {}", "<h:39><d:1>"),
    ("aws secret key", "aws_secret_access_key = {}", "<b:39><d:1>"),
    ("twilio token", "TWILIO_AUTH_TOKEN={}", "<h:31><d:1>"),
    ("authorization header", "Authorization: Bearer {}", "<u:39><d:1>"),
    ("authorization header", "curl -H 'Authorization: Basic {}' https://x.test", "<w:28>=="),
    ("url password", "postgres://app:{}@db.internal:5432/shop", "<w:14>"),
    ("url password", "git clone https://ci:{}@git.internal/shop.git", "<w:10><s:1><d:2>"),
    ("azure storage key", "AccountName=shop;AccountKey={}==;EndpointSuffix=core", "<b:86>"),
)
HELD_OUT_NAMED = (
    ("password", "PGPASSWORD='{}' psql", "<w:9><d:2>"),
    ("password", "passphrase = {}", "<w:12><d:2><s:1>"),
    ("password", "login: ada\npassword: {}\n", "<l:5><d:4>"),
    ("password", "  adminPassword: {}", "<w:11><d:2>"),
    ("password", "<password>{}</password>", "<w:10><d:2>"),
    ("password", "machine git.internal login ada password {}", "<w:12><d:2>"),
    ("password", "My password for the router is {}", "<A:1><l:7><d:2><s:1>"),
    ("password", "define('DB_PASSWORD', '{}');", "<w:10><d:2><s:1>"),
    ("api key", 'os.environ["API_KEY"] = "{}"', "<w:31><d:1>"),
    ("api key", "x-api-key: {}", "<w:31><d:1>"),
    ("api key", "lodge --api-key {} run", "<w:31><d:1>"),
    ("api key", 'signingKey: "{}"', "<b:43><d:1>"),
    ("secret", '"clientSecret":"{}"', "<w:31><d:1>"),
    ("secret", "JWT_SECRET={}", "<h:63><d:1>"),
    ("token", 'auth_token: "{}"', "<u:39><d:1>"),
    ("token", "//registry.internal/:_authToken={}", "<w:35><d:1>"),
    ("token", "GET /feed?access_token={}", "<w:39><d:1>"),
    ("aws secret key", '"SecretAccessKey": "{}",', "<b:39><d:1>"),
    ("authorization header", 'fetch(u, {{headers: {{"Authorization": "Bearer {}"}}}})', "<u:39><d:1>"),
    ("authorization header", "Authorization: token {}", "<h:39><d:1>"),
    ("url password", "redis://:{}@cache:6379/0", "<w:16>"),
    ("url password", "amqps://shop:{}@mq.internal/vhost", "<w:16>"),
    ("url password", "HTTPS_PROXY=http://ada:{}@proxy.internal:3128", "<w:9><d:2>"),
)

TRIED_ALIKE = (
    ("git sha", "fixed in commit <h:40>, see <h:7>"),
    ("sha256", "sha256:<h:64>  lodmem.tar.gz"),
    ("md5", "MD5 (data.bin) = <h:32>"),
    ("uuid", "request <h:8>-<h:4>-4<h:3>-a<h:3>-<h:12> failed"),
    ("base64 image", "![x](data:image/png;base64,iVBORw0KGgo<b:200>=)"),
    ("identifier", "the class AbstractKeyTokenPasswordValidatorFactoryBean<d:1> is too long"),
    ("code", "password = input()  # step <d:2>"),
    ("code", "token = os.environ['TOKEN_<d:1>']"),
    ("code", "api_key = settings.API_KEY_<d:1>"),
    ("code", "def login(user: str, password: str, retries: int = <d:1>) -> Token:"),
    ("code", "const token = await getToken<d:1>(user);"),
    ("placeholder", "API_KEY=YOUR_API_KEY_<d:1>"),
    ("placeholder", "password: changeme<d:2>"),
    ("placeholder", "token: xxxxxxxxxxxxxxxx<d:1>"),
    ("placeholder", "export OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx<d:1>"),
    ("placeholder", "secret = '<your-secret-<d:1>>'"),
    ("placeholder", "PASSWORD=${DB_PASSWORD_<d:1>}"),
    ("example key", "aws uses AKIA" + "IOSFODNN7EXAMPLE in its pages, page <d:2>"),
    ("css", "color: #<h:6>; background: #<h:3>; width: <d:2>px"),
    ("model", "max_tokens: <d:4>, token_count=<d:3>, eos_token: </s>"),
    ("prose", "The password is wrong again, that is the <d:1>th time."),
    ("prose", "Password: required, at least <d:2> characters"),
    ("prose", "the key to the <d:2> rooms is the secret of good planning"),
    ("prose", "The token limit is <n:1>096tokens and the api key expires in <d:2> days."),
    ("url", "see https://docs.example.net:8443/a/<h:12>?page=<d:2>#L<d:3>"),
    ("url", "postgres://user:password@localhost:5432/db<d:1>"),
    ("url", "mail ada@example.net or write to https://example.net/@ada/<d:9>"),
    ("lock file", '"integrity": "sha512-<b:86>=="'),
    ("version", "token: v<n:1>.<d:2>.<d:1>, password: 2026-05-<d:2>"),
    ("public key", "-----BEGIN PUBLIC KEY-----\n<b:64>\n<b:60>\n-----END PUBLIC KEY-----"),
    ("certificate", "-----BEGIN CERTIFICATE-----\n<b:64>\n<b:64>\n-----END CERTIFICATE-----"),
)
HELD_OUT_ALIKE = (
    ("git sha", "index <h:8>..<h:8> 100644\n--- a/token.py\n+++ b/token.py"),
    ("git sha", "Merge branch 'secrets' of origin at <h:40>"),
    ("sha256", "password_hash: <h:64>"),
    ("sha256", "docker.io/library/redis@sha256:<h:64>"),
    ("uuid", "tenant=<h:8>-<h:4>-4<h:3>-8<h:3>-<h:12>&page=2"),
    ("uuid", "session_id: <h:8>-<h:4>-4<h:3>-b<h:3>-<h:12>"),
    ("base64", "payload: <b:120>=="),
    ("base64 image", "<img src='data:image/jpeg;base64,/9j/4AAQ<b:160>'>"),
    ("public key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI<b:43> ada@laptop"),
    ("identifier", "token_bucket_rate_limiter_v<d:1> replaces key_value_cache_<d:2>"),
    ("identifier", "arn:aws:iam::<d:12>:role/secret-reader-<d:2>"),
    ("identifier", "secretName: prod-db-credentials-v<d:1>"),
    ("identifier", "passwordFieldId: login-form-input-<d:2>"),
    ("code", "if password == other.password<d:1>: return False"),
    ("code", "self.api_key = api_key or load_key_<d:1>()"),
    ("code", "secret = config.get('section<d:1>', 'secret')"),
    ("code", "assert token.kind == TokenKind.STRING_<d:1>"),
    ("code", "password: Optional[str] = None  # <d:2>"),
    ("code", "tokens = tokenizer.encode(text)[:<d:3>]"),
    ("placeholder", 'api_key: "{{ vault.api_key_<d:1> }}"'),
    ("placeholder", "GITHUB_TOKEN=ghp_your_token_here_<d:1>"),
    ("placeholder", "Authorization: Bearer <token-<d:1>>"),
    ("placeholder", "password=********<d:1>"),
    ("placeholder", "--token $CI_TOKEN_<d:1> --password %PASS<d:1>%"),
    ("placeholder", "mongodb://{user}:{password<d:1>}@host/db"),
    ("prose", "She asked for a password reset at <d:2>:<d:2> and got a token by mail."),
    ("prose", "My secret: I never liked the <d:2> o'clock meeting."),
    ("prose", "Keyword: token, <d:2> occurrences; keyboard: <d:2>-key"),
    ("prose", "the secret to the cake is 2<d:2>g butter"),
    ("prose", "We pass: 1<d:1> of 2<d:1> tests pass, key points: <d:1>"),
    ("page token", 'nextPageToken: "<w:40>"'),
    ("number", "phone +49 <d:3> <d:8>, IBAN DE<d:20>"),
    ("masked", "password=[secret: password] and [secret: github token] in run <d:3>"),
)


def positives(*, held_out: bool, seed: int, rounds: int) -> Iterator[Case]:
    """Every form in every place, every named value, with other characters in every round."""
    rng = random.Random(f"{seed}{held_out}")
    places, named = (HELD_OUT_PLACES, HELD_OUT_NAMED) if held_out else (TRIED_PLACES, TRIED_NAMED)
    for kind, forms in FORMS.items():
        for n, place in enumerate(places):
            secret = made(forms[n % len(forms)], rng)
            yield Case(kind, place.format(secret), secret)
    for _ in range(rounds):
        for kind, place, form in named:
            secret = made(form, rng)
            yield Case(kind, place.format(secret), secret)


def look_alikes(*, held_out: bool, seed: int, rounds: int) -> Iterator[Case]:
    """Texts that hold no secret."""
    rng = random.Random(f"{seed}{held_out}")
    for _ in range(rounds):
        for kind, template in HELD_OUT_ALIKE if held_out else TRIED_ALIKE:
            yield Case(kind, made(template, rng))
