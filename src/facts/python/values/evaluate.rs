//! What one step gives, from what the steps before it give.

use super::members::Hop;
use super::{Atom, Set, Values, paths};
use crate::facts::Makes;
use crate::facts::python::program::{
    Builtin, DefId, DefKind, Kind, Lookup, Operand, Operands, Operator, Slot, Sym, Val,
};

/// Bytes that one folded text may have.
const TEXT_BYTES_MAX: usize = 4_096;

/// Functions that import the module that their first argument names.
const IMPORTERS: [&str; 3] = ["__import__", "importlib.import_module", "importlib.__import__"];

impl Values<'_> {
    pub(super) fn evaluate(&mut self, at: Val, kind: Kind) -> Set {
        match kind {
            Kind::Constant(atom) | Kind::Docstring(atom) => Set::one(atom),
            Kind::Load(name) => self.load(at, name),
            Kind::Attribute { base, name, .. } => self.attributes(base, name),
            Kind::Item { base, key, .. } => self.items(base, key),
            Kind::Call { callee, arguments, .. } => self.calls(callee, arguments),
            Kind::Binary { operator, left, right } => self.binary(operator, left, right),
            Kind::Either(operands) => self.either(operands),
            Kind::Collect(..) => self.plain("collection"),
            Kind::Format(parts) => self.format(parts),
            Kind::Element(value) => self.derived(value),
            Kind::Entered(value) | Kind::Awaited(value) => self.entered(value),
            Kind::Import(module) => Set::one(Atom::Name(module)),
            Kind::Member { module, name } => self.attribute(Atom::Name(module), name),
            Kind::Define(def) => Set::one(Atom::Own(def)),
            Kind::Receiver(def) => Set::one(Atom::Instance(def)),
            Kind::Opaque => Set::unknown(),
            Kind::Dead
            | Kind::Bind { .. }
            | Kind::Unbind
            | Kind::Escape { .. }
            | Kind::Matched(_) => Set::default(),
        }
    }

    fn plain(&mut self, kind: &str) -> Set {
        Set::one(Atom::Plain(self.program.symbols.intern(kind)))
    }

    fn load(&mut self, at: Val, name: Sym) -> Set {
        let Some(Lookup { exact, cells, builtin }) = self.lookup(at) else {
            return Set::unknown();
        };
        if let Some(exact) = exact {
            return self.of(exact);
        }
        let mut set = Set::default();
        let mut bound = false;
        for cell in cells.into_iter().flatten() {
            bound = true;
            let values = self.read_cell(cell);
            set.join(&values, &mut self.program.symbols);
        }
        let matters = || self.names.is_builtin(self.program.symbols.text(name));
        if builtin == Builtin::Possible && (!bound || matters()) {
            set.add(Atom::Name(name), &mut self.program.symbols);
        }
        set
    }

    fn attributes(&mut self, base: Val, name: Sym) -> Set {
        let base = self.of(base);
        self.each(base, |values, atom| values.attribute(atom, name))
    }

    /// The union over every possible value.
    fn each(&mut self, set: Set, mut step: impl FnMut(&mut Self, Atom) -> Set) -> Set {
        let mut union = Set::default();
        union.overflowed = set.overflowed;
        for atom in set.iter() {
            let next = step(self, atom);
            union.join(&next, &mut self.program.symbols);
        }
        union
    }

    /// A member of a value.
    pub(in super::super) fn attribute(&mut self, of: Atom, name: Sym) -> Set {
        match of {
            Atom::Name(owner) => self.member(owner, name),
            Atom::From(_) => Set::one(of),
            Atom::Path(path) => self.path_attribute(path, name),
            Atom::Own(def) | Atom::Instance(def) => self.own_member(def, name),
            Atom::Unknown | Atom::Text(_) | Atom::Bytes(_) | Atom::Number(_) | Atom::Plain(_) => {
                Set::unknown()
            }
        }
    }

    fn member(&mut self, owner: Sym, name: Sym) -> Set {
        let (member, hop) = self.names.member(owner, name, &mut self.program.symbols);
        let mut set = Set::one(Atom::Name(member));
        if hop == Hop::Lost {
            set = Set::unknown();
            set.overflowed = true;
        }
        set
    }

    /// What the body of an own class binds the name to; instances may hold anything under it.
    fn own_member(&mut self, def: DefId, name: Sym) -> Set {
        let scope = self.program.def(def).map(|def| (def.kind, def.scope));
        let cell = match scope {
            Some((DefKind::Class, scope)) => self.program.own_cell(scope, name),
            Some((DefKind::Function | DefKind::Lambda, _)) | None => None,
        };
        let mut set = cell.map_or_else(Set::default, |cell| self.read_cell(cell));
        set.add(Atom::Unknown, &mut self.program.symbols);
        set
    }

    fn path_attribute(&mut self, path: Sym, name: Sym) -> Set {
        match self.program.symbols.text(name) {
            "parent" => {
                let parent = paths::parent(self.program.symbols.text(path));
                self.path(&parent)
            }
            "name" | "stem" | "suffix" | "suffixes" | "parts" | "drive" | "root" | "anchor" => {
                self.plain("str")
            }
            _ => Set::one(Atom::Path(path)),
        }
    }

    fn path(&mut self, text: &str) -> Set {
        match self.fold(text) {
            Some(text) => Set::one(Atom::Path(text)),
            None => self.lost_path(),
        }
    }

    /// A path object of unknown text.
    fn lost_path(&mut self) -> Set {
        Set::one(Atom::From(self.program.symbols.intern("pathlib.Path")))
    }

    /// The number of a made text, while the budget lasts.
    fn fold(&mut self, text: &str) -> Option<Sym> {
        if let Some(known) = self.program.symbols.find(text) {
            return Some(known);
        }
        if text.len() > TEXT_BYTES_MAX {
            return None;
        }
        self.folding_left = self.folding_left.checked_sub(text.len())?;
        Some(self.program.symbols.intern(text))
    }

    fn items(&mut self, base: Val, key: Option<Val>) -> Set {
        let base = self.of(base);
        let key = key.map(|key| self.of(key)).unwrap_or_default();
        self.each(base, |values, atom| match atom {
            Atom::Name(name) => values.named_item(name, key),
            Atom::From(_) => Set::one(atom),
            // `parents[0]` and what a glob gave.
            Atom::Path(_) => values.lost_path(),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Number(_)
            | Atom::Plain(_)
            | Atom::Own(_)
            | Atom::Instance(_) => Set::unknown(),
        })
    }

    /// `sys.modules["os"]` is a module; an item of any other library thing came out of it.
    fn named_item(&mut self, name: Sym, key: Set) -> Set {
        if self.program.symbols.text(name) == "sys.modules" {
            return self.each(key, |values, atom| {
                atom.text().map_or_else(Set::unknown, |module| values.module(module))
            });
        }
        Set::one(Atom::From(name))
    }

    fn module(&mut self, module: Sym) -> Set {
        self.names.found_module(module, &mut self.program.symbols);
        Set::one(Atom::Name(module))
    }

    fn calls(&mut self, callee: Val, arguments: Operands) -> Set {
        let method = self.program.kind(callee).attribute();
        let method = method.map(|(base, name)| (self.of(base), name));
        let callees = self.of(callee);
        let set = self.each(callees, |values, atom| values.call(atom, arguments));
        match method {
            Some((base, name)) => self.path_method(base, name, arguments).unwrap_or(set),
            None => set,
        }
    }

    fn call(&mut self, callee: Atom, arguments: Operands) -> Set {
        match callee {
            Atom::Name(name) => self.named_call(name, arguments),
            Atom::From(_) => Set::one(callee),
            Atom::Own(def) => match self.program.def(def).map(|def| def.kind) {
                Some(DefKind::Class) => Set::one(Atom::Instance(def)),
                Some(DefKind::Function | DefKind::Lambda) | None => Set::unknown(),
            },
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Number(_)
            | Atom::Plain(_)
            | Atom::Path(_)
            | Atom::Instance(_) => Set::unknown(),
        }
    }

    fn named_call(&mut self, name: Sym, arguments: Operands) -> Set {
        let text = self.program.symbols.shared(name);
        if &*text == "getattr" {
            return self.getattr(arguments);
        }
        if IMPORTERS.contains(&&*text) {
            return self.imported(arguments);
        }
        if let Some(set) = self.builtin_call(&text, arguments) {
            return set;
        }
        let makes =
            self.names.meaning(name, &self.program.symbols).entry.and_then(|entry| entry.makes);
        match makes {
            Some(Makes::Path) => self.made_path(arguments),
            Some(Makes::Handle) | None => Set::one(Atom::From(name)),
        }
    }

    /// What the builtins give that give data, or what they were given.
    fn builtin_call(&mut self, name: &str, arguments: Operands) -> Option<Set> {
        match name {
            "str" => Some(self.text_of(arguments)),
            "int" | "float" | "bool" | "len" | "repr" | "bytes" | "sum" | "round" | "abs"
            | "range" | "input" => Some(self.plain(name)),
            "sorted" | "list" | "tuple" | "set" | "reversed" | "iter" | "next" => {
                let first = self.positional(arguments, 0);
                Some(first.map_or_else(Set::unknown, |first| self.derived(first)))
            }
            "super" | "open" => None,
            _ if name.contains('.') => None,
            _ => Some(Set::unknown()),
        }
    }

    /// `str(path)` is the text of the path.
    fn text_of(&mut self, arguments: Operands) -> Set {
        let value = self.positional(arguments, 0).map(|value| self.of(value));
        match value.and_then(|set| set.single()) {
            Some(Atom::Text(text) | Atom::Path(text)) => Set::one(Atom::Text(text)),
            _ => self.plain("str"),
        }
    }

    /// The value passed at this position, where no star comes before it.
    pub(in super::super) fn positional(&self, arguments: Operands, position: usize) -> Option<Val> {
        let operands = self.program.operands(arguments);
        let before = operands.get(..=position)?;
        before
            .iter()
            .all(|operand| operand.slot == Slot::Position)
            .then(|| before.last().map(|operand| operand.value))?
    }

    fn getattr(&mut self, arguments: Operands) -> Set {
        let (Some(base), Some(name)) =
            (self.positional(arguments, 0), self.positional(arguments, 1))
        else {
            return Set::unknown();
        };
        let (base, names) = (self.of(base), self.of(name));
        self.each(names, |values, name| {
            name.text().map_or_else(Set::unknown, |name| {
                values.each(base, |values, atom| values.attribute(atom, name))
            })
        })
    }

    fn imported(&mut self, arguments: Operands) -> Set {
        let names = self.positional(arguments, 0).map(|name| self.of(name));
        self.each(names.unwrap_or_else(Set::unknown), |values, atom| {
            atom.text().map_or_else(Set::unknown, |module| values.module(module))
        })
    }

    /// Path objects join their arguments.
    fn made_path(&mut self, arguments: Operands) -> Set {
        let operands = self.program.operands(arguments).to_vec();
        let mut whole = String::from(".");
        for operand in operands {
            match self.path_text(operand) {
                Some(text) => whole = paths::join(&whole, &text),
                None => return self.lost_path(),
            }
        }
        self.path(&whole)
    }

    fn path_text(&self, operand: Operand) -> Option<String> {
        if operand.slot != Slot::Position {
            return None;
        }
        let (Atom::Text(text) | Atom::Path(text)) = self.of(operand.value).single()? else {
            return None;
        };
        Some(self.program.symbols.text(text).to_owned())
    }

    /// Methods of path objects that give path objects.
    fn path_method(&mut self, base: Set, name: Sym, arguments: Operands) -> Option<Set> {
        let Some(Atom::Path(path)) = base.single() else {
            return None;
        };
        let path = self.program.symbols.shared(path);
        let operands = self.program.operands(arguments).to_vec();
        let method = self.program.symbols.shared(name);
        let set = match &*method {
            "joinpath" | "glob" | "rglob" | "relative_to" => self.joined(&path, &operands),
            "with_name" | "with_suffix" => self.renamed(&path, &method, &operands),
            "iterdir" => self.path(&paths::join(&path, "*")),
            "resolve" | "absolute" => self.path(&paths::absolute(&path)),
            "expanduser" | "readlink" | "with_stem" => self.lost_path(),
            "open" => Set::one(Atom::From(self.program.symbols.intern("open"))),
            _ => self.plain("data"),
        };
        Some(set)
    }

    fn renamed(&mut self, path: &str, method: &str, operands: &[Operand]) -> Set {
        let part = operands.first().and_then(|operand| self.path_text(*operand));
        let Some(part) = part.filter(|part| !part.contains('/')) else {
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
        let mut whole = path.to_owned();
        for operand in operands {
            match self.path_text(*operand) {
                Some(text) => whole = paths::join(&whole, &text),
                None => return self.lost_path(),
            }
        }
        self.path(&whole)
    }

    fn binary(&mut self, operator: Operator, left: Val, right: Val) -> Set {
        let (left, right) = (self.of(left), self.of(right));
        match (operator, left.single(), right.single()) {
            (Operator::Add, Some(Atom::Text(left)), Some(Atom::Text(right))) => {
                self.concatenate(&[left, right])
            }
            (
                Operator::Divide,
                Some(Atom::Path(left)),
                Some(Atom::Text(right) | Atom::Path(right)),
            ) => {
                let symbols = &self.program.symbols;
                let joined = paths::join(symbols.text(left), symbols.text(right));
                self.path(&joined)
            }
            (Operator::Divide, Some(Atom::Path(_)), _) => self.lost_path(),
            _ => self.mixed(left, right),
        }
    }

    fn concatenate(&mut self, parts: &[Sym]) -> Set {
        let symbols = &self.program.symbols;
        let bytes: usize = parts.iter().map(|part| symbols.text(*part).len()).sum();
        if bytes > TEXT_BYTES_MAX {
            return self.plain("str");
        }
        let whole: String = parts.iter().map(|part| symbols.text(*part)).collect();
        match self.fold(&whole) {
            Some(text) => Set::one(Atom::Text(text)),
            None => self.plain("str"),
        }
    }

    /// An operator on library objects gives what came out of the library; on data, data.
    fn mixed(&mut self, left: Set, right: Set) -> Set {
        let library = left.iter().chain(right.iter()).find_map(Atom::library);
        if let Some(name) = library {
            return Set::one(Atom::From(name));
        }
        if !left.is_empty()
            && !right.is_empty()
            && left.all(Atom::is_plain)
            && right.all(Atom::is_plain)
        {
            return self.plain("data");
        }
        Set::unknown()
    }

    fn either(&mut self, operands: Operands) -> Set {
        let operands = self.program.operands(operands).to_vec();
        let mut union = Set::default();
        for operand in operands {
            let next = self.of(operand.value);
            union.join(&next, &mut self.program.symbols);
        }
        union
    }

    /// A formatted string is known where all of its parts are.
    fn format(&mut self, parts: Operands) -> Set {
        let mut texts = Vec::new();
        for part in self.program.operands(parts).to_vec() {
            match self.of(part.value).single() {
                Some(Atom::Text(text)) => texts.push(text),
                Some(Atom::Number(text)) if self.is_decimal(text) => texts.push(text),
                _ => return self.plain("str"),
            }
        }
        self.concatenate(&texts)
    }

    /// Whether a number is written as it is printed.
    fn is_decimal(&self, number: Sym) -> bool {
        let text = self.program.symbols.text(number);
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'))
    }

    /// What an element of a value may be.
    fn derived(&mut self, value: Val) -> Set {
        let set = self.of(value);
        self.each(set, |_, atom| match atom {
            Atom::From(_) | Atom::Path(_) => Set::one(atom),
            Atom::Name(name) => Set::one(Atom::From(name)),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Number(_)
            | Atom::Plain(_)
            | Atom::Own(_)
            | Atom::Instance(_) => Set::unknown(),
        })
    }

    /// What `with` or `await` gives: library objects give themselves.
    fn entered(&mut self, value: Val) -> Set {
        self.derived(value)
    }
}
