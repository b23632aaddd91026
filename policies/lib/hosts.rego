# METADATA
# title: Which hosts are open, and which of them the code reaches
# description: >-
#   data.hosts.open lists hosts with their ports. A place in the code reaches one where a function
#   that data.hosts.functions lists names a host that is open, and no other. Where nothing is
#   listed, nothing here says anything.
package regate.lib.hosts

open := data.hosts.open

functions := data.hosts.functions

# What is open of each host.
by_host := {host: of_host |
	some listed, _ in open
	host := split(listed, ":")[0]
	of_host := {target | some target, _ in open; split(target, ":")[0] == host}
}

# Places at which an open host is named, and no other.
reached contains place if {
	count(open) > 0
	some resource in input.context.code.resources
	resource.kind == "host"
	functions[resource.call]
	by_host[resource.norm]
	place := resource.span.byte
	not elsewhere[place]
}

elsewhere contains place if {
	some resource in input.context.code.resources
	resource.kind == "host"
	not by_host[resource.norm]
	place := resource.span.byte
}

# What has to be opened for the code, by host and port.
targets contains target if {
	some resource in input.context.code.resources
	resource.kind == "host"
	reached[resource.span.byte]
	some target in by_host[resource.norm]
}

# The modules that may be held for it.
modules contains name if {
	count(open) > 0
	some name, _ in data.hosts.modules
}

# What to do instead, where anything is open at all.
remedy := said if {
	count(open) > 0
	listed := sort([target | some target, _ in open])
	said := {"remedy": concat("", [data.hosts.remedy, concat(", ", listed), "."])}
}
