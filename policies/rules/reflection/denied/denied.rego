# METADATA
# title: The object graph is not walked
# description: >-
#   Denies dunder attributes, frames, format fields and class patterns that lead from a value to
#   its class, its module or the interpreter, but for the names that data.reflection allows.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/470.html
# - ref: https://cwe.mitre.org/data/definitions/1321.html
# - ref: https://attack.mitre.org/techniques/T1059.006/
# custom:
#   why: >-
#     From any value of Python a chain of such attributes leads to every loaded module; no list
#     of modules stops it.
#   known_gaps: >-
#     Which methods a class defines for itself is not reflection, and is seen as hooks.
package regate.rules.reflection.denied

import data.regate.lib.needs

deny contains finding if {
	some finding in needs.findings["reflection/denied"]
}

deny contains finding if {
	some use in input.context.code.reflection
	not data.reflection.allowed[use.name]
	finding := {
		"message": concat("", ["`", use.name, "` reaches into the interpreter"]),
		"severity": "high",
		"remedy": data.reflection.remedy,
		"span": use.span,
	}
}
