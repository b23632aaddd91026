# METADATA
# title: The code is wholly understood
# description: >-
#   Denies where the facts say of themselves that they do not tell the whole story: every gap is
#   a finding with its place and a way to write the code so that it can be read.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/693.html
# - ref: https://attack.mitre.org/techniques/T1027/
# custom:
#   why: >-
#     A rule over facts holds only where the facts are complete. What could not be read may be
#     anything.
#   known_gaps: >-
#     It trusts the facts to know where they end.
package regate.rules.coverage.complete

deny contains finding if {
	some gap in input.context.code.coverage.gaps
	known := object.get(data.coverage.gaps, gap.kind, data.coverage.other)
	finding := {
		"message": gap.why,
		"severity": "medium",
		"remedy": known.remedy,
		"span": gap.span,
	}
}

deny contains finding if {
	not input.context.code.coverage.complete
	object.get(input.context.code.coverage, "gaps", []) == []
	finding := {
		"message": data.coverage.other.message,
		"severity": "medium",
		"remedy": data.coverage.other.remedy,
		"span": null,
	}
}
