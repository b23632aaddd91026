package regate.rules.env.read_test

import data.regate.lib.example_test as example
import data.regate.rules.env.read

test_denies_a_call_that_needs_it if {
	findings := read.deny with input as example.calling("os.getenv", "env.read")
	count(findings) == 1
	some finding in findings
	finding.span == example.span
}

test_permits_code_without_it if {
	findings := read.deny with input as example.calling("math.sqrt", "none")
	findings == set()
}

test_denies_a_resource_of_its_kind if {
	resource := {
		"kind": "env",
		"op": "use",
		"value": {"level": "opaque", "type": "unknown", "taint": []},
		"norm": null,
		"extension": null,
		"place": "host",
		"call": "library.function",
		"span": example.span,
	}
	findings := read.deny with input as example.call({"resources": [resource]})
	count(findings) == 1
}
