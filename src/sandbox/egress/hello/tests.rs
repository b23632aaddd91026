use super::{HELLO_BYTES_MAX, NotTls, names};
use crate::sandbox::egress::Target;
use proptest::collection::vec;
use proptest::prelude::{any, proptest};

fn target() -> Target {
    Target::read("api.example.com:443").unwrap()
}

fn extension(kind: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap();
    [&kind.to_be_bytes(), &length.to_be_bytes(), data].concat()
}

fn server_name(name: &str) -> Vec<u8> {
    let length = u16::try_from(name.len()).unwrap();
    let list = [&(length + 3).to_be_bytes()[..], &[0], &length.to_be_bytes(), name.as_bytes()];
    extension(0, &list.concat())
}

/// The message with these extensions, without records around it.
fn hello(extensions: &[Vec<u8>]) -> Vec<u8> {
    let extensions = extensions.concat();
    let length = u16::try_from(extensions.len()).unwrap();
    let body = [
        &[3, 3][..],
        &[7; 32],
        &[0],
        &[0, 2, 0x13, 0x01],
        &[1, 0],
        &length.to_be_bytes(),
        &extensions,
    ]
    .concat();
    let [_, length @ ..] = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&[1][..], &length, &body].concat()
}

fn records(message: &[u8], piece: usize) -> Vec<u8> {
    let record = |piece: &[u8]| {
        let length = u16::try_from(piece.len()).unwrap();
        [&[22, 3, 1][..], &length.to_be_bytes(), piece].concat()
    };
    message.chunks(piece).flat_map(record).collect()
}

fn of(extensions: &[Vec<u8>]) -> Result<bool, NotTls> {
    names(&records(&hello(extensions), 1 << 14), &target())
}

#[test]
fn the_server_s_name_is_the_host_s() {
    let other = extension(43, &[2, 3, 4]);
    assert_eq!(of(&[other.clone(), server_name("api.example.com")]), Ok(true));
    assert_eq!(of(&[server_name("API.example.com"), other]), Ok(true));
}

#[test]
fn another_name_none_or_a_hidden_one_is_refused() {
    let good = server_name("api.example.com");
    let two_names = extension(0, b"\0\x24\0\0\x0fapi.example.com\0\0\x0fapi.example.com");
    let trailing = extension(0, b"\0\x12\0\0\x0fapi.example.com!");
    let refused = [
        vec![],
        vec![server_name("other.example.com")],
        vec![server_name("api.example.com.")],
        vec![server_name("")],
        vec![good.clone(), good.clone()],
        vec![two_names],
        vec![trailing],
        vec![extension(0, b"")],
        vec![good.clone(), extension(0xfe0d, &[0; 40])],
        vec![extension(0xffce, &[0; 40]), good],
    ];
    for extensions in refused {
        assert_eq!(of(&extensions), Err(NotTls), "{extensions:?}");
    }
}

#[test]
fn what_is_no_tls_is_refused_at_once() {
    for bytes in [&b"GET / HTTP/1.1"[..], b"\0", b"\x16\x02\0\0\x05", b"\x15\x03\x03\0\x02\x02\x31"]
    {
        assert_eq!(names(bytes, &target()), Err(NotTls), "{bytes:?}");
    }
    let message = hello(&[server_name("api.example.com")]);
    let with_more = records(&[&message[..], &message].concat(), 1 << 14);
    assert_eq!(names(&with_more, &target()), Err(NotTls));
}

#[test]
fn a_message_that_never_ends_is_refused_at_its_cap() {
    let endless = records(&[&[1, 0, 0x7f, 0xff][..], &vec![0; HELLO_BYTES_MAX]].concat(), 1 << 13);
    assert_eq!(names(&endless[..HELLO_BYTES_MAX], &target()), Err(NotTls));
    assert_eq!(names(&endless[..HELLO_BYTES_MAX - 1], &target()), Ok(false));
}

proptest! {
    /// However it is cut into records, it is read when it is whole and not before.
    #[test]
    fn a_message_may_be_cut_anywhere(piece in 1..200_usize) {
        let said = records(&hello(&[server_name("api.example.com")]), piece);
        for end in 0..said.len() {
            assert_eq!(names(&said[..end], &target()), Ok(false));
        }
        assert_eq!(names(&said, &target()), Ok(true));
    }

    #[test]
    fn bytes_of_any_kind_are_survived(bytes in vec(any::<u8>(), 0..400)) {
        let _ = names(&bytes, &target());
        let _ = names(&records(&[&[1, 0, 0, 90][..], &bytes].concat(), 50), &target());
    }
}
