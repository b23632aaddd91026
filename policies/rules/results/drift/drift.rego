# METADATA
# title: Nothing was done that the code did not foretell
# description: >-
#   Withholds the result of a program that was seen to do what its code, which was wholly
#   understood, does not tell: a process, a file, the network, code made at run time. Rules of the
#   area results speak after the call has run.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/693.html
# - ref: https://attack.mitre.org/techniques/T1027/
# custom:
#   why: >-
#     Policy decides by what the code tells. Where the code did otherwise, it was written to
#     mislead, or the reading of it has a fault; either way the result is not to be trusted.
#   known_gaps: >-
#     The interpreter tells what it sees. Native code, and a program that reaches into the
#     interpreter, can hide from it; what the sandbox lets nobody do is not done either.
package regate.rules.results.drift

deny contains finding if {
	some strayed in input.context.result.drift
	parts := ["`", strayed.event, "` was seen, which the code does not tell: ", strayed.capability]
	finding := {
		"message": concat("", parts),
		"severity": "critical",
		"remedy": "Say plainly in the code what it does, by the names of the functions that do it.",
		"span": null,
	}
}
