package regate.rules.connections.obliged_test

import data.regate.lib.example_test as example
import data.regate.rules.connections.obliged

label := {"name": "secret", "session": "run", "step": 1, "call": "call-1"}

test_permits_what_is_obliged if {
	obliged.permit with input as example.connecting({})
}

test_permits_nothing_else if {
	not obliged.permit with input as example.connecting({"target": "api.example.com:80"})
	not obliged.permit with input as example.connecting({"obliged": []})
}

test_denies_who_bears_a_label if {
	session := {"context": {"session": {"labelled": [label]}}}
	denied := obliged.deny with input as object.union(example.connecting({}), session)
	count(denied) == 1
}

test_other_labels_are_no_reason if {
	other := object.union(label, {"name": "other"})
	session := {"context": {"session": {"labelled": [other]}}}
	count(obliged.deny) == 0 with input as object.union(example.connecting({}), session)
}

test_says_nothing_of_calls if {
	session := {"context": {"session": {"labelled": [label]}}}
	count(obliged.deny) == 0 with input as object.union(example.call({}), session)
}
