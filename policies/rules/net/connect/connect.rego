# METADATA
# title: No host is reached
# description: >-
#   Denies code that needs to open a connection, to listen, or to resolve a name, and every host
#   that is named.
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

import data.regate.lib.needs

deny contains finding if {
	some finding in needs.findings["net/connect"]
}
