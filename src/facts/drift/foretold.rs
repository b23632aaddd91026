//! What the facts of a program foretell of what it does.
//!
//! Must never take a file for foretold that no path of the facts may lead to.

use super::event::{Event, Kind};
use crate::facts::{BindingKind, Facts, Level, Place, Resource, ResourceKind};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Where a program starts.
const WORKSPACE: &str = "/workspace";
/// What is done with a file that is not changed.
const READING: [&str; 3] = ["read", "list", "stat"];
/// Capabilities after which anything may happen; policy refuses them all.
const OPAQUE: [&str; 6] =
    ["code.dynamic", "code.unpickle", "debugger", "interpreter", "introspect", "native"];
/// Names of the object graph that lead nowhere, as `policies/data/reflection.json` has them.
const HARMLESS: [&str; 4] = ["__name__", "__doc__", "__qualname__", "__version__"];

/// Bindings after which libraries mean something else; policy refuses them all.
const PATCHED: [BindingKind; 4] = [
    BindingKind::Monkeypatch,
    BindingKind::SysModulesWrite,
    BindingKind::SysPathWrite,
    BindingKind::SetattrOpaque,
];

/// The facts of a program and of the code in its texts.
#[derive(Debug)]
pub struct Foretold<'facts> {
    capabilities: BTreeSet<&'facts str>,
    modules: BTreeSet<&'facts str>,
    files: Vec<&'facts Resource>,
    /// Capabilities of calls that name no file: those touch any.
    any_file: BTreeSet<&'facts str>,
    /// The facts say that anything may happen.
    opaque: bool,
}

impl<'facts> Foretold<'facts> {
    /// Takes them together.
    pub fn new(facts: &'facts Facts) -> Self {
        let mut told = Self {
            capabilities: BTreeSet::new(),
            modules: BTreeSet::new(),
            files: Vec::new(),
            any_file: BTreeSet::new(),
            opaque: false,
        };
        let mut left = vec![facts];
        while let Some(facts) = left.pop() {
            told.take(facts);
            left.extend(facts.dynamic.iter().filter_map(|dynamic| dynamic.nested.as_deref()));
        }
        let capabilities = &told.capabilities;
        told.opaque = told.opaque || OPAQUE.iter().any(|name| capabilities.contains(name));
        told
    }

    fn take(&mut self, facts: &'facts Facts) {
        self.capabilities.extend(facts.capabilities.iter().map(|one| &*one.name));
        self.modules.extend(facts.modules.iter().map(|one| &*one.module));
        self.modules.extend(facts.imports.iter().map(|one| &*one.module));
        let files = facts.resources.iter().filter(|one| one.kind == ResourceKind::File);
        let files: Vec<&Resource> = files.collect();
        let nameless =
            facts.calls.iter().filter(|call| files.iter().all(|file| file.span != call.span));
        self.any_file.extend(nameless.flat_map(|call| call.capabilities.iter().map(|one| &**one)));
        self.files.extend(files);
        let reflected = facts.reflection.iter().any(|one| !HARMLESS.contains(&&*one.name));
        let patched = facts.bindings.iter().any(|one| PATCHED.contains(&one.kind));
        self.opaque = self.opaque || reflected || patched || !facts.dynamic.is_empty();
    }

    /// Whether the facts tell that the program may do this.
    pub fn tells(&self, kind: Kind, event: &Event) -> bool {
        self.opaque
            || match kind {
                Kind::Process => self.capabilities.contains("process.spawn"),
                Kind::Network => self.capabilities.iter().any(|name| name.starts_with("net.")),
                Kind::Environment => self.capabilities.iter().any(|name| name.starts_with("env.")),
                Kind::Dynamic | Kind::Introspection | Kind::Native | Kind::Unlisted => false,
                Kind::Module => event.arguments.first().is_some_and(|name| self.tells_module(name)),
                Kind::Read => {
                    let any = ["fs.read", "fs.list", "fs.write"];
                    any.iter().any(|one| self.any_file.contains(one))
                        || self.tells_files(event, |_| true)
                }
                Kind::Write => {
                    self.any_file.contains("fs.write")
                        || self.tells_files(event, |file| !READING.contains(&&*file.op))
                }
            }
    }

    fn tells_module(&self, name: &str) -> bool {
        let within = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.modules.iter().any(|module| within(module, name) || within(name, module))
    }

    fn tells_files(&self, event: &Event, fits: impl Fn(&Resource) -> bool) -> bool {
        let files: Vec<&&Resource> = self.files.iter().filter(|file| fits(file)).collect();
        if event.places.is_empty() {
            return !files.is_empty();
        }
        let mut places = event.places.iter().filter(|place| !place.is_empty());
        places.all(|place| files.iter().any(|file| covers(file, Path::new(&**place))))
    }
}

/// Whether a file that the facts name is, or may be, the one that was touched: the file itself,
/// what lies in a folder that is named, or the folders that lead to it.
fn covers(file: &Resource, place: &Path) -> bool {
    let known = matches!(file.value.level, Level::Literal | Level::Folded);
    let Some(name) = file.norm.as_deref().filter(|_| known && file.place != Place::Unknown) else {
        return true;
    };
    let name = name.strip_prefix("file://").unwrap_or(name);
    let named = plain(&Path::new(WORKSPACE).join(name));
    if place.starts_with(&named) || named.starts_with(place) {
        return true;
    }
    let fixed: PathBuf = named.iter().take_while(|part| !is_pattern(part)).collect();
    fixed != named && place.starts_with(&fixed) || leads_elsewhere(file, &named, place)
}

/// The path without its `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

fn is_pattern(part: &std::ffi::OsStr) -> bool {
    part.to_string_lossy().contains(['*', '?', '['])
}

/// A link, a home folder or a variable in a path that the facts know to lie outside.
fn leads_elsewhere(file: &Resource, named: &Path, place: &Path) -> bool {
    file.place == Place::Outside
        && !place.starts_with(WORKSPACE)
        && named.file_name() == place.file_name()
}
