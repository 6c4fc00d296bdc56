"""Reads docs/openapi.json and checks answers against it. Implements only as much of JSON Schema as
the document uses."""
import json
import os
import pathlib
import re

DOCUMENT = json.loads((pathlib.Path(os.environ["SOURCE"]) / "docs/openapi.json").read_text())
METHODS = ("get", "post", "put", "delete", "options", "head", "patch", "trace")
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def resolve(part):
    """The part that a $ref stands for."""
    while "$ref" in part:
        found = DOCUMENT
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        part = found
    return part


def operations():
    """(path, method, operation) of everything described."""
    for path, item in DOCUMENT["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method.upper(), item[method]


def operation(path, method):
    return DOCUMENT["paths"][path][method.lower()]


def methods_of(path, port):
    """The methods that Allow should list. HEAD goes with GET."""
    found = [method.upper() for method in METHODS
             if method in DOCUMENT["paths"][path] and port in operation(path, method)["tags"]]
    return set(found + ["HEAD"] * ("GET" in found))


def is_a(kind, value):
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[kind])


def number_fault(schema, value):
    bounds = (("minimum", value < schema.get("minimum", value)), ("maximum", value > schema.get("maximum", value)),
              ("exclusiveMinimum", value <= schema.get("exclusiveMinimum", value - 1)),
              ("exclusiveMaximum", value >= schema.get("exclusiveMaximum", value + 1)))
    return next((name for name, broken in bounds if broken), None)


def text_fault(schema, value):
    if "pattern" in schema and not re.search(schema["pattern"], value):
        return "pattern"
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        return "length"
    return None


def object_fault(schema, value, at):
    for name in schema.get("required", ()):
        if name not in value:
            return f"{at}: {name} is missing"
    if len(value) > schema.get("maxProperties", len(value)):
        return f"{at}: too many properties"
    described, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name, inner in value.items():
        rule = described.get(name, others)
        if rule is False:
            return f"{at}: {name} is not described"
        found = fault({} if rule is True else rule, inner, f"{at}.{name}") or \
            fault(schema.get("propertyNames", {}), name, f"{at}: the name {name}")
        if found:
            return found
    return None


def fault(schema, value, at="answer"):
    """None if the value matches the schema; otherwise a sentence."""
    schema = resolve(schema)
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_a(kind, value) for kind in kinds):
        return f"{at} = {value!r}: is no {' or '.join(kinds)}"
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        return f"{at} = {value!r}: allowed {schema.get('const', schema.get('enum'))}"
    if "oneOf" in schema:
        faults = [fault(one, value, at) for one in schema["oneOf"]]
        if faults.count(None) != 1:
            return f"{at}: {faults.count(None)} of its forms fit: {faults}"
    if isinstance(value, dict):
        return object_fault(schema, value, at)
    if isinstance(value, list):
        return next(filter(None, (fault(schema.get("items", {}), v, f"{at}[{i}]") for i, v in enumerate(value))), None)
    found = number_fault(schema, value) if is_a("number", value) else \
        text_fault(schema, value) if isinstance(value, str) else None
    return f"{at} = {value!r}: {found}" if found else None


def body_fault(described, answer, head):
    content = described.get("content")
    kind = answer.headers.get("Content-Type", "").split(";")[0]
    if content is None:
        return f"a body is not described: {answer.body!r} of {kind!r}" if answer.body or kind else None
    if kind not in content:
        return f"Content-Type = {kind!r}: described {list(content)}"
    if head:
        return "HEAD has a body" if answer.body else None
    if kind == "application/json":
        return fault(content[kind]["schema"], json.loads(answer.body))
    return None if answer.body else "the body is empty"


def answer_fault(path, method, answer):
    """None if the document has this status for this operation and describes the answer; otherwise a
    sentence."""
    responses = operation(path, "GET" if method == "HEAD" else method)["responses"]
    if str(answer.status) not in responses:
        return f"{answer.status} is not described"
    described = resolve(responses[str(answer.status)])
    for name, header in described.get("headers", {}).items():
        if name not in answer.headers:
            if resolve(header).get("required") is False:
                continue
            return f"the header {name} is missing"
        found = fault(resolve(header)["schema"], answer.headers[name], name)
        if found:
            return found
    return body_fault(described, answer, method == "HEAD")
