//! A source as one flat list of steps in the order of evaluation.
//!
//! Each step has a value that later steps name by number, so that nothing that follows has to
//! recurse. Must never know the parser that it was made with.

mod inputs;
mod names;
mod numbers;
mod scopes;
mod symbols;

pub(super) use names::{Builtin, Lookup};
pub(super) use numbers::NumberMap;
pub(super) use scopes::{Block, BlockId, Cell, CellId, Declared, Repeats, ScopeId, ScopeRecord};
pub(super) use symbols::{Sym, Symbols};

use super::values::Atom;
use crate::facts::{Implicit, ImportForm, Role};
use std::collections::HashSet;

/// The number of a step, and of the value that it gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Val(pub(super) u32);

/// The number of a function or class of the program's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct DefId(pub(super) u32);

/// One step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Op {
    pub(super) kind: Kind,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) block: BlockId,
}

/// A range of operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Operands {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// What is done with an attribute or an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Delete,
}

/// The operators that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Floor,
    Percent,
    Xor,
    Compare,
    /// `is` and `is not`, which ask nobody.
    Same,
    Other,
}

/// What a display collects into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Collection {
    Tuple,
    List,
    Set,
    Dictionary,
    /// Nothing that lasts: the keys of one subscript, or values that are unpacked into names at
    /// once.
    Passing,
}

/// What a step does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Nothing: the step turned out to be a target of an assignment.
    Dead,
    /// Gives something of which nothing is known.
    Opaque,
    /// Gives plain data.
    Constant(Atom),
    /// A string that stands alone as a statement.
    Docstring(Atom),
    /// Reads a name.
    Load(Sym),
    /// Reads, writes or deletes an attribute.
    Attribute { base: Val, name: Sym, access: Access },
    /// Reads, writes or deletes an item.
    Item { base: Val, key: Option<Val>, access: Access },
    /// Gives a caught exception.
    Caught,
    /// Calls.
    Call { callee: Val, arguments: Operands, implicit: Option<Implicit> },
    /// Applies an operator to two values.
    Binary { operator: Operator, left: Val, right: Val },
    /// Gives either of several values.
    Either(Operands),
    /// Makes a collection.
    Collect(Collection, Operands),
    /// Makes a collection of what these are in each turn of a comprehension.
    Gather(Collection, Operands),
    /// Makes a string out of parts.
    Format(Operands),
    /// Prints a value in a string by a format that is written there.
    Formatted { value: Val, format: Sym },
    /// Gives an element of a value.
    Element(Val),
    /// Gives the element of a value at this place.
    Part { value: Val, index: u32 },
    /// Gives what a context manager gives.
    Entered(Val),
    /// Gives what is awaited.
    Awaited(Val),
    /// Imports a module; gives the module that is named.
    Import(Sym),
    /// Gives a member of a module.
    Member { module: Sym, name: Sym },
    /// Gives a function or class of the program's own.
    Define(DefId),
    /// Gives what a function is called with: the number of one of its parameters.
    Parameter(u32),
    /// Gives an instance of a class of the program's own: the first parameter of a method.
    Receiver(DefId),
    /// Gives a class of the program's own: the first parameter of a class method.
    Owner(DefId),
    /// Binds a name.
    Bind { cell: CellId, value: Val },
    /// Makes a name unbound.
    Unbind,
    /// A value leaves the sight of the analysis, in this role.
    Escape { value: Val, role: Role, into: Option<Sym> },
    /// Puts a value into the attribute or item that the target reads.
    Store { target: Val, value: Val },
    /// A value is used in a way that is not followed.
    Lost(Val),
    /// A class pattern reads an attribute.
    Matched(Sym),
}

impl Kind {
    /// The object and the name, where it is an attribute.
    pub(super) fn attribute(self) -> Option<(Val, Sym)> {
        if let Self::Attribute { base, name, .. } = self { Some((base, name)) } else { None }
    }

    /// The parts, where it is a display.
    pub(super) fn collected(self) -> Option<Operands> {
        if let Self::Collect(_, parts) = self { Some(parts) } else { None }
    }

    /// What it says, where it is a text or bytes.
    pub(super) fn literal(self) -> Option<Sym> {
        if let Self::Constant(Atom::Text(text) | Atom::Bytes(text)) = self {
            Some(text)
        } else {
            None
        }
    }
}

/// How an operand is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Position,
    Keyword(Sym),
    Star,
    DoubleStar,
}

/// One operand of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand {
    pub(super) slot: Slot,
    pub(super) value: Val,
}

/// A function or class of the program's own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Def {
    pub(super) name: Sym,
    /// The scope that it is defined in.
    pub(super) within: ScopeId,
    pub(super) kind: DefKind,
    /// The bases of a class.
    pub(super) bases: Operands,
    /// Where the name stands.
    pub(super) range: (u32, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DefKind {
    Function,
    Lambda,
    Class,
}

/// A parameter of a function of the program's own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter {
    pub(super) def: DefId,
    pub(super) name: Sym,
    pub(super) position: usize,
    pub(super) takes: Takes,
    pub(super) default: Option<Val>,
    /// The step that gives what it holds.
    pub(super) step: Val,
}

/// What a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    One,
    /// One that is passed by keyword alone.
    Named,
    /// The positions that are left over.
    Positions,
    /// The keywords that are left over.
    Keywords,
}

/// An import statement.
#[derive(Debug, Clone)]
pub(super) struct ImportRecord {
    pub(super) form: ImportForm,
    pub(super) module: Sym,
    pub(super) alias: Option<Sym>,
    pub(super) names: Vec<(Sym, Option<Sym>)>,
    pub(super) scope: ScopeId,
    pub(super) range: (u32, u32),
    /// Whether the names that a star stands for are known, and bound in steps.
    pub(super) known: bool,
}

/// What stands in a string literal outside its replacement fields: a piece of it, in order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Literal {
    /// Where the literal stands, the same for each piece.
    pub(super) range: (u32, u32),
    /// What it says, where it could be decoded.
    pub(super) text: Option<Sym>,
}

/// A program as steps, with its scopes, names and imports.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) ops: Vec<Op>,
    pub(super) operands: Vec<Operand>,
    pub(super) symbols: Symbols,
    pub(super) scopes: Vec<ScopeRecord>,
    pub(super) blocks: Vec<Block>,
    pub(super) cells: Vec<Cell>,
    pub(super) defs: Vec<Def>,
    pub(super) imports: Vec<ImportRecord>,
    pub(super) parameters: Vec<Parameter>,
    /// The functions that may end without giving anything back.
    pub(super) ending: HashSet<DefId>,
    pub(super) literals: Vec<Literal>,
    /// The names that are annotated in the body of a class, in order.
    pub(super) fields: Vec<(ScopeId, Sym)>,
    /// Whether such a name may be none, or stand elsewhere: it is annotated twice, or in a branch.
    pub(super) fields_vary: bool,
    /// The start, the stop and the step of each slice; what is not written is `None`.
    pub(super) slices: NumberMap<Val, Operands>,
    /// The comprehensions over one sequence without conditions: the name that they bind, and the
    /// step that gives what it stands for.
    pub(super) turns: NumberMap<Val, (CellId, Val)>,
    /// The condition of either of two values, or of a comprehension that has one loop and one.
    pub(super) conditions: NumberMap<Val, Val>,
    /// The comparisons that ask whether something is in something.
    pub(super) memberships: HashSet<Val>,
    /// The generators among them, which give what they give once.
    pub(super) generators: HashSet<Val>,
    /// The operators that may change what stands on their left: `rows += more`.
    pub(super) in_place: HashSet<Val>,
    /// What stands where an annotation is expected.
    pub(super) annotations: Vec<Val>,
    /// The classes of class patterns.
    pub(super) patterns: Vec<Val>,
    /// The stores that are written as calls: what is called, with what.
    pub(super) setters: NumberMap<Val, (Val, Operands)>,
}

impl Program {
    pub(super) fn op(&self, value: Val) -> Option<&Op> {
        self.ops.get(value.0 as usize)
    }

    pub(super) fn kind(&self, value: Val) -> Kind {
        self.op(value).map_or(Kind::Opaque, |op| op.kind)
    }

    pub(super) fn def(&self, id: DefId) -> Option<&Def> {
        self.defs.get(id.0 as usize)
    }

    pub(super) fn operands(&self, range: Operands) -> &[Operand] {
        self.operands.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    pub(super) fn push(&mut self, kind: Kind, range: (u32, u32), block: BlockId) -> Val {
        let value = Val(number(self.ops.len()));
        self.ops.push(Op { kind, start: range.0, end: range.1, block });
        value
    }

    /// The number of the step that is pushed next.
    pub(super) fn next(&self) -> u32 {
        number(self.ops.len())
    }

    pub(super) fn push_operands(
        &mut self,
        operands: impl IntoIterator<Item = Operand>,
    ) -> Operands {
        let start = number(self.operands.len());
        self.operands.extend(operands);
        Operands { start, end: number(self.operands.len()) }
    }
}

/// The number of the next element of a list; sources are capped far below its range.
pub(super) fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
