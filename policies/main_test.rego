package regate.main_test

import data.regate.lib.example_test as example
import data.regate.main

test_permits_code_that_does_nothing if {
	verdict := main.verdict with input as example.call({})
	verdict.effect == "permit"
	verdict.findings == set()
	verdict.obligations.sandbox == {"strict"}
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

test_holds_results_whoever_approved_the_call if {
	rules := {"results": {"asked": {
		"permit": true,
		"hold": {{"message": "m", "severity": "low", "remedy": "", "span": null}},
	}}}
	document := object.union(example.result({"text": "1"}), {"context": {"approval": approval}})
	verdict := main.verdict with input as document with data.regate.rules as rules
	verdict.effect == "hold"
}

# What a call is confined to, where two rules oblige these.
confined(first, second) := verdict.obligations.sandbox if {
	obliging := {sandbox | some sandbox in [first, second]}
	rules := {"tools": {"any": {
		"permit": true,
		"oblige": {obligation | some sandbox in obliging; obligation := {"sandbox": sandbox}},
	}}}
	verdict := main.verdict with input as example.call({}) with data.regate.rules as rules
}

test_what_rules_oblige_of_the_sandbox_is_handed_on if {
	confined("strict", "strict") == {"strict"}
	confined("strict", {"wall_ms": 3}) == {"strict", {"wall_ms": 3}}
	confined({"profile": "strict", "wall_ms": 3}, null) == {{"profile": "strict", "wall_ms": 3}, null}
}
