//! Every shape with its harmless twin, what is left alone, and what holds of any text.

use super::{Counts, Detector, Detectors, Ending, Hit, Redacted, find, redact};
use proptest::prelude::*;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// One row of the table: a secret that looks real, where it stands, and its twin.
struct Row {
    detector: String,
    text: String,
    secret: String,
    twin: String,
}

fn rows() -> Vec<Row> {
    let file: Value =
        serde_json::from_str(include_str!("../../fixtures/redact/shapes.json")).unwrap();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let each = |row: &Value| {
        let pieces = row["secret"].as_array().unwrap().iter();
        let secret: String = pieces.map(|piece| piece.as_str().unwrap()).collect();
        Row {
            detector: text(row, "detector"),
            text: format!("{}{secret}{}", text(row, "before"), text(row, "after")),
            secret,
            twin: text(row, "twin"),
        }
    };
    file["rows"].as_array().unwrap().iter().map(each).collect()
}

fn harmless() -> Vec<String> {
    let file: Value =
        serde_json::from_str(include_str!("../../fixtures/redact/harmless.json")).unwrap();
    let texts = file["texts"].as_array().unwrap().iter();
    texts.map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn found(text: &str, ending: Ending) -> Vec<(&'static str, &str)> {
    let hits = find(text, ending);
    let place = |hit: &Hit| (hit.detector.as_str(), text.get(hit.bytes.clone()).unwrap());
    hits.iter().map(place).collect()
}

fn redacted(text: &str, ending: Ending) -> Redacted<'_> {
    redact(text, &find(text, ending), Detectors::all())
}

#[test]
fn every_shape_is_found_where_it_stands_and_its_twin_is_not() {
    for row in rows() {
        let whole = found(&row.text, Ending::Whole);
        assert_eq!(whole, [(&*row.detector, &*row.secret)], "{}", row.text);
        assert_eq!(found(&row.twin, Ending::Whole), [], "{}", row.twin);
    }
}

#[test]
fn every_detector_has_its_row() {
    let shown: BTreeSet<String> = rows().into_iter().map(|row| row.detector).collect();
    let exist = Detector::ALL.map(|detector| detector.as_str().to_owned());
    assert_eq!(shown, exist.into());
    assert_eq!(Counts::default().every().count(), Detector::COUNT);
}

#[test]
fn what_programs_print_all_day_is_left_alone() {
    for text in harmless() {
        assert_eq!(found(&text, Ending::Whole), [], "{text}");
        let kept = redacted(&text, Ending::Whole);
        assert!(matches!(kept.text, Cow::Borrowed(same) if std::ptr::eq(same, &*text)));
    }
}

#[test]
fn a_mark_names_the_detector_and_stands_where_the_secret_stood() {
    for row in rows() {
        let mark = format!("[redacted: {}]", row.detector);
        let told = redacted(&row.text, Ending::Whole);
        assert_eq!(told.text, row.text.replace(&row.secret, &mark));
        let counts: Vec<_> = told.counts.found().map(|(each, n)| (each.as_str(), n)).collect();
        assert_eq!(counts, [(&*row.detector, 1)]);
    }
}

#[test]
fn only_what_is_asked_for_is_taken_out() {
    for row in rows() {
        let hits = find(&row.text, Ending::Whole);
        let asked = |name: &str| {
            redact(&row.text, &hits, Detectors::named([name]).unwrap()).text != *row.text
        };
        assert_eq!(asked("cards"), row.detector == "cards");
        assert_eq!(asked("secrets"), row.detector != "cards");
        assert!(asked(&row.detector));
        assert_eq!(redact(&row.text, &hits, Detectors::NONE).text, row.text);
    }
    assert!(Detectors::named(["secrets", "secret"]).is_err());
}

#[test]
fn a_token_within_a_password_is_taken_out_whichever_is_asked_for() {
    let row = rows().into_iter().find(|row| row.detector == "github_token").unwrap();
    let text = format!("https://oauth2:{}@github.com/a/b", row.secret);
    let hits = find(&text, Ending::Whole);
    for name in ["github_token", "url_password"] {
        let told = redact(&text, &hits, Detectors::named([name]).unwrap());
        assert_eq!(told.text, format!("https://oauth2:[redacted: {name}]@github.com/a/b"));
    }
    assert_eq!(redacted(&text, Ending::Whole).counts.found().map(|(_, n)| n).sum::<u32>(), 1);
}

#[test]
fn what_begins_as_a_secret_and_reaches_a_cut_is_taken_for_one() {
    for row in rows() {
        let start = row.text.find(&row.secret).unwrap();
        let prefix = row.secret.get(..row.secret.len().min(16)).unwrap();
        for length in [row.secret.len() / 2 + 4, row.secret.len() - 1] {
            let cut = row.text.get(..start + length).unwrap();
            let told = redacted(cut, Ending::Cut);
            assert!(!told.text.contains(prefix), "{cut:?}: {}", told.text);
        }
        // Of a password the place alone says what it is.
        let barely = row.text.get(..=start).unwrap();
        let is_password = row.detector == "url_password";
        assert!(is_password || found(barely, Ending::Cut).is_empty(), "{barely}");
    }
    for text in harmless() {
        let told = redacted(&text, Ending::Cut);
        assert_eq!(told.text, text);
    }
}

/// Long texts of the kind that makes a careless scanner look at everything again and again.
#[test]
fn hostile_texts_take_no_longer_than_others() {
    let pieces = [
        "eyJ",
        "eyJ-",
        "eyJ.",
        "eyJhbGciOiJub25lIn0.a-",
        "glpat-",
        "pypi-AgE",
        "ghs_",
        "a://b:",
        "://",
        ":",
        "secret_access_key=",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ",
        "-",
        "4 ",
        "4111-",
        "4",
        "sk-ant-",
        "AKIA",
        ".",
    ];
    for piece in pieces {
        let text = piece.repeat((1 << 18) / piece.len());
        for ending in [Ending::Whole, Ending::Cut] {
            // A scanner that looks at everything again would not come to an end.
            let once = redacted(&text, ending).text.into_owned();
            assert_eq!(redacted(&once, Ending::Whole).text, once, "{piece}");
        }
    }
}

/// Pieces of which texts are made that are full of secrets, of halves of them, and of marks.
fn piece() -> impl Strategy<Value = String> {
    let secrets: Vec<String> =
        rows().into_iter().flat_map(|row| [row.secret, row.text, row.twin]).collect();
    let half = proptest::sample::select(secrets.clone());
    let half = (half, any::<proptest::sample::Index>())
        .prop_map(|(text, at)| text.get(..at.index(text.len())).unwrap().to_owned());
    let marks = ["", " ", "\n", "-", "_", ".", ":", "=", "@", "/", "://", "\\n", "%3D", "é", "5"];
    prop_oneof![
        proptest::sample::select(secrets),
        half,
        proptest::sample::select(marks.map(str::to_owned).to_vec()),
        "[ -~]{0,12}",
        any::<String>(),
    ]
}

proptest! {
    #[test]
    fn nothing_of_what_was_found_is_left(pieces in prop::collection::vec(piece(), 0..12)) {
        let text = pieces.concat();
        for ending in [Ending::Whole, Ending::Cut] {
            let hits = find(&text, ending);
            let once = redact(&text, &hits, Detectors::all());
            if hits.is_empty() {
                prop_assert!(matches!(once.text, Cow::Borrowed(same) if std::ptr::eq(same, &*text)));
            }
            prop_assert!(rest(&text, &hits).chars().eq(unmarked(&text, &once.text)));
            let twice = redacted(&once.text, ending);
            prop_assert_eq!(&twice.text, &once.text);
        }
    }
}

/// The text outside of all hits.
fn rest(text: &str, hits: &[Hit]) -> String {
    let within = |at: usize| hits.iter().any(|hit| hit.bytes.contains(&at));
    text.char_indices().filter(|(at, _)| !within(*at)).map(|(_, each)| each).collect()
}

/// The redacted text without the marks that were not in the text before.
fn unmarked(before: &str, after: &str) -> Vec<char> {
    let mark = |text: &str| text.matches("[redacted: ").count();
    assert_eq!(mark(before), 0, "no piece holds a mark");
    let mut kept = after.to_owned();
    for detector in Detector::ALL {
        kept = kept.replace(&format!("[redacted: {}]", detector.as_str()), "");
    }
    kept.chars().collect()
}
