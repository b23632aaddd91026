# METADATA
# title: What a call needs from the world
# description: >-
#   The findings that data.needs has for every place at which the code needs a capability. A rule
#   about a capability takes its own.
package regate.lib.needs

import data.regate.lib.modules

entries := data.needs

kinds := data.resources

# What data.needs has to say of each place.
told contains item if {
	some need in input.context.needs
	entry := entries[need.capability]
	not told_by_module(need)
	finding := of_entry(need.name, entry, need.span)
	item := {"rule": entry.rule, "finding": finding}
}

# A resource that is named needs what its kind needs, where that has not been said already.
told contains item if {
	some resource in input.context.code.resources
	resource.place != "memory"
	entry := entries[kinds[resource.kind].capability]
	not named(resource.call, entry.rule)
	finding := of_entry(resource.call, entry, resource.span)
	item := {"rule": entry.rule, "finding": finding}
}

# A module that is refused for itself: what it might do need not be said.
told_by_module(need) if {
	not need.called
	modules.refused[need.name]
}

# Whether the code needs what the rule of this id is about, by this name.
named(name, rule) if {
	some need in input.context.needs
	need.name == name
	entries[need.capability].rule == rule
}

# The findings of each rule, by its id.
findings := {rule: found |
	some rule in {item.rule | some item in told}
	found := {item.finding | some item in told; item.rule == rule}
}

of_entry(name, entry, span) := finding if {
	# Some names have a remedy of their own.
	finding := {
		"message": concat("", ["`", name, "` ", entry.what]),
		"severity": entry.severity,
		"remedy": object.get(entry, ["remedies", name], entry.remedy),
		"span": span,
	}
}
