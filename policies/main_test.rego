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

# Whom the rules name, and nobody else, turns a hold into a permit.
held(approvers, approval) := verdict if {
	rules := {"people": {"asked": {
		"permit": true,
		"hold": {{"message": "m", "severity": "low", "remedy": "", "span": null}},
		"oblige": {{"approvers": approvers}},
	}}}
	document := object.union(example.call({}), {"context": {"approval": approval}})
	verdict := main.verdict with input as document with data.regate.rules as rules
}

approval := {"id": "apr-1", "by": "eve", "roles": ["security"], "at": "2026-01-01T00:00:00Z", "note": ""}

test_holds_what_nobody_was_asked_about if {
	held({"security"}, null).effect == "hold"
}

test_permits_what_was_approved_by_the_role if {
	held({"security"}, approval).effect == "permit"
	held(set(), approval).effect == "permit"
}

test_denies_nothing_and_holds_what_another_role_approved if {
	held({"finance"}, approval).effect == "hold"
}
