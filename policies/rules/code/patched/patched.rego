# METADATA
# title: No library is changed
# description: >-
#   Denies code that gives an attribute of a module or a library class another value, writes
#   sys.modules or sys.path, or sets an attribute whose name is not known.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/471.html
# - ref: https://cwe.mitre.org/data/definitions/913.html
# - ref: https://attack.mitre.org/techniques/T1574/
# custom:
#   why: >-
#     Names mean what they say only as long as nobody rebinds them: a patched library makes
#     every other fact untrue.
#   known_gaps: >-
#     A change to an object of a library that is neither a module nor a class is not seen.
package regate.rules.code.patched

deny contains finding if {
	some binding in input.context.code.bindings
	not data.bindings.harmless[binding.kind]
	binding.kind != "setattr_opaque"
	finding := {
		"message": concat("", ["`", binding.name, "` is given another meaning"]),
		"severity": "high",
		"remedy": "Bind a name of your own, and leave libraries as they are.",
		"span": binding.span,
	}
}

deny contains finding if {
	some binding in input.context.code.bindings
	not data.bindings.harmless[binding.kind]
	binding.kind == "setattr_opaque"
	finding := {
		"message": concat("", ["`", binding.name, "` changes an attribute whose name is not known"]),
		"severity": "high",
		"remedy": "Write the attributes out, or keep the values in a dictionary.",
		"span": binding.span,
	}
}
