# METADATA
# title: No code is made at run time
# description: >-
#   Denies eval, exec, compile, dynamic import, unpickling, debuggers and interpreters. A
#   constant query text of pandas that only names columns is permitted.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/94.html
# - ref: https://cwe.mitre.org/data/definitions/95.html
# - ref: https://cwe.mitre.org/data/definitions/502.html
# - ref: https://attack.mitre.org/techniques/T1059.006/
# custom:
#   why: >-
#     Code that is made at run time is code that nobody read.
#   known_gaps: >-
#     Languages inside of strings that are handed to a library outside the catalogue are not
#     seen.
package regate.rules.code.dynamic

import data.regate.lib.needs

deny contains finding if {
	some finding in needs.findings["code/dynamic"]
}

deny contains finding if {
	some made in input.context.code.dynamic
	not only_names_columns(made)
	not needs.named(made.call, "code/dynamic")
	finding := needs.of_entry(made.call, needs.entries["code.dynamic"], made.span)
}

queries := {"pandas.query", "pandas.eval"}

constant := {"literal", "folded"}

only_names_columns(made) if {
	made.kind in queries
	made.value.level in constant
	made.nested.coverage.complete == true
	made.nested.capabilities == []
	made.nested.modules == []
	made.nested.calls == []
	made.nested.dynamic == []
	made.nested.reflection == []
}
