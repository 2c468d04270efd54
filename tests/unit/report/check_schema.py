"""Checks what the JSON writer emits against docs/result.schema.json with an independent, strict reader.

check_schema.py SCHEMA REPORT_EMIT     needs the package python3-jsonschema
"""

import json
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("python3-jsonschema is missing; install it (apt-get install python3-jsonschema) and run the test again")


def refuse(word):
    raise ValueError(f"{word} is no JSON")


def objects(schema, path="$"):
    """Every schema of an object, with its place."""
    if isinstance(schema, dict):
        kinds = schema.get("type", [])
        if "object" in ([kinds] if isinstance(kinds, str) else kinds):
            yield path, schema
        for key, value in schema.items():
            yield from objects(value, f"{path}.{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from objects(value, f"{path}[{index}]")


def check_strictness(schema):
    """A schema that lets unknown fields through, or does not ask for known ones, could not fail."""
    for path, node in objects(schema):
        if "properties" in node:
            assert node.get("additionalProperties") is False, f"{path} lets unknown fields through"
            assert sorted(node["required"]) == sorted(node["properties"]), f"{path} does not ask for all its fields"
            for name, field in node["properties"].items():
                assert field.get("description"), f"{path}.{name} has no description"


def must_fail(validator, document, change, what):
    changed = json.loads(json.dumps(document))
    change(changed)
    assert not validator.is_valid(changed), f"the schema accepts {what}"


def main(schema_path, emit):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    check_strictness(schema)
    validator = jsonschema.Draft202012Validator(schema)

    documents = {}
    for which in ("plausible", "hot", "hostile", "none"):
        raw = subprocess.run([emit, which], check=True, stdout=subprocess.PIPE).stdout
        documents[which] = json.loads(raw.decode("utf-8", errors="strict"), parse_constant=refuse)
        errors = [f"{which}: {'/'.join(map(str, e.absolute_path))}: {e.message}" for e in validator.iter_errors(documents[which])]
        if errors:
            sys.exit("\n".join(errors[:20]))

    good = documents["plausible"]
    must_fail(validator, good, lambda d: d["results"][0].update(extra=1), "an unknown field")
    must_fail(validator, good, lambda d: d["results"][0].pop("cover"), "a missing field")
    must_fail(validator, good, lambda d: d["results"][0].update(status="fine"), "an unknown status")
    must_fail(validator, good, lambda d: d["results"][0]["kernel_time"].update(value_ns="28"), "a number as text")
    must_fail(validator, documents["hot"], lambda d: d["results"][0]["telemetry"][0]["state"].pop("missing"), "telemetry without its reasons")
    must_fail(validator, documents["hot"], lambda d: d["results"][0]["effective_clock"]["clock"].pop("low_mhz"), "a clock without its interval")
    must_fail(validator, good, lambda d: d.update(schema_version="2.0.0"), "another version of the layout")
    must_fail(validator, good, lambda d: d["results"][0]["samples"]["marks"][0].append("tired"), "an unknown mark")


if __name__ == "__main__":
    main(*sys.argv[1:])
