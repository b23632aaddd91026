package regate.rules.code.patched_test

import data.regate.lib.example_test as example
import data.regate.rules.code.patched

binding(kind) := {"kind": kind, "name": "json.loads", "to": [], "span": example.span}

test_denies_a_patched_library if {
	findings := patched.deny with input as example.call({"bindings": [binding("monkeypatch")]})
	count(findings) == 1
}

test_says_that_a_name_is_not_known if {
	findings := patched.deny with input as example.call({"bindings": [binding("setattr_opaque")]})
	some finding in findings
	endswith(finding.message, "changes an attribute whose name is not known")
}

test_permits_a_name_that_is_deleted if {
	findings := patched.deny with input as example.call({"bindings": [binding("del")]})
	findings == set()
}
