package regate.rules.code.native_test

import data.regate.lib.example_test as example
import data.regate.rules.code.native

test_denies_a_call_that_needs_it if {
	findings := native.deny with input as example.calling("ctypes.CDLL", "native")
	count(findings) == 1
	some finding in findings
	finding.span == example.span
}

test_permits_code_without_it if {
	findings := native.deny with input as example.calling("math.sqrt", "none")
	findings == set()
}
