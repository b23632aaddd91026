//! What a value was made by, and where it came from: told of values that name things.
//!
//! Must never be taken for proof: it is for a reader, and ends where following costs too much.

use super::Teller;
use crate::facts::python::program::{Access, Kind, Operator, Sym, Val};
use crate::facts::python::values::Atom;
use crate::facts::{Making, Taint};
use std::collections::{BTreeSet, HashSet};

/// Steps that are followed back from one value.
const STEPS_MAX: usize = 64;

/// Where a value came from, and how.
#[derive(Debug, Default)]
pub(super) struct Origin {
    pub(super) ops: Vec<Making>,
    pub(super) taint: Vec<Taint>,
}

impl Teller<'_, '_> {
    /// Follows a value back to what it was made of.
    pub(super) fn origin(&self, value: Val) -> Origin {
        let (mut ops, mut taint) = (BTreeSet::new(), BTreeSet::new());
        let mut seen = HashSet::from([value]);
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if seen.len() > STEPS_MAX {
                taint.insert(Taint::Unknown);
                break;
            }
            let kind = self.values.program.kind(value);
            ops.extend(self.making(kind));
            taint.extend(self.values.of(value).iter().filter_map(|atom| self.source(atom)));
            if matches!(kind, Kind::Parameter(_)) {
                taint.insert(Taint::Parameter);
            }
            if let Kind::Call { callee, .. } = kind {
                let name = self.values.of(callee).single().and_then(Atom::name);
                taint.extend(name.and_then(|name| self.source_of(name)));
            }
            open.extend(self.made_of(value, kind).into_iter().filter(|part| seen.insert(*part)));
        }
        Origin { ops: ops.into_iter().collect(), taint: taint.into_iter().collect() }
    }

    /// What a step makes its value of.
    fn made_of(&self, value: Val, kind: Kind) -> Vec<Val> {
        if let Kind::Load(_) = kind {
            return self.values.sources(value);
        }
        let mut parts = self.values.program.inputs(kind);
        if let Kind::Call { callee, .. } = kind {
            let attribute = self.values.program.kind(callee).attribute();
            parts.extend(attribute.map(|(base, _)| base));
        }
        parts
    }

    fn making(&self, kind: Kind) -> Option<Making> {
        match kind {
            Kind::Format(_) | Kind::Formatted { .. } => Some(Making::Fstring),
            Kind::Binary { operator, left, .. } => self.made_by_operator(operator, left),
            Kind::Item { base, key: Some(key), access: Access::Read } => {
                let dictionary = self.values.of(base).iter().any(
                    |atom| matches!(atom, Atom::Held(site) if self.values.is_dictionary(site)),
                );
                if self.values.program.slices.contains_key(&key) {
                    return Some(Making::Slice);
                }
                Some(if dictionary { Making::DictLookup } else { Making::Index })
            }
            Kind::Call { callee, .. } => self.made_by_call(callee),
            Kind::Dead
            | Kind::Opaque
            | Kind::Constant(_)
            | Kind::Docstring(_)
            | Kind::Load(_)
            | Kind::Attribute { .. }
            | Kind::Item { .. }
            | Kind::Caught
            | Kind::Either(_)
            | Kind::Collect(..)
            | Kind::Gather(..)
            | Kind::Element(_)
            | Kind::Part { .. }
            | Kind::Entered(_)
            | Kind::Awaited(_)
            | Kind::Import(_)
            | Kind::Member { .. }
            | Kind::Define(_)
            | Kind::Parameter(_)
            | Kind::Receiver(_)
            | Kind::Owner(_)
            | Kind::Bind { .. }
            | Kind::Unbind
            | Kind::Escape { .. }
            | Kind::Store { .. }
            | Kind::Lost(_)
            | Kind::Matched(_) => None,
        }
    }

    fn made_by_operator(&self, operator: Operator, left: Val) -> Option<Making> {
        let text = |atom: Atom| atom.written().is_some() || matches!(atom, Atom::Bytes(_));
        match operator {
            Operator::Add => Some(Making::Concat),
            Operator::Percent if self.values.of(left).iter().any(text) => Some(Making::Percent),
            Operator::Multiply => Some(Making::Repeat),
            Operator::Divide => Some(Making::PathJoin),
            Operator::Subtract
            | Operator::Floor
            | Operator::Percent
            | Operator::Xor
            | Operator::Compare
            | Operator::Other => None,
        }
    }

    fn made_by_call(&self, callee: Val) -> Option<Making> {
        let symbols = &self.values.program.symbols;
        if let Some(Atom::Name(name)) = self.values.of(callee).single() {
            return made_by_function(symbols.text(name));
        }
        let (_, name) = self.values.program.kind(callee).attribute()?;
        made_by_method(symbols.text(name))
    }

    /// Where a value of a library came from.
    fn source(&self, atom: Atom) -> Option<Taint> {
        let symbols = &self.values.program.symbols;
        match atom {
            Atom::Plain(kind) if symbols.text(kind) == "input" => Some(Taint::Input),
            Atom::From(name) => self.source_of(name),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Partial(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Name(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Instance(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_) => None,
        }
    }

    fn source_of(&self, name: Sym) -> Option<Taint> {
        let name = self.values.program.symbols.text(name);
        let root = name.split('.').next().unwrap_or_default();
        match root {
            "random" | "secrets" | "uuid" => return Some(Taint::Random),
            "time" | "datetime" => return Some(Taint::Clock),
            "open" => return Some(Taint::File),
            _ => {}
        }
        if name.starts_with("sys.stdin") || name == "input" {
            return Some(Taint::Input);
        }
        let needs = self.values.names.needs(name);
        needs.iter().find_map(|need| match need.split('.').next()? {
            "fs" => Some(Taint::File),
            "env" => Some(Taint::Env),
            "net" => Some(Taint::Network),
            _ => None,
        })
    }
}

fn made_by_function(name: &str) -> Option<Making> {
    match name {
        "chr" => Some(Making::Chr),
        "bytes" | "bytearray" => Some(Making::Bytes),
        "hex" | "bytes.fromhex" | "bytearray.fromhex" | "binascii.unhexlify"
        | "binascii.a2b_hex" | "binascii.hexlify" | "binascii.b2a_hex" => Some(Making::Hex),
        "binascii.a2b_base64" | "binascii.b2a_base64" => Some(Making::Base64),
        "os.path.join" | "posixpath.join" | "pathlib.Path" => Some(Making::PathJoin),
        "str.join" => Some(Making::Join),
        _ if name.starts_with("base64.") => Some(Making::Base64),
        _ if name.starts_with("codecs.") => Some(Making::Codec),
        _ => None,
    }
}

fn made_by_method(name: &str) -> Option<Making> {
    match name {
        "format" | "format_map" => Some(Making::Format),
        "join" => Some(Making::Join),
        "replace" | "translate" => Some(Making::Replace),
        "upper" | "lower" | "casefold" | "title" | "capitalize" | "swapcase" => Some(Making::Case),
        "strip" | "lstrip" | "rstrip" | "removeprefix" | "removesuffix" => Some(Making::Strip),
        "split" | "rsplit" | "splitlines" | "partition" | "rpartition" => Some(Making::Split),
        "encode" => Some(Making::Bytes),
        "decode" => Some(Making::Decode),
        "hex" => Some(Making::Hex),
        "joinpath" | "with_name" | "with_suffix" => Some(Making::PathJoin),
        _ => None,
    }
}
