# METADATA
# title: No process is started
# description: >-
#   Denies code that needs to start or replace a process, by whatever function of whatever
#   library, and every process that is named.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/78.html
# - ref: https://attack.mitre.org/techniques/T1059/
# custom:
#   why: >-
#     A process leaves the interpreter and with it all that was read: a shell runs any text.
#   known_gaps: >-
#     A library outside the catalogue that starts a process by itself is not seen;
#     imports/allowed keeps those out, and the sandbox limits what is left.
package regate.rules.process.spawn

import data.regate.lib.needs

deny contains finding if {
	some finding in needs.findings["process/spawn"]
}
