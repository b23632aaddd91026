//! What each node gives once its children have been left: the dispatch, and the statements.

use super::kinds::{Field, Syntax};
use super::walk::{Frame, Item, Second, Walk, value};
use crate::facts::python::program::{Access, Declared, Kind, Operand, Slot, Sym, Val};
use crate::facts::python::values::Atom;
use crate::facts::{Binding, BindingKind, Role};

impl Walk<'_, '_> {
    /// Statements, definitions and patterns here; everything else is an expression.
    pub(super) fn finish(&mut self, frame: &Frame, items: &[Item]) -> Item {
        match frame.syntax {
            Syntax::FunctionDefinition | Syntax::ClassDefinition | Syntax::Lambda => {
                self.definition(frame, items)
            }
            Syntax::DecoratedDefinition => self.decorated(frame, items),
            Syntax::Parameters | Syntax::LambdaParameters => self.parameters(frame, items),
            Syntax::DefaultParameter | Syntax::TypedParameter | Syntax::TypedDefaultParameter => {
                self.parameter(frame, items)
            }
            Syntax::ImportStatement => self.import(frame, items),
            Syntax::ImportFromStatement | Syntax::FutureImportStatement => {
                self.import_from(frame, items)
            }
            Syntax::RelativeImport => self.relative(frame),
            Syntax::AliasedImport => self.aliased(frame, items),
            Syntax::DottedName => self.dotted_name(frame, items),
            Syntax::AsPattern => self.as_pattern(frame, items),
            Syntax::KeywordPattern => self.keyword_pattern(frame, items),
            Syntax::SplatPattern => self.splat_pattern(frame, items),
            Syntax::NamedExpression => self.walrus(frame, items),
            _ => self.finish_statement(frame, items),
        }
    }

    fn finish_statement(&mut self, frame: &Frame, items: &[Item]) -> Item {
        match frame.syntax {
            Syntax::Assignment => self.assignment(frame, items),
            Syntax::AugmentedAssignment => self.augmented(frame, items),
            Syntax::ExpressionStatement => self.expression_statement(frame, items),
            Syntax::DeleteStatement => self.delete(frame, items),
            Syntax::ReturnStatement => self.hand_on(frame, items, Role::Returned),
            Syntax::Yield => self.hand_on(frame, items, Role::Yielded),
            Syntax::RaiseStatement => self.hand_on(frame, items, Role::Raised),
            Syntax::AssertStatement => self.assertion(frame, items),
            Syntax::GlobalStatement => self.declare(frame, items, Declared::Global),
            Syntax::NonlocalStatement => self.declare(frame, items, Declared::Nonlocal),
            Syntax::ExceptClause | Syntax::ExceptGroupClause => self.except(frame, items),
            Syntax::MatchStatement => self.matched(frame, items),
            Syntax::WithItem => self.with_item(frame, items),
            Syntax::PrintStatement => self.print_statement(frame),
            Syntax::ExecStatement => self.exec_statement(frame, items),
            Syntax::TypeAliasStatement => self.type_alias(frame, items),
            Syntax::ForInClause => {
                self.bind_element(items);
                Item::of(frame, None)
            }
            Syntax::Block
            | Syntax::Module
            | Syntax::IfStatement
            | Syntax::ElifClause
            | Syntax::ElseClause
            | Syntax::FinallyClause
            | Syntax::ForStatement
            | Syntax::WhileStatement
            | Syntax::TryStatement
            | Syntax::WithClause
            | Syntax::WithStatement
            | Syntax::CaseClause => Item::of(frame, None),
            _ => self.finish_expression(frame, items),
        }
    }

    fn dotted_name(&mut self, frame: &Frame, items: &[Item]) -> Item {
        match self.frames.last().map(|frame| frame.syntax) {
            Some(
                Syntax::ImportStatement
                | Syntax::ImportFromStatement
                | Syntax::FutureImportStatement
                | Syntax::RelativeImport
                | Syntax::AliasedImport,
            ) => self.dotted(frame, items),
            _ => self.pattern_name(frame, items),
        }
    }

    /// `left: type = right`; the value is the right side, for chains.
    fn assignment(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let (left, right) = (value(items, Field::Left), value(items, Field::Right));
        self.note_field(left, items);
        match (left, right) {
            (Some(left), Some(right)) => self.bind(left, right),
            // A bare annotation makes the name the scope's own and binds nothing.
            (Some(left), None) => self.forget(left),
            (None, _) => {}
        }
        Item::of(frame, right)
    }

    /// A name that is annotated in the body of a class may be a field of its instances.
    fn note_field(&mut self, target: Option<Val>, items: &[Item]) {
        let annotated = items.iter().any(|item| item.field == Field::Type);
        if annotated
            && self.program.is_class(self.scope)
            && let Some(Kind::Load(name)) = target.map(|target| self.program.kind(target))
        {
            let field = (self.scope, name);
            let branch = self.program.block(self.block).and_then(|block| block.parent);
            let branch = branch.and_then(|around| self.program.block(around));
            self.program.fields_vary |= branch.is_some_and(|around| around.scope == self.scope)
                || self.program.fields.contains(&field);
            self.program.fields.push(field);
        }
    }

    fn forget(&mut self, target: Val) {
        if let Some(op) = self.program.op(target).copied()
            && let Kind::Load(name) = op.kind
        {
            self.set_kind(target, Kind::Dead);
            let scope = self.scope;
            self.program.unbind(scope, name, ((op.start, op.end), self.block));
        }
    }

    fn augmented(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let (Some(left), Some(right)) = (value(items, Field::Left), value(items, Field::Right))
        else {
            return Item::of(frame, None);
        };
        let operator = frame.operator;
        let sum = self.push(Kind::Binary { operator, left, right }, frame.range);
        self.program.in_place.insert(sum);
        let target = self.program.kind(left);
        if let Kind::Load(name) = target {
            self.bind_name(name, sum, frame.range);
            return Item::of(frame, Some(sum));
        }
        self.push(Kind::Store { target: left, value: sum }, frame.range);
        let written = self.program.op(left).map_or(frame.range, |op| (op.start, op.end));
        if let Some((base, name)) = target.attribute() {
            self.push(Kind::Attribute { base, name, access: Access::Write }, written);
            self.escape(sum, Role::AttributeWrite, Some(name));
        } else {
            if let Kind::Item { base, key, .. } = target {
                self.push(Kind::Item { base, key, access: Access::Write }, written);
            }
            self.escape(sum, Role::Container, None);
        }
        Item::of(frame, Some(sum))
    }

    fn expression_statement(&mut self, frame: &Frame, items: &[Item]) -> Item {
        if let [Item { syntax: Syntax::String, value: Some(value), .. }] = items
            && let Kind::Constant(atom) = self.program.kind(*value)
        {
            self.set_kind(*value, Kind::Docstring(atom));
        }
        Item::of(frame, None)
    }

    fn delete(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let mut open: Vec<Val> = items.iter().filter_map(|item| item.value).collect();
        while let Some(target) = open.pop() {
            let kind = self.program.kind(target);
            if let Kind::Load(name) = kind {
                self.delete_name(target, name);
            } else if let Kind::Collect(_, operands) = kind {
                self.set_kind(target, Kind::Dead);
                let parts = self.program.operands(operands);
                open.extend(parts.iter().map(|part| part.value));
            } else {
                self.rewrite(target, Access::Delete);
            }
        }
        Item::of(frame, None)
    }

    fn delete_name(&mut self, target: Val, name: Sym) {
        if let Some((start, end)) = self.program.op(target).map(|op| (op.start, op.end)) {
            let fact = Binding {
                kind: BindingKind::Del,
                name: self.text_of(name),
                to: Vec::new(),
                span: self.draft.span(start, end),
            };
            self.draft.binding(fact);
        }
        self.forget(target);
    }

    fn hand_on(&mut self, frame: &Frame, items: &[Item], role: Role) -> Item {
        let value = self.handed(frame, items, role);
        Item::of(frame, value)
    }

    /// The message of an assertion is in the exception that it raises.
    fn assertion(&mut self, frame: &Frame, items: &[Item]) -> Item {
        for message in items.iter().filter_map(|item| item.value).skip(1) {
            self.escape(message, Role::Raised, None);
        }
        Item::of(frame, None)
    }

    fn declare(&mut self, frame: &Frame, items: &[Item], declared: Declared) -> Item {
        for name in items.iter().filter_map(|item| item.name) {
            let scope = self.scope;
            self.program.declare(scope, name, declared);
        }
        Item::of(frame, None)
    }

    /// The name of a caught exception is bound in the handler and unbound after it.
    fn except(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let alias = items.iter().find(|item| item.field == Field::Alias);
        if let Some(target) = alias.and_then(|item| item.value) {
            let caught = self.push(Kind::Caught, frame.range);
            self.bind(target, caught);
        }
        if let Some(item) = items.first()
            && item.syntax == Syntax::Tuple
            && let Some(value) = item.value
        {
            self.set_kind(value, Kind::Dead);
        }
        Item::of(frame, None)
    }

    fn matched(&mut self, frame: &Frame, items: &[Item]) -> Item {
        for item in items.iter().filter(|item| item.syntax != Syntax::Block) {
            if let Some(value) = item.value {
                self.escape(value, Role::Matched, None);
            }
        }
        Item::of(frame, None)
    }

    /// `print >> file` reads the name, as any expression does.
    fn print_statement(&mut self, frame: &Frame) -> Item {
        self.legacy(frame.range);
        let print = self.program.symbols.intern("print");
        let (start, _) = frame.range;
        self.push(Kind::Load(print), (start, start + 5));
        Item::of(frame, None)
    }

    fn exec_statement(&mut self, frame: &Frame, items: &[Item]) -> Item {
        self.legacy(frame.range);
        let exec = self.program.symbols.intern("exec");
        let value = self.call_of(exec, frame, items);
        Item::of(frame, Some(value))
    }

    fn call_of(&mut self, name: Sym, frame: &Frame, items: &[Item]) -> Val {
        let callee = self.push(Kind::Load(name), frame.range);
        let arguments: Vec<Operand> = items
            .iter()
            .filter_map(|item| Some(Operand { slot: Slot::Position, value: item.value? }))
            .collect();
        let arguments = self.program.push_operands(arguments);
        let implicit = None;
        self.push(Kind::Call { callee, arguments, implicit }, frame.range)
    }

    /// The value and key of each item, as operands of a display.
    pub(super) fn operands_of(&self, items: &[Item]) -> Vec<Operand> {
        let mut operands = Vec::with_capacity(items.len());
        for item in items {
            if let Second::Value(key) = item.second {
                operands.push(Operand { slot: Slot::Position, value: key });
            }
            if let Some(value) = item.value {
                operands.push(Operand { slot: item.slot, value });
            }
        }
        operands
    }

    pub(super) fn data(&mut self, frame: &Frame, kind: &str) -> Item {
        let kind = self.program.symbols.intern(kind);
        let value = self.push(Kind::Constant(Atom::Plain(kind)), frame.range);
        Item::of(frame, Some(value))
    }
}
