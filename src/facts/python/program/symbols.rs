//! Names and texts as numbers, so that steps and values are small and compare fast.

use super::number;
use crate::call::Text;
use std::collections::HashMap;

/// The number of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in super::super) struct Sym(u32);

/// The first texts of every program: what is asked for all the time is never looked up.
const FIRST: [&str; 2] = ["data", "int"];
const DATA: Sym = Sym(0);
const WHOLE: Sym = Sym(1);

/// The texts of one program, each once.
#[derive(Debug)]
pub(in super::super) struct Symbols {
    // The texts are the caller's: this map keeps the hasher that such keys cannot slow down.
    numbers: HashMap<Text, Sym>,
    texts: Vec<Text>,
}

impl Default for Symbols {
    fn default() -> Self {
        let mut symbols = Self { numbers: HashMap::new(), texts: Vec::new() };
        for text in FIRST {
            symbols.intern(text);
        }
        symbols
    }
}

impl Symbols {
    pub(in super::super) fn intern(&mut self, text: &str) -> Sym {
        if let Some(sym) = self.numbers.get(text) {
            return *sym;
        }
        let sym = Sym(number(self.texts.len()));
        let text: Text = text.into();
        self.texts.push(Text::clone(&text));
        self.numbers.insert(text, sym);
        sym
    }

    /// The kind of whole numbers.
    pub(in super::super) const fn whole(&self) -> Sym {
        WHOLE
    }

    /// The kind of data of which nothing else is known.
    pub(in super::super) const fn data(&self) -> Sym {
        DATA
    }

    pub(in super::super) fn find(&self, text: &str) -> Option<Sym> {
        self.numbers.get(text).copied()
    }

    pub(in super::super) fn text(&self, sym: Sym) -> &str {
        self.texts.get(sym.0 as usize).map_or("", |text| text)
    }

    pub(in super::super) fn shared(&self, sym: Sym) -> Text {
        self.texts.get(sym.0 as usize).cloned().unwrap_or_default()
    }
}
