package regate.rules.net.connect_test

import data.regate.lib.example_test as example
import data.regate.rules.net.connect

test_denies_a_call_that_needs_it if {
	findings := connect.deny with input as example.calling("socket.socket", "net.connect")
	count(findings) == 1
	some finding in findings
	finding.span == example.span
}

test_permits_code_without_it if {
	findings := connect.deny with input as example.calling("math.sqrt", "none")
	findings == set()
}

host := {
	"kind": "host",
	"op": "use",
	"value": {"level": "opaque", "type": "unknown", "taint": []},
	"norm": null,
	"extension": null,
	"place": "remote",
	"call": "library.function",
	"span": example.span,
}

named(name, function) := example.call({"resources": [object.union(host, {"norm": name, "call": function})]})

opened := {
	"open": {"api.example.com:443": {"reason": "r"}, "api.example.com:80": {"reason": "r"}},
	"functions": {"urllib.request.urlopen": {"reason": "r"}},
	"modules": {},
	"remedy": "Only ",
}

test_denies_a_resource_of_its_kind if {
	findings := connect.deny with input as example.call({"resources": [host]})
	count(findings) == 1
}

test_opens_what_is_listed_of_the_host_that_is_named if {
	document := named("api.example.com", "urllib.request.urlopen")
	findings := connect.deny with input as document with data.hosts as opened
	findings == set()
	obliged := connect.oblige with input as document with data.hosts as opened
	obliged == {{"connect": {"api.example.com:443", "api.example.com:80"}}}
}

test_denies_every_other_host_and_function_and_says_what_is_open if {
	some document in [
		named("other.example.com", "urllib.request.urlopen"),
		named(null, "urllib.request.urlopen"),
		named("api.example.com", "library.function"),
	]
	findings := connect.deny with input as document with data.hosts as opened
	some finding in findings
	finding.remedy == "Only api.example.com:443, api.example.com:80."
	obliged := connect.oblige with input as document with data.hosts as opened
	obliged == set()
}

test_denies_a_place_that_may_reach_two_hosts_of_which_one_is_open if {
	open := object.union(host, {"norm": "api.example.com", "call": "urllib.request.urlopen"})
	other := object.union(open, {"norm": "other.example.com"})
	document := example.call({"resources": [open, other]})
	findings := connect.deny with input as document with data.hosts as opened
	count(findings) == 1
}

test_obliges_nothing_where_nothing_is_listed if {
	document := named("api.example.com", "urllib.request.urlopen")
	closed := object.union(object.remove(opened, ["open"]), {"open": {}})
	findings := connect.deny with input as document with data.hosts as closed
	count(findings) == 1
	obliged := connect.oblige with input as document with data.hosts as closed
	obliged == set()
}
