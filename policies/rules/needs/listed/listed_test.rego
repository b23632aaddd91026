package regate.rules.needs.listed_test

import data.regate.lib.example_test as example
import data.regate.rules.needs.listed

test_permits_a_listed_need if {
	findings := listed.deny with input as example.calling("open", "fs.read")
	findings == set()
}

test_denies_a_need_that_is_not_listed if {
	findings := listed.deny with input as example.calling("library.function", "new.capability")
	count(findings) == 1
}
