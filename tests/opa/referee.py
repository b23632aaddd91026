"""Asks the real OPA what it answers.

Reads one JSON object from stdin: `policies` and `data`, pairs of a name and a text; `inputs`, a
list of documents as texts; `rule`, the path of the rule that is asked for with each input; and
`tests`, paths of rules that are asked for without input. Writes the answers as one JSON object;
what is undefined is null.
"""

import json
import sys

import opa_bindings


def answer(engine, path, document):
    try:
        return engine.eval_document(path, document)
    except opa_bindings.OpaUndefinedError:
        return None


def main():
    task = json.load(sys.stdin)
    with opa_bindings.OpaEngine() as engine:
        for path, text in task["policies"]:
            engine.add_policy(path, text)
        for name, text in task["data"]:
            engine.add_data(json.loads(text), name)
        answers = [answer(engine, task["rule"], json.loads(text)) for text in task["inputs"]]
        tests = [answer(engine, path, None) for path in task["tests"]]
    json.dump({"answers": answers, "tests": tests}, sys.stdout)


main()
