package regate.rules.tools.run_python_test

import data.regate.lib.example_test as example
import data.regate.rules.tools.run_python

test_permits_python_whose_code_was_read if {
	run_python.permit with input as example.call({})
	obligations := run_python.oblige with input as example.call({})
	obligations == {{"sandbox": "strict"}}
}

test_denies_code_that_was_not_read if {
	document := example.call({})
	unread := object.union(document, {"context": {"code": null}})
	not run_python.permit with input as unread
}

test_denies_facts_of_which_a_kind_is_missing if {
	document := example.call({})
	code := object.remove(document.context.code, ["reflection"])
	bare := object.remove(document, ["context"])
	part := object.union(bare, {"context": {"code": code}})
	not run_python.permit with input as part
}

test_denies_the_tool_of_another_server if {
	document := example.call({})
	other := object.union(document, {"resource": {"server": "elsewhere"}})
	not run_python.permit with input as other
}
