package regate.rules.results.secrets_test

import data.regate.lib.example_test as example
import data.regate.rules.results.secrets

test_permits_what_run_python_printed_without_secrets if {
	secrets.permit with input as example.result({"text": "1"})
	obligations := secrets.oblige with input as example.result({"text": "1"})
	obligations == {{"redact": {"secrets"}}}
}

test_denies_the_result_of_another_tool if {
	document := example.result({"text": "1"})
	other := object.union(document, {"resource": {"name": "other"}})
	not secrets.permit with input as other
}

test_denies_a_result_that_is_not_told if {
	document := object.union(example.result({}), {"context": {"result": null}})
	not secrets.permit with input as document
}
