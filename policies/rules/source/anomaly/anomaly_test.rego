package regate.rules.source.anomaly_test

import data.regate.lib.example_test as example
import data.regate.rules.source.anomaly

found(kind) := findings if {
	anomaly := {"kind": kind, "detail": "a detail", "span": example.span}
	parse := object.union(example.nothing.parse, {"anomalies": [anomaly]})
	findings := data.regate.rules.source.anomaly.deny with input as example.call({"parse": parse})
}

test_denies_a_bidirectional_control if {
	count(found("bidi_control")) == 1
}

test_permits_a_comment_that_silences_scanners if {
	found("suppression_comment") == set()
}
