use super::*;
use proptest::prelude::*;

fn page() -> Page {
    Page::new(Colour::Plain, Some(80))
}

fn span(place: (u32, u32), end: (u32, u32)) -> FindingSpan {
    FindingSpan { line: place.0, column: place.1, end_line: end.0, end_column: end.1 }
}

fn entry(marks: &[FindingSpan]) -> Entry {
    let mark = |span: &FindingSpan| Mark { span: *span, primary: true, label: "high".to_owned() };
    Entry {
        sort: Sort::Error,
        title: Some(("area/rule".to_owned(), "a message".to_owned())),
        marks: marks.iter().map(mark).collect(),
        notes: vec![(Sort::Help, "help".to_owned(), "do without it".to_owned())],
    }
}

#[test]
fn an_entry_about_no_place_names_the_file() {
    let shown = page().render("a.py", &SourceText::new(b"x"), &entry(&[]));
    assert_eq!(shown, "error[area/rule]: a message\n--> a.py\n = help: do without it",);
}

#[test]
fn the_place_is_that_of_the_source_where_the_line_is_cut() {
    let text = format!("{}here{}", "a".repeat(1 << 19), "b".repeat(1 << 19));
    let marks = [span((1, 1 << 19), (1, (1 << 19) + 4))];
    let shown = page().render("a.py", &SourceText::new(text.as_bytes()), &entry(&marks));
    assert!(shown.contains("a.py:1:524289\n"), "{shown}");
    let lines: Vec<&str> = shown.lines().collect();
    let (code, carets) = (lines[3], lines[4]);
    let at = |line: &str, what: &str| line.split(what).next().unwrap().chars().count();
    assert_eq!(at(code, "here"), at(carets, "^^^^ high"), "{shown}");
    assert!(code.chars().count() <= 80, "{shown}");
}

#[test]
fn a_mark_over_a_megabyte_is_a_few_lines() {
    for text in ["a".repeat(1 << 20), "a\n".repeat(1 << 19)] {
        let last = u32::try_from(text.lines().count()).unwrap();
        let marks = [span((1, 0), (last, 1 << 20))];
        let shown = page().render("a.py", &SourceText::new(text.as_bytes()), &entry(&marks));
        assert!(shown.len() < 1_000, "{shown}");
    }
}

#[test]
fn a_name_and_a_message_of_strangers_are_shown_and_not_obeyed() {
    let mut told = entry(&[span((1, 0), (1, 1))]);
    told.title = Some(("a\x1b[0m".to_owned(), "b\u{202e}\n".repeat(1_000)));
    let shown = page().render("c\x07.py", &SourceText::new(b"x"), &told);
    assert!(shown.starts_with("error[a␛[0m]: b<U+202E>␊b"), "{shown}");
    assert!(shown.contains("c␇.py:1:1"), "{shown}");
    assert!(shown.len() < 10_000);
}

#[test]
fn words_are_broken_between_and_not_within() {
    assert_eq!(wrapped("aa bb cc", 5), "aa bb\ncc");
    assert_eq!(wrapped("aaaaaaa b", 3), "aaaaaaa\nb");
    assert_eq!(wrapped("", 3), "");
}

fn any_place() -> impl Strategy<Value = (u32, u32)> {
    let number = prop_oneof![0..12_u32, 200..400_u32, Just(u32::MAX - 1), Just(u32::MAX)];
    (number.clone(), number)
}

fn any_source() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just("漢é\u{301}".as_bytes().to_vec()),
        Just(vec![b'x'; 300]),
        proptest::collection::vec(any::<u8>(), 0..8),
    ];
    proptest::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// Spans come from a team's bundle, and bytes from an agent: neither is to be trusted.
    #[test]
    fn any_place_in_any_bytes_is_shown_safely(
        bytes in any_source(),
        places in proptest::collection::vec((any_place(), any_place()), 0..4),
    ) {
        let marks: Vec<_> = places.into_iter().map(|(start, end)| span(start, end)).collect();
        let shown = page().render("a.py", &SourceText::new(&bytes), &entry(&marks));
        prop_assert!(!shown.chars().any(|it| it.is_control() && it != '\n'), "{shown:?}");
        prop_assert!(shown.len() < 100_000);
    }
}
