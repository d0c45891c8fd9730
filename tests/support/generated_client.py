"""A client written from the OpenAPI and AsyncAPI documents alone: nothing here knows a route or a form by itself.

    module = written(openapi, asyncapi, tmp_path)
    client = module.Client("127.0.0.1", 8180)
    match = client.create_match(body={…})
    for event in client.follow_match(match_id=match["id"]): …

Each operation is a method, each channel a generator. What is sent and what is answered is held to its schema; an
answer that is not declared, or is not of its form, is an error of the service.
"""

import importlib.util
import json
import keyword
import re
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

JSON: TypeAlias = Any

HEAD = '''"""Generated from the service's descriptions."""

import http.client
import json
from contextlib import closing
from urllib.parse import quote, urlencode

import jsonschema_rs
from websockets.sync.client import connect

COMPONENTS = json.loads({components!r})
EVENTS = json.loads({events!r})


class ProblemError(Exception):
    """A refusal that the description declares."""

    def __init__(self, problem):
        super().__init__(f"{{problem['code']}}: {{problem['detail']}}")
        self.problem = problem


class Undeclared(Exception):
    """Something that the description does not declare."""


def hold(value, schema, components=COMPONENTS):
    """Hold a value to its schema."""
    jsonschema_rs.validate({{**schema, "components": components}}, value)


class Client:
    """Every operation of the service."""

    def __init__(self, host, port):
        self.host, self.port = host, port
        self.asked = 0

    def _ask(self, method, path, declared, *, query=None, headers=None, body=None, schema=None):
        if schema is not None:
            hold(body, schema)
        if query:
            path += "?" + urlencode(query)
        self.asked += 1
        with closing(http.client.HTTPConnection(self.host, self.port, timeout=30)) as connection:
            sent = {{**(headers or {{}})}}
            if body is not None:
                sent["Content-Type"] = "application/json"
            connection.request(method, path, json.dumps(body) if body is not None else None, sent)
            reply = connection.getresponse()
            data = reply.read()
        return self._answer(f"{{method}} {{path}}", reply, data, declared)

    def _answer(self, what, reply, data, declared):
        known = declared.get(str(reply.status))
        if known is None:
            raise Undeclared(f"{{what}}: {{reply.status}} is not declared")
        if not data:
            return None
        kind = reply.headers.get_content_type()
        if known and kind not in known:
            raise Undeclared(f"{{what}}: {{kind}} is not declared")
        if not kind.endswith("json"):
            return data.decode()
        value = json.loads(data)
        hold(value, known[kind] or {{}})
        if reply.status >= 400:
            raise ProblemError(value)
        return value

    def _follow(self, address, messages, query):
        asked = "?" + urlencode(query) if query else ""
        url = f"ws://{{self.host}}:{{self.port}}{{address}}{{asked}}"
        with connect(url, proxy=None, compression=None) as stream:
            for text in stream:
                event = json.loads(text)
                form = messages.get(event.get("type"))
                if form is None:
                    raise Undeclared(f"an event of type {{event.get('type')}} is not declared")
                hold(event, form, EVENTS)
                yield event
'''


def written(openapi: Mapping[str, JSON], asyncapi: Mapping[str, JSON], folder: Path) -> ModuleType:
    """Write the client into a folder and give its module."""
    parts = [
        HEAD.format(
            components=json.dumps(openapi["components"]), events=json.dumps(asyncapi["components"], sort_keys=True)
        )
    ]
    for path, methods in openapi["paths"].items():
        parts += [_operation(path, method, operation) for method, operation in methods.items()]
    for name, operation in asyncapi["operations"].items():
        channel = asyncapi["channels"][operation["channel"]["$ref"].rpartition("/")[2]]
        parts.append(_channel(name, channel, asyncapi["components"]["messages"]))
    path = folder / "generated.py"
    path.write_text("".join(parts), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("generated", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _operation(path: str, method: str, operation: Mapping[str, JSON]) -> str:
    """Write the method of an operation."""
    given = operation.get("parameters", [])
    signature = [f"{_name(one['name'])}{'' if one.get('required') else '=None'}" for one in _required_first(given)]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    signature = [*([] if body is None else ["body"]), *signature]
    declared = {
        status: {kind: content.get("schema") for kind, content in answer.get("content", {}).items()}
        for status, answer in operation["responses"].items()
    }
    filled = re.sub(r"\{(\w+)\}", lambda found: "{quote(str(" + _name(found[1]) + "))}", path)
    lines = [
        "",
        f"    def {operation['operationId']}(self{', *, ' if signature else ''}{', '.join(signature)}):",
        f'        """{operation.get("summary", "").strip()}"""',
        "        query, headers = {}, {}",
    ]
    for one in given:
        place = {"query": "query", "header": "headers"}.get(one["in"])
        if place is not None:
            name = _name(one["name"])
            lines += [f"        if {name} is not None:", f"            {place}[{one['name']!r}] = {name}"]
    lines += [
        f"        declared = json.loads({json.dumps(declared)!r})",
        f'        return self._ask("{method.upper()}", f"{filled}", declared, query=query, headers=headers'
        + ("" if body is None else f", body=body, schema=json.loads({json.dumps(body['schema'])!r})")
        + ")",
        "",
    ]
    return "\n".join(lines)


def _channel(name: str, channel: Mapping[str, JSON], messages: Mapping[str, JSON]) -> str:
    """Write the generator of a channel."""
    words = list(channel.get("parameters", {}))
    asked = list(channel["bindings"]["ws"]["query"]["properties"])
    forms = {
        messages[key]["name"]: messages[key]["payload"]
        for key in (one["$ref"].rpartition("/")[2] for one in channel["messages"].values())
    }
    address = re.sub(r"\{(\w+)\}", lambda found: "{quote(str(" + _name(found[1]) + "))}", channel["address"])
    signature = ", ".join([*map(_name, words), *(f"{_name(word)}=None" for word in asked)])
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    return "\n".join(
        [
            "",
            f"    def {snake}(self, *, {signature}):",
            f"        asked = dict({', '.join(f'{_name(word)}={_name(word)}' for word in asked)})",
            "        query = {key: value for key, value in asked.items() if value is not None}",
            f"        return self._follow(f{address!r}, json.loads({json.dumps(forms)!r}), query)",
            "",
        ]
    )


def _required_first(given: list[Mapping[str, JSON]]) -> list[Mapping[str, JSON]]:
    return sorted(given, key=lambda one: not one.get("required"))


def _name(word: str) -> str:
    """Give a name of Python for a name of the description."""
    name = re.sub(r"\W", "_", word).lower()
    return f"{name}_" if keyword.iskeyword(name) else name
