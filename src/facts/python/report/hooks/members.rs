//! Members that a library reads, copies or writes code of by names that the program chooses.
//!
//! Must never take names that are not known for those of a function that is wrapped.

use crate::facts::python::program::{Def, DefId, DefKind, Kind, Op, Operand, Slot, Sym, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::report::calls::Callee;
use crate::facts::python::report::resources::Passed;
use crate::facts::python::values::{Atom, Set};
use crate::facts::{GapKind, ReflectionKind, Slots};

/// Members that no program of data names: given to a class by its namespace, by a keyword or by
/// what answers for it, they decide what is written, copied or read of its objects.
const UNWRITTEN: [&str; 9] = [
    "__annotations__",
    "__getnewargs__",
    "__getnewargs_ex__",
    "__getstate__",
    "__match_args__",
    "__module__",
    "__reduce__",
    "__reduce_ex__",
    "__traceback__",
];

/// Methods that say what a copy is made of: a function, and members by their names.
const REBUILDING: [&str; 5] =
    ["__getnewargs__", "__getnewargs_ex__", "__getstate__", "__reduce__", "__reduce_ex__"];

/// What `functools` copies of a function where nothing else is said.
const COPIED: [&str; 7] = [
    "__annotations__",
    "__dict__",
    "__doc__",
    "__module__",
    "__name__",
    "__qualname__",
    "__type_params__",
];

/// The names of those lists.
const COPIED_LISTS: [&str; 2] = ["functools.WRAPPER_ASSIGNMENTS", "functools.WRAPPER_UPDATES"];

/// Methods that answer for attributes, or take them in.
const ANSWERING: [&str; 2] = ["__getattr__", "__getattribute__"];
const TAKING: &str = "__setattr__";

/// The initialiser.
const MAKER: &str = "__init__";

/// The name of a field, which is written into the source of methods.
const FIELD_NAME: &str = "name";

fn slots(position: u32, keyword: &str) -> Slots {
    Slots { position: Some(position), keyword: Some(keyword.into()) }
}

impl Teller<'_, '_> {
    /// A name under which a class is given more than data, in a place that is no class body.
    pub(in super::super) fn tell_unwritten_member(&mut self, name: &str, op: &Op) {
        if UNWRITTEN.contains(&name) {
            self.tell_reflection(ReflectionKind::Dunder, name.into(), op);
        }
    }

    /// The keywords of a class statement are given to its metaclass.
    pub(in super::super) fn tell_class_keywords(&mut self, op: &Op, id: DefId) {
        let Some(def) = self.values.program.def(id).copied() else { return };
        let Def { kind: DefKind::Class, bases, .. } = def else { return };
        let bases = self.values.program.operands(bases).to_vec();
        self.tell_names_spread(op, &bases);
        for base in bases {
            if let Slot::Keyword(name) = base.slot {
                let name = self.word(name);
                self.tell_unwritten_member(&name, op);
            }
        }
    }

    /// A class says what a copy of its objects is made of.
    pub(super) fn tell_rebuilt(&mut self, op: &Op, word: &str) {
        if REBUILDING.contains(&word) {
            let why = "a class says what its copies are made of, by functions and names of members";
            self.gap(GapKind::Attribute, why, op);
        }
    }

    /// Whether a class of the program's own answers for any attribute.
    pub(in super::super) fn answers_for_members(&self) -> bool {
        let symbols = &self.values.program.symbols;
        ANSWERING.iter().any(|name| symbols.find(name).is_some())
    }

    /// Functions that take members by names that they are given, or that an object has.
    pub(in super::super) fn tell_members_asked(
        &mut self,
        (at, op): (Val, &Op),
        callees: &[Callee<'_>],
        operands: &[Operand],
    ) {
        for callee in callees {
            match &*callee.name {
                "dataclasses.make_dataclass" => self.tell_made_fields(op, operands),
                "ast.iter_fields" => self.tell_fields_of_node(op, operands),
                "functools.update_wrapper" => {
                    self.tell_copied(op, operands, 1);
                    let wrapper = self.passed(&slots(0, "wrapper"), operands);
                    self.tell_copied_to(op, wrapper);
                }
                "functools.wraps" => {
                    self.tell_copied(op, operands, 0);
                    if !self.values.callees.contains(&at) {
                        let why = "what attributes are copied to is not seen";
                        self.gap(GapKind::Attribute, why, op);
                    }
                }
                _ => {}
            }
        }
        self.tell_wrapped(op, operands);
    }

    /// `wraps(function)(wrapper)`.
    fn tell_wrapped(&mut self, op: &Op, operands: &[Operand]) {
        let Kind::Call { callee, .. } = op.kind else { return };
        let wraps = self.values.of(callee).iter().any(|atom| {
            matches!(atom, Atom::From(name)
                if self.values.program.symbols.text(name) == "functools.wraps")
        });
        if wraps {
            let wrapper = self.passed(&slots(0, "wrapper"), operands);
            self.tell_copied_to(op, wrapper);
        }
    }

    /// What attributes are copied of, and which.
    fn tell_copied(&mut self, op: &Op, operands: &[Operand], place: u32) {
        let lists = [slots(place + 1, "assigned"), slots(place + 2, "updated")];
        let known = lists.iter().all(|slots| match self.passed(slots, operands) {
            Passed::Not => true,
            Passed::Unseen => false,
            Passed::As(value) => self.are_copied_names(value),
        });
        let wrapped = match self.passed(&slots(place, "wrapped"), operands) {
            Passed::As(value) => self.values.of(value),
            Passed::Not | Passed::Unseen => Set::unknown(),
        };
        let answers = self.answers_for_members() && !wrapped.all(|atom| self.is_function(atom));
        if !known || answers || wrapped.iter().any(|atom| self.is_made_of_data(atom)) {
            self.gap(GapKind::Attribute, "which attributes are copied is not known", op);
        }
    }

    /// Whether it came out of a library that may have made it of data, members and all.
    fn is_made_of_data(&self, atom: Atom) -> bool {
        if let Atom::From(name) = atom {
            return !self.values.program.symbols.text(name).starts_with("functools.");
        }
        atom.is_plain() || matches!(atom, Atom::Held(_))
    }

    fn are_copied_names(&mut self, value: Val) -> bool {
        let found = self.values.written_out(value);
        let symbols = &self.values.program.symbols;
        found.into_iter().all(|atom| {
            let text = atom.text().is_some_and(|name| COPIED.contains(&symbols.text(name)));
            text || atom.name().is_some_and(|name| COPIED_LISTS.contains(&symbols.text(name)))
        })
    }

    /// What attributes are copied to: to anything but a function or an object of the program's own
    /// they may be those that steer it.
    fn tell_copied_to(&mut self, op: &Op, wrapper: Passed) {
        let Passed::As(value) = wrapper else {
            self.gap(GapKind::Attribute, "what attributes are copied to is not known", op);
            return;
        };
        let takes = self.values.program.symbols.find(TAKING).is_some();
        let set = self.values.of(value);
        let plain = |atom| self.is_plain_object(atom) || self.is_being_made(op, (value, atom));
        if !set.all(|atom| self.is_function(atom) || (!takes && plain(atom))) {
            self.gap(GapKind::Attribute, "attributes are copied to what is not known", op);
        }
    }

    /// Whether it is the object that is made where a step stands, of which nothing else is known:
    /// what an initialiser is called on by its name stands beside it.
    fn is_being_made(&self, op: &Op, (value, atom): (Val, Atom)) -> bool {
        let program = &self.values.program;
        let mut kinds = self.values.sources(value).into_iter().map(|source| program.kind(source));
        let receiver = matches!((kinds.next(), kinds.next()), (Some(Kind::Receiver(_)), None));
        if atom != Atom::Unknown || !receiver {
            return false;
        }
        let scope = program.block(op.block).and_then(|block| program.scope(block.scope));
        let maker = scope.is_some_and(|scope| program.symbols.text(scope.name) == MAKER);
        let renamed =
            |op: &Op| matches!(op.kind, Kind::Load(name) if program.symbols.text(name) == MAKER);
        maker && !program.ops.iter().any(renamed)
    }

    fn is_function(&self, atom: Atom) -> bool {
        let (Atom::Own(def) | Atom::Bound(def)) = atom else { return false };
        self.values.program.def(def).is_some_and(|def| def.kind != DefKind::Class)
    }

    /// Whether it is an object or a class of the program's own that is none of a library's, or a
    /// function with some of its arguments.
    fn is_plain_object(&self, atom: Atom) -> bool {
        let symbols = &self.values.program.symbols;
        if let Atom::From(name) = atom {
            return symbols.text(name).starts_with("functools.partial");
        }
        let (Atom::Own(class) | Atom::Instance(class)) = atom else { return false };
        self.library_bases(class).into_iter().all(|base| {
            let name = base.name().map(|name| symbols.text(name));
            name.is_some_and(|name| !name.contains('.') || name.starts_with("typing."))
        })
    }

    /// The names of fields, which are written into the source of methods: a text of the program's
    /// own making may say of itself that it is a name.
    fn tell_made_fields(&mut self, op: &Op, operands: &[Operand]) {
        let known = match self.passed(&slots(1, "fields"), operands) {
            Passed::As(value) => self.are_plain_names(value),
            Passed::Not | Passed::Unseen => false,
        };
        if !known {
            let why = "methods are written of names of fields that are not known";
            self.gap(GapKind::Code, why, op);
        }
    }

    fn are_plain_names(&mut self, fields: Val) -> bool {
        let (Kind::Collect(_, written) | Kind::Gather(_, written)) =
            self.values.program.kind(fields)
        else {
            let found = self.values.written_out(fields);
            let plain =
                |atom: Atom| atom.is_plain() || matches!(atom, Atom::Name(_) | Atom::Own(_));
            return !found.is_empty() && found.into_iter().all(plain);
        };
        let written = self.values.program.operands(written).iter();
        written.map(|field| self.name_of_field(field.value)).all(|name| {
            let set = self.values.of(name);
            !set.is_empty() && set.all(Atom::is_plain)
        })
    }

    /// A field is written as its name, or begins with it.
    fn name_of_field(&self, field: Val) -> Val {
        let parts = self.values.program.kind(field).collected();
        let first = parts.and_then(|parts| self.values.program.operands(parts).first().copied());
        first.map_or(field, |first| first.value)
    }

    /// The fields of a node are what a list of names in it says, whatever it is.
    fn tell_fields_of_node(&mut self, op: &Op, operands: &[Operand]) {
        let set = match self.passed(&slots(0, "node"), operands) {
            Passed::As(value) => self.values.of(value),
            Passed::Not | Passed::Unseen => Set::default(),
        };
        let symbols = &self.values.program.symbols;
        let named = symbols.find("_fields").is_some() || self.answers_for_members();
        let node = |atom: Atom| {
            let made = matches!(atom, Atom::From(name) if symbols.text(name).starts_with("ast."));
            made || (atom == Atom::Unknown && !named)
        };
        if set.is_empty() || !set.all(node) {
            let why = "attributes are read by names that an object has, which may be no node";
            self.gap(GapKind::Attribute, why, op);
        }
    }

    /// The name of a field of a data class is written: methods are written of it.
    pub(in super::super) fn tell_field_written(&mut self, base: Val, name: Sym, op: &Op) {
        if self.word(name).as_ref() != FIELD_NAME || !self.values.names.reaches("dataclasses") {
            return;
        }
        let symbols = &self.values.program.symbols;
        let (made, asked) = ("dataclasses.field", "dataclasses.fields");
        let (made, asked) = (symbols.find(made).is_some(), symbols.find(asked).is_some());
        let set = self.values.of(base);
        let field = set.iter().any(|atom| {
            let library = matches!(atom, Atom::From(name)
                if symbols.text(name).starts_with("dataclasses."));
            let none = matches!(atom, Atom::Literal(text) if symbols.text(text) == "None");
            // A field that is made counts as its default.
            let default = (atom.is_plain() && !none) || matches!(atom, Atom::Held(_));
            library || (made && default) || (asked && atom == Atom::Unknown)
        });
        if field || (made && set.is_empty()) {
            let why = "the name of a field is written, of which methods are written";
            self.gap(GapKind::Code, why, op);
        }
    }
}
