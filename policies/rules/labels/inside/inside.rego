# METADATA
# title: What bears a label stays inside
# description: >-
#   Denies the network to a subject that bears a label of data.labels.inside, and names the call
#   that put it on.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/200.html
# - ref: https://attack.mitre.org/techniques/T1041/
# custom:
#   why: >-
#     A call that reads and a call that sends are harmless each by itself; together they leak.
#   known_gaps: >-
#     Labels wear off after the time that the gateway is told. Another subject of the same person
#     bears none.
package regate.rules.labels.inside

import data.regate.lib.needs

deny contains finding if {
	labels := data.labels
	some label in input.context.session.labelled
	labels.inside[label.name]
	some item in needs.told
	item.rule == "net/connect"
	because := concat("", [
		", and step ", format_int(label.step, 10), " of the session `", label.session,
		"` (call ", label.call, ") has read something labelled `", label.name, "`",
	])
	finding := {
		"message": concat("", [item.finding.message, because]),
		"severity": "critical",
		"remedy": labels.remedy,
		"span": item.finding.span,
	}
}
