//! What a file of the workspace may be called: the same on both sides, and each side asks for
//! itself.
//!
//! Must never let a name through that leads out of the workspace, or that looks like another.

/// How long a name may be, in bytes.
pub const NAME_BYTES_MAX: usize = 512;

/// How long one part of it may be: what file systems take.
const PART_BYTES_MAX: usize = 255;

/// How many parts it may have.
pub const NAME_PARTS_MAX: usize = 16;

/// Whether this is the name of a file below `/workspace`: parts with `/` between them, none of
/// them empty, `.` or `..`.
///
/// A name is compared byte for byte and is never normalised: the program opens the very bytes
/// that it wrote, and two names that are one after normalising are two files. Control characters
/// and what turns the order of characters round are refused, since names are shown to people; so
/// is the backslash, which parts names elsewhere.
pub fn is_file_name(name: &str) -> bool {
    name.len() <= NAME_BYTES_MAX
        && name.split('/').count() <= NAME_PARTS_MAX
        && name.split('/').all(is_part)
        && !name.chars().any(is_barred)
}

fn is_part(part: &str) -> bool {
    (1..=PART_BYTES_MAX).contains(&part.len()) && part != "." && part != ".."
}

const fn is_barred(letter: char) -> bool {
    letter.is_ascii_control()
        || matches!(
            letter,
            '\\'
                | '\u{80}'..='\u{9f}'
                | '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
        )
}
