# METADATA
# title: Results are handed out without their secrets
# description: >-
#   Permits what run_python printed to be handed to the caller, and obliges that tokens, keys and
#   passwords are taken out of it. Rules of the area results speak after the call has run.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/200.html
# - ref: https://cwe.mitre.org/data/definitions/532.html
# - ref: https://attack.mitre.org/techniques/T1552/
# custom:
#   why: >-
#     What a result holds is with the model from then on, and goes wherever its texts go.
#   known_gaps: >-
#     Secrets of no known shape, and those that the code encodes or spells out before it prints
#     them, are not seen.
package regate.rules.results.secrets

permit if {
	of_run_python
}

oblige contains obligation if {
	of_run_python
	obligation := {"redact": {"secrets"}}
}

# A result that was not told is not handed out.
of_run_python if {
	resource := input.resource
	resource.type == "tool"
	resource.server == "builtin"
	resource.name == "run_python"
	is_array(input.context.result.texts)
}
