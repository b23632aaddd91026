# METADATA
# title: No dangerous function is handed on
# description: >-
#   Denies a function or a module that needs a capability where it is used as a value: an
#   argument, a default, a member of a container, a decorator.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/749.html
# - ref: https://attack.mitre.org/techniques/T1027/
# custom:
#   why: >-
#     What is handed on is called elsewhere, by a library or under another name, with arguments
#     that nobody sees.
#   known_gaps: >-
#     A function that the catalogue does not list needs nothing as far as this rule knows.
package regate.rules.references.denied

deny contains finding if {
	some reference in input.context.code.references

	# What is bound to a name is followed to where the name is used.
	reference.role != "assigned"
	some name in reference.names
	dangerous(name, reference.parents)
	finding := {
		"message": concat("", ["`", name, "` is handed on instead of being called"]),
		"severity": "high",
		"remedy": "Call allowed functions directly, each with its own arguments.",
		"span": reference.span,
	}
}

dangerous(name, _) if {
	data.capabilities.names[name]
}

dangerous(name, _) if {
	data.capabilities.prefixes[name]
}

dangerous(_, parents) if {
	some parent in parents
	data.capabilities.prefixes[parent]
}
