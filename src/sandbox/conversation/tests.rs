//! Whatever is said in the agent's place: what is taken of it is what an agent may say, and
//! nothing is waited for that does not come.

use super::{Broken, Conversation};
use crate::sandbox::engine::Attached;
use crate::sandbox::output::{Output, Taken};
use futures_util::{FutureExt, stream};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use regate_agent::{Content, End, FileHead, FilesMax, Frame, Kind, encode};

const TOKEN: &str = "token";
const OUTPUT_BYTES_MAX: usize = 40;
const FILES_MAX: FilesMax =
    FilesMax { files_max: 3, file_bytes_max: 20, all_bytes_max: 30, ms_max: 0 };

/// What an agent says while a program runs, kept in order, beside what it may not say.
fn frame() -> impl Strategy<Value = Frame> {
    let bytes = || vec(any::<u8>(), 0..16);
    let frame = |kind| move |payload| Frame { kind, payload };
    let json = |kind, message: Result<Vec<u8>, _>| Frame { kind, payload: message.unwrap() };
    let end = prop_oneof![4 => Just(TOKEN), 1 => Just("another")].prop_map(move |token| {
        let end = End { exit_code: Some(0), token: token.to_owned(), ..End::default() };
        json(Kind::End, serde_json::to_vec(&end))
    });
    let content = prop_oneof![
        4 => Just(Content::Follows),
        1 => Just(Content::Unchanged),
        1 => Just(Content::LeftOut),
    ];
    let name = prop_oneof!["[a-c]{1,2}", Just("../up".to_owned()), Just(String::new())];
    let head = (name, 0..24_u64, content).prop_map(move |(name, bytes, content)| {
        json(Kind::FileHead, serde_json::to_vec(&FileHead { name, bytes, content }))
    });
    prop_oneof![
        8 => bytes().prop_map(frame(Kind::Stdout)),
        4 => bytes().prop_map(frame(Kind::Stderr)),
        4 => bytes().prop_map(frame(Kind::Event)),
        3 => head,
        3 => bytes().prop_map(frame(Kind::FilePiece)),
        6 => end,
        1 => bytes().prop_map(frame(Kind::End)),
        1 => bytes().prop_map(frame(Kind::FileHead)),
        1 => bytes().prop_map(frame(Kind::Connect)),
        1 => bytes().prop_map(frame(Kind::Taken)),
        1 => bytes().prop_map(frame(Kind::Go)),
    ]
}

/// A conversation in which this comes from the agent, in pieces of so many bytes, and then nothing.
fn said(bytes: &[u8], piece: usize) -> Conversation {
    let pieces: Vec<_> = bytes.chunks(piece).map(|piece| Ok(piece.to_vec())).collect();
    Conversation::new(Attached {
        stdin: Box::pin(tokio::io::sink()),
        output: Box::pin(stream::iter(pieces)),
    })
}

/// What comes of a run of which this is said.
fn run(bytes: &[u8], piece: usize) -> (Result<End, Broken>, Output, Taken) {
    let (mut output, mut taken) = (Output::new(OUTPUT_BYTES_MAX as u64), Taken::within(FILES_MAX));
    let mut conversation = said(bytes, piece);
    let ran = conversation.run(TOKEN, (&mut output, &mut taken), &[], None).now_or_never();
    (ran.expect("all that comes is there"), output, taken)
}

fn written(frames: &[Frame]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for Frame { kind, payload } in frames {
        encode(*kind, payload, &mut bytes);
    }
    bytes
}

/// All that was written to one stream.
fn all_of(frames: &[Frame], kind: Kind) -> Vec<u8> {
    let of_kind = frames.iter().filter(|frame| frame.kind == kind);
    of_kind.flat_map(|frame| frame.payload.clone()).collect()
}

proptest! {
    #[test]
    fn a_run_ends_as_its_own_agent_says_or_not_at_all(
        frames in vec(frame(), 0..12),
        piece in 1..64_usize,
    ) {
        let (ended, output, taken) = run(&written(&frames), piece);
        let last = frames.iter().position(|frame| frame.kind == Kind::End);
        let before = frames.get(..last.unwrap_or(frames.len())).unwrap();
        let token_is_right = last.and_then(|last| frames.get(last)).is_some_and(|frame| {
            serde_json::from_slice::<End>(&frame.payload).is_ok_and(|end| end.token == TOKEN)
        });
        let (stdout, stderr) = (all_of(before, Kind::Stdout), all_of(before, Kind::Stderr));
        let fits = stdout.len().max(stderr.len()) <= OUTPUT_BYTES_MAX;
        let plain = |frame: &Frame| [Kind::Stdout, Kind::Stderr, Kind::Event].contains(&frame.kind);
        let files = |frame: &Frame| [Kind::FileHead, Kind::FilePiece].contains(&frame.kind);
        if token_is_right && fits && before.iter().all(plain) {
            assert!(ended.is_ok(), "{ended:?}");
        }
        if let Ok(end) = ended {
            assert!(token_is_right && fits);
            assert!(before.iter().all(|frame| plain(frame) || files(frame)));
            let (told, told_too, _) = output.read();
            assert_eq!(told, String::from_utf8_lossy(&stdout));
            assert_eq!(told_too, String::from_utf8_lossy(&stderr));
            if let Ok(files) = taken.close(&end, &[]) {
                let sizes: Vec<_> = files.changed.iter().map(|file| file.content.len()).collect();
                assert!(sizes.len() <= 3 && sizes.iter().all(|size| *size <= 20));
                assert!(sizes.iter().sum::<usize>() <= 30);
                assert!(files.changed.is_sorted_by(|one, next| one.name < next.name));
            }
        }
    }

    #[test]
    fn bytes_that_are_no_frames_end_it(bytes in vec(any::<u8>(), 0..200), piece in 1..64_usize) {
        let (ended, ..) = run(&bytes, piece);
        assert!(ended.is_err(), "{ended:?}");
    }

    #[test]
    fn nothing_but_its_being_taken_lets_a_program_go(frame in frame()) {
        let start = regate_agent::Start {
            version: regate_agent::VERSION,
            wall_ms: 1,
            output_bytes_max: 1,
            event_bytes_max: 1,
            watch: String::new(),
            source_bytes: 1,
            connections: None,
            files_in: 0,
            files_out: FILES_MAX,
            token: TOKEN.to_owned(),
        };
        let mut conversation = said(&written(std::slice::from_ref(&frame)), 64);
        let handed_in = conversation.hand_in(&start, b"1", &[]).now_or_never().unwrap();
        assert_eq!(handed_in.is_ok(), frame.kind == Kind::Taken, "{handed_in:?}");
    }
}
