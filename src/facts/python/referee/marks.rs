//! What the second parser sees: imports, calls, attributes, names and string constants, by place.
//!
//! Each mark borrows its node, so that a source costs five lists and no more. Must never leave out
//! a node: the walk is the library's own.

use super::semantics::Semantics;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_f_string, walk_stmt, walk_t_string};
use ruff_python_ast::{
    BytesLiteral, Expr, ExprAttribute, ExprCall, ExprContext, ExprName, FString,
    InterpolatedStringElements, ModModule, PythonVersion, Stmt, StringLiteral, TString,
};
use ruff_text_size::{Ranged, TextRange};

/// A string constant of the second parser.
#[derive(Debug, Clone, Copy)]
pub(super) enum Text<'tree> {
    Plain(&'tree str),
    Bytes(&'tree [u8]),
    /// The text outside the replacement fields.
    Pieces(&'tree InterpolatedStringElements),
}

/// Something at a place that no other of its kind has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark<T> {
    pub(super) place: u32,
    pub(super) range: (u32, u32),
    pub(super) what: T,
}

/// Everything that the parsers have to agree on.
#[derive(Debug)]
pub(super) struct Marks<'tree> {
    /// By where the statement begins.
    pub(super) imports: Vec<Mark<&'tree Stmt>>,
    /// By where the call ends.
    pub(super) calls: Vec<Mark<&'tree ExprCall>>,
    /// By where the name ends.
    pub(super) attributes: Vec<Mark<&'tree ExprAttribute>>,
    /// Names that are read, by where they begin.
    pub(super) names: Vec<Mark<&'tree ExprName>>,
    /// By where the literal begins.
    pub(super) texts: Vec<Mark<Text<'tree>>>,
    /// What compiles on no account.
    pub(super) refused: Vec<TextRange>,
}

struct Walk<'tree> {
    marks: Marks<'tree>,
    semantics: Semantics<'tree>,
}

impl<T> Mark<T> {
    fn at_start(range: TextRange, what: T) -> Self {
        let range = super::bytes(range);
        Self { place: range.0, range, what }
    }

    fn at_end(range: TextRange, what: T) -> Self {
        let range = super::bytes(range);
        Self { place: range.1, range, what }
    }
}

impl<'tree> Marks<'tree> {
    pub(super) fn of(module: &'tree ModModule, text: &'tree str, version: PythonVersion) -> Self {
        let marks = Self {
            imports: Vec::new(),
            calls: Vec::new(),
            attributes: Vec::new(),
            names: Vec::new(),
            texts: Vec::new(),
            refused: Vec::new(),
        };
        let mut walk = Walk { marks, semantics: Semantics::new(text, version) };
        walk.visit_body(&module.body);
        let Walk { mut marks, semantics } = walk;
        marks.refused = semantics.refused();
        marks.imports.sort_unstable_by_key(|mark| mark.place);
        marks.calls.sort_unstable_by_key(|mark| mark.place);
        marks.attributes.sort_unstable_by_key(|mark| mark.place);
        marks.names.sort_unstable_by_key(|mark| mark.place);
        marks.texts.sort_unstable_by_key(|mark| mark.place);
        marks
    }
}

impl<'tree> Walk<'tree> {
    /// Apart from the step that recurses, whose frame is to stay small.
    fn note(&mut self, expr: &'tree Expr) {
        if let Expr::Call(call) = expr {
            self.marks.calls.push(Mark::at_end(call.range(), call));
        } else if let Expr::Attribute(attribute) = expr {
            self.marks.attributes.push(Mark::at_end(attribute.range, attribute));
        } else if let Expr::Name(name) = expr
            && name.ctx == ExprContext::Load
        {
            self.marks.names.push(Mark::at_start(name.range, name));
        }
    }

    /// `x += 1` reads the name that it writes.
    fn note_read(&mut self, stmt: &'tree Stmt) {
        if let Stmt::AugAssign(assign) = stmt
            && let Expr::Name(name) = &*assign.target
        {
            self.marks.names.push(Mark::at_start(name.range, name));
        }
    }

    fn text(&mut self, range: TextRange, text: Text<'tree>) {
        self.marks.texts.push(Mark::at_start(range, text));
    }
}

impl<'tree> Visitor<'tree> for Walk<'tree> {
    fn visit_stmt(&mut self, stmt: &'tree Stmt) {
        if matches!(stmt, Stmt::Import(_) | Stmt::ImportFrom(_)) {
            self.marks.imports.push(Mark::at_start(stmt.range(), stmt));
        }
        self.note_read(stmt);
        let around = self.semantics.enter_stmt(stmt);
        walk_stmt(self, stmt);
        self.semantics.leave(around);
    }

    fn visit_expr(&mut self, expr: &'tree Expr) {
        self.note(expr);
        let around = self.semantics.enter_expr(expr);
        walk_expr(self, expr);
        self.semantics.leave(around);
    }

    fn visit_string_literal(&mut self, literal: &'tree StringLiteral) {
        self.text(literal.range, Text::Plain(&literal.value));
    }

    fn visit_bytes_literal(&mut self, literal: &'tree BytesLiteral) {
        self.text(literal.range, Text::Bytes(&literal.value));
    }

    fn visit_f_string(&mut self, string: &'tree FString) {
        self.text(string.range, Text::Pieces(&string.elements));
        walk_f_string(self, string);
    }

    fn visit_t_string(&mut self, string: &'tree TString) {
        self.text(string.range, Text::Pieces(&string.elements));
        walk_t_string(self, string);
    }
}
