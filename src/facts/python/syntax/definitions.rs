//! Functions, classes, lambdas, their parameters and decorators, and imports.

use super::kinds::{Field, Syntax};
use super::walk::{Frame, Item, Second, Walk, child, value};
use crate::facts::python::program::{
    Def, DefId, DefKind, ImportRecord, Kind, Operand, Operands, Repeats, ScopeId, Slot, Sym, Val,
};
use crate::facts::{AnomalyKind, GapKind, Implicit, ImportForm, Role, When};

/// Parts that the name of a module may have: each beginning of it is a name of its own.
const MODULE_PARTS_MAX: usize = 64;

impl Walk<'_, '_> {
    /// The name of the definition is bound where it stands; its number is that of its scope.
    pub(super) fn definition(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let Some(scope) = frame.opens else {
            return Item::of(frame, None);
        };
        let name = child(items, Field::Name);
        let kind = match frame.syntax {
            Syntax::ClassDefinition => DefKind::Class,
            Syntax::Lambda => DefKind::Lambda,
            _ => DefKind::Function,
        };
        if kind == DefKind::Function && !child(items, Field::Body).is_some_and(|body| body.leaves) {
            self.program.ending.insert(DefId(scope.0));
        }
        if kind == DefKind::Lambda
            && let Some(body) = value(items, Field::Body)
        {
            self.give_back(scope, body, frame.range);
        }
        let symbol = name.and_then(|item| item.name);
        let bases = self.bases(items);
        let def = Def {
            name: symbol.unwrap_or_else(|| self.program.symbols.intern("<lambda>")),
            within: self.scope,
            kind,
            bases,
            range: name.map_or(frame.range, |item| item.range),
        };
        if let Some(record) = self.program.scopes.get_mut(scope.0 as usize) {
            record.name = def.name;
        }
        self.place_def(DefId(scope.0), def);
        let defined = self.push(Kind::Define(DefId(scope.0)), def.range);
        // What is decorated is bound when it has been.
        let around = self.frames.last().map(|around| around.syntax);
        if let Some(symbol) = symbol.filter(|_| around != Some(Syntax::DecoratedDefinition)) {
            self.bind_name(symbol, defined, def.range);
        }
        Item::of(frame, Some(defined))
    }

    /// What the body of a lambda gives is given back in its own scope, which was left with the body.
    fn give_back(&mut self, scope: ScopeId, value: Val, range: (u32, u32)) {
        let around = Some(self.block);
        let block = self.program.open_block(around, scope, When::Deferred, Repeats::Once);
        let role = Role::Returned;
        self.program.push(Kind::Escape { value, role, into: None }, range, block);
        self.program.close_block(block);
    }

    /// Keeps the list of definitions in step with the list of scopes.
    fn place_def(&mut self, id: DefId, def: Def) {
        let at = id.0 as usize;
        if self.program.defs.len() <= at {
            self.program.defs.resize(at + 1, def);
        }
        if let Some(place) = self.program.defs.get_mut(at) {
            *place = def;
        }
    }

    /// The bases and keywords of a class go to its metaclass.
    fn bases(&mut self, items: &[Item]) -> Operands {
        let list = child(items, Field::Superclasses).map(|item| item.second);
        let bases = match list.and_then(Second::arguments) {
            Some(start) => self.take_arguments(start),
            None => Vec::new(),
        };
        for operand in &bases {
            self.escape(operand.value, Role::Argument, None);
        }
        self.program.push_operands(bases)
    }

    pub(super) fn take_arguments(&mut self, start: usize) -> Vec<Operand> {
        self.arguments
            .split_off(start.min(self.arguments.len()))
            .into_iter()
            .filter_map(|item| {
                let slot = match (item.slot, item.name) {
                    (Slot::Position, Some(name)) => Slot::Keyword(name),
                    (slot, _) => slot,
                };
                Some(Operand { slot, value: item.value? })
            })
            .collect()
    }

    /// `@first @second def f` is `f = first(second(f))`.
    pub(super) fn decorated(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let Some(definition) = items.last().and_then(|item| item.value) else {
            return Item::of(frame, None);
        };
        let decorators = items.iter().rev().filter(|item| item.syntax == Syntax::Decorator);
        let mut decorated = definition;
        for (callee, range) in decorators.filter_map(|item| Some((item.value?, item.range))) {
            let operand = Operand { slot: Slot::Position, value: decorated };
            let arguments = self.program.push_operands([operand]);
            let implicit = Some(Implicit::Decorator);
            decorated = self.push(Kind::Call { callee, arguments, implicit }, range);
        }
        if let Kind::Define(id) = self.program.kind(definition)
            && let Some(def) = self.program.def(id).copied()
        {
            let own = [definition, decorated].map(|value| Operand { slot: Slot::Position, value });
            let either = self.program.push_operands(own);
            let value = self.push(Kind::Either(either), def.range);
            self.bind_name(def.name, value, def.range);
        }
        Item::of(frame, Some(decorated))
    }

    /// Parameters wait until the body is entered: only then is their scope open.
    pub(super) fn parameters(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let start = self.arguments.len();
        let named: Vec<Item> = items.iter().filter(|item| item.name.is_some()).copied().collect();
        self.arguments.extend(named);
        Item { second: Second::Arguments(start), ..Item::of(frame, None) }
    }

    /// One parameter with a default or an annotation. Its default leaves our sight.
    pub(super) fn parameter(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let default = value(items, Field::Value);
        if let Some(default) = default {
            let into = items.first().and_then(|item| item.name);
            self.escape(default, Role::Default, into);
        }
        match items.first() {
            Some(Item { name: Some(name), syntax, .. }) => Item {
                syntax: *syntax,
                second: default.map_or(Second::Nothing, Second::Value),
                ..Item::named(frame, *name)
            },
            _ => Item::of(frame, None),
        }
    }

    pub(super) fn import(&mut self, frame: &Frame, items: &[Item]) -> Item {
        for item in items {
            let Some(module) = item.name else { continue };
            let alias = item.second.name();
            self.record_import(frame, ImportForm::Import, module, alias);
            let top = match alias {
                Some(_) => module,
                None => self.first_part(module),
            };
            let value = self.push(Kind::Import(top), item.range);
            let bound = self.private(alias.unwrap_or(top));
            self.bind_name(bound, value, item.range);
        }
        Item::of(frame, None)
    }

    fn first_part(&mut self, module: Sym) -> Sym {
        let text = self.text_of(module);
        let first = text.split('.').next().unwrap_or_default();
        self.program.symbols.intern(first)
    }

    fn record_import(&mut self, frame: &Frame, form: ImportForm, module: Sym, alias: Option<Sym>) {
        let record = ImportRecord {
            form,
            module,
            alias,
            names: Vec::new(),
            scope: self.scope,
            range: frame.range,
            known: false,
        };
        self.program.imports.push(record);
    }

    pub(super) fn import_from(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let module = child(items, Field::ModuleName).and_then(|item| item.name);
        let future = frame.syntax == Syntax::FutureImportStatement;
        let module = match (module, future) {
            (Some(module), _) => module,
            (None, true) => self.program.symbols.intern("__future__"),
            (None, false) => self.program.symbols.intern(""),
        };
        if future {
            let (start, end) = frame.range;
            self.draft.anomaly(
                AnomalyKind::FutureImport,
                "a future feature is switched on",
                start,
                end,
            );
        }
        let names = self.imported_names(items);
        let star = items.iter().any(|item| item.syntax == Syntax::WildcardImport);
        let form = match (star, self.text_of(module).starts_with('.')) {
            (true, _) => ImportForm::Star,
            (false, true) => ImportForm::Relative,
            (false, false) => ImportForm::From,
        };
        self.record_import(frame, form, module, None);
        if let Some(record) = self.program.imports.last_mut() {
            record.names = names.iter().map(|(name, alias, _)| (*name, *alias)).collect();
        }
        for (name, alias, range) in names {
            let value = self.push(Kind::Member { module, name }, range);
            let bound = self.private(alias.unwrap_or(name));
            self.bind_name(bound, value, range);
        }
        Item::of(frame, None)
    }

    fn imported_names(&self, items: &[Item]) -> Vec<(Sym, Option<Sym>, (u32, u32))> {
        items
            .iter()
            .filter(|item| item.field == Field::Name)
            .filter_map(|item| {
                let alias = item.second.name();
                Some((item.name?, alias, item.range))
            })
            .collect()
    }

    /// `a.b` in an import, as one name.
    pub(super) fn dotted(&mut self, frame: &Frame, items: &[Item]) -> Item {
        if items.len() > MODULE_PARTS_MAX {
            let (start, end) = frame.range;
            self.draft.truncate();
            self.draft.gap(GapKind::Limit, "a module has more parts than are followed", start, end);
        }
        let parts: Vec<_> = items
            .iter()
            .take(MODULE_PARTS_MAX)
            .filter_map(|item| Some(self.text_of(item.name?)))
            .collect();
        let name = self.program.symbols.intern(&parts.join("."));
        Item::named(frame, name)
    }

    pub(super) fn relative(&mut self, frame: &Frame) -> Item {
        let text: String = self
            .slice(frame.range)
            .chars()
            .filter(|character| !character.is_whitespace())
            .collect();
        let name = self.program.symbols.intern(&text);
        Item::named(frame, name)
    }

    pub(super) fn aliased(&self, frame: &Frame, items: &[Item]) -> Item {
        let second = child(items, Field::Alias)
            .and_then(|item| item.name)
            .map_or(Second::Nothing, Second::Name);
        Item {
            name: child(items, Field::Name).and_then(|item| item.name),
            second,
            ..Item::of(frame, None)
        }
    }

    /// `yield from value` yields the elements of the value.
    fn yielded_from(&mut self, frame: &Frame, value: Val) -> Val {
        let text = self.slice(frame.range).strip_prefix("yield").unwrap_or_default().trim_start();
        let word = text.strip_prefix("from").and_then(|rest| rest.chars().next());
        let from = word.is_some_and(|next| !next.is_alphanumeric() && next != '_');
        if from { self.push(Kind::Element(value), frame.range) } else { value }
    }

    /// A value that a statement hands on.
    pub(super) fn handed(&mut self, frame: &Frame, items: &[Item], role: Role) -> Option<Val> {
        if frame.syntax == Syntax::Yield && items.is_empty() {
            // What yields nothing makes a generator of its function too.
            let nothing = self.push(Kind::Opaque, frame.range);
            self.push(Kind::Escape { value: nothing, role, into: None }, frame.range);
        }
        if frame.syntax == Syntax::ReturnStatement && items.is_empty() {
            self.program.ending.insert(DefId(self.scope.0));
        }
        for value in items.iter().filter_map(|item| item.value) {
            if matches!(role, Role::Returned | Role::Yielded) {
                let value = self.yielded_from(frame, value);
                self.push(Kind::Escape { value, role, into: None }, frame.range);
            } else {
                self.escape(value, role, None);
            }
        }
        (frame.syntax == Syntax::Yield).then(|| self.push(Kind::Opaque, frame.range))
    }
}
