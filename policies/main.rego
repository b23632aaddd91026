# METADATA
# title: The verdict
# description: >-
#   Collects what every rule below rules/ says of a call and makes one verdict of it.
#   Deny beats hold, hold beats permit, and nothing permitting is a denial. Whom the rules name
#   may turn a hold into a permit, and nothing else.
#   The only file that makes a verdict.
package regate.main

verdict := {"effect": effect, "findings": findings, "obligations": obligations}

default effect := "deny"

effect := "permit" if {
	permitted
	count(denials) == 0
	not waits
}

effect := "hold" if {
	permitted
	count(denials) == 0
	waits
}

waits if {
	count(holds) > 0
	not approved
}

# One of those whom the rules name has said that this very call may happen, not what it yields.
approved if {
	input.point == "call"
	input.context.approval.id
	entitled
}

entitled if count(obligations.approvers) == 0

entitled if count({role | some role in input.context.approval.roles; obligations.approvers[role]}) > 0

# What the rules say that speak at this point, by area and rule: those of the area results once
# the call has run, all others before it. At any other point none speaks, and nothing is permitted.
rules := spoken if {
	input.point == "call"
	spoken := object.remove(data.regate.rules, ["results"])
}

rules := {"results": results} if {
	input.point == "result"
	results := data.regate.rules.results
}

permitted if {
	some area in rules
	some rule in area
	rule.permit == true
}

denials contains finding if {
	some area, of_area in rules
	some rule, says in of_area
	some said in says.deny
	finding := object.union(said, {"rule": concat("/", [area, rule])})
}

holds contains finding if {
	some area, of_area in rules
	some rule, says in of_area
	some said in says.hold
	finding := object.union(said, {"rule": concat("/", [area, rule])})
}

# A call that is denied hears why it is denied, and nothing else.
findings := denials if count(denials) > 0

findings := holds if count(denials) == 0

obliged contains obligation if {
	some area in rules
	some rule in area
	some obligation in rule.oblige
}

# What is obliged of the sandbox is one profile, as small as the smallest that any rule wants:
# Regate sees to that, and two profiles contradict each other.
obligations := {
	"sandbox": {confinement | some obligation in obliged; confinement := obligation.sandbox},
	"connect": {target | some obligation in obliged; some target in obligation.connect},
	"labels": {label | some obligation in obliged; some label in obligation.labels},
	"redact": {detector | some obligation in obliged; some detector in obligation.redact},
	"approvers": {role | some obligation in obliged; some role in obligation.approvers},
}
