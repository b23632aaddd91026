package regate.rules.coverage.complete_test

import data.regate.lib.example_test as example
import data.regate.rules.coverage.complete

gap := {"kind": "callee", "why": "`f` may be anything", "candidates": [], "span": example.span}

test_denies_a_gap_at_its_place if {
	coverage := {"complete": false, "gaps": [gap]}
	findings := complete.deny with input as example.call({"coverage": coverage})
	count(findings) == 1
	some finding in findings
	finding.span == example.span
	finding.remedy == data.coverage.gaps.callee.remedy
}

test_denies_a_gap_of_a_kind_that_data_does_not_know if {
	coverage := {"complete": false, "gaps": [object.union(gap, {"kind": "new"})]}
	findings := complete.deny with input as example.call({"coverage": coverage})
	count(findings) == 1
}

test_denies_incomplete_facts_without_gaps if {
	findings := complete.deny with input as example.call({"coverage": {"complete": false, "gaps": []}})
	count(findings) == 1
}

test_permits_complete_facts if {
	findings := complete.deny with input as example.call({})
	findings == set()
}
