# METADATA
# title: The bytes are read as they look
# description: >-
#   Denies what makes an interpreter or a person read the text otherwise than the analysis does:
#   carriage returns alone, encoding cookies, byte-order marks, NUL, bidirectional controls,
#   identifiers that change when they are normalised.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/1007.html
# - ref: https://cwe.mitre.org/data/definitions/451.html
# - ref: https://attack.mitre.org/techniques/T1036/
# custom:
#   why: >-
#     Where two readers of the same bytes see different programs, one of them is being lied to.
#   known_gaps: >-
#     Text that looks alike but is read the same, such as a homoglyph in a string, is not
#     refused.
package regate.rules.source.anomaly

deny contains finding if {
	some anomaly in input.context.code.parse.anomalies
	not data.anomalies.harmless[anomaly.kind]
	finding := {
		"message": anomaly.detail,
		"severity": "high",
		"remedy": object.get(data.anomalies.remedies, anomaly.kind, data.anomalies.remedy),
		"span": anomaly.span,
	}
}
