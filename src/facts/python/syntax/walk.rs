//! The walk over the tree: what is entered and left, and what each node hands to its parent.

use super::bodies::leaves;
use super::kinds::{Field, Grammar, NodeKind, Syntax};
use crate::call::Text;
use crate::facts::confusable::is_confusable;
use crate::facts::draft::Draft;
use crate::facts::python::program::{
    BlockId, Kind, Operator, Program, Repeats, ScopeId, Slot, Sym, Val,
};
use crate::facts::{AnomalyKind, GapKind, Limits, ParseStatus, ScopeKind, When};
use std::borrow::Cow;
use tree_sitter::{Node, Tree, TreeCursor};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// Comments that ask other scanners to look away.
const SUPPRESSIONS: [&str; 4] = ["nosec", "noqa", "nosemgrep", "pylint: disable"];

/// Errors that are told; the first ones say enough.
const ERRORS_MAX: u32 = 16;

/// Errors after which the rest is no program that anyone meant.
const ERRORS_READ_MAX: u32 = 1_000;

/// What a node hands to its parent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) syntax: Syntax,
    pub(super) field: Field,
    pub(super) range: (u32, u32),
    pub(super) value: Option<Val>,
    /// A name as written, normalised, or a dotted one.
    pub(super) name: Option<Sym>,
    pub(super) slot: Slot,
    /// The key of a pair, the alias of an import.
    pub(super) second: Second,
    /// Whether a statement never goes on to what follows it in its function.
    pub(super) leaves: bool,
}

/// What else a node hands over.
#[derive(Debug, Clone, Copy)]
pub(super) enum Second {
    Nothing,
    Value(Val),
    Name(Sym),
    /// Where the items of an argument list begin on the stack of arguments.
    Arguments(usize),
}

impl Second {
    /// Where its arguments begin, where it has a list of them.
    pub(super) fn arguments(self) -> Option<usize> {
        if let Self::Arguments(start) = self { Some(start) } else { None }
    }

    /// The value, where it is one.
    pub(super) fn value(self) -> Option<Val> {
        if let Self::Value(value) = self { Some(value) } else { None }
    }

    /// The alias, where it is one.
    pub(super) fn name(self) -> Option<Sym> {
        if let Self::Name(name) = self { Some(name) } else { None }
    }
}

/// A node that was entered and not yet left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) syntax: Syntax,
    pub(super) field: Field,
    pub(super) range: (u32, u32),
    /// Where its children's items begin on the stack.
    pub(super) items: usize,
    pub(super) operator: Operator,
    /// The scope and block to go back to when it is left.
    pub(super) before: (ScopeId, BlockId),
    /// The scope that it opens for its body.
    pub(super) opens: Option<ScopeId>,
    /// Children of interest that were entered so far.
    pub(super) seen: u32,
}

pub(super) struct Walk<'walk, 'source> {
    pub(super) program: Program,
    pub(super) text: &'source str,
    pub(super) draft: &'walk mut Draft<'source>,
    pub(super) frames: Vec<Frame>,
    pub(super) items: Vec<Item>,
    /// The arguments of lists that were left and whose call was not.
    pub(super) arguments: Vec<Item>,
    pub(super) scope: ScopeId,
    pub(super) block: BlockId,
    /// The targets of the context that is being read, which wait for the whole of it.
    pub(super) entered: Vec<Val>,
    /// Where brackets that stand after the word `type` open and close.
    pub(super) after_type: Vec<(u32, u32)>,
    /// The items of the node that is being left; kept so that leaving takes no memory.
    children: Vec<Item>,
    nodes: u64,
    deepest: u64,
    status: ParseStatus,
    errors: u32,
}

pub(super) fn lower<'source>(
    tree: &Tree,
    text: &'source str,
    limits: &Limits,
    draft: &mut Draft<'source>,
) -> Program {
    let mut program = Program::default();
    let name = program.symbols.intern("<module>");
    let scope = program.open_scope(ScopeKind::Module, name, None, BlockId(0));
    let block = program.open_block(None, scope, When::Always, Repeats::Once);
    let mut walk = Walk {
        program,
        text,
        draft,
        frames: Vec::new(),
        items: Vec::new(),
        arguments: Vec::new(),
        scope,
        block,
        entered: Vec::new(),
        after_type: Vec::new(),
        children: Vec::new(),
        nodes: 0,
        deepest: 0,
        status: ParseStatus::Ok,
        errors: 0,
    };
    walk.run(tree, limits);
    let (status, nodes, deepest) = (walk.status, walk.nodes, walk.deepest);
    walk.draft.parsed(status, nodes, deepest);
    walk.program
}

impl Walk<'_, '_> {
    fn run(&mut self, tree: &Tree, limits: &Limits) {
        let grammar = Grammar::get();
        let mut cursor = tree.walk();
        let sound = !tree.root_node().has_error();
        loop {
            let node = cursor.node();
            if !sound {
                self.report_error(&node);
            }
            self.nodes += 1;
            if self.nodes > u64::from(limits.nodes_max) {
                self.cut("the syntax tree is larger than may be read", &node);
                break;
            }
            if self.errors > ERRORS_READ_MAX {
                self.cut("more of the text is in error than may be read", &node);
                break;
            }
            let deep = self.frames.len() >= limits.depth_max as usize;
            let children = self.enter(grammar, &node, &cursor);
            if children && deep && node.child_count() > 0 {
                self.cut("the code is nested deeper than may be read", &node);
            } else if children && cursor.goto_first_child() {
                continue;
            }
            if children {
                self.leave();
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.leave();
            }
        }
        while !self.frames.is_empty() {
            self.leave();
        }
    }

    fn cut(&mut self, why: &str, node: &Node<'_>) {
        let (start, end) = range(node);
        self.draft.truncate();
        self.draft.gap(GapKind::Limit, why, start, end);
    }

    /// Whether a frame was opened for the node.
    fn enter(&mut self, grammar: &Grammar, node: &Node<'_>, cursor: &TreeCursor<'_>) -> bool {
        let field = || grammar.field(cursor.field_id());
        let syntax = match grammar.kind(node.kind_id()) {
            NodeKind::Node(syntax) => syntax,
            NodeKind::Token(operator) => {
                if operator != Operator::Other && field() == Field::Operator {
                    self.operator(operator);
                }
                return false;
            }
        };
        if syntax == Syntax::Comment {
            self.comment(node);
            return false;
        }
        self.deepest = self.deepest.max(self.frames.len() as u64 + 1);
        let frame = Frame {
            syntax,
            field: field(),
            range: range(node),
            items: self.items.len(),
            operator: Operator::Other,
            before: (self.scope, self.block),
            opens: None,
            seen: 0,
        };
        self.frames.push(frame);
        self.open();
        syntax != Syntax::StringContent || {
            // Its escapes are decoded from the text.
            self.leave();
            false
        }
    }

    fn report_error(&mut self, node: &Node<'_>) {
        if node.is_error() || node.is_missing() {
            let (start, end) = range(node);
            self.status = ParseStatus::Recovered;
            self.errors += 1;
            if self.errors > ERRORS_MAX {
                return;
            }
            self.draft.error(start, end);
            self.draft.gap(GapKind::Syntax, "the parser does not accept this", start, end);
        }
    }

    fn operator(&mut self, operator: Operator) {
        if let Some(frame) = self.frames.last_mut() {
            frame.operator = operator;
        }
    }

    fn comment(&mut self, node: &Node<'_>) {
        let (start, end) = range(node);
        let text = self.text.get(start as usize..end as usize).unwrap_or_default();
        self.draft.comment(text, (start, end));
        if SUPPRESSIONS.iter().any(|word| text.contains(word)) {
            self.draft.anomaly(
                AnomalyKind::SuppressionComment,
                "a comment asks scanners to look away",
                start,
                end,
            );
        }
    }

    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let mut children = std::mem::take(&mut self.children);
        children.clear();
        children.extend(self.items.drain(frame.items.min(self.items.len())..));
        let mut item = self.finish(&frame, &children);
        item.leaves = leaves(&frame, &children);
        if frame.syntax == Syntax::BreakStatement {
            self.note_break();
        }
        self.children = children;
        self.close_blocks(frame.before.1);
        (self.scope, self.block) = frame.before;
        self.leave_unreachable(frame.syntax);
        item.field = frame.field;
        self.items.push(item);
    }

    pub(super) fn slice(&self, (start, end): (u32, u32)) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// An identifier as the interpreter sees it.
    pub(super) fn identifier(&mut self, range: (u32, u32)) -> Sym {
        let text = self.text.get(range.0 as usize..range.1 as usize).unwrap_or_default();
        let name = normal(text);
        if name != text {
            self.draft.anomaly(
                AnomalyKind::NonNfkcIdentifier,
                "an identifier is spelled in characters that the interpreter folds into others",
                range.0,
                range.1,
            );
        } else if is_confusable(text) {
            self.draft.anomaly(
                AnomalyKind::Confusable,
                "an identifier mixes letters of another script that look like Latin ones",
                range.0,
                range.1,
            );
        }
        self.program.symbols.intern(&name)
    }

    /// A name as the body of a class has it: a private one is that of the innermost class alone.
    pub(super) fn private(&mut self, name: Sym) -> Sym {
        let word = self.program.symbols.text(name);
        if !word.starts_with("__") || word.ends_with("__") || word.contains('.') {
            return name;
        }
        let Some(class) = self.class_name() else { return name };
        let class = self.program.symbols.text(class).trim_start_matches('_');
        if class.is_empty() {
            return name;
        }
        let private = format!("_{class}{word}");
        self.program.symbols.intern(&private)
    }

    /// The name of the innermost class around, as it is written there.
    fn class_name(&self) -> Option<Sym> {
        let mut scope = Some(self.scope);
        while let Some(record) = scope.and_then(|scope| self.program.scope(scope)) {
            if record.kind == ScopeKind::Class {
                return Some(record.name);
            }
            scope = record.parent;
        }
        None
    }

    pub(super) fn push(&mut self, kind: Kind, range: (u32, u32)) -> Val {
        self.program.push(kind, range, self.block)
    }

    pub(super) fn legacy(&mut self, range: (u32, u32)) {
        self.draft.anomaly(
            AnomalyKind::LegacyStatement,
            "a statement of Python 2",
            range.0,
            range.1,
        );
    }

    pub(super) fn text_of(&self, sym: Sym) -> Text {
        self.program.symbols.shared(sym)
    }
}

/// An identifier in the form in which the interpreter compares it.
pub(super) fn normal(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfkc().collect())
}

pub(super) fn range(node: &Node<'_>) -> (u32, u32) {
    let end = |value| u32::try_from(value).unwrap_or(u32::MAX);
    (end(node.start_byte()), end(node.end_byte()))
}

impl Item {
    pub(super) fn of(frame: &Frame, value: Option<Val>) -> Self {
        Self {
            syntax: frame.syntax,
            field: frame.field,
            range: frame.range,
            value,
            name: None,
            slot: Slot::Position,
            second: Second::Nothing,
            leaves: false,
        }
    }

    pub(super) fn named(frame: &Frame, name: Sym) -> Self {
        Self { name: Some(name), ..Self::of(frame, None) }
    }
}

/// The first child in this field.
pub(super) fn child(items: &[Item], field: Field) -> Option<&Item> {
    items.iter().find(|item| item.field == field)
}

/// The value of the first child in this field.
pub(super) fn value(items: &[Item], field: Field) -> Option<Val> {
    child(items, field)?.value
}
