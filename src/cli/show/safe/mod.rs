//! Text of strangers made safe to show.
//!
//! A source, a file's name or a rule's message may hold escapes that a terminal obeys, controls
//! that turn the text around and characters that nobody sees. Must never let one of them through
//! as it is, nor drop it in silence.

use std::fmt::Write;

/// The text with every character that a terminal would obey or a reader would not see made
/// visible; all of it on one line.
pub(in crate::cli) fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        push(&mut shown, character);
    }
    shown
}

/// Appends a character in the form in which it may be shown.
pub(super) fn push(shown: &mut String, character: char) {
    match character {
        '\t' => shown.push_str("    "),
        '\0'..='\x1f' => shown.push(picture(character)),
        '\x7f' => shown.push('\u{2421}'),
        unseen if is_unseen(unseen) => {
            // Writing to a String cannot fail.
            let _ = write!(shown, "<U+{:04X}>", u32::from(unseen));
        }
        seen => shown.push(seen),
    }
}

/// Appends a byte that is no part of a character.
pub(super) fn push_byte(shown: &mut String, byte: u8) {
    let _ = write!(shown, "<0x{byte:02X}>");
}

/// The picture that Unicode has for each of the first control characters.
fn picture(control: char) -> char {
    char::from_u32(0x2400 + u32::from(control)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Characters without a width of their own that change what stands around them, or that look
/// like nothing: further controls, line separators, directions, joiners, fillers, tags.
const fn is_unseen(character: char) -> bool {
    matches!(
        character,
        '\u{80}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests;
