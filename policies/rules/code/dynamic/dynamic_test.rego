package regate.rules.code.dynamic_test

import data.regate.lib.example_test as example
import data.regate.rules.code.dynamic

made(kind, level) := {
	"kind": kind,
	"call": "library.function",
	"value": {"level": level, "type": "str", "taint": []},
	"nested": example.nothing,
	"span": example.span,
}

findings(facts) := found if {
	found := dynamic.deny with input as example.call({"dynamic": facts})
}

test_permits_a_constant_query_that_only_names_columns if {
	findings([made("pandas.query", "literal")]) == set()
}

test_denies_eval_even_of_a_constant if {
	count(findings([made("eval", "literal")])) == 1
}

test_denies_a_query_that_is_not_constant if {
	count(findings([made("pandas.query", "opaque")])) == 1
}

test_denies_a_query_that_could_not_be_read if {
	fact := object.remove(made("pandas.query", "literal"), ["nested"])
	count(findings([fact])) == 1
}

test_denies_a_query_that_calls if {
	nested := object.union(example.nothing, {"calls": [{"names": ["f"]}]})
	fact := object.union(made("pandas.query", "literal"), {"nested": nested})
	count(findings([fact])) == 1
}

test_denies_a_capability if {
	findings := dynamic.deny with input as example.calling("pickle.loads", "code.unpickle")
	count(findings) == 1
}

test_says_how_to_end_instead if {
	findings := dynamic.deny with input as example.calling("exit", "interpreter")
	some finding in findings
	finding.remedy == data.needs.interpreter.remedies.exit
}
