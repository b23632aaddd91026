package regate.rules.labels.files_test

import data.regate.lib.example_test as example
import data.regate.rules.labels.files

reading(norm, place) := example.call({"resources": [{
	"kind": "file",
	"op": "read",
	"value": {"level": "literal", "type": "str", "taint": []},
	"norm": norm,
	"extension": "csv",
	"place": place,
	"call": "open",
	"span": example.span,
}]})

test_obliges_the_label_of_the_folder if {
	obligations := files.oblige with input as reading("secret/pay.csv", "workspace")
	obligations == {{"labels": {"secret"}}}
}

test_obliges_it_for_folders_in_folders if {
	obligations := files.oblige with input as reading("2024/secret/pay.csv", "workspace")
	obligations == {{"labels": {"secret"}}}
}

test_obliges_it_where_the_folder_is_found if {
	obligations := files.oblige with input as reading("**/*.csv", "workspace")
	obligations == {{"labels": {"secret"}}}
}

test_permits_files_that_are_found_in_a_known_folder_unmarked if {
	obligations := files.oblige with input as reading("data/*.csv", "workspace")
	obligations == set()
}

test_permits_other_files_unmarked if {
	obligations := files.oblige with input as reading("secrets.csv", "workspace")
	obligations == set()
}

test_permits_files_without_a_name_unmarked if {
	obligations := files.oblige with input as reading(null, "memory")
	obligations == set()
}
