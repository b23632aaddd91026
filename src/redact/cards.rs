//! Numbers of payment cards: by their first digits, their length, their grouping, and the check
//! digit of ISO/IEC 7812.

use super::Hit;
use super::detector::Detector;
use super::scan::{CUT_BYTES_MIN, Left, Scan};

/// How many digits a number has.
const DIGITS_MIN: usize = 13;
const DIGITS_MAX: usize = 19;
/// As many digits, with a mark between groups.
const BYTES_MAX: usize = DIGITS_MAX + 5;
/// How numbers are grouped where they are.
const GROUPINGS: [&[usize]; 3] = [&[4, 4, 4, 4], &[4, 6, 5], &[4, 4, 4, 4, 3]];

/// The number that begins here.
pub(super) fn card(scan: &Scan<'_>, at: usize, left: Left) -> Option<Hit> {
    // A fraction, or a part of a name.
    if left == Left::Mark && matches!(scan.before(at), [.., b'.' | b'_']) {
        return None;
    }
    let rest = scan.from(at);
    let near = rest.get(..BYTES_MAX).unwrap_or(rest);
    let length = plain(near).or_else(|| GROUPINGS.iter().find_map(|groups| grouped(near, groups)));
    if let Some(length) = length.filter(|length| ends(scan.from(at + length))) {
        let digits = || near.get(..length).unwrap_or_default().iter().filter_map(digit);
        if lengths(digits()).contains(&digits().count()) && luhn(digits()) {
            return Some(Hit {
                detector: Detector::Cards,
                bytes: scan.start(at, left)..at + length,
            });
        }
    }
    // Behind a dash it may be the last part of an id.
    let in_id = matches!(scan.before(at), [.., mark, b'-'] if *mark != b'-');
    (!in_id && scan.is_cut(at + near.len()) && is_beginning(near))
        .then(|| Hit { detector: Detector::Cards, bytes: scan.start(at, left)..at + near.len() })
}

/// Whether a number may begin so that was cut.
fn is_beginning(near: &[u8]) -> bool {
    let digits = || near.iter().filter_map(digit);
    let marks = |byte: &u8| matches!(byte, b' ' | b'-');
    let written = near.iter().all(|byte| byte.is_ascii_digit() || marks(byte));
    written
        && (CUT_BYTES_MIN..DIGITS_MAX).contains(&digits().count())
        && !lengths(digits()).is_empty()
}

fn digit(byte: &u8) -> Option<u32> {
    byte.is_ascii_digit().then(|| u32::from(byte - b'0'))
}

/// The length of a number that is written without marks.
fn plain(near: &[u8]) -> Option<usize> {
    let length = near.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (DIGITS_MIN..=DIGITS_MAX).contains(&length).then_some(length)
}

/// The length of a number that is written in these groups, with one mark between all of them.
fn grouped(near: &[u8], groups: &[usize]) -> Option<usize> {
    let mark = near.get(*groups.first()?).filter(|mark| matches!(mark, b' ' | b'-'))?;
    let length = groups.iter().sum::<usize>() + groups.len() - 1;
    let mut parts = near.get(..length)?.split(|byte| byte == mark);
    let fits = groups.iter().all(|group| {
        parts.next().is_some_and(|part| part.len() == *group && part.iter().all(u8::is_ascii_digit))
    });
    fits.then_some(length)
}

/// Whether a number may end before this.
fn ends(rest: &[u8]) -> bool {
    match rest {
        [b'-' | b'.', next, ..] => !next.is_ascii_digit(),
        [next, ..] => !next.is_ascii_alphanumeric() && *next != b'_',
        [] => true,
    }
}

/// How many digits the numbers of the issuer have whose first digits these are; none where they
/// are nobody's.
fn lengths(digits: impl Iterator<Item = u32>) -> &'static [usize] {
    match digits.take(4).fold(0, |number, digit| number * 10 + digit) {
        4_000..=4_999 => &[13, 16],
        5_100..=5_599 | 2_221..=2_720 | 6_011 | 6_440..=6_599 | 3_528..=3_589 => &[16],
        3_400..=3_499 | 3_700..=3_799 => &[15],
        3_000..=3_059 | 3_600..=3_699 | 3_800..=3_899 => &[14],
        6_200..=6_299 => &[16, 17, 18, 19],
        _ => &[],
    }
}

/// The check digit. Zeros alone fulfil it and are no number.
fn luhn(digits: impl DoubleEndedIterator<Item = u32>) -> bool {
    let weighed = digits.rev().enumerate().map(|(place, digit)| match place % 2 {
        0 => digit,
        _ => digit * 2 / 10 + digit * 2 % 10,
    });
    let sum: u32 = weighed.sum();
    sum > 0 && sum.is_multiple_of(10)
}
