//! A value that policy reads: JSON, with shared text and exact integers.
//!
//! Must never copy the text that it is handed, and must never round an integer.

use crate::call::{Json, Text};
use regorus::Value;
use std::str::FromStr;
use std::sync::Arc;

/// A JSON value in the engine's own form, cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::policy) struct Document(pub(super) Value);

impl Document {
    /// `null`
    pub(in crate::policy) const NULL: Self = Self(Value::Null);

    /// An object. Of two members with one name the later one stays.
    pub(in crate::policy) fn object<const N: usize>(members: [(&str, Self); N]) -> Self {
        members.into_iter().collect()
    }

    /// A list, each of its items made from one of these.
    pub(in crate::policy) fn list<T>(
        items: impl IntoIterator<Item = T>,
        item: impl Fn(T) -> Self,
    ) -> Self {
        Self(Value::from(items.into_iter().map(|each| item(each).0).collect::<Vec<_>>()))
    }

    /// A list of texts.
    pub(in crate::policy) fn texts<'a>(texts: impl IntoIterator<Item = &'a Text>) -> Self {
        Self::list(texts, Self::from)
    }

    /// What is made from the value, or `null` where there is none.
    pub(in crate::policy) fn or_null<T>(value: Option<T>, made: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::NULL, made)
    }

    /// A JSON tree as it is; `None` where a number in it cannot be held.
    pub(in crate::policy) fn from_tree(tree: &Json) -> Option<Self> {
        Some(Self(match tree {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => numeric(number.as_str())?,
            Json::String(text) => Value::String(Arc::clone(text)),
            Json::Array(items) => Value::from(
                items
                    .iter()
                    .map(|item| Self::from_tree(item).map(|document| document.0))
                    .collect::<Option<Vec<_>>>()?,
            ),
            Json::Object(members) => members
                .iter()
                .map(|(name, member)| {
                    Some((Value::String(Arc::clone(name)), Self::from_tree(member)?.0))
                })
                .collect::<Option<regorus::value::Object>>()?
                .into_value(),
        }))
    }

    /// The members of an object whose names are texts; `None` for any other value.
    pub(in crate::policy) fn members(&self) -> Option<Vec<(Text, Self)>> {
        let Value::Object(members) = &self.0 else {
            return None;
        };
        members
            .iter_sorted()
            .map(|(name, member)| match name {
                Value::String(name) => Some((Arc::clone(name), Self(member.clone()))),
                _ => None,
            })
            .collect()
    }

    /// The items of a list or a set; `None` for any other value.
    pub(in crate::policy) fn items(&self) -> Option<Vec<Self>> {
        match &self.0 {
            Value::Array(items) => Some(items.iter().cloned().map(Self).collect()),
            Value::Set(items) => Some(items.iter_sorted().cloned().map(Self).collect()),
            _ => None,
        }
    }

    /// A text; `None` for any other value.
    pub(in crate::policy) fn text(&self) -> Option<&Text> {
        match &self.0 {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// A whole number that is not negative; `None` for any other value.
    pub(in crate::policy) fn whole(&self) -> Option<u32> {
        match &self.0 {
            Value::Number(number) => number.as_u64().and_then(|number| number.try_into().ok()),
            _ => None,
        }
    }

    /// The same, of any size.
    pub(in crate::policy) fn count(&self) -> Option<u64> {
        match &self.0 {
            Value::Number(number) => number.as_u64(),
            _ => None,
        }
    }

    /// Whether it is `null`.
    pub(in crate::policy) fn is_null(&self) -> bool {
        matches!(self.0, Value::Null)
    }

    /// This object with the members of another one added.
    pub(in crate::policy) fn with(&self, added: Self) -> Self {
        let members = [self.members(), added.members()].into_iter().flatten();
        members
            .flatten()
            .map(|(name, member)| (Value::String(name), member.0))
            .collect::<regorus::value::Object>()
            .into_value()
            .into()
    }

    /// The member of this name.
    pub(super) fn member(&self, name: &str) -> Option<Self> {
        match &self.0 {
            Value::Object(members) => members.get(&Value::from(name)).cloned().map(Self),
            _ => None,
        }
    }

    /// The first item of a list.
    pub(super) fn any(&self) -> Option<Self> {
        match &self.0 {
            Value::Array(items) => items.first().cloned().map(Self),
            _ => None,
        }
    }

    /// Whether it is an object without members: in a specimen, one that others fill.
    pub(super) fn is_open(&self) -> bool {
        matches!(&self.0, Value::Object(members) if members.is_empty())
    }

    /// Its JSON on one line, members sorted by name.
    pub(in crate::policy) fn to_json(&self) -> String {
        self.0.to_string()
    }
}

/// The most characters of a number and the largest exponent that are taken: the engine writes
/// exponents out, and a handful of characters must not become a gigabyte.
const NUMBER_CHARACTERS_MAX: usize = 400;
const EXPONENT_MAX: u32 = 308;

fn numeric(text: &str) -> Option<Value> {
    let exponent = match text.split_once(['e', 'E']) {
        None => 0,
        Some((_, exponent)) => i32::from_str(exponent).ok()?.unsigned_abs(),
    };
    if text.len() > NUMBER_CHARACTERS_MAX || exponent > EXPONENT_MAX {
        return None;
    }
    Value::from_numeric_string(text).ok()
}

impl From<Value> for Document {
    fn from(value: Value) -> Self {
        Self(value)
    }
}

impl From<&Text> for Document {
    fn from(text: &Text) -> Self {
        Self(Value::String(Arc::clone(text)))
    }
}

impl From<&str> for Document {
    fn from(text: &str) -> Self {
        Self(Value::from(text))
    }
}

impl From<bool> for Document {
    fn from(value: bool) -> Self {
        Self(Value::Bool(value))
    }
}

impl From<u32> for Document {
    fn from(number: u32) -> Self {
        Self(Value::from(number))
    }
}

impl From<i64> for Document {
    fn from(number: i64) -> Self {
        Self(Value::from(number))
    }
}

impl From<u64> for Document {
    fn from(number: u64) -> Self {
        Self(Value::from(number))
    }
}

impl<'a> FromIterator<(&'a str, Document)> for Document {
    fn from_iter<T: IntoIterator<Item = (&'a str, Document)>>(members: T) -> Self {
        let members = members.into_iter().map(|(name, member)| (Value::from(name), member.0));
        Self(members.collect::<regorus::value::Object>().into_value())
    }
}
