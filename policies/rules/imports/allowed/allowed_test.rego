package regate.rules.imports.allowed_test

import data.regate.lib.example_test as example
import data.regate.rules.imports.allowed

statement(module, parents, names) := {
	"form": "from",
	"module": module,
	"parents": parents,
	"as": null,
	"names": names,
	"scope": "0",
	"span": example.span,
}

findings(imports) := found if {
	found := allowed.deny with input as example.call({"imports": imports})
}

test_permits_a_listed_module if {
	findings([statement("math", [], [])]) == set()
}

test_permits_a_submodule_of_a_package_listed_with_them if {
	findings([statement("numpy.linalg", ["numpy"], [])]) == set()
}

test_permits_a_listed_module_out_of_its_package if {
	names := [{"name": "parse", "as": null, "path": "urllib.parse"}]
	findings([statement("urllib", [], names)]) == set()
}

test_denies_a_module_that_is_not_listed if {
	count(findings([statement("os", [], [])])) == 1
}

test_denies_an_excluded_submodule if {
	count(findings([statement("numpy.ctypeslib", ["numpy"], [])])) == 1
}

test_denies_an_unlisted_module_out_of_a_listed_package if {
	names := [{"name": "request", "as": null, "path": "urllib.request"}]
	count(findings([statement("urllib", [], names)])) == 1
}

test_denies_a_relative_import if {
	relative := object.union(statement("math", [], []), {"form": "relative"})
	count(findings([relative])) == 1
}

test_says_what_to_use_instead if {
	some finding in findings([statement("os.path", ["os"], [])])
	finding.remedy == data.imports.remedies.os
}

test_says_what_there_is_where_it_knows_nothing_closer if {
	some finding in findings([statement("unheard_of", [], [])])
	finding.remedy == data.imports.remedy
}
