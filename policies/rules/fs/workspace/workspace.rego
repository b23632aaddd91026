# METADATA
# title: Files are those of the workspace
# description: >-
#   Denies a file outside of the workspace, a file whose place is not known, writing anything
#   but the data formats that data.files lists, and settings of a library from a file.
# related_resources:
# - ref: https://cwe.mitre.org/data/definitions/22.html
# - ref: https://cwe.mitre.org/data/definitions/73.html
# - ref: https://cwe.mitre.org/data/definitions/434.html
# - ref: https://attack.mitre.org/techniques/T1005/
# custom:
#   why: >-
#     Files of the image and of other calls are not the code's to read, and a file that is
#     written as code can be run later.
#   known_gaps: >-
#     Links that were made before the call are not seen; the workspace of a call is fresh.
package regate.rules.fs.workspace

import data.regate.lib.modules

deny contains finding if {
	files := data.files
	some resource in input.context.code.resources
	resource.kind == "file"
	not files.places[resource.place]
	finding := {
		"message": concat("", ["`", resource.call, "` touches ", object.get(files.outside, resource.place, files.elsewhere)]),
		"severity": "high",
		"remedy": files.remedy,
		"span": resource.span,
	}
}

deny contains finding if {
	files := data.files
	some resource in input.context.code.resources
	resource.kind == "file"
	resource.place == "workspace"
	not files.reading[resource.op]
	not files.formats[resource.extension]
	finding := {
		"message": concat("", ["`", resource.call, "` writes a file that is not of a data format"]),
		"severity": "high",
		"remedy": files.format_remedy,
		"span": resource.span,
	}
}

# Settings that a library reads from a file may name programs and modules.
deny contains finding if {
	files := data.files
	some resource in input.context.code.resources
	resource.op == "configure"
	resource.place != "memory"
	not files.styles[resource.norm]
	finding := {
		"message": concat("", ["`", resource.call, "` reads settings that are not the library's own"]),
		"severity": "high",
		"remedy": files.style_remedy,
		"span": resource.span,
	}
}

# A place at which files are touched, of which no file is known there.
deny contains finding if {
	files := data.files
	some need in input.context.needs
	files.capabilities[need.capability]
	not settled(need)
	not modules.refused[need.name]
	finding := {
		"message": concat("", ["`", need.name, "` touches a file that is not known"]),
		"severity": "high",
		"remedy": files.remedy,
		"span": need.span,
	}
}

# A call names its files where it stands; what is handed on names them where it is called.
settled(need) if {
	need.called
	named[need.span.byte]
}

settled(need) if {
	not need.called
	known[need.name]
}

named contains place if {
	some resource in input.context.code.resources
	resource.kind == "file"
	place := resource.span.byte
}

known contains function if {
	some resource in input.context.code.resources
	resource.kind == "file"
	function := resource.call
}
