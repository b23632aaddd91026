# METADATA
# title: Only modules of the allow-list are held
# description: >-
#   Denies every module object that the code can come to hold without an import statement of its
#   own: as an attribute of another module, out of sys.modules, by a loader. Private modules are
#   never allowed.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/184.html
# - ref: https://cwe.mitre.org/data/definitions/470.html
# - ref: https://attack.mitre.org/techniques/T1059.006/
# custom:
#   why: >-
#     An allowed module often holds a dangerous one: random._os is os. The route does not
#     matter, what is held does.
#   known_gaps: >-
#     It sees the modules that the facts see; members of a module that are not modules are for
#     the rules about capabilities.
package regate.rules.modules.allowed

import data.regate.lib.modules

deny contains finding if {
	some module in modules.refused
	not imported[module]
	some held in input.context.code.modules
	held.module == module
	finding := {
		"message": concat("", ["`", held.path, "` is the module `", held.module, "`, which is not on the list of allowed modules"]),
		"severity": "high",
		"remedy": modules.remedy(held.module, held.parents),
		"span": held.span,
	}
}

deny contains finding if {
	allowed := modules.allowed
	some held in input.context.code.modules
	held.private == true
	not allowed[held.module]
	finding := {
		"message": concat("", ["`", held.module, "` is private to its library"]),
		"severity": "high",
		"remedy": "Use the documented functions of the library.",
		"span": held.span,
	}
}

# Imports of these are another rule's to judge.
imported contains module if {
	some statement in input.context.code.imports
	module := statement.module
}
