use super::Target;

#[test]
fn a_host_is_compared_in_one_spelling() {
    let target = Target::read("api.example.com:443").unwrap();
    for host in ["api.example.com", "API.Example.COM", "api.example.com."] {
        assert_eq!(Target::new(host, 443), Some(target.clone()), "{host}");
    }
    assert_eq!(target.to_string(), "api.example.com:443");
    assert_ne!(Target::new("api.example.com", 444), Some(target.clone()));
    assert_ne!(Target::new("example.com", 443), Some(target));
}

#[test]
fn addresses_are_no_names_in_any_spelling() {
    let spellings = [
        "93.184.216.34",
        "93.184.216.34.",
        "1572395042",
        "0x5db8d822",
        "0X5DB8D822",
        "5.0x10",
        "0135.0270.0330.042",
        "0x5d.0xb8.0xd8.0x22",
        "93.12113954",
        "127.1",
        "0",
        "::1",
        "[::1]",
        "[2606:2800:220:1:248:1893:25c8:1946]",
        "fe80::1%lo",
        "[fe80::1%25lo]",
        "::ffff:127.0.0.1",
    ];
    for host in spellings {
        assert_eq!(Target::new(host, 443), None, "{host}");
    }
    assert!(Target::new("1572395042.example.com", 443).is_some());
}

#[test]
fn odd_names_are_refused() {
    let long = ["a".repeat(60).as_str(); 5].join(".");
    let label = "a".repeat(64);
    let odd = [
        "",
        ".",
        "a..b",
        ".a.example.com",
        "api.example.com..",
        "-a.example.com",
        "a-.example.com",
        "a b.example.com",
        "a@example.com",
        "a/example.com",
        "api.example.com\0",
        "api.example.com%00",
        "b\u{fc}cher.example.com",
        "api\u{3002}example.com",
        "\u{ff41}pi.example.com",
        &long,
        &label,
    ];
    for host in odd {
        assert_eq!(Target::new(host, 443), None, "{host}");
    }
    assert!(Target::new("a_b-c.example.com", 443).is_some());
}

#[test]
fn an_obligation_names_a_host_and_a_port() {
    for text in ["api.example.com", "api.example.com:", "api.example.com:0", "a:+80", "a:65536"] {
        assert_eq!(Target::read(text), None, "{text}");
    }
    for text in ["api.example.com:https", "https://api.example.com:443", "[::1]:443", ":443"] {
        assert_eq!(Target::read(text), None, "{text}");
    }
}
