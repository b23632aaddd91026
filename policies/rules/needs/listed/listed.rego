# METADATA
# title: Every need is one that a rule speaks of
# description: >-
#   Denies a capability that data.needs does not list and a kind of resource that data.resources
#   does not list.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/1188.html
# - ref: https://cwe.mitre.org/data/definitions/693.html
# custom:
#   why: >-
#     A capability that is new to the catalogue starts blocked, even where nobody has written a
#     rule about it.
#   known_gaps: >-
#     It sees names, not what hides behind them.
package regate.rules.needs.listed

import data.regate.lib.needs

deny contains finding if {
	entries := needs.entries
	some capability in input.context.code.capabilities
	not entries[capability.name]
	finding := {
		"message": concat("", ["`", capability.because, "` needs `", capability.name, "`, which no rule permits"]),
		"severity": "high",
		"remedy": "Do without it.",
		"span": capability.span,
	}
}

deny contains finding if {
	kinds := needs.kinds
	some resource in input.context.code.resources
	resource.place != "memory"
	not kinds[resource.kind]
	finding := {
		"message": concat("", ["`", resource.call, "` uses a ", resource.kind, ", which no rule permits"]),
		"severity": "high",
		"remedy": "Do without it.",
		"span": resource.span,
	}
}
