//! How deep the second parser would go, told from its own tokens before it parses.
//!
//! It recurses where expressions stand in expressions, and what it makes is walked and dropped by
//! recursion. Its tokens bound that, whatever the first parser took the text for. Must never count
//! too little: what is not known to be flat counts as a level.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, lexer};

/// Levels that are allowed. Ordinary code has some dozens; a test holds that this many fit into
/// the stack of a thread.
const LEVELS_MAX: u32 = 500;

/// Whether no expression of the text can be nested further than is allowed.
pub(super) fn is_bounded(text: &str) -> bool {
    let mut lexer = lexer::lex(text, Mode::Module);
    let mut levels = Levels::default();
    loop {
        let kind = lexer.next_token();
        if kind == TokenKind::EndOfFile {
            return true;
        }
        levels.take(kind);
        if levels.deepest > LEVELS_MAX {
            return false;
        }
    }
}

/// Levels of the expression that is being read.
#[derive(Default)]
struct Levels {
    /// What a comma leads back to, in the innermost bracket.
    base: u32,
    now: u32,
    deepest: u32,
    /// Base and level where each open bracket stood.
    open: Vec<(u32, u32)>,
}

impl Levels {
    fn take(&mut self, kind: TokenKind) {
        match kind {
            TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart => {
                self.open.push((self.base, self.now));
                self.now += 1;
                self.base = self.now;
            }
            TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd => {
                if let Some((base, now)) = self.open.pop() {
                    (self.base, self.now) = (base, now);
                }
                self.now += 1;
            }
            TokenKind::Comma => self.now = self.base,
            // Its parameters may hold commas, and its body goes on after them.
            TokenKind::Lambda => {
                self.base += 1;
                self.now += 1;
            }
            TokenKind::Newline => *self = Self { deepest: self.deepest, ..Self::default() },
            TokenKind::Semi if self.open.is_empty() => (self.base, self.now) = (0, 0),
            TokenKind::Name
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Complex
            | TokenKind::String
            | TokenKind::FStringMiddle
            | TokenKind::TStringMiddle
            | TokenKind::Comment
            | TokenKind::NonLogicalNewline
            | TokenKind::Indent
            | TokenKind::Dedent => {}
            _ => self.now += 1,
        }
        self.deepest = self.deepest.max(self.now);
    }
}
