package regate.main_test

import data.regate.lib.example_test as example
import data.regate.main

test_permits_code_that_does_nothing if {
	verdict := main.verdict with input as example.call({})
	verdict.effect == "permit"
	verdict.findings == set()
	verdict.obligations.sandbox == "strict"
}

test_denies_a_tool_that_no_rule_permits if {
	document := example.call({})
	other := object.union(document, {"resource": object.union(document.resource, {"name": "other"})})
	verdict := main.verdict with input as other
	verdict.effect == "deny"
	verdict.findings == set()
}

test_deny_beats_permit if {
	verdict := main.verdict with input as example.calling("os.system", "process.spawn")
	verdict.effect == "deny"
	some finding in verdict.findings
	finding.rule == "process/spawn"
}
