//! How deep the second parser would go, told from its own tokens before it parses.
//!
//! It recurses where expressions stand in expressions, and what it makes is walked and dropped by
//! recursion. Its tokens bound that, whatever the first parser took the text for. Must never count
//! too little: what is not known to be flat counts as a level.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, lexer};

/// Levels that are allowed. Ordinary code has some dozens; a test holds that this many fit into
/// the stack of a thread.
const LEVELS_MAX: u32 = 300;

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
        if is_flat(kind) {
            return;
        }
        if is_opening(kind) {
            self.open.push((self.base, self.now));
            self.base = self.now + 1;
        } else if is_closing(kind)
            && let Some(around) = self.open.pop()
        {
            (self.base, self.now) = around;
        } else if kind == TokenKind::Lambda {
            // Its parameters may hold commas, and its body goes on after them.
            self.base += 1;
        }
        if kind == TokenKind::Comma {
            self.now = self.base;
        } else if kind == TokenKind::Newline || kind == TokenKind::Semi && self.open.is_empty() {
            *self = Self { deepest: self.deepest, ..Self::default() };
        } else {
            self.now += 1;
        }
        self.deepest = self.deepest.max(self.now);
    }
}

fn is_opening(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart
    )
}

fn is_closing(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd
    )
}

/// Tokens that nothing stands in.
fn is_flat(kind: TokenKind) -> bool {
    matches!(
        kind,
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
            | TokenKind::Dedent
    )
}
