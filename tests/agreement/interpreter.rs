//! One CPython, which answers each source with what its own parser sees in it.

use crate::compare::Marks;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub(crate) struct Interpreter {
    child: Child,
    asks: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    /// Its version, such as `3.11`.
    pub(crate) version: String,
}

#[derive(Deserialize)]
struct Hello {
    version: String,
}

impl Interpreter {
    pub(crate) fn start() -> Self {
        let script = Path::new(crate::ROOT).join("tests/agreement/marks.py");
        let mut child = Command::new(python())
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let asks = child.stdin.take().unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
        let hello: Hello = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        Self { child, asks, answers, version: hello.version }
    }

    pub(crate) fn read_file(&mut self, path: &Path) -> Marks {
        self.ask(&json!({"path": path, "text": null}))
    }

    pub(crate) fn read_text(&mut self, text: &str) -> Marks {
        self.ask(&json!({"path": null, "text": text}))
    }

    fn ask(&mut self, ask: &Value) -> Marks {
        writeln!(self.asks, "{ask}").unwrap();
        serde_json::from_str(&self.answers.next().unwrap().unwrap()).unwrap()
    }

    pub(crate) fn stop(mut self) {
        drop(self.asks);
        self.child.wait().unwrap();
    }
}

/// The Python that `tests/mcp/setup` makes.
pub(crate) fn python() -> PathBuf {
    Path::new(crate::ROOT).join("target/venv/bin/python")
}
