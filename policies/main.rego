# METADATA
# title: The verdict
# description: >-
#   Collects what every rule below rules/ says of a call and makes one verdict of it.
#   Deny beats hold, hold beats permit, and nothing permitting is a denial. Whom the rules name
#   may turn a hold into a permit, and nothing else.
#   The only file that makes a verdict.
package regate.main

verdict := {
	"effect": effect,
	"findings": findings,
	"obligations": obligations,
}

default effect := "deny"

effect := "permit" if {
	permitted
	count(denials) == 0
	count(holds) == 0
}

effect := "permit" if {
	permitted
	count(denials) == 0
	count(holds) > 0
	approved
}

effect := "hold" if {
	permitted
	count(denials) == 0
	count(holds) > 0
	not approved
}

# A person has said that this very call may happen: one of those that the rules name.
approved if {
	input.context.approval.id
	count(lists.approvers) == 0
}

approved if {
	some role in input.context.approval.roles
	lists.approvers[role]
}

# Everything that the rules say, by area and rule.
rules := data.regate.rules

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

obligations := object.union(lists, profile)

# Rules that oblige different profiles contradict each other: a conflict, and so a denial.
default profile := {}

profile := named if {
	some obligation in obliged
	name := obligation.sandbox
	named := {"sandbox": name}
}

lists := {
	"connect": {target | some obligation in obliged; some target in obligation.connect},
	"labels": {label | some obligation in obliged; some label in obligation.labels},
	"redact": {detector | some obligation in obliged; some detector in obligation.redact},
	"approvers": {role | some obligation in obliged; some role in obligation.approvers},
}
