use super::*;

fn long_line() -> String {
    let filler = "é".repeat(5_000);
    format!("first\n{filler}here{filler}\nlast")
}

#[test]
fn a_short_line_is_shown_whole_and_a_long_one_around_the_place() {
    let text = long_line();
    let source = SourceText::new(text.as_bytes());
    assert_eq!(source.shown(1, 0).text, "first");
    let shown = source.shown(2, 5_000);
    assert!(shown.cut && shown.text.contains("here"), "{}", shown.text);
    assert!(shown.text.starts_with('…') && shown.text.ends_with('…'));
    assert!(shown.text.chars().count() <= LINE_CHARACTERS_MAX + 2);
    let (start, end) = (shown.offset(5_000), shown.offset(5_004));
    assert_eq!(shown.text.get(start..end), Some("here"));
}

#[test]
fn places_may_be_asked_for_in_any_order() {
    let text = long_line();
    let source = SourceText::new(text.as_bytes());
    let asked = [9_000, 100, 5_000, 5_000, 10_003, 0];
    for column in asked {
        let alone = SourceText::new(text.as_bytes()).shown(2, column).text;
        assert_eq!(source.shown(2, column).text, alone, "{column}");
    }
}

/// As facts count: a byte that does not continue a character is a column.
#[test]
fn columns_of_bytes_that_are_no_text_are_those_of_the_facts() {
    let source = SourceText::new(b"\xc3\xa9\xff\x80\xfex");
    let shown = source.shown(1, 0);
    assert_eq!(shown.text, "é<0xFF><0x80><0xFE>x");
    assert_eq!(shown.text.get(shown.offset(1)..), Some("<0xFF><0x80><0xFE>x"));
    assert_eq!(shown.text.get(shown.offset(2)..), Some("<0xFE>x"));
    assert_eq!(shown.text.get(shown.offset(3)..), Some("x"));
    assert_eq!(shown.offset(9), shown.end());
}

#[test]
fn lines_end_as_facts_end_them() {
    let source = SourceText::new(b"a\r\nb\x0bc\rd\n");
    assert_eq!(source.lines(), 2);
    assert_eq!(source.shown(1, 0).text, "a");
    assert_eq!(source.shown(2, 0).text, "b␋c␍d");
    assert_eq!(source.shown(3, 0).text, "");
    assert_eq!(source.shown(u32::MAX, u32::MAX).text, "");
    assert_eq!(SourceText::new(b"").lines(), 0);
}

#[test]
fn a_megabyte_of_continuations_is_not_shown_whole() {
    let bytes = vec![0x80; 1 << 20];
    assert!(SourceText::new(&bytes).shown(1, 0).text.len() < 10_000);
}
