use super::{Close, Data, Refused, Side, Window};
use crate::{Decoder, Frame, Kind};
use proptest::collection::vec;
use proptest::prelude::{any, proptest};

/// The one frame that is put.
fn framed(put: impl FnOnce(&mut Vec<u8>)) -> Frame {
    let mut bytes = Vec::new();
    put(&mut bytes);
    let mut decoder = Decoder::default();
    decoder.push(&bytes);
    let frame = decoder.next_frame().unwrap().unwrap();
    assert_eq!(decoder.next_frame(), Ok(None));
    frame
}

proptest! {
    #[test]
    fn what_is_said_of_a_connection_is_heard(
        number in any::<u32>(),
        count in any::<u32>(),
        bytes in vec(any::<u8>(), 0..300),
    ) {
        let data = Data { number, bytes: &bytes };
        let frame = framed(|frames| data.put(frames));
        assert_eq!((frame.kind, Data::read(&frame.payload)), (Kind::Data, Some(data)));
        let window = Window { number, bytes: count };
        let frame = framed(|frames| window.put(frames));
        assert_eq!((frame.kind, Window::read(&frame.payload)), (Kind::Window, Some(window)));
        for side in [Side::Sending, Side::Both] {
            let close = Close { number, side };
            let frame = framed(|frames| close.put(frames));
            assert_eq!((frame.kind, Close::read(&frame.payload)), (Kind::Close, Some(close)));
        }
    }

    /// Of each there is one spelling.
    #[test]
    fn payloads_of_any_kind_are_survived(payload in vec(any::<u8>(), 0..20)) {
        assert_eq!(Data::read(&payload).is_some(), payload.len() >= 4);
        assert_eq!(Window::read(&payload).is_some(), payload.len() == 8);
        assert!(Close::read(&payload).is_none() || payload.len() == 5);
    }
}

#[test]
fn a_refusal_is_an_answer_that_a_client_understands() {
    for refused in Refused::ALL {
        let answer = String::from_utf8(refused.response()).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
        assert!(head.starts_with("HTTP/1.1 ") && body.ends_with(".\n"), "{answer}");
        let word = serde_json::to_string(&refused).unwrap();
        assert_eq!(word, format!("\"{}\"", refused.as_str()));
    }
}
