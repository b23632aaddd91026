//! What each expression gives once its children have been left.

use super::kinds::{Field, Syntax};
use super::walk::{Frame, Item, Second, Walk, child, value};
use crate::facts::Role;
use crate::facts::python::program::{Access, CellId, Collection, Kind, Operand, Slot, Val};
use crate::facts::python::values::Atom;

/// Whether a name stands where the interpreter takes it as it is written, or where what becomes
/// of it is settled further out.
fn is_as_written(parent: Option<(Syntax, Field)>) -> bool {
    matches!(
        parent,
        Some((Syntax::KeywordArgument, Field::Name))
            | Some((Syntax::KeywordPattern | Syntax::DottedName | Syntax::AliasedImport, _))
    )
}

impl Walk<'_, '_> {
    pub(super) fn finish_expression(&mut self, frame: &Frame, items: &[Item]) -> Item {
        match frame.syntax {
            Syntax::Identifier => self.finish_identifier(frame),
            Syntax::Attribute => self.attribute(frame, items),
            Syntax::Subscript => self.subscript(frame, items),
            Syntax::Call => self.call(frame, items),
            Syntax::ArgumentList => self.argument_list(frame, items),
            Syntax::KeywordArgument => self.keyword_argument(frame, items),
            Syntax::BinaryOperator => self.binary(frame, items),
            Syntax::BooleanOperator => self.either(frame, items),
            Syntax::ConditionalExpression => self.conditional(frame, items),
            Syntax::ComparisonOperator => self.comparison(frame, items),
            Syntax::NotOperator => self.data(frame, "bool"),
            Syntax::Await => self.awaited(frame, items),
            Syntax::UnaryOperator => self.unary(frame, items),
            _ => self.finish_literal(frame, items),
        }
    }

    fn finish_literal(&mut self, frame: &Frame, items: &[Item]) -> Item {
        match frame.syntax {
            Syntax::Tuple | Syntax::ExpressionList | Syntax::PatternList | Syntax::TuplePattern => {
                self.collect(frame, items, Collection::Tuple)
            }
            Syntax::Slice => self.slice_of(frame, items),
            Syntax::List | Syntax::ListPattern => self.collect(frame, items, Collection::List),
            Syntax::Set => self.collect(frame, items, Collection::Set),
            Syntax::Dictionary => self.collect(frame, items, Collection::Dictionary),
            Syntax::Pair => self.pair(frame, items),
            Syntax::ListComprehension
            | Syntax::SetComprehension
            | Syntax::DictionaryComprehension
            | Syntax::GeneratorExpression => self.comprehension(frame, items),
            Syntax::String => self.string(frame, items),
            Syntax::ConcatenatedString => self.concatenated(frame, items),
            Syntax::Interpolation | Syntax::FormatExpression => self.interpolation(frame, items),
            Syntax::Integer | Syntax::Float | Syntax::True | Syntax::False | Syntax::None => {
                self.literal(frame)
            }
            Syntax::Ellipsis => self.data(frame, "ellipsis"),
            _ => self.finish_wrapper(frame, items),
        }
    }

    /// Nodes that only wrap; of a kind that is not known, several values come to nothing known.
    fn finish_wrapper(&mut self, frame: &Frame, items: &[Item]) -> Item {
        match frame.syntax {
            Syntax::ListSplat | Syntax::ParenthesizedListSplat | Syntax::ListSplatPattern => {
                self.splat(frame, items, Slot::Star)
            }
            Syntax::DictionarySplat | Syntax::DictionarySplatPattern => {
                self.splat(frame, items, Slot::DoubleStar)
            }
            Syntax::Type => {
                let annotation = self.wrapped(frame, items);
                self.program.annotations.extend(annotation.value);
                annotation
            }
            Syntax::StringStart
            | Syntax::StringContent
            | Syntax::StringEnd
            | Syntax::TypeConversion
            | Syntax::FormatSpecifier
            | Syntax::WildcardImport
            | Syntax::Comment => Item::of(frame, None),
            _ => self.wrapped(frame, items),
        }
    }

    fn wrapped(&mut self, frame: &Frame, items: &[Item]) -> Item {
        if frame.syntax == Syntax::ParenthesizedExpression {
            self.note_after_type(frame.range);
        }
        let mut valued = items.iter().filter(|item| item.value.is_some());
        match (valued.next(), valued.next()) {
            (Some(only), None) => {
                Item { name: only.name, slot: only.slot, ..Item::of(frame, only.value) }
            }
            (None, _) => Item::of(frame, None),
            (Some(_), Some(_)) => {
                for value in items.iter().filter_map(|item| item.value) {
                    self.push(Kind::Lost(value), frame.range);
                }
                self.opaque(frame)
            }
        }
    }

    pub(super) fn opaque(&mut self, frame: &Frame) -> Item {
        let value = self.push(Kind::Opaque, frame.range);
        Item::of(frame, Some(value))
    }

    /// A use of a name, except where the grammar only names something.
    fn finish_identifier(&mut self, frame: &Frame) -> Item {
        let parent = self.frames.last().map(|parent| (parent.syntax, frame.field));
        let name = self.identifier(frame.range);
        let name = if is_as_written(parent) { name } else { self.private(name) };
        let named = match parent {
            Some((Syntax::Attribute, Field::Attribute)) => true,
            Some((
                Syntax::KeywordArgument | Syntax::FunctionDefinition | Syntax::ClassDefinition,
                Field::Name,
            )) => true,
            Some((
                Syntax::DottedName
                | Syntax::AliasedImport
                | Syntax::GlobalStatement
                | Syntax::NonlocalStatement
                | Syntax::Parameters
                | Syntax::LambdaParameters
                | Syntax::TypedParameter
                | Syntax::KeywordPattern,
                _,
            )) => true,
            Some((Syntax::DefaultParameter | Syntax::TypedDefaultParameter, Field::Name)) => true,
            Some((Syntax::ListSplatPattern | Syntax::DictionarySplatPattern, _)) => {
                self.in_parameters()
            }
            _ => false,
        };
        let value = (!named).then(|| self.push(Kind::Load(name), frame.range));
        Item { name: Some(name), value, ..Item::of(frame, None) }
    }

    fn in_parameters(&self) -> bool {
        let around = self.parent().map(|frame| frame.syntax);
        matches!(
            around,
            Some(Syntax::Parameters | Syntax::LambdaParameters | Syntax::TypedParameter)
        )
    }

    fn splat(&self, frame: &Frame, items: &[Item], slot: Slot) -> Item {
        let inner = items.iter().find(|item| item.value.is_some() || item.name.is_some());
        Item {
            name: inner.and_then(|item| item.name).filter(|_| self.names_parameter()),
            slot,
            ..Item::of(frame, inner.and_then(|item| item.value))
        }
    }

    fn names_parameter(&self) -> bool {
        let around = self.frames.last().map(|frame| frame.syntax);
        matches!(
            around,
            Some(Syntax::Parameters | Syntax::LambdaParameters | Syntax::TypedParameter)
        )
    }

    fn attribute(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let name = child(items, Field::Attribute).and_then(|item| item.name);
        let base = child(items, Field::Object);
        let (Some(name), Some(base)) = (name, base) else {
            return self.opaque(frame);
        };
        let Some(object) = base.value else {
            return self.opaque(frame);
        };
        let access = Access::Read;
        let range = self.unstarred(frame, base);
        let value = self.push(Kind::Attribute { base: object, name, access }, range);
        // `*a.b()` reaches us as an attribute of a splat.
        Item { slot: base.slot, ..Item::of(frame, Some(value)) }
    }

    /// The range of a node without the star that the parser took into its first child.
    fn unstarred(&self, frame: &Frame, first: &Item) -> (u32, u32) {
        let op = first.value.filter(|_| first.slot != Slot::Position);
        let start = op.and_then(|value| self.program.op(value)).map(|op| op.start);
        (start.unwrap_or(frame.range.0), frame.range.1)
    }

    fn subscript(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let Some(base) = child(items, Field::Value) else {
            return self.opaque(frame);
        };
        let Some(object) = base.value else {
            return self.opaque(frame);
        };
        let keys: Vec<Operand> = items
            .iter()
            .filter(|item| item.field == Field::Subscript)
            .filter_map(|item| Some(Operand { slot: item.slot, value: item.value? }))
            .collect();
        let key = match keys.as_slice() {
            [] => None,
            [only] => Some(only.value),
            _ => {
                let keys = self.program.push_operands(keys);
                Some(self.push(Kind::Collect(Collection::Passing, keys), frame.range))
            }
        };
        let access = Access::Read;
        let range = self.unstarred(frame, base);
        let value = self.push(Kind::Item { base: object, key, access }, range);
        Item { slot: base.slot, ..Item::of(frame, Some(value)) }
    }

    fn call(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let function = child(items, Field::Function);
        let arguments = match child(items, Field::Arguments).copied() {
            Some(Item { second: Second::Arguments(start), .. }) => self.take_arguments(start),
            // A lone generator expression.
            Some(Item { value: Some(value), .. }) => {
                vec![Operand { slot: Slot::Position, value }]
            }
            _ => Vec::new(),
        };
        let Some(callee) = function.and_then(|item| item.value) else {
            return self.opaque(frame);
        };
        let arguments = self.program.push_operands(arguments);
        let implicit = None;
        let range = function.map_or(frame.range, |item| self.unstarred(frame, item));
        let value = self.push(Kind::Call { callee, arguments, implicit }, range);
        // `*f()` reaches us as a call of a splat.
        let slot = function.map_or(Slot::Position, |item| item.slot);
        Item { slot, ..Item::of(frame, Some(value)) }
    }

    fn argument_list(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let start = self.arguments.len();
        self.arguments.extend(items.iter().map(|item| Item {
            name: item.name.filter(|_| item.syntax == Syntax::KeywordArgument),
            ..*item
        }));
        Item { second: Second::Arguments(start), ..Item::of(frame, None) }
    }

    fn keyword_argument(&self, frame: &Frame, items: &[Item]) -> Item {
        Item {
            name: child(items, Field::Name).and_then(|item| item.name),
            ..Item::of(frame, value(items, Field::Value))
        }
    }

    fn binary(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let (Some(left), Some(right)) = (value(items, Field::Left), value(items, Field::Right))
        else {
            return self.opaque(frame);
        };
        let operator = frame.operator;
        let value = self.push(Kind::Binary { operator, left, right }, frame.range);
        Item::of(frame, Some(value))
    }

    fn either(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let operands = self.operands_of(items);
        let operands = self.program.push_operands(operands);
        let value = self.push(Kind::Either(operands), frame.range);
        Item::of(frame, Some(value))
    }

    /// `then if condition else other`.
    fn conditional(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let mut sides: Vec<Item> = items.to_vec();
        let condition = if sides.len() == 3 { sides.remove(1).value } else { None };
        let either = self.either(frame, &sides);
        self.program.conditions.extend(either.value.zip(condition));
        either
    }

    fn awaited(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let Some(inner) = items.iter().find_map(|item| item.value) else {
            return self.opaque(frame);
        };
        let value = self.push(Kind::Awaited(inner), frame.range);
        Item::of(frame, Some(value))
    }

    pub(super) fn collect(
        &mut self,
        frame: &Frame,
        items: &[Item],
        collection: Collection,
    ) -> Item {
        let operands = self.operands_of(items);
        let operands = self.program.push_operands(operands);
        let value = self.push(Kind::Collect(collection, operands), frame.range);
        Item::of(frame, Some(value))
    }

    fn pair(&self, frame: &Frame, items: &[Item]) -> Item {
        let key = items.first().and_then(|item| item.value);
        Item {
            second: key.map_or(Second::Nothing, Second::Value),
            ..Item::of(frame, value(items, Field::Value))
        }
    }

    /// The name that the only loop of a comprehension binds, and what it stands for.
    fn only_turn(&self, items: &[Item]) -> Option<(CellId, Val)> {
        let count = |syntax| items.iter().filter(|item| item.syntax == syntax).count();
        let plain = count(Syntax::ForInClause) == 1 && count(Syntax::IfClause) == 0;
        let Kind::Bind { cell, value } = self.program.ops.last()?.kind else {
            return None;
        };
        (plain && matches!(self.program.kind(value), Kind::Element(_))).then_some((cell, value))
    }

    fn comprehension(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let turn = self.only_turn(items);
        let body = child(items, Field::Body).copied();
        let operands = body.map_or_else(Vec::new, |body| self.operands_of(&[body]));
        for operand in &operands {
            self.escape(operand.value, Role::Container, None);
        }
        let collection = match frame.syntax {
            Syntax::DictionaryComprehension => Collection::Dictionary,
            Syntax::SetComprehension => Collection::Set,
            _ => Collection::List,
        };
        let operands = self.program.push_operands(operands);
        let value = self.push(Kind::Gather(collection, operands), frame.range);
        self.program.turns.extend(turn.map(|turn| (value, turn)));
        let condition = only_condition(items).map(|condition| (value, condition));
        self.program.conditions.extend(condition);
        if frame.syntax == Syntax::GeneratorExpression {
            self.program.generators.insert(value);
        }
        Item::of(frame, Some(value))
    }

    fn literal(&mut self, frame: &Frame) -> Item {
        let text = self.slice(frame.range).to_owned();
        let text = self.program.symbols.intern(&text);
        let value = self.push(Kind::Constant(Atom::Literal(text)), frame.range);
        Item::of(frame, Some(value))
    }

    pub(super) fn format(&mut self, frame: &Frame, parts: Vec<Val>) -> Val {
        let parts = parts.into_iter().map(|value| Operand { slot: Slot::Position, value });
        let parts = self.program.push_operands(parts);
        self.push(Kind::Format(parts), frame.range)
    }
}

/// What the only condition of a comprehension with one loop says.
fn only_condition(items: &[Item]) -> Option<Val> {
    let of = |syntax| items.iter().filter(move |item| item.syntax == syntax);
    let (mut loops, mut conditions) = (of(Syntax::ForInClause), of(Syntax::IfClause));
    let condition = loops.next().and(conditions.next())?;
    let only = loops.next().is_none() && conditions.next().is_none();
    condition.value.filter(|_| only)
}
