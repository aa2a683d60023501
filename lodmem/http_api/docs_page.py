"""The OpenAPI document as one page of plain HTML: no script, nothing fetched from anywhere else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

STYLE = """\
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; } main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
details { border: 1px solid #8886; border-radius: .4rem; margin: .4rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; } code, pre { font-family: ui-monospace, monospace; }
pre { overflow-x: auto; padding: .6rem; border: 1px solid #8886; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .2rem .6rem .2rem 0; }
b.get { color: #0b6e4f; } b.post, b.put { color: #8a4b00; } b.delete { color: #b00020; }
@media (prefers-color-scheme: dark) {
 b.get { color: #6fdcb0; } b.post, b.put { color: #ffb86b; } b.delete { color: #ff8a95; }
}
"""


def page(document: Mapping[str, Any]) -> str:
    """The whole page."""
    info = document["info"]
    return "".join(
        (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<title>{escape(info["title"])} API</title><link rel="icon" href="/icon.svg">',
            '<link rel="stylesheet" href="/docs.css"></head><body><main>',
            f"<h1>{escape(info['title'])} API {escape(info['version'])}</h1>",
            '<p>The same as a document for programs: <a href="/openapi.json">openapi.json</a>. MCP: <code>/mcp</code>.</p>',
            *_groups(document),
            "</main></body></html>\n",
        )
    )


def _groups(document: Mapping[str, Any]) -> Iterator[str]:
    groups: dict[str, list[tuple[str, str, Mapping[str, Any]]]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            groups.setdefault((operation.get("tags") or ["other"])[0], []).append((method, path, operation))
    for name, entries in groups.items():
        yield f"<h2>{escape(name)}</h2>"
        for method, path, operation in entries:
            yield from _operation(document, method, path, operation)


def _operation(document: Mapping[str, Any], method: str, path: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield f'<details id="{escape(operation["operationId"])}"><summary><b class="{escape(method)}">{escape(method.upper())}</b> '
    yield f"<code>{escape(path)}</code> {escape(operation.get('summary', ''))}</summary>"
    yield f"<p>{escape(operation.get('description', ''))}</p>"
    if operation.get("parameters"):
        yield "<table><tr><th>parameter</th><th>in</th><th>what</th></tr>"
        for parameter in operation["parameters"]:
            needed = " (needed)" if parameter.get("required") else ""
            cells = (parameter["in"], f"{_kind(document, parameter['schema'])}{needed} {parameter.get('description', '')}")
            more = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            yield f"<tr><td><code>{escape(parameter['name'])}</code></td>{more}</tr>"
        yield "</table>"
    for kind, body in operation.get("requestBody", {}).get("content", {}).items():
        yield f"<h3>Body: {escape(kind)}</h3>{_shape(document, body['schema'])}"
    for status, answer in operation["responses"].items():
        for kind, body in answer.get("content", {}).items():
            yield f"<h3>{escape(status)}: {escape(kind)}</h3>{_shape(document, body.get('schema', {}))}"
    yield "</details>"


def _shape(document: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    found = _resolved(document, schema)
    if "properties" not in found:
        return f"<p>{escape(_kind(document, schema))}</p>"
    needed = found.get("required", ())
    rows = "".join(
        f"<tr><td><code>{escape(name)}</code>{' *' if name in needed else ''}</td><td>{escape(_kind(document, each))} "
        f"{escape(each.get('description', ''))}</td></tr>"
        for name, each in found["properties"].items()
    )
    return f"<table>{rows}</table>"


def _resolved(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = schema.get("$ref")
    if reference is None:
        return schema
    found: Mapping[str, Any] = document["components"]["schemas"][reference.rpartition("/")[2]]
    return found


def _kind(document: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """A type in words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(_kind(document, each) for each in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return f"list of {_kind(document, schema.get('items', {}))}"
    bounds = "".join(
        f", {word} {schema[key]}"
        for key, word in (("minimum", "at least"), ("maximum", "at most"), ("maxLength", "characters at most"))
        if key in schema
    )
    default = f", default {json.dumps(schema['default'])}" if schema.get("default") not in (None, [], {}) else ""
    return f"{schema.get('type', 'anything')}{bounds}{default}"
