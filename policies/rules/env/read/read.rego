# METADATA
# title: The environment is not read
# description: >-
#   Denies code that needs the environment of its process, and every variable that is named.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/526.html
# - ref: https://attack.mitre.org/techniques/T1082/
# custom:
#   why: >-
#     Environments hold secrets and say where the code runs.
#   known_gaps: >-
#     The sandbox gives the code no secret in its environment; this rule is the second lock.
package regate.rules.env.read

import data.regate.lib.needs

deny contains finding if {
	some finding in needs.findings["env/read"]
}
