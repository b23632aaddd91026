//! Which scope and which block a node's steps belong to, settled when it is entered.

mod endings;

pub(super) use endings::leaves;

use super::kinds::{Field, Syntax};
use super::walk::{Frame, Item, Walk, normal};
use crate::facts::python::program::{
    BlockId, DefId, Kind, Parameter, Repeats, ScopeId, Slot, Takes, Val, number,
};
use crate::facts::python::values::Atom;
use crate::facts::{ScopeKind, When};

impl Walk<'_, '_> {
    /// Opens what the node on top of the frames opens.
    pub(super) fn open(&mut self) {
        let Some(frame) = self.frames.last().copied() else {
            return;
        };
        // What is the body of something stands in that body before it opens one of its own.
        if let Some(parent) = self.parent().copied() {
            self.open_in(&frame, &parent);
        }
        match frame.syntax {
            Syntax::FunctionDefinition | Syntax::Lambda | Syntax::ClassDefinition => {
                self.open_definition(&frame);
            }
            Syntax::ListComprehension
            | Syntax::SetComprehension
            | Syntax::DictionaryComprehension
            | Syntax::GeneratorExpression => self.open_comprehension(),
            Syntax::WhileStatement | Syntax::ForStatement => {
                self.enter_block(When::Conditional, Repeats::Loop);
            }
            Syntax::CaseClause => self.enter_block(When::Conditional, Repeats::Once),
            Syntax::ExceptClause | Syntax::ExceptGroupClause => {
                self.enter_block(When::Handler, Repeats::Once);
            }
            _ => {}
        }
    }

    /// The frame around the one on top.
    pub(super) fn parent(&self) -> Option<&Frame> {
        self.frames.get(self.frames.len().checked_sub(2)?)
    }

    fn open_in(&mut self, frame: &Frame, parent: &Frame) {
        match (parent.syntax, frame.field) {
            (
                Syntax::FunctionDefinition | Syntax::Lambda | Syntax::ClassDefinition,
                Field::Body,
            ) => {
                self.enter_body(parent);
            }
            (
                Syntax::IfStatement | Syntax::ElifClause | Syntax::WhileStatement,
                Field::Consequence | Field::Alternative | Field::Body,
            ) => {
                let when = self.branch(parent, frame.field);
                self.enter_block(when, Repeats::Once);
            }
            (Syntax::TryStatement, Field::Body) => {
                self.enter_block(When::Conditional, Repeats::Once);
            }
            (Syntax::ForStatement, Field::Body) => {
                self.enter_block(When::Conditional, Repeats::Once);
                self.bind_loop_target(parent);
            }
            (Syntax::WithStatement, Field::Body) => self.enter_block(When::Always, Repeats::Once),
            _ if frame.syntax == Syntax::ElseClause || frame.syntax == Syntax::FinallyClause => {
                self.enter_block(When::Conditional, Repeats::Once);
            }
            (Syntax::ForInClause, Field::Right) => self.leave_first_iterable(),
            _ => {}
        }
    }

    /// After a statement that leaves its block, nothing of the block is reached.
    pub(super) fn leave_unreachable(&mut self, statement: Syntax) {
        if matches!(
            statement,
            Syntax::ReturnStatement
                | Syntax::RaiseStatement
                | Syntax::ContinueStatement
                | Syntax::BreakStatement
        ) {
            self.enter_block(When::Unreachable, Repeats::Once);
        }
    }

    /// A loop that is left from within ends, whatever its condition is.
    pub(super) fn note_break(&mut self) {
        let around = self.frames.iter_mut().rev();
        let mut loops = around
            .filter(|frame| matches!(frame.syntax, Syntax::ForStatement | Syntax::WhileStatement));
        if let Some(innermost) = loops.next() {
            innermost.seen += 1;
        }
    }

    /// Closes every block that was opened since this one.
    pub(super) fn close_blocks(&mut self, until: BlockId) {
        while self.block != until {
            self.program.close_block(self.block);
            let parent = self.program.block(self.block).and_then(|block| block.parent);
            self.block = parent.unwrap_or(until);
        }
    }

    /// Whether the branch of a statement runs: the condition stands before both.
    fn branch(&self, statement: &Frame, field: Field) -> When {
        let condition = self.items.get(statement.items..).unwrap_or_default().first();
        let value = condition.filter(|item| item.field == Field::Condition);
        let Some(Kind::Constant(Atom::Literal(text))) =
            value.and_then(|item| item.value).map(|value| self.program.kind(value))
        else {
            return When::Conditional;
        };
        let never = match self.program.symbols.text(text) {
            "False" | "None" | "0" => field != Field::Alternative,
            "True" | "1" => field == Field::Alternative,
            _ => false,
        };
        if never { When::Unreachable } else { When::Conditional }
    }

    fn enter_block(&mut self, when: When, repeats: Repeats) {
        let around = self.program.block(self.block).map_or(When::Always, |block| block.when);
        // What is never reached stays so, and so does what is deferred; what is conditional is no
        // surer inside.
        let when = match (around, when) {
            (_, When::Unreachable) => When::Unreachable,
            (When::Always, inner) => inner,
            (outer, _) => outer,
        };
        self.block = self.program.open_block(Some(self.block), self.scope, when, repeats);
    }

    fn open_definition(&mut self, frame: &Frame) {
        let kind = match frame.syntax {
            Syntax::ClassDefinition => ScopeKind::Class,
            Syntax::Lambda => ScopeKind::Lambda,
            _ => ScopeKind::Function,
        };
        let name = self.program.symbols.intern("<lambda>");
        let scope = self.program.open_scope(kind, name, Some(self.scope), self.block);
        if let Some(frame) = self.frames.last_mut() {
            frame.opens = Some(scope);
        }
    }

    /// Goes into the body of a definition: its parameters are bound first.
    fn enter_body(&mut self, definition: &Frame) {
        let Some(scope) = definition.opens else {
            return;
        };
        let when = match definition.syntax {
            Syntax::ClassDefinition => {
                self.program.block(self.block).map_or(When::Always, |block| block.when)
            }
            _ => self.deferred(),
        };
        let method_of = self.class_around(definition);
        self.name_class(definition, scope);
        self.block = self.program.open_block(Some(self.block), scope, when, Repeats::Once);
        self.scope = scope;
        let parameters = self.take_parameters(definition);
        for (position, item) in parameters.iter().enumerate() {
            let first = position == 0 && item.syntax == Syntax::Identifier;
            self.bind_parameter(scope, (position, item), method_of.filter(|_| first));
        }
    }

    /// Inside its body a class goes by its name as written, even where it is private itself.
    fn name_class(&mut self, definition: &Frame, scope: ScopeId) {
        let items = self.items.get(definition.items..).unwrap_or_default();
        let range = items.iter().find(|item| item.field == Field::Name).map(|item| item.range);
        if let Some(range) = range.filter(|_| definition.syntax == Syntax::ClassDefinition) {
            let name = normal(self.slice(range)).into_owned();
            let name = self.program.symbols.intern(&name);
            if let Some(record) = self.program.scopes.get_mut(scope.0 as usize) {
                record.name = name;
            }
        }
    }

    fn deferred(&self) -> When {
        match self.program.block(self.block).map(|block| block.when) {
            Some(When::Unreachable) => When::Unreachable,
            Some(When::Always | When::Conditional | When::Handler | When::Deferred) | None => {
                When::Deferred
            }
        }
    }

    /// What the first parameter of a method is: an object of the class, or the class itself.
    fn class_around(&self, definition: &Frame) -> Option<Kind> {
        let class = DefId(self.scope.0);
        let method = definition.syntax == Syntax::FunctionDefinition;
        if !method || !self.program.is_class(self.scope) || self.is_decorated("staticmethod") {
            return None;
        }
        if self.is_decorated("classmethod") {
            return Some(Kind::Owner(class));
        }
        Some(Kind::Receiver(class))
    }

    /// Whether the definition that is being entered is decorated with this name.
    fn is_decorated(&self, wanted: &str) -> bool {
        self.items.iter().rev().take(8).any(|item| {
            item.syntax == Syntax::Decorator
                && item.value.is_some_and(|value| {
                    matches!(self.program.kind(value), Kind::Load(name)
                        if self.program.symbols.text(name) == wanted)
                })
        })
    }

    /// The parameters' items, which wait on the stack of the definition.
    fn take_parameters(&mut self, definition: &Frame) -> Vec<Item> {
        let waiting = self.items.get(definition.items..).unwrap_or_default();
        let parameters = waiting
            .iter()
            .find(|item| matches!(item.syntax, Syntax::Parameters | Syntax::LambdaParameters));
        let marks = parameters.and_then(|item| item.second.arguments());
        marks.map_or_else(Vec::new, |start| {
            self.arguments.split_off(start.min(self.arguments.len()))
        })
    }

    fn bind_parameter(
        &mut self,
        scope: ScopeId,
        (position, item): (usize, &Item),
        kind: Option<Kind>,
    ) {
        let Some(name) = item.name else { return };
        self.program.parameter(scope, name);
        let kind = kind.unwrap_or_else(|| self.parameter_kind(scope, (position, item)));
        let value: Val = self.push(kind, item.range);
        self.program.bind(scope, name, value, (item.range, self.block));
    }

    fn parameter_kind(&mut self, scope: ScopeId, (position, item): (usize, &Item)) -> Kind {
        let Some(name) = item.name else {
            return Kind::Opaque;
        };
        let number = number(self.program.parameters.len());
        let def = DefId(scope.0);
        let default = item.second.value();
        let behind =
            |parameter: &Parameter| parameter.def == def && parameter.takes == Takes::Positions;
        let takes = match item.slot {
            Slot::Star => Takes::Positions,
            Slot::DoubleStar => Takes::Keywords,
            Slot::Position | Slot::Keyword(_) => {
                let before = self.program.parameters.iter().rev().take(position);
                if before.into_iter().any(behind) { Takes::Named } else { Takes::One }
            }
        };
        let step = Val(self.program.next());
        let parameter = Parameter { def, name, position, takes, default, step };
        self.program.parameters.push(parameter);
        Kind::Parameter(number)
    }

    fn open_comprehension(&mut self) {
        let name = self.program.symbols.intern("<comprehension>");
        let scope =
            self.program.open_scope(ScopeKind::Comprehension, name, Some(self.scope), self.block);
        self.scope = scope;
        self.enter_block(When::Conditional, Repeats::Loop);
    }

    /// The first iterable of a comprehension is evaluated in the scope around it.
    fn leave_first_iterable(&mut self) {
        let at = self.frames.len().wrapping_sub(3);
        let Some(comprehension) = self.frames.get_mut(at) else {
            return;
        };
        comprehension.seen += 1;
        if comprehension.seen == 1 {
            (self.scope, self.block) = comprehension.before;
        }
    }

    /// The target of a loop is bound where its body begins, since the body may never run.
    fn bind_loop_target(&mut self, statement: &Frame) {
        let items: Vec<Item> = self.items.get(statement.items..).unwrap_or_default().to_vec();
        self.bind_element(&items);
    }
}
