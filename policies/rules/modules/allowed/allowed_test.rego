package regate.rules.modules.allowed_test

import data.regate.lib.example_test as example
import data.regate.rules.modules.allowed

held(module, path, private) := {
	"module": module,
	"parents": [],
	"private": private,
	"route": "attribute",
	"path": path,
	"resolution": "exact",
	"span": example.span,
}

findings(modules) := found if {
	found := allowed.deny with input as example.call({"modules": modules})
}

test_permits_a_listed_module if {
	findings([held("math", "cmath.math", false)]) == set()
}

test_denies_a_module_through_another_one if {
	found := findings([held("os", "random._os", false)])
	count(found) == 1
	some finding in found
	finding.message == "`random._os` is the module `os`, which is not on the list of allowed modules"
}

test_denies_a_private_module if {
	count(findings([held("_io", "io._io", true)])) == 2
}

test_says_what_to_use_instead if {
	some finding in findings([held("os", "random._os", false)])
	finding.remedy == data.imports.remedies.os
}
