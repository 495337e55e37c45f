"""Shipped files against the schemas that quintet prints, by the jsonschema package: a schema that
refuses what is read would make editors complain."""
import glob
import json
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("no jsonschema here: not tested")
    sys.exit(77)

program, tree = sys.argv[1:]
kinds = {"plan": "traces/plans", "topology": "topologies", "costs": "traces/costs",
         "faults": "traces/faults", "losses": "traces/losses",
         "jobs": "traces/jobs"}
checked = 0
for kind, folder in kinds.items():
    schema = json.loads(subprocess.run([program, "schema", kind], check=True, capture_output=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for file in sorted(glob.glob(os.path.join(tree, folder, "*.json"))):
        content = json.load(open(file))
        if "like" in content:
            content = {**json.load(open(os.path.join(os.path.dirname(file), content["like"]))), **content}
        for error in validator.iter_errors(content):
            print(f"{file}: {'.'.join(map(str, error.absolute_path))}: {error.message[:200]}")
            sys.exit(1)
        broken = dict(content, no_such_field=1)
        if validator.is_valid(broken):
            sys.exit(f"{file}: the schema takes a field that there is not")
        checked += 1
print(f"{checked} files")
sys.exit(0 if checked > 30 else 1)
