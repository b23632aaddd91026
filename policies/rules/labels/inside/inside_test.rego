package regate.rules.labels.inside_test

import data.regate.lib.example_test as example
import data.regate.rules.labels.inside

bearing(label, document) := object.union(document, {"context": {"session": {
	"labels": [label],
	"labelled": [{"name": label, "session": "run", "step": 3, "call": "call-3"}],
}}})

test_denies_the_network_after_something_secret_was_read if {
	document := bearing("secret", example.calling("requests.post", "net.connect"))
	findings := inside.deny with input as document
	count(findings) == 1
	some finding in findings
	contains(finding.message, "step 3 of the session `run` (call call-3)")
}

test_permits_what_stays_inside if {
	findings := inside.deny with input as bearing("secret", example.calling("open", "fs.read"))
	findings == set()
}

test_permits_the_network_to_whoever_bears_another_label if {
	document := bearing("untrusted", example.calling("requests.post", "net.connect"))
	findings := inside.deny with input as document
	findings == set()
}

test_permits_the_network_before if {
	findings := inside.deny with input as example.calling("requests.post", "net.connect")
	findings == set()
}
