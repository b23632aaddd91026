# METADATA
# title: Who reads labelled files bears their label
# description: >-
#   Obliges the label that data.labels gives to a folder of the workspace where the code names a
#   file in it.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/200.html
# - ref: https://attack.mitre.org/techniques/T1005/
# custom:
#   why: >-
#     What a call has read is with the agent from then on, whatever it calls next.
#   known_gaps: >-
#     A file that was copied out of its folder is not known by it any more.
package regate.rules.labels.files

oblige contains obligation if {
	folders := data.labels.folders
	some parts in paths
	some part in parts
	folder := folders[part]
	obligation := {"labels": {folder.label}}
}

# A folder that is known in part, or found, may be any.
oblige contains obligation if {
	some parts in paths
	folder := array.slice(parts, 0, count(parts) - 1)
	some part in folder
	contains(part, "*")
	some any in data.labels.folders
	obligation := {"labels": {any.label}}
}

# The files of the workspace that the code names, by their parts.
paths contains parts if {
	some resource in input.context.code.resources
	resource.kind == "file"
	resource.place == "workspace"
	parts := split(resource.norm, "/")
}
