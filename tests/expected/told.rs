//! What facts tell, asked in the words of the corpus: `kind:value`.

#![expect(clippy::panic, reason = "a kind that nobody mapped must not pass in silence")]
#![expect(clippy::indexing_slicing, reason = "what a document lacks is null, and answers nothing")]

use serde_json::Value;

/// Kinds of gap that stand where a name could not be followed to what is called.
const NAME: &[&str] = &["callee", "attribute", "namespace", "import", "code", "format"];

/// The facts of a source, those of code in constant text included.
pub(crate) struct Told {
    all: Vec<Value>,
}

impl Told {
    pub(crate) fn new(facts: Value) -> Self {
        let mut all = Vec::new();
        let mut open = vec![facts];
        while let Some(facts) = open.pop() {
            let made = facts["dynamic"].as_array().into_iter().flatten();
            open.extend(made.map(|made| made["nested"].clone()).filter(Value::is_object));
            all.push(facts);
        }
        Self { all }
    }

    /// Whether an expected fact is told, or a gap of the right kind stands in its place.
    pub(crate) fn answers(&self, expected: &str) -> bool {
        let (kind, value) = expected.split_once(':').unwrap_or((expected, ""));
        // What is refused before it is parsed has its gap, and no other facts.
        if kind != "parse" && self.gap(&["bytes"]) {
            return true;
        }
        match kind {
            "import" => self.imports(value),
            "call" => self.calls(value) || self.gap(NAME),
            // Handed on inside a function of its own, it is called there.
            "ref" => self.refers(value) || self.deferred(value) || self.gap(&["callee"]),
            "module" => {
                self.holds(value) || self.gap(&["import", "namespace", "attribute", "code"])
            }
            "dynamic" => self.makes(value),
            "opaque" => self.opaque(value),
            "string" => self.text(value) || self.gap(&["attribute", "import", "code"]),
            "hook" => self.any("hooks", |hook| hook["name"] == value),
            "dunder" | "frame" => self.reflects(value),
            "attr" => self.attribute(value),
            "shadow" => self.bound(&["shadow_builtin", "shadow_module"], value),
            "global" => self.bound(&["global_rebind"], value),
            "monkeypatch" => self.bound(&["monkeypatch"], value),
            "builtin" => self.calls(value),
            _ => self.answers_of_resources(kind, value),
        }
    }

    fn answers_of_resources(&self, kind: &str, value: &str) -> bool {
        match kind {
            "file_read" => self.file("read", value),
            "file_write" => self.file("write", value),
            "file_list" => self.file("list", value),
            // To the catalogue what changes a file writes it.
            "file_delete" | "file_link" => self.file("delete", value) || self.file("write", value),
            "host" => self.resource("host", value) || self.gap(&["host"]),
            "process" => self.resource("process", value) || self.gap(&["arguments"]),
            "env" if value == "*" => self.any("resources", |found| found["kind"] == "env"),
            "env" => self.resource("env", value),
            "table" => self.resource("table", value),
            "sql" => self.any("resources", |found| {
                found["kind"] == "statement" && contains(&found["value"]["text"], value)
            }),
            _ => self.answers_of_syntax(kind, value),
        }
    }

    fn answers_of_syntax(&self, kind: &str, value: &str) -> bool {
        match kind {
            "parse" => {
                let anomaly = value.split(':').next().unwrap_or_default().replace('-', "_");
                self.any("anomalies", |found| found["kind"] == anomaly.as_str())
            }
            "comment" => self.any("anomalies", |found| found["kind"] == "suppression_comment"),
            "decorator" => self.any("calls", |call| {
                call["implicit"] == "decorator" && lists(&call["names"], value)
            }),
            "format-traversal" => self.any("reflection", |found| {
                found["kind"] == "format" && contains(&found["name"], value)
            }),
            "match-attr" => {
                self.any("reflection", |found| found["kind"] == "match" && found["name"] == value)
            }
            "arg" => {
                let (keyword, text) = value.split_once('=').unwrap_or((value, ""));
                self.any("calls", |call| {
                    each(&call["arguments"]).any(|argument| {
                        argument["keyword"] == keyword && argument["value"]["text"] == text
                    })
                })
            }
            _ => panic!("nobody says where the facts tell of `{kind}`"),
        }
    }

    fn any(&self, list: &str, wanted: impl Fn(&Value) -> bool) -> bool {
        self.all.iter().any(|facts| {
            let list = match list {
                "anomalies" => &facts["parse"]["anomalies"],
                "gaps" => &facts["coverage"]["gaps"],
                _ => &facts[list],
            };
            each(list).any(&wanted)
        })
    }

    fn gap(&self, kinds: &[&str]) -> bool {
        self.any("gaps", |gap| kinds.iter().any(|kind| gap["kind"] == *kind))
    }

    /// `import a.b` and `from a import b` alike, and `import a` where a submodule of it is named.
    fn imports(&self, module: &str) -> bool {
        let below = format!("{module}.");
        self.any("imports", |import| {
            let named = import["module"].as_str().unwrap_or_default();
            named == module
                || named.starts_with(&below)
                || each(&import["names"]).any(|name| {
                    name["name"].as_str().is_some_and(|name| format!("{named}.{name}") == module)
                })
        })
    }

    fn calls(&self, name: &str) -> bool {
        self.any("calls", |call| lists(&call["names"], name))
    }

    fn deferred(&self, name: &str) -> bool {
        self.any("calls", |call| call["when"] == "deferred" && lists(&call["names"], name))
    }

    fn refers(&self, name: &str) -> bool {
        self.any("references", |reference| lists(&reference["names"], name))
    }

    fn holds(&self, module: &str) -> bool {
        self.any("modules", |held| held["module"] == module || held["path"] == module)
    }

    fn reflects(&self, name: &str) -> bool {
        self.any("reflection", |found| found["name"] == name)
            || self.any("hooks", |hook| hook["name"] == name)
    }

    fn makes(&self, kind: &str) -> bool {
        let (kind, constant) = match kind.strip_suffix(":const") {
            Some(kind) => (kind, true),
            None => (kind, false),
        };
        let (word, gaps): (_, &[&str]) = match kind {
            "pickle" => ("unpickle", &[]),
            "ctypes" => ("ffi", &[]),
            "code" => ("code-object", &["code"]),
            "import" => ("import", &["import"]),
            "exec" | "eval" => (kind, &["code"]),
            _ => (kind, &[]),
        };
        // What evaluates annotations and docstrings has words of its own.
        let words: &[&str] = match word {
            "exec" => &["exec", "doctest", "interpreter", "debugger"],
            "eval" => &["eval", "annotation-eval"],
            "import" => &["import", "config-factory"],
            _ => &[],
        };
        self.gap(gaps)
            || self.any("dynamic", |made| {
                let level = made["value"]["level"].as_str().unwrap_or_default();
                let known = matches!(level, "literal" | "folded");
                let named = made["kind"] == word || words.iter().any(|one| made["kind"] == *one);
                named && (known || !constant)
            })
    }

    /// A gap of the right kind; where values were followed after all, the fact in its place.
    fn opaque(&self, what: &str) -> bool {
        match what {
            "call" => {
                self.gap(&["callee", "arguments", "attribute"])
                    || self.any("calls", |call| call["complete"] == false)
                    || self
                        .any("references", |reference| each(&reference["names"]).next().is_some())
            }
            "getattr" => {
                self.gap(&["attribute"])
                    || self.any("calls", |call| {
                        lists(&call["names"], "getattr")
                            && each(&call["arguments"]).any(|argument| {
                                argument["position"] == 1 && argument["value"]["level"] == "folded"
                            })
                    })
            }
            "import" => {
                self.gap(&["import"])
                    || self.any("modules", |module| module["route"] == "dynamic-import")
            }
            "module" => {
                self.gap(&["import", "code"])
                    || self.any("modules", |module| module["route"] == "sys.modules")
            }
            "star-import" => self.gap(&["import"]),
            "globals" => self.gap(&["namespace"]) || self.reflects("globals"),
            "exec" => self.gap(&["code"]),
            "host" => self.gap(&["host"]) || self.any("resources", |found| found["kind"] == "host"),
            "path" => self.gap(&["path"]) || self.any("resources", |found| found["kind"] == "file"),
            "args" => {
                self.gap(&["arguments"]) || self.any("calls", |call| call["star_keywords"] == true)
            }
            "attribute-write" => {
                self.gap(&["attribute"])
                    || self.any("bindings", |found| found["kind"] == "monkeypatch")
            }
            _ => panic!("nobody says which gap stands for `{what}`"),
        }
    }

    /// A text of the source, or one that an argument was folded to.
    fn text(&self, text: &str) -> bool {
        self.any("strings", |found| says(&found["value"], text))
            || self.any("calls", |call| {
                each(&call["arguments"]).any(|argument| says(&argument["value"], text))
            })
    }

    fn attribute(&self, name: &str) -> bool {
        match name {
            "sys.modules" => {
                self.any("modules", |module| module["route"] == "sys.modules")
                    || self.bound(&["sys_modules_write"], name)
                    || self.gap(&["attribute"])
            }
            "sys.path" => self.bound(&["sys_path_write"], name),
            _ => {
                let last = name.rsplit('.').next().unwrap_or_default();
                self.reflects(last)
                    || self.any("gaps", |gap| {
                        gap["kind"] == "attribute" && contains(&gap["on"], &format!(".{last}"))
                    })
                    || self.any("calls", |call| {
                        lists(&call["names"], "getattr")
                            && each(&call["arguments"])
                                .any(|argument| argument["value"]["text"] == last)
                    })
            }
        }
    }

    fn bound(&self, kinds: &[&str], name: &str) -> bool {
        self.any("bindings", |found| {
            found["name"] == name && kinds.iter().any(|kind| found["kind"] == *kind)
        })
    }

    fn file(&self, op: &str, path: &str) -> bool {
        self.gap(&["path"])
            || self.any("resources", |found| {
                found["kind"] == "file"
                    && found["op"] == op
                    && (found["norm"] == path || starts(&found["value"]["text"], path))
            })
    }

    fn resource(&self, kind: &str, name: &str) -> bool {
        self.any("resources", |found| found["kind"] == kind && found["norm"] == name)
    }
}

fn each(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn lists(names: &Value, wanted: &str) -> bool {
    each(names).any(|name| name == wanted)
}

fn contains(text: &Value, part: &str) -> bool {
    text.as_str().is_some_and(|text| text.contains(part))
}

/// A pattern is told whole: the folder that it begins with is the start of it.
fn starts(text: &Value, path: &str) -> bool {
    text.as_str().is_some_and(|text| {
        text.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Whether a value is the text, or holds it as a phrase of several words.
fn says(value: &Value, text: &str) -> bool {
    value["text"] == text || (text.contains(' ') && contains(&value["text"], text))
}
