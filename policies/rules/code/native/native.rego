# METADATA
# title: No native code is called
# description: >-
#   Denies code that needs to load or call native code: ctypes, cffi and their like.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/111.html
# - ref: https://attack.mitre.org/techniques/T1106/
# custom:
#   why: >-
#     Native code is outside everything that can be read from Python: it can do whatever the
#     process can.
#   known_gaps: >-
#     Compiled extensions of allowed libraries are native too, and are trusted.
package regate.rules.code.native

import data.regate.lib.needs

deny contains finding if {
	some finding in needs.findings["code/native"]
}
