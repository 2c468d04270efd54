"""Checks the JSON of a cross-check against docs/crosscheck.schema.json with an independent, strict reader.

check_crosscheck_schema.py SCHEMA REPORT_EMIT     needs the package python3-jsonschema
"""

import json
import subprocess
import sys

from check_schema import check_strictness, jsonschema, must_fail, refuse


def main(schema_path, emit):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    check_strictness(schema)
    validator = jsonschema.Draft202012Validator(schema)
    raw = subprocess.run([emit, "crosscheck"], check=True, stdout=subprocess.PIPE).stdout
    document = json.loads(raw.decode("utf-8", errors="strict"), parse_constant=refuse)
    errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message}" for e in validator.iter_errors(document)]
    if errors:
        sys.exit("\n".join(errors[:20]))
    assert len(document["points"]) == 4
    must_fail(validator, document, lambda d: d["points"][0].update(extra=1), "an unknown field")
    must_fail(validator, document, lambda d: d["points"][0].pop("verdicts"), "a missing field")
    must_fail(validator, document, lambda d: d["points"][0]["verdicts"].update(time="fine"), "an unknown verdict")
    must_fail(validator, document, lambda d: d["points"][0]["ours"].update(cycles="28"), "a number as text")
    must_fail(validator, document, lambda d: d.update(schema_version="2.0.0"), "another version of the layout")


if __name__ == "__main__":
    main(*sys.argv[1:])
