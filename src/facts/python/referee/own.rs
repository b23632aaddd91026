//! Our own reading in the order of the second parser's, and where the two differ.
//!
//! Must never take a mark that only one side has for agreement.

use super::marks::{Mark, Marks, Text};
use crate::facts::python::program::{ImportRecord, Kind, Literal, Program, Sym, Val};
use ruff_python_ast::{Alias, Expr, ExprAttribute, ExprCall, Stmt, StmtImportFrom};

/// The places at which the two readings differ, in source order.
pub(super) fn disputes(program: &Program, marks: &Marks<'_>) -> Vec<(u32, u32)> {
    let own = Own::of(program);
    let mut disputes = Vec::new();
    merge(&own.imports, &marks.imports, &mut disputes, |records, stmt| {
        same_import(program, records, stmt)
    });
    merge(&own.calls, &marks.calls, &mut disputes, |callee, call| {
        same_callee(program, callee, call)
    });
    merge(&own.attributes, &marks.attributes, &mut disputes, |name, attribute| {
        same_name(program, name, attribute)
    });
    merge(&own.names, &marks.names, &mut disputes, |name, expr| {
        is_spelled(program.symbols.text(name), expr.id.as_str())
    });
    merge(&own.texts, &marks.texts, &mut disputes, |parts, text| same_text(program, parts, text));
    disputes.sort_unstable();
    disputes.dedup();
    disputes
}

struct Own<'program> {
    imports: Vec<Mark<&'program [ImportRecord]>>,
    calls: Vec<Mark<Val>>,
    attributes: Vec<Mark<Sym>>,
    names: Vec<Mark<Sym>>,
    texts: Vec<Mark<&'program [Literal]>>,
}

impl<'program> Own<'program> {
    fn of(program: &'program Program) -> Self {
        let mut own = Self {
            imports: grouped(&program.imports, |import| import.range),
            calls: Vec::new(),
            attributes: Vec::new(),
            names: Vec::new(),
            texts: grouped(&program.literals, |literal| literal.range),
        };
        for op in &program.ops {
            let (place, range) = (op.end, (op.start, op.end));
            if let Kind::Call { callee, implicit: None, .. } = op.kind {
                own.calls.push(Mark { place, range, what: callee });
            } else if let Kind::Attribute { name, .. } = op.kind {
                own.attributes.push(Mark { place, range, what: name });
            } else if let Kind::Load(name) = op.kind {
                own.names.push(Mark { place: op.start, range, what: name });
            }
        }
        own.imports.sort_unstable_by_key(|mark| mark.place);
        own.calls.sort_unstable_by_key(|mark| mark.place);
        own.attributes.sort_unstable_by_key(|mark| mark.place);
        own.names.sort_unstable_by_key(|mark| mark.place);
        own.texts.sort_unstable_by_key(|mark| mark.place);
        // `x.n += 1` reads and writes the one attribute that is written.
        own.attributes.dedup_by_key(|mark| (mark.place, mark.what));
        own
    }
}

/// The runs of neighbours that have one range.
fn grouped<T>(items: &[T], range: impl Fn(&T) -> (u32, u32)) -> Vec<Mark<&[T]>> {
    items
        .chunk_by(|first, second| range(first) == range(second))
        .filter_map(|run| {
            let range = range(run.first()?);
            Some(Mark { place: range.0, range, what: run })
        })
        .collect()
}

/// Walks two lists in the order of their places, and notes each place that both do not agree on.
fn merge<A: Copy, B: Copy>(
    ours: &[Mark<A>],
    theirs: &[Mark<B>],
    disputes: &mut Vec<(u32, u32)>,
    agree: impl Fn(A, B) -> bool,
) {
    let (mut ours, mut theirs) = (ours.iter().peekable(), theirs.iter().peekable());
    loop {
        let next = ours.peek().map(|mark| mark.place).into_iter();
        let Some(place) = next.chain(theirs.peek().map(|mark| mark.place)).min() else { return };
        let own = ours.next_if(|mark| mark.place == place);
        let their = theirs.next_if(|mark| mark.place == place);
        match (own, their) {
            (Some(own), Some(their)) if agree(own.what, their.what) => {}
            (Some(Mark { range, .. }), _) | (None, Some(Mark { range, .. })) => {
                disputes.push(*range);
            }
            (None, None) => return,
        }
    }
}

fn same_import(program: &Program, records: &[ImportRecord], stmt: &Stmt) -> bool {
    if let Stmt::Import(import) = stmt {
        return records.len() == import.names.len()
            && records.iter().zip(&import.names).all(|(record, alias)| {
                record.names.is_empty() && same_alias(program, (record.module, record.alias), alias)
            });
    }
    match (stmt, records) {
        (Stmt::ImportFrom(import), [record]) => same_from(program, record, import),
        _ => false,
    }
}

fn same_from(program: &Program, record: &ImportRecord, import: &StmtImportFrom) -> bool {
    let written = program.symbols.text(record.module);
    let module = written.trim_start_matches('.');
    let level = written.len() - module.len();
    let named = import.module.as_ref().map_or("", |module| module.as_str());
    let star = |alias: &Alias| alias.name.as_str() == "*";
    let names = match (import.names.as_slice(), record.names.as_slice()) {
        ([alias], []) => star(alias),
        (aliases, names) => {
            aliases.len() == names.len()
                && aliases.iter().zip(names).all(|(alias, name)| same_alias(program, *name, alias))
        }
    };
    names && level == import.level as usize && module == named
}

fn same_alias(program: &Program, (name, own): (Sym, Option<Sym>), alias: &Alias) -> bool {
    let word = |sym| program.symbols.text(sym);
    word(name) == alias.name.as_str()
        && own.map(word) == alias.asname.as_ref().map(|name| name.as_str())
}

/// Whether both read the same dotted name before the brackets, or both read none.
fn same_callee(program: &Program, callee: Val, call: &ExprCall) -> bool {
    let (mut own, mut their) = (callee, &*call.func);
    loop {
        // The value of `(name := value)` is the value.
        while let Expr::Named(named) = their {
            their = &named.value;
        }
        if let (Kind::Attribute { base, name, .. }, Expr::Attribute(attribute)) =
            (program.kind(own), their)
        {
            if !same_name(program, name, attribute) {
                return false;
            }
            (own, their) = (base, &attribute.value);
        } else if let (Kind::Load(name), Expr::Name(expr)) = (program.kind(own), their) {
            return is_spelled(program.symbols.text(name), expr.id.as_str());
        } else {
            let named = matches!(program.kind(own), Kind::Attribute { .. } | Kind::Load(_));
            return !named && !matches!(their, Expr::Attribute(_) | Expr::Name(_));
        }
    }
}

fn same_name(program: &Program, name: Sym, attribute: &ExprAttribute) -> bool {
    is_spelled(program.symbols.text(name), attribute.attr.as_str())
}

/// Whether a name is written so: a private one carries the name of its class in front.
fn is_spelled(name: &str, written: &str) -> bool {
    name == written
        || (written.starts_with("__")
            && name.strip_suffix(written).is_some_and(|class| class.starts_with('_')))
}

/// A literal that we could not decode is only known to stand there.
fn same_text(program: &Program, parts: &[Literal], text: Text<'_>) -> bool {
    if parts.iter().any(|part| part.text.is_none()) {
        return true;
    }
    let own = parts.iter().filter_map(|part| part.text);
    let own = own.flat_map(|part| program.symbols.text(part).chars());
    match text {
        Text::Plain(their) => own.eq(their.chars()),
        Text::Bytes(their) => own.eq(their.iter().copied().map(char::from)),
        Text::Pieces(elements) => {
            own.eq(elements.literals().flat_map(|element| element.value.chars()))
        }
    }
}
