use super::Taken;
use crate::sandbox::workspace::{File, Given, Name};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use regate_agent::{Content, End, FileHead, FilesMax};

const MAX: FilesMax =
    FilesMax { files_max: 3, file_bytes_max: 8, all_bytes_max: 12, ms_max: 1_000 };

fn head(name: &str, bytes: u64, content: Content) -> FileHead {
    FileHead { name: name.to_owned(), bytes, content }
}

fn given(name: &str, content: &[u8]) -> Given {
    let File { name, content, digest, .. } = File::new(Name::new(name).unwrap(), content.to_vec());
    Given { name, content, digest }
}

#[test]
fn files_come_out_changed_unchanged_left_out_or_not_at_all() {
    let files = [given("gone", b"1"), given("left", b"2"), given("same", b"3"), given("x", b"4")];
    let mut taken = Taken::within(FilesMax { files_max: 9, ..MAX });
    for (name, content) in [("a", Content::Follows), ("left", Content::LeftOut)] {
        taken.head(&head(name, 2, content), &files).unwrap();
        if content == Content::Follows {
            taken.piece(b"4").unwrap();
            taken.piece(b"2").unwrap();
        }
    }
    taken.head(&head("same", 1, Content::Unchanged), &files).unwrap();
    // The same bytes are no change, though the agent sends them.
    taken.head(&head("x", 1, Content::Follows), &files).unwrap();
    taken.piece(b"4").unwrap();
    let told = End { files_left: 1, ..End::default() };
    let out = taken.close(&told, &files).unwrap();
    let changed: Vec<_> =
        out.changed.iter().map(|file| (file.name.as_str(), &*file.content)).collect();
    assert_eq!(changed, [("a", b"42".as_slice())]);
    assert_eq!(out.gone, [(files[0].name.clone(), files[0].digest.clone())]);
    assert_eq!(out.left, 1);
}

#[test]
fn where_the_agent_did_not_look_everywhere_nothing_is_taken_for_gone() {
    let files = [given("a", b"1")];
    let cut = End { files_cut: true, ..End::default() };
    assert_eq!(Taken::within(MAX).close(&cut, &files).unwrap().gone, []);
}

#[test]
fn what_the_agent_says_of_files_is_not_believed() {
    let files = [given("a", b"1")];
    let refuses = |heads: &[FileHead]| {
        let mut taken = Taken::within(MAX);
        let mut heads = heads.iter();
        heads.any(|head| taken.head(head, &files).is_err())
            || taken.close(&End::default(), &files).is_err()
    };
    let whole = |name: &str| head(name, 0, Content::Follows);
    assert!(!refuses(&[whole("a"), whole("b"), whole("c")]));
    for name in ["../a", "/etc/passwd", "", "a\nb", "a//b"] {
        assert!(refuses(&[whole(name)]), "{name:?}");
    }
    assert!(refuses(&[whole("b"), whole("a")]), "not sorted");
    assert!(refuses(&[whole("a"), whole("a")]), "twice");
    assert!(refuses(&[whole("a"), whole("b"), whole("c"), whole("d")]), "too many");
    assert!(refuses(&[head("a", 9, Content::Follows)]), "too long");
    assert!(refuses(&[head("a", 2, Content::Follows)]), "not whole");
    assert!(refuses(&[head("b", 0, Content::Unchanged)]), "never put in");
    let mut taken = Taken::within(MAX);
    assert!(taken.piece(b"1").is_err(), "of no file");
    taken.head(&head("a", 2, Content::Follows), &files).unwrap();
    assert!(taken.piece(b"123").is_err(), "more than it has");
}

#[derive(Debug, Clone)]
enum Said {
    Head(String, u64, Content),
    Piece(Vec<u8>),
}

fn said() -> impl Strategy<Value = Said> {
    let content = prop_oneof![4 => Just(Content::Follows), 1 => Just(Content::Unchanged), 1 => Just(Content::LeftOut)];
    let head = ("[a-c./]{1,4}", 0..10_u64, content);
    prop_oneof![
        head.prop_map(|(name, bytes, content)| Said::Head(name, bytes, content)),
        vec(any::<u8>(), 0..6).prop_map(Said::Piece),
    ]
}

proptest! {
    /// Whatever an agent says: what is taken keeps to the bounds, in order, under proper names.
    #[test]
    fn what_is_taken_keeps_to_the_bounds(said in vec(said(), 0..24)) {
        let files = [given("a", b"1")];
        let mut taken = Taken::within(MAX);
        let heard = said.iter().all(|said| match said {
            Said::Head(name, bytes, content) => {
                taken.head(&head(name, *bytes, *content), &files).is_ok()
            }
            Said::Piece(piece) => taken.piece(piece).is_ok(),
        });
        let closed = taken.close(&End::default(), &files);
        if let (true, Ok(out)) = (heard, closed) {
            assert!(out.changed.len() <= 3);
            assert!(out.changed.iter().all(|file| file.bytes() <= 8));
            assert!(out.changed.iter().map(File::bytes).sum::<u64>() <= 12);
            assert!(out.changed.is_sorted_by(|one, other| one.name < other.name));
        }
    }
}
