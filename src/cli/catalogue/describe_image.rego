# METADATA
# title: The image may be asked what it holds
# description: >-
#   Permits the one program that `regate catalogue generate` runs, in the sandbox profile strict.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/284.html
# custom:
#   why: >-
#     Nothing runs without a permit, and no bundle for agents would permit a program that
#     imports the interpreter's own modules.
#   known_gaps: >-
#     It is no part of a bundle that calls of agents are held against.
package regate.rules.tools.describe_image

permit if {
	describes
}

oblige contains obligation if {
	describes
	obligation := {"sandbox": "strict"}
}

describes if {
	input.point == "call"
	resource := input.resource
	resource.type == "tool"
	resource.server == "builtin"
	resource.name == "describe_image"
}
