# METADATA
# title: What a call needs from the world
# description: >-
#   Every place at which the code needs a capability, and the findings that data.needs has for
#   them. A rule about a capability asks for its own.
package regate.lib.needs

import data.regate.lib.modules

# Every call that needs something.
places contains place if {
	some call in input.context.code.calls
	some capability in call.capabilities
	some name in call.names
	place := {
		"capability": capability,
		"name": name,
		"span": call.span,
	}
}

# What needs something without being called: once, where it is first met.
places contains place if {
	some capability in input.context.code.capabilities
	not called[[capability.because, capability.name]]
	not modules.refused[capability.because]
	place := {
		"capability": capability.name,
		"name": capability.because,
		"span": capability.span,
	}
}

called contains pair if {
	some call in input.context.code.calls
	some capability in call.capabilities
	some name in call.names
	pair := [name, capability]
}

# What the rule of this id has to say of capabilities.
findings(rule) := found if {
	found := {finding |
		some place in places
		data.needs[place.capability].rule == rule
		finding := of_capability(place.name, place.capability, place.span)
	}
}

# The names of what the rule of this id has spoken of.
names(rule) := found if {
	found := {place.name |
		some place in places
		data.needs[place.capability].rule == rule
	}
}

of_capability(name, capability, span) := finding if {
	entry := data.needs[capability]
	finding := {
		"message": concat(" ", [name, entry.what]),
		"severity": entry.severity,
		"remedy": entry.remedy,
		"span": span,
	}
}
