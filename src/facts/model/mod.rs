//! What `extract` says of a piece of code, in the words of `fixtures/schema/facts.schema.json`.
//!
//! One flat list per kind, so that a rule reads `some call in code.calls`. Lists are in source
//! order. Must never carry a judgement: what is forbidden is policy's to say.

mod words;

pub use words::{
    AnomalyKind, BindingKind, DynamicKind, GapKind, Implicit, ImportForm, Level, Making,
    ModuleRoute, ParseStatus, Place, ReflectionKind, Resolution, ResourceKind, Role, ScopeKind,
    Shape, StringRole, Taint, When,
};

use crate::call::{Language, Text};

/// The version of the facts' shape.
pub const SCHEMA: &str = "regate.facts/1";

/// Everything that was found in one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The language that the source was read as.
    pub language: Language,
    /// The interpreter that the facts hold for.
    pub runtime: Runtime,
    /// blake3 of the source's bytes, in hex.
    pub digest: Text,
    /// How parsing went.
    pub parse: Parse,
    /// What could not be proved. Empty is a claim: the facts tell the whole story.
    pub gaps: Vec<Gap>,
    /// What the code needs from the world, once each, sorted by name.
    pub capabilities: Vec<Capability>,
    /// The import statements.
    pub imports: Vec<Import>,
    /// Every module object that the code can hold, whatever the route.
    pub modules: Vec<Module>,
    /// Every call.
    pub calls: Vec<Call>,
    /// Functions, classes and modules of note used as values.
    pub references: Vec<Reference>,
    /// Code that is made or loaded at run time.
    pub dynamic: Vec<Dynamic>,
    /// Uses of the object graph: dunders, frames, format fields.
    pub reflection: Vec<Reflection>,
    /// Files, hosts, processes and variables that are named.
    pub resources: Vec<Resource>,
    /// Bindings that change what a name means.
    pub bindings: Vec<Binding>,
    /// Methods that the interpreter calls by itself.
    pub hooks: Vec<Hook>,
    /// String constants.
    pub strings: Vec<StringFact>,
    /// The scopes, the module first.
    pub scopes: Vec<Scope>,
}

impl Facts {
    /// Whether the facts tell the whole story.
    pub fn complete(&self) -> bool {
        self.gaps.is_empty() && !self.parse.truncated && self.parse.status == ParseStatus::Ok
    }
}

/// The interpreter that facts hold for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runtime {
    /// Such as `cpython`.
    pub name: Text,
    /// Such as `3.11`.
    pub version: Text,
}

/// A place in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First line, from 1.
    pub line: u32,
    /// First column, from 0, in characters.
    pub column: u32,
    /// Last line, from 1.
    pub end_line: u32,
    /// The column after the last character, from 0, in characters.
    pub end_column: u32,
    /// First byte and the byte after the last, in the UTF-8 source.
    pub byte: (u32, u32),
}

/// How parsing went, with the sizes that limits are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parse {
    /// Whether the parser accepted the source.
    pub status: ParseStatus,
    /// Where it did not.
    pub errors: Vec<Span>,
    /// What in the bytes is unusual.
    pub anomalies: Vec<Anomaly>,
    /// Bytes of the source.
    pub bytes: u64,
    /// Nodes of the syntax tree.
    pub nodes: u64,
    /// Depth of the syntax tree.
    pub depth: u64,
    /// Whether a cap was reached.
    pub truncated: bool,
}

/// Something unusual in the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anomaly {
    /// What it is.
    pub kind: AnomalyKind,
    /// A sentence for people.
    pub detail: Text,
    /// Where.
    pub span: Span,
}

/// Something that could not be proved in a place that matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// What kind of thing.
    pub kind: GapKind,
    /// A sentence for people.
    pub why: Text,
    /// The text that it is about, where there is one.
    pub on: Option<Text>,
    /// The candidates, where some are known.
    pub candidates: Vec<Text>,
    /// Where.
    pub span: Span,
}

/// Something that the code needs from the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// Such as `process.spawn`; the catalogue lists them.
    pub name: Text,
    /// How surely.
    pub resolution: Resolution,
    /// The canonical name that needs it.
    pub because: Text,
    /// Where it is first needed.
    pub span: Span,
}

/// One import statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Its shape.
    pub form: ImportForm,
    /// The module, NFKC-normalised; for relative imports with its dots.
    pub module: Text,
    /// The alias of a whole module.
    pub alias: Option<Text>,
    /// For `from`: each name and its alias.
    pub names: Vec<(Text, Option<Text>)>,
    /// The statement as written, cut to a bounded length.
    pub written: Text,
    /// The id of the scope that it binds in.
    pub scope: Text,
    /// Where.
    pub span: Span,
}

/// A module object that the code can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// The canonical name of the module.
    pub module: Text,
    /// How the code comes to hold it.
    pub route: ModuleRoute,
    /// The expression that holds it, in canonical names.
    pub path: Text,
    /// How surely.
    pub resolution: Resolution,
    /// Where.
    pub span: Span,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Canonical names of what may be called, sorted; empty where nothing is known.
    pub names: Vec<Text>,
    /// How surely.
    pub resolution: Resolution,
    /// For `possible`: whether the list of names is closed.
    pub closed: bool,
    /// What the object is or came from that a method is called on, where that is known.
    pub receiver: Option<Text>,
    /// The callee as written, cut to a bounded length.
    pub text: Text,
    /// What the call needs from the world, sorted.
    pub capabilities: Vec<Text>,
    /// The arguments that are not starred.
    pub arguments: Vec<Argument>,
    /// Whether `*args` is passed.
    pub star_arguments: bool,
    /// Whether `**kwargs` is passed.
    pub star_keywords: bool,
    /// The construct that calls, where no call is written.
    pub implicit: Option<Implicit>,
    /// When it happens.
    pub when: When,
    /// The id of the scope that it stands in.
    pub scope: Text,
    /// Where.
    pub span: Span,
}

/// One argument of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// By position or by keyword.
    pub slot: Slot,
    /// What is known of its value.
    pub value: Value,
}

/// How an argument is passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slot {
    /// By position, from 0.
    Position(u32),
    /// By keyword.
    Keyword(Text),
}

/// What is known of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// How it is known.
    pub level: Level,
    /// The Python type, or `unknown`.
    pub kind: Text,
    /// The value, where it is known whole.
    pub text: Option<Text>,
    /// What it surely begins with.
    pub prefix: Option<Text>,
    /// What it surely ends with.
    pub suffix: Option<Text>,
    /// The values that it may be, sorted, where it is one of several that are known.
    pub candidates: Vec<Text>,
    /// What it was made by, sorted.
    pub ops: Vec<Making>,
    /// Where it came from, sorted.
    pub taint: Vec<Taint>,
}

/// A function, class or module used as a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Canonical names of what it may be, sorted.
    pub names: Vec<Text>,
    /// Where it is used.
    pub role: Role,
    /// The name that takes it, where there is one.
    pub into: Option<Text>,
    /// The id of the scope.
    pub scope: Text,
    /// Where.
    pub span: Span,
}

/// Code that is made or loaded at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dynamic {
    /// How.
    pub kind: DynamicKind,
    /// The canonical name of what makes it.
    pub call: Text,
    /// What is known of the code.
    pub value: Value,
    /// The facts of the code, where it is constant.
    pub nested: Option<Box<Facts>>,
    /// Where.
    pub span: Span,
}

/// A use of the object graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reflection {
    /// How.
    pub kind: ReflectionKind,
    /// The attribute, key or function.
    pub name: Text,
    /// The expression that it is used on.
    pub on: Option<Text>,
    /// The attribute that is all that is taken of it, where that is so.
    pub next: Option<Text>,
    /// Where.
    pub span: Span,
}

/// A file, host, process or variable that the code names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// What kind of thing.
    pub kind: ResourceKind,
    /// What is done with it: `read`, `write`, `exec`, `connect`, …
    pub op: Text,
    /// What is known of its name.
    pub value: Value,
    /// The normalised name, where it is known.
    pub norm: Option<Text>,
    /// Where it lies.
    pub place: Place,
    /// The canonical name of the call.
    pub call: Text,
    /// Where.
    pub span: Span,
}

/// A binding that changes what a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// How.
    pub kind: BindingKind,
    /// The name, canonical where it is dotted.
    pub name: Text,
    /// What it is bound to, where that is known; sorted.
    pub to: Vec<Text>,
    /// Where.
    pub span: Span,
}

/// A method that the interpreter calls by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// Such as `__getattr__`.
    pub name: Text,
    /// The class that it stands in, where there is one.
    pub owner: Option<Text>,
    /// What it runs, sorted.
    pub targets: Vec<Text>,
    /// How surely.
    pub resolution: Resolution,
    /// Where.
    pub span: Span,
}

/// A string constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StringFact {
    /// Where it stands.
    pub role: StringRole,
    /// What it looks like, where that is told.
    pub shape: Option<Shape>,
    /// Its value.
    pub value: Value,
    /// Where.
    pub span: Span,
}

/// A scope of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// Its id within these facts.
    pub id: Text,
    /// What kind of scope.
    pub kind: ScopeKind,
    /// The name of the function or class, or `<module>`, `<lambda>`, `<comprehension>`.
    pub name: Text,
    /// The id of the scope around it.
    pub parent: Option<Text>,
    /// The names of its parameters.
    pub parameters: Vec<Text>,
    /// Whether a call of it is seen; the module itself always runs.
    pub called: bool,
}
