package regate.rules.reflection.denied_test

import data.regate.lib.example_test as example
import data.regate.rules.reflection.denied

use(name) := {"kind": "dunder", "name": name, "span": example.span}

findings(facts) := found if {
	found := denied.deny with input as example.call({"reflection": facts})
}

test_permits_the_name_of_a_function if {
	findings([use("__name__")]) == set()
}

test_denies_the_subclasses_of_a_class if {
	count(findings([use("__subclasses__")])) == 1
}

test_denies_a_function_that_introspects if {
	findings := denied.deny with input as example.calling("gc.get_objects", "introspect")
	count(findings) == 1
}
