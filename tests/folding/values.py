"""Runs each program of a list, and says what `value` is at its end."""

import json
import sys

values = []
for code in json.load(sys.stdin):
    names = {}
    exec(compile(code, "<program>", "exec"), names)
    values.append(str(names["value"]))
json.dump(values, sys.stdout)
