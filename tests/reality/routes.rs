//! The routes that are written by hand: `fixtures/reality/routes/`.

use regate::facts::drift::Kind;
use std::path::{Path, PathBuf};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/reality/routes");
/// The line before each program: `#% KIND: what it shows`.
const MARK: &str = "#% ";

/// One program.
pub(crate) struct Route {
    /// The file, and what it shows.
    pub(crate) name: String,
    /// What it does; nothing where it is a harmless twin, which is to be permitted.
    pub(crate) kind: Option<Kind>,
    pub(crate) code: String,
}

/// Every route.
pub(crate) fn all() -> Vec<Route> {
    let folders = entries(Path::new(FOLDER));
    let files = folders.iter().flat_map(|folder| entries(folder));
    files.flat_map(|file| read(&file)).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn read(file: &Path) -> Vec<Route> {
    let text = std::fs::read_to_string(file).unwrap();
    let stem = file.file_stem().unwrap().to_string_lossy();
    let mut routes: Vec<Route> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(head) = line.strip_prefix(MARK) {
            let (kind, shows) = head.trim().split_once(": ").unwrap();
            let name = format!("{stem}: {shows}");
            let kind = (kind != "none").then(|| kind_of(kind));
            routes.push(Route { name, kind, code: String::new() });
        } else if let Some(route) = routes.last_mut() {
            route.code.push_str(line);
        }
    }
    routes
}

/// A kind by its word.
pub(crate) fn kind_of(word: &str) -> Kind {
    match word {
        "process" => Kind::Process,
        "network" => Kind::Network,
        "read" => Kind::Read,
        "write" => Kind::Write,
        "dynamic" => Kind::Dynamic,
        "introspection" => Kind::Introspection,
        "module" => Kind::Module,
        "native" => Kind::Native,
        "environment" => Kind::Environment,
        _ => panic!("{word} is no kind of event"),
    }
}
