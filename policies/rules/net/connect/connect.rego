# METADATA
# title: No host is reached but those that are open
# description: >-
#   Denies code that needs to open a connection, to listen, or to resolve a name, and every host
#   that is named, but for what data.hosts opens: that is obliged, so that the sandbox opens it and
#   nothing else.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/918.html
# - ref: https://attack.mitre.org/techniques/T1041/
# - ref: https://attack.mitre.org/techniques/T1071/
# custom:
#   why: >-
#     A connection carries data out and instructions in. Name resolution alone is a channel.
#   known_gaps: >-
#     Data that leaves through the output of the call is not seen here.
package regate.rules.net.connect

import data.regate.lib.hosts
import data.regate.lib.needs

deny contains finding if {
	some found in needs.findings["net/connect"]
	not hosts.reached[found.span.byte]
	finding := object.union(found, remedy)
}

oblige contains obligation if {
	count(hosts.targets) > 0
	obligation := {"connect": hosts.targets}
}

default remedy := {}

remedy := hosts.remedy
