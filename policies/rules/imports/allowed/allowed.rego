# METADATA
# title: Only modules of the allow-list are imported
# description: >-
#   Denies an import of a module that data.imports does not allow, a relative import, and the
#   import of a member out of a package that only holds other modules.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/829.html
# - ref: https://cwe.mitre.org/data/definitions/184.html
# - ref: https://attack.mitre.org/techniques/T1129/
# custom:
#   why: >-
#     A module is a bundle of capabilities. What is not known to be harmless stays out, so that
#     a new library is a decision and not an accident.
#   known_gaps: >-
#     It trusts an allowed module to be what the image holds under that name.
package regate.rules.imports.allowed

import data.regate.lib.modules

deny contains finding if {
	allowed := modules.allowed
	some statement in input.context.code.imports
	statement.form != "relative"

	# Most are on the list by their own name, which is told without a call of a function.
	not allowed[statement.module]
	not modules.listed(statement.module, statement.parents)
	finding := refused(statement.module, statement.parents, statement.span)
}

# A package that only holds modules: what is taken out of it is a module itself.
deny contains finding if {
	allowed := modules.allowed
	some statement in input.context.code.imports
	allowed[statement.module].holds_modules == true
	some taken in statement.names
	not modules.listed(taken.path, [])
	finding := refused(taken.path, [], statement.span)
}

deny contains finding if {
	some statement in input.context.code.imports
	statement.form == "relative"
	finding := refused(statement.module, statement.parents, statement.span)
}

refused(module, parents, span) := finding if {
	finding := {
		"message": concat("", ["the module `", module, "` is not on the list of allowed modules"]),
		"severity": "high",
		"remedy": modules.remedy(module, parents),
		"span": span,
	}
}
