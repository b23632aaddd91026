//! Any bytes at all, in pieces of any size: what either side reads of them does not hang on where
//! they were cut, is what it says when it is written again, and nothing of it breaks the reader.

#![no_main]

use regate_agent::{
    Answered, Close, Connect, Data, Decoder, End, FileHead, Frame, FrameError, Ready, Start, Window,
    encode, is_file_name,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// The frames of these bytes, and what is wrong with what follows them.
fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Frame>, Option<FrameError>) {
    let (mut decoder, mut frames) = (Decoder::default(), Vec::new());
    for piece in pieces {
        decoder.push(piece);
        loop {
            match decoder.next_frame() {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(error) => return (frames, Some(error)),
            }
        }
    }
    (frames, None)
}

/// A message that is understood says the same when it is written again.
fn stays<T: Serialize + DeserializeOwned + PartialEq + Debug>(payload: &[u8]) {
    if let Ok(message) = serde_json::from_slice::<T>(payload) {
        let written = serde_json::to_vec(&message).unwrap();
        assert_eq!(serde_json::from_slice::<T>(&written).unwrap(), message);
    }
}

fn payload_stays(payload: &[u8]) {
    stays::<Ready>(payload);
    stays::<Start>(payload);
    stays::<FileHead>(payload);
    stays::<Connect>(payload);
    stays::<Answered>(payload);
    stays::<End>(payload);
    if let Some(data) = Data::read(payload) {
        assert_eq!(data.bytes.len() + 4, payload.len());
    }
    let _ = (Window::read(payload), Close::read(payload));
    let _ = std::str::from_utf8(payload).is_ok_and(is_file_name);
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((size, bytes)) = bytes.split_first() else { return };
    let (frames, error) = read(std::iter::once(bytes));
    let in_pieces = read(bytes.chunks(usize::from(*size).max(1)));
    assert_eq!(in_pieces, (frames.clone(), error));
    let mut written = Vec::new();
    for Frame { kind, payload } in &frames {
        encode(*kind, payload, &mut written);
        payload_stays(payload);
    }
    assert!(bytes.starts_with(&written));
});
