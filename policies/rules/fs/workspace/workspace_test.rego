package regate.rules.fs.workspace_test

import data.regate.lib.example_test as example
import data.regate.rules.fs.workspace

file(op, extension, place) := {
	"kind": "file",
	"op": op,
	"value": {"level": "literal", "type": "str", "taint": []},
	"norm": null,
	"extension": extension,
	"place": place,
	"call": "open",
	"span": example.span,
}

findings(facts) := found if {
	found := workspace.deny with input as example.call({"resources": facts})
}

test_permits_reading_in_the_workspace if {
	findings([file("read", "py", "workspace")]) == set()
}

test_permits_writing_data_in_the_workspace if {
	findings([file("write", "csv", "workspace")]) == set()
}

test_permits_memory if {
	findings([file("write", null, "memory")]) == set()
}

test_denies_writing_code if {
	count(findings([file("write", "py", "workspace")])) == 1
}

test_denies_writing_a_file_without_a_format if {
	count(findings([file("write", null, "workspace")])) == 1
}

test_denies_what_lies_outside if {
	count(findings([file("read", "csv", "outside")])) == 1
}

test_denies_a_place_that_is_not_known if {
	count(findings([file("read", null, "unknown")])) == 1
}

test_denies_a_function_of_files_without_a_file if {
	findings := workspace.deny with input as example.calling("open", "fs.read")
	count(findings) == 1
}

settings(norm) := object.union(file("configure", null, "workspace"), {"norm": norm})

test_permits_a_style_of_the_library if {
	findings([settings("ggplot")]) == set()
}

test_denies_settings_from_a_file if {
	count(findings([settings("a.txt")])) == 1
}
