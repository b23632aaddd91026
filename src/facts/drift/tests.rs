use super::{Event, Kind, Listed, Own, Table};
use crate::call::Text;

fn event(name: &str, arguments: &[&str], places: &[&str], chain: &[&str]) -> Event {
    let texts = |texts: &[&str]| texts.iter().map(|text| Text::from(*text)).collect();
    Event {
        name: name.into(),
        arguments: texts(arguments),
        places: texts(places),
        chain: texts(chain),
        line: 1,
    }
}

fn table() -> Table {
    let events = [
        ("open", Some(Kind::Read), vec![0]),
        ("os.system", Some(Kind::Process), vec![]),
        ("compile", Some(Kind::Dynamic), vec![]),
        ("import", Some(Kind::Module), vec![]),
        ("os.environ", Some(Kind::Environment), vec![]),
        ("time.sleep", None, vec![]),
    ];
    Table {
        events: events.map(|(name, kind, paths)| (name.into(), Listed { kind, paths })).into(),
        environment: vec!["os.py".into()],
        own: vec![
            Own {
                events: vec!["compile".into()],
                file: Some("typing.py".into()),
                names_only: true,
                ..Own::default()
            },
            Own {
                events: vec!["open".into()],
                path: Some("/usr/share/zoneinfo/".into()),
                ..Own::default()
            },
        ],
    }
}

#[test]
fn an_event_is_what_the_table_says_or_unlisted() {
    let (library, installed) = ("/usr/lib/python3/x.py", "/usr/lib/python3/y.py");
    let typing = "/usr/lib/python3/typing.py";
    for (event, expected) in [
        (event("os.system", &["id"], &[], &[]), Some(Kind::Process)),
        (event("os.system", &["id"], &[], &[library]), Some(Kind::Process)),
        (event("time.sleep", &["1"], &[], &[]), None),
        (event("made.up", &[], &[], &[]), Some(Kind::Unlisted)),
        (event("import", &["os"], &[], &[]), Some(Kind::Module)),
        (event("import", &["os"], &[], &[library]), None),
        (event("open", &["a", "r", "0"], &["/a"], &[]), Some(Kind::Read)),
        (event("open", &["a", "w", "577"], &["/a"], &[]), Some(Kind::Write)),
        (event("open", &["y"], &[installed], &[library]), None),
        (event("open", &["y"], &[installed], &[]), Some(Kind::Read)),
        (event("open", &["3"], &[""], &[]), None),
        (event("open", &["z"], &["/usr/share/zoneinfo/UTC"], &[library]), None),
        (event("os.environ", &["A"], &[], &["<frozen os>/os.py"]), Some(Kind::Environment)),
        (event("os.environ", &["A"], &[], &[library]), None),
        (event("compile", &["list['Node'] | None"], &[], &[typing]), None),
        (event("compile", &["system('id')"], &[], &[typing]), Some(Kind::Dynamic)),
        (event("compile", &["Node"], &[], &[library]), Some(Kind::Dynamic)),
    ] {
        assert_eq!(table().doing(&event), expected, "{event:?}");
    }
}

#[test]
fn the_observer_is_told_of_each_event_when_it_matters_and_what_of_it_is_a_path() {
    let lines = "compile p\nimport d\nopen p 0\nos.environ p\nos.system a\ntime.sleep n\n";
    assert_eq!(table().watch(), lines);
}
