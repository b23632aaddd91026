use super::*;

/// A reader sees a sign for every character, and a terminal has nothing to obey.
#[test]
fn no_character_is_shown_that_a_terminal_obeys_or_a_reader_does_not_see() {
    for character in '\0'..=char::MAX {
        let shown = plain(character.encode_utf8(&mut [0; 4]));
        assert!(!shown.is_empty(), "{character:?} is dropped");
        assert!(!shown.chars().any(char::is_control), "{character:?}");
        assert!(!shown.chars().any(is_unseen), "{character:?}");
    }
}

#[test]
fn ordinary_text_is_shown_as_it_is() {
    for text in ["x = 1", "caf\u{e9} 漢字 😀 e\u{301}", "a  b", "�"] {
        assert_eq!(plain(text), text);
    }
}

#[test]
fn what_is_not_seen_is_named() {
    assert_eq!(plain("a\u{202e}b"), "a<U+202E>b");
    assert_eq!(plain("\x1b[31m\t\0\x7f\n"), "␛[31m    ␀␡␊");
}
