package regate.rules.references.denied_test

import data.regate.lib.example_test as example
import data.regate.rules.references.denied

reference(name, parents) := {
	"names": [name],
	"parents": parents,
	"role": "argument",
	"scope": "0",
	"span": example.span,
}

findings(facts) := found if {
	found := denied.deny with input as example.call({"references": facts})
}

test_permits_a_harmless_function_as_an_argument if {
	findings([reference("math.sqrt", ["math"])]) == set()
}

test_denies_a_module_that_starts_processes if {
	count(findings([reference("subprocess", [])])) == 1
}

test_denies_a_function_that_starts_a_process if {
	count(findings([reference("os.system", ["os"])])) == 1
}
