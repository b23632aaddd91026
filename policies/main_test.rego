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

test_denies_at_a_point_at_which_no_rule_speaks if {
	document := object.union(example.call({}), {"point": "list"})
	verdict := main.verdict with input as document
	verdict.effect == "deny"
	verdict.findings == set()
}

test_permits_results_without_their_secrets if {
	verdict := main.verdict with input as example.result({"text": "1"})
	verdict.effect == "permit"
	verdict.obligations.redact == {"secrets"}
}

test_rules_over_code_do_not_speak_of_results if {
	calling := example.calling("os.system", "process.spawn")
	document := object.union(example.result({"text": "1"}), {"context": calling.context})
	both := object.union(document, {"context": {"result": {"texts": []}}})
	verdict := main.verdict with input as both
	verdict.effect == "permit"
	verdict.findings == set()
}

test_rules_over_results_do_not_speak_of_calls if {
	document := object.union(example.result({"text": "1"}), {"point": "call"})
	verdict := main.verdict with input as document
	verdict.effect == "permit"
	verdict.obligations.redact == set()
}
