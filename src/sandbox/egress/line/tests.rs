use super::{Line, Overrun};
use futures_util::FutureExt;
use regate_agent::{Data, Decoder, Kind, Side, WINDOW_BYTES, Window};
use tokio::sync::mpsc;

fn line() -> (Line, mpsc::Receiver<Vec<u8>>) {
    let (frames, said) = mpsc::channel(64);
    (Line::new(7, frames), said)
}

fn window() -> Vec<u8> {
    vec![0; WINDOW_BYTES as usize]
}

#[tokio::test]
async fn what_came_is_handed_out_once_and_the_end_after_it() {
    let (line, _said) = line();
    line.take(b"ab").unwrap();
    line.take(b"c").unwrap();
    line.end(Side::Sending);
    assert_eq!(line.next().await.as_deref(), Some(&b"abc"[..]));
    assert_eq!(line.next().await, None);
    assert_eq!(line.take(b"d"), Err(Overrun));
}

#[tokio::test]
async fn more_than_a_window_is_taken_only_once_it_was_granted() {
    let (line, mut said) = line();
    line.take(&window()).unwrap();
    assert_eq!(line.take(b"a"), Err(Overrun));
    assert_eq!(line.next().await.map(|bytes| bytes.len()), Some(window().len()));
    assert_eq!(line.take(b"a"), Err(Overrun));
    line.grant(10).await;
    line.take(&[0; 10]).unwrap();
    assert_eq!(line.take(b"a"), Err(Overrun));
    let mut decoder = Decoder::default();
    decoder.push(&said.recv().await.unwrap());
    let frame = decoder.next_frame().unwrap().unwrap();
    assert_eq!(
        (frame.kind, Window::read(&frame.payload)),
        (Kind::Window, Some(Window { number: 7, bytes: 10 }))
    );
}

#[tokio::test]
async fn no_more_is_sent_than_there_is_room_for() {
    let (line, mut said) = line();
    assert_eq!(line.room(1_000).await, 1_000);
    line.send(&window()).await;
    let payload = said.recv().await.unwrap();
    assert_eq!(Data::read(&payload[5..]).unwrap().bytes.len(), window().len());
    assert!(line.room(1).now_or_never().is_none());
    line.credit(3).unwrap();
    assert_eq!(line.room(1_000).await, 3);
    assert_eq!(line.credit(WINDOW_BYTES), Err(Overrun));
}

#[tokio::test]
async fn who_is_gone_is_known_to_be() {
    let (line, _said) = line();
    line.end(Side::Sending);
    assert!(line.gone().now_or_never().is_none());
    line.end(Side::Both);
    line.gone().await;
}
