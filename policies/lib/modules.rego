# METADATA
# title: Which modules the code may hold
# description: >-
#   A module is listed by its own name in data.imports.allowed, or below one that is listed with
#   its submodules and not taken out again by data.imports.excluded; or in data.hosts.modules, where
#   a host is open.
package regate.lib.modules

import data.regate.lib.hosts

allowed := data.imports.allowed

excepted := data.imports.excluded

# What reaches a host that is open.
opened := hosts.modules

listed(name, _) if allowed[name]

listed(name, _) if opened[name]

listed(name, parents) if {
	some parent in parents
	allowed[parent].submodules == true
	not excluded(name, parents)
}

excluded(name, _) if excepted[name]

excluded(_, parents) if {
	some parent in parents
	excepted[parent]
}

# Modules that are held and not listed. That is refused for itself, so that nothing more has to
# be said of what such a module might do.
refused contains module if {
	named := allowed
	some held in input.context.code.modules

	# Most are on the list by their own name, which is told without a call of a function.
	not named[held.module]
	not listed(held.module, held.parents)
	module := held.module
}

# What can be used instead of a module that is not listed.
remedy(name, parents) := found if {
	of_names := [text | some each in array.concat([name], parents); text := data.imports.remedies[each]]
	found := array.concat(of_names, [data.imports.remedy])[0]
}
