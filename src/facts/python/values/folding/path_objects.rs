//! Path objects: what making, joining and walking them gives.

use super::{paths, patterns};
use crate::call::Text;
use crate::facts::python::program::{Operand, Operands, Slot, Sym, Val};
use crate::facts::python::values::{Atom, Set, Values};

/// Paths of one step that are told apart.
const PATHS_MAX: usize = 8;

/// Paths that one joining may make.
const JOINED_MAX: usize = 64;

/// The round from which on what one step makes grows no longer path by path.
const STEADY_ROUND: u32 = 5;

/// The canonical name of a path object whose text is not known.
const LOST: &str = "pathlib.Path";

/// Methods of path objects that make links which `resolve` follows.
const LINKING: [&str; 2] = ["symlink_to", "link_to"];

/// Methods of path objects that give no path.
const GIVING_DATA: [&str; 38] = [
    "as_uri",
    "chmod",
    "exists",
    "group",
    "hardlink_to",
    "is_absolute",
    "is_block_device",
    "is_char_device",
    "is_dir",
    "is_fifo",
    "is_file",
    "is_mount",
    "is_relative_to",
    "is_reserved",
    "is_socket",
    "is_symlink",
    "lchmod",
    "link_to",
    "lstat",
    "match",
    "mkdir",
    "owner",
    "read_bytes",
    "read_text",
    "rmdir",
    "samefile",
    "stat",
    "symlink_to",
    "touch",
    "unlink",
    "write_bytes",
    "write_text",
    "__eq__",
    "__ge__",
    "__gt__",
    "__hash__",
    "__le__",
    "__lt__",
];

impl Values<'_> {
    pub(in crate::facts::python::values) fn path_attribute(&mut self, path: Sym, name: Sym) -> Set {
        let levels = patterns::has_levels(self.program.symbols.text(path));
        match self.program.symbols.text(name) {
            "parent" if !levels => self.lost_path(),
            "parent" => {
                let parent = paths::parent(self.program.symbols.text(path));
                self.path(&parent)
            }
            "name" | "stem" | "suffix" => {
                let symbols = &self.program.symbols;
                let (path, name) = (symbols.text(path), symbols.text(name));
                let part = paths::part(path, name).or_else(|| patterns::part_of_found(path, name));
                let suffix = Some(path).filter(|_| name == "suffix");
                let parts = match part {
                    Some(part) => Some(vec![part]),
                    None => suffix.and_then(patterns::suffixes_of_found),
                };
                match parts.filter(|_| levels) {
                    Some(parts) => self.either_text(&parts),
                    None => self.plain("str"),
                }
            }
            // Every one of them lies further out.
            "parents" => self.lost_path(),
            "suffixes" | "parts" | "drive" | "root" | "anchor" => self.plain("str"),
            _ => Set::one(Atom::Path(path)),
        }
    }

    /// What surely holds the file that was found whose suffix a step gives.
    pub(super) fn suffix_of_found(&self, step: Val) -> Option<Val> {
        let symbols = &self.program.symbols;
        let found = |atom: Atom| {
            matches!(atom, Atom::Path(path)
                if patterns::suffixes_of_found(symbols.text(path)).is_some())
        };
        let (base, name) = self.program.kind(step).attribute()?;
        let told = symbols.text(name) == "suffix" && self.of(base).all(found);
        Some(self.bound(base).unwrap_or(base)).filter(|_| told)
    }

    /// Whether a step gives the stem of this path.
    pub(super) fn is_stem_of(&self, step: Val, path: Val) -> bool {
        let of = self.program.kind(step).attribute();
        of.is_some_and(|(base, name)| {
            self.program.symbols.text(name) == "stem" && self.bound(base) == Some(path)
        })
    }

    pub(in crate::facts::python::values) fn path(&mut self, text: &str) -> Set {
        match self.fold(text).filter(|_| patterns::leads(text)) {
            Some(text) => Set::one(Atom::Path(text)),
            None => self.lost_path(),
        }
    }

    /// A path object of unknown text.
    pub(in crate::facts::python::values) fn lost_path(&mut self) -> Set {
        Set::one(Atom::From(self.program.symbols.intern(LOST)))
    }

    /// Path objects join their arguments.
    pub(in crate::facts::python::values) fn made_path(&mut self, arguments: Operands) -> Set {
        let operands = self.program.operands(arguments).to_vec();
        self.joined(".", &operands)
    }

    /// `left / right` where the left may be a path object.
    pub(in crate::facts::python::values) fn divided(&mut self, left: Set, right: Set) -> Set {
        let (Some(starts), Some(ends)) = (self.path_texts(left), self.path_texts(right)) else {
            return self.lost_path();
        };
        self.paths_of(&starts, &ends)
    }

    /// Every path of a start and an end.
    fn paths_of(&mut self, starts: &[Text], ends: &[Text]) -> Set {
        let joined = |start: &Text| {
            ends.iter().map(|end| paths::join(start, end).into()).collect::<Vec<Text>>()
        };
        let whole: Vec<Text> = starts.iter().flat_map(joined).collect();
        self.either_path(&whole)
    }

    fn either_path(&mut self, texts: &[Text]) -> Set {
        if texts.len() > PATHS_MAX {
            return self.any_of(texts);
        }
        let mut union = Set::default();
        for text in texts {
            let path = self.path(text);
            self.join(&mut union, &path);
        }
        union
    }

    /// One pattern for all of these paths.
    fn any_of(&mut self, texts: &[Text]) -> Set {
        match paths::around(texts) {
            Some(pattern) => self.path(&pattern),
            None => self.lost_path(),
        }
    }

    /// What a step gives that made other paths each time: somewhere below where all of them lie.
    pub(in crate::facts::python::values) fn steady_paths(&mut self, at: Val, set: Set) -> Set {
        let before = self.of(at);
        let path = |atom: Atom| if let Atom::Path(path) = atom { Some(path) } else { None };
        let known: Vec<Sym> = before.iter().filter_map(path).collect();
        let new = set.iter().any(|atom| path(atom).is_some() && !before.has(atom));
        if self.pools.round < STEADY_ROUND || known.is_empty() || !new {
            return set;
        }
        let all = known.into_iter().chain(set.iter().filter_map(path));
        let all: Vec<Text> = all.map(|path| self.program.symbols.shared(path)).collect();
        let mut steady = self.any_of(&all);
        steady.overflowed |= set.overflowed;
        for atom in set.iter().filter(|atom| path(*atom).is_none()) {
            self.add(&mut steady, atom);
        }
        steady
    }

    /// The texts that a value joins as, where all are known at least in part.
    fn path_texts(&self, set: Set) -> Option<Vec<Text>> {
        let text = |atom| {
            let Atom::Path(path) = atom else {
                return self.pattern_of(atom).map(|text| patterns::as_path(&text).into());
            };
            Some(self.program.symbols.shared(path))
        };
        if set.is_empty() || set.overflowed { None } else { set.iter().map(text).collect() }
    }

    fn path_text(&self, operand: Operand) -> Option<String> {
        if operand.slot != Slot::Position {
            return None;
        }
        let texts = self.path_texts(self.of(operand.value))?;
        let [only] = texts.as_slice() else { return None };
        Some(only.as_ref().to_owned())
    }

    /// Methods of path objects that give path objects.
    pub(in crate::facts::python::values) fn path_method(
        &mut self,
        base: Atom,
        name: Sym,
        arguments: Operands,
    ) -> Set {
        let Atom::Path(path) = base else {
            return Set::unknown();
        };
        let path = self.program.symbols.shared(path);
        let operands = self.program.operands(arguments).to_vec();
        let method = self.program.symbols.shared(name);
        match &*method {
            "joinpath" | "glob" | "__truediv__" => self.joined(&path, &operands),
            "rglob" => self.joined(&paths::join(&path, paths::ANYWHERE), &operands),
            "rename" | "replace" => self.joined(".", &operands),
            "relative_to" => self.below(&path, &operands),
            "with_name" | "with_suffix" => self.renamed(&path, &method, &operands),
            "iterdir" => self.path(&paths::join(&path, "*")),
            // What a link leads to may lie less deep.
            "resolve" if self.makes_links() => self.lost_path(),
            "resolve" | "absolute" => self.path(&paths::absolute(&path)),
            "open" => Set::one(Atom::From(self.program.symbols.intern("open"))),
            "as_posix" | "__str__" | "__fspath__" => self.path_as_text(&path),
            method if GIVING_DATA.contains(&method) => self.plain("data"),
            // Every other one may give a path.
            _ => self.lost_path(),
        }
    }

    /// Whether the program may make links.
    fn makes_links(&self) -> bool {
        LINKING.iter().any(|name| self.program.symbols.find(name).is_some())
    }

    fn path_as_text(&mut self, path: &str) -> Set {
        self.either_text(&[patterns::of_path(path)])
    }

    /// The path below another one that it begins with.
    fn below(&mut self, path: &str, operands: &[Operand]) -> Set {
        let start = match operands {
            [only] => self.path_text(*only),
            _ => None,
        };
        let start = start.filter(|start| [path, start].into_iter().all(patterns::has_levels));
        match start.and_then(|start| paths::below(path, &start)) {
            Some(below) => self.path(&below),
            None => self.lost_path(),
        }
    }

    fn renamed(&mut self, path: &str, method: &str, operands: &[Operand]) -> Set {
        let part = operands.first().and_then(|operand| self.path_text(*operand));
        let named = paths::part(path, "name").is_some() || paths::is_pattern(path);
        let named = named && patterns::has_levels(path) && patterns::splits(path);
        // Without its suffix a name that is not known may be dots alone.
        let bare = method == "with_suffix" && (paths::is_pattern(path) || patterns::is_wild(path));
        let named = named && !(bare && part.as_deref() == Some(""));
        let Some(part) = part.filter(|part| named && !part.contains('/')) else {
            return self.lost_path();
        };
        let renamed = if method == "with_name" {
            paths::join(&paths::parent(path), &part)
        } else {
            paths::with_suffix(path, &part)
        };
        self.path(&renamed)
    }

    fn joined(&mut self, path: &str, operands: &[Operand]) -> Set {
        let mut whole = vec![Text::from(path)];
        for operand in operands {
            if self.of(operand.value).is_empty() {
                return Set::default();
            }
            let ends = self.path_texts(self.of(operand.value));
            let Some(ends) = ends.filter(|_| operand.slot == Slot::Position) else {
                return self.lost_path();
            };
            if whole.len() * ends.len() > JOINED_MAX {
                return self.lost_path();
            }
            let joined = |start: &Text| {
                ends.iter().map(|end| paths::join(start, end).into()).collect::<Vec<Text>>()
            };
            whole = whole.iter().flat_map(joined).collect();
        }
        self.either_path(&whole)
    }
}
