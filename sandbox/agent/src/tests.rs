use crate::{
    Answered, Connect, Decoder, End, FRAME_BYTES_MAX, FileHead, Frame, FrameError, Kind,
    NAME_BYTES_MAX, NAME_PARTS_MAX, Ready, Start, encode, is_file_name,
};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Start),
        Just(Kind::Source),
        Just(Kind::Go),
        Just(Kind::FileHead),
        Just(Kind::FilePiece),
        Just(Kind::Ready),
        Just(Kind::Taken),
        Just(Kind::Stdout),
        Just(Kind::Stderr),
        Just(Kind::Event),
        Just(Kind::End),
        Just(Kind::Connect),
        Just(Kind::Answer),
        Just(Kind::Data),
        Just(Kind::Window),
        Just(Kind::Close),
    ]
}

/// All frames that are whole, and the error that they end with.
fn read(decoder: &mut Decoder) -> (Vec<Frame>, Option<FrameError>) {
    let mut frames = Vec::new();
    loop {
        match decoder.next_frame() {
            Ok(Some(frame)) => frames.push(frame),
            Ok(None) => return (frames, None),
            Err(error) => return (frames, Some(error)),
        }
    }
}

proptest! {
    /// What is said is heard, into whatever pieces the stream cuts it.
    #[test]
    fn frames_come_out_as_they_went_in(
        said in vec((kind(), vec(any::<u8>(), 0..300)), 0..20),
        piece in 1..400_usize,
    ) {
        let mut bytes = Vec::new();
        for (kind, payload) in &said {
            encode(*kind, payload, &mut bytes);
        }
        let (mut decoder, mut heard) = (Decoder::default(), Vec::new());
        for piece in bytes.chunks(piece) {
            decoder.push(piece);
            let (frames, error) = read(&mut decoder);
            assert_eq!(error, None);
            heard.extend(frames);
        }
        let said: Vec<Frame> =
            said.into_iter().map(|(kind, payload)| Frame { kind, payload }).collect();
        assert_eq!(heard, said);
    }

    /// Whatever comes: no panic, no more held than came, and an error is final.
    #[test]
    fn bytes_of_any_kind_are_survived(pieces in vec(vec(any::<u8>(), 0..40), 0..40)) {
        let mut decoder = Decoder::default();
        let mut broken = None;
        for piece in pieces {
            decoder.push(&piece);
            let (frames, error) = read(&mut decoder);
            assert!(broken.is_none() || (frames.is_empty() && error == broken));
            broken = broken.or(error);
        }
    }

    #[test]
    fn messages_of_any_kind_are_survived(payload in vec(any::<u8>(), 0..200)) {
        let _ = serde_json::from_slice::<Start>(&payload);
        let _ = serde_json::from_slice::<Ready>(&payload);
        let _ = serde_json::from_slice::<End>(&payload);
        let _ = serde_json::from_slice::<Connect>(&payload);
        let _ = serde_json::from_slice::<Answered>(&payload);
        let _ = serde_json::from_slice::<FileHead>(&payload);
    }

    /// Whatever passes for a name stays below the folder that it is joined to, as one path.
    #[test]
    fn names_that_pass_stay_where_they_are_put(name in "[a-zé.%/\\\\\n\u{202e} ]{0,24}") {
        if is_file_name(&name) {
            let path = std::path::Path::new("/workspace").join(&name);
            let parts: Vec<_> = path.components().collect();
            assert!(path.starts_with("/workspace") && path.to_str().unwrap().len() == name.len() + 11);
            assert_eq!(parts.len(), name.split('/').count() + 2);
            assert!(parts.iter().skip(1).all(|part| matches!(part, std::path::Component::Normal(_))));
            assert!(!name.chars().any(char::is_control) && !name.contains('\\'));
        }
    }
}

#[test]
fn names_are_relative_and_show_what_they_are() {
    let longest = "n".repeat(255);
    let deepest = vec!["d"; NAME_PARTS_MAX].join("/");
    for name in ["a", "plot.png", "a b/ü.csv", ".hidden", "...", "a/..b", &*longest, &*deepest] {
        assert!(is_file_name(name), "{name}");
    }
    let too_long_a_part = "n".repeat(256);
    let too_long = vec!["n".repeat(200); 3].join("/");
    let too_deep = vec!["d"; NAME_PARTS_MAX + 1].join("/");
    assert!(too_long.len() > NAME_BYTES_MAX);
    let strange = ["", ".", "..", "/a", "a/", "a//b", "a/../b", "./a", "a\\b", "a\nb", "a\u{7f}"];
    let turned = ["a\u{202e}b", "a\u{85}b", "a\u{200b}", "\u{feff}a", "a\u{2028}b", "a\0"];
    for name in strange.into_iter().chain(turned) {
        assert!(!is_file_name(name), "{name:?}");
    }
    for name in [too_long_a_part, too_long, too_deep] {
        assert!(!is_file_name(&name), "{name}");
    }
}

#[test]
fn a_payload_that_is_too_long_for_one_frame_goes_into_several() {
    let payload = vec![7; FRAME_BYTES_MAX + 3];
    let mut bytes = Vec::new();
    encode(Kind::Source, &payload, &mut bytes);
    let mut decoder = Decoder::default();
    decoder.push(&bytes);
    let (frames, error) = read(&mut decoder);
    let lengths: Vec<_> = frames.iter().map(|frame| frame.payload.len()).collect();
    assert_eq!((lengths, error), (vec![FRAME_BYTES_MAX, 3], None));
}

#[test]
fn a_length_is_not_believed() {
    let mut decoder = Decoder::default();
    decoder.push(&[b'o', 0xff, 0xff, 0xff, 0xff]);
    assert_eq!(decoder.next_frame(), Err(FrameError::Length(u32::MAX)));
}

#[test]
fn a_kind_that_is_not_known_is_an_error_before_its_payload_comes() {
    let mut decoder = Decoder::default();
    decoder.push(b"?\0\0\0\x05");
    assert_eq!(decoder.next_frame(), Err(FrameError::Kind(b'?')));
}

#[test]
fn messages_with_more_than_is_known_are_refused() {
    assert!(serde_json::from_str::<Ready>(r#"{"version":2}"#).is_ok());
    assert!(serde_json::from_str::<Ready>(r#"{"version":2,"more":2}"#).is_err());
    assert!(serde_json::from_str::<Ready>("{}").is_err());
}
