package regate.rules.results.drift_test

import data.regate.lib.example_test as example
import data.regate.rules.results.drift

strayed := {"capability": "process.spawn", "event": "os.system", "arguments": ["id"], "line": 3}

test_denies_what_was_not_foretold if {
	denied := drift.deny with input as example.strayed([strayed])
	{finding.message | some finding in denied} == {
		"`os.system` was seen, which the code does not tell: process.spawn",
	}
}

test_says_nothing_of_what_was_foretold if {
	count(drift.deny) == 0 with input as example.strayed([])
}
