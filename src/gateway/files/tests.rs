use super::address::{of_uri, path, uri};
use crate::sandbox::workspace::Name;
use proptest::proptest;

#[test]
fn an_address_says_one_thing_in_one_way() {
    let name = Name::new("a b/ü#?.csv").unwrap();
    assert_eq!(path("run 1", &name), "/v1/sessions/run%201/files/a%20b/%C3%BC%23%3F.csv");
    assert_eq!(uri("run/1", &name), "regate://sessions/run%2F1/files/a%20b/%C3%BC%23%3F.csv");
    assert_eq!(of_uri(&uri("run/1", &name)), Some(("run/1".into(), name)));
    assert!(of_uri("regate://sessions/s/files/plot.png").is_some());
    let hostile = [
        "",
        "plot.png",
        "file:///etc/passwd",
        "regate://sessions/s/files/",
        "regate://sessions//files/a",
        "regate://sessions/s/files/../a",
        "regate://sessions/s/files/%2e%2e/a",
        "regate://sessions/s/files//a",
        "regate://sessions/s/files/%61",
        "regate://sessions/s/files/a%2Fb",
        "regate://sessions/s/files/a%00b",
        "regate://sessions/s/files/%ff",
        "regate://sessions/s/files/a%0ab",
        "regate://sessions/s%20t/files/a",
        "regate://sessions/s/files/a?b",
        "REGATE://sessions/s/files/a",
    ];
    for uri in hostile {
        assert_eq!(of_uri(uri), None, "{uri}");
    }
}

proptest! {
    #[test]
    fn every_file_has_an_address_that_is_found_again(session in "[!-~]{1,40}", name in ".{1,40}") {
        if let Some(name) = Name::new(&name) {
            assert_eq!(of_uri(&uri(&session, &name)), Some((session.as_str().into(), name)));
        }
    }

    #[test]
    fn no_uri_is_an_address_that_is_not_written_so(text in "(regate://sessions/)?.{0,40}") {
        if let Some((session, name)) = of_uri(&text) {
            assert_eq!(uri(&session, &name), text);
        }
    }
}
