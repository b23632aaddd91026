# METADATA
# title: Examples for tests
# description: A call of run_python whose code does nothing, to which a test adds what it is about.
package regate.lib.example_test

span := {"line": 1, "column": 0, "end_line": 1, "end_column": 9, "byte": [0, 9]}

nothing := {
	"schema": "regate.facts/1",
	"language": "python",
	"runtime": {"name": "cpython", "version": "3.11"},
	"digest": "",
	"parse": {
		"status": "ok",
		"errors": [],
		"anomalies": [],
		"bytes": 0,
		"nodes": 1,
		"depth": 1,
		"truncated": false,
	},
	"coverage": {"complete": true, "gaps": []},
	"capabilities": [],
	"imports": [],
	"modules": [],
	"calls": [],
	"references": [],
	"dynamic": [],
	"reflection": [],
	"resources": [],
	"bindings": [],
	"hooks": [],
	"strings": [],
	"scopes": [],
}

# The request document of a call whose facts are these, and otherwise empty.
call(facts) := needing([], facts)

# The same, of code that needs something.
needing(needs, facts) := {
	"api": "regate/v1",
	"point": "call",
	"subject": {"id": "agent", "tenant": "acme", "roles": [], "authentication": "api_key"},
	"action": {"name": "tools/call"},
	"resource": {
		"type": "tool",
		"server": "builtin",
		"name": "run_python",
		"arguments": {"code": ""},
		"annotations": {},
		"schema_digest": null,
	},
	"context": {
		"now": "2026-01-01T00:00:00Z",
		"session": {
			"id": "run",
			"step": 1,
			"started": "2026-01-01T00:00:00Z",
			"tokens": 0,
			"cost_microusd": 0,
			"labels": [],
			"labelled": [],
			"history": [],
		},
		"approval": null,
		"code": object.union(nothing, facts),
		"needs": needs,
		"result": null,
		"connection": null,
	},
}

# What became of a call that printed this.
result(stdout) := object.union(call({}), {
	"point": "result",
	"context": {"result": {
		"outcome": "ok",
		"exit_code": 0,
		"truncated": false,
		"texts": [object.union({"name": "stdout", "text": "", "bytes": 0, "whole": true}, stdout)],
		"files": [],
		"detected": {},
		"drift": [],
	}},
})

# A connection that a call asks for which was permitted with it, but for this.
connecting(connection) := object.union(call({}), {
	"point": "connect",
	"context": {"connection": object.union(
		{
			"number": 1,
			"target": "api.example.com:443",
			"host": "api.example.com",
			"port": 443,
			"way": "tunnel",
			"tls": true,
			"obliged": ["api.example.com:443"],
		},
		connection,
	)},
})

# What became of a call that was seen to do this.
strayed(drift) := object.union(result({}), {"context": {"result": {"drift": drift}}})

# A call of this function, which needs this capability.
calling(name, capability) := needing(
	[{
		"capability": capability,
		"name": name,
		"called": true,
		"span": span,
	}],
	{"capabilities": [{
		"name": capability,
		"resolution": "exact",
		"because": name,
		"span": span,
	}]},
)
