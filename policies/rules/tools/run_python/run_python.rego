# METADATA
# title: Python may be run in the sandbox
# description: >-
#   Permits the built-in tool run_python where its code was read as Python, and obliges the
#   sandbox profile strict. Other rules refuse what the code must not do.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/284.html
# - ref: https://cwe.mitre.org/data/definitions/265.html
# custom:
#   why: >-
#     Nothing happens that no rule permits. This rule is the only one of the shipped bundle that
#     permits anything.
#   known_gaps: >-
#     It permits every subject. A team that wants roles replaces it.
package regate.rules.tools.run_python

permit if {
	runs_python
}

oblige contains obligation if {
	runs_python
	obligation := {"sandbox": "strict"}
}

# Without facts about the code every other rule would be silent, so they are asked for here.
runs_python if {
	input.point == "call"
	resource := input.resource
	resource.type == "tool"
	resource.server == "builtin"
	resource.name == "run_python"
	code := input.context.code
	code.schema == "regate.facts/1"
	code.language == "python"
	object.subset(object.keys(code), sections)
	is_array(input.context.needs)
}

# Every kind of fact that another rule reads.
sections := {
	"bindings",
	"calls",
	"capabilities",
	"coverage",
	"dynamic",
	"imports",
	"modules",
	"parse",
	"references",
	"reflection",
	"resources",
}
