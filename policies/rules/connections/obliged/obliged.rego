# METADATA
# title: A connection is one that its call was permitted with
# description: >-
#   Opens a connection that the obligations of its own call name, unless its subject bears a label
#   of data.hosts.labels by now. Rules of the area connections speak of each connection while the
#   program runs.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/918.html
# - ref: https://cwe.mitre.org/data/definitions/200.html
# - ref: https://attack.mitre.org/techniques/T1041/
# custom:
#   why: >-
#     Between a call's decision and its connection another call of the same subject may have read
#     what must not leave.
#   known_gaps: >-
#     What a connection carries is not seen, and one that is open stays open when a label is put
#     on.
package regate.rules.connections.obliged

permit if {
	connection := input.context.connection
	some target in connection.obliged
	target == connection.target
}

deny contains finding if {
	target := input.context.connection.target
	kept := data.hosts.labels
	some label in input.context.session.labelled
	kept[label.name]
	because := concat("", [
		"`", target, "` is not opened: step ", format_int(label.step, 10), " of the session `",
		label.session, "` (call ", label.call, ") has put the label `", label.name, "` on its subject",
	])
	finding := {
		"message": because,
		"severity": "critical",
		"remedy": "Finish without the network, or ask a person to send what has to be sent.",
		"span": null,
	}
}
