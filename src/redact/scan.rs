//! One pass over a text. Every detector looks only where what it looks for can begin.

use super::alphabet::Alphabet;
use super::shapes::{SHAPES, Shape};
use super::{Ending, Hit, cards, places};

/// How much of a token that was cut must be there beyond its prefix.
pub(super) const CUT_BYTES_MIN: usize = 8;

/// A text under the eyes of the detectors.
#[derive(Debug)]
pub(super) struct Scan<'t> {
    bytes: &'t [u8],
    ending: Ending,
    /// Where the last run over each alphabet ended: no byte is run over twice by one of them.
    runs: [usize; Alphabet::COUNT],
    /// Where the last hit ended that was passed.
    floor: usize,
    initials: Initials,
}

/// The first characters of all tokens, so that most words are passed over at a glance.
#[derive(Debug, Clone, Copy)]
struct Initials(u128);

impl Initials {
    fn of_shapes() -> Self {
        let prefixes = SHAPES.iter().flat_map(|shape| shape.prefixes);
        let firsts = prefixes.filter_map(|prefix| prefix.bytes().next());
        Self(firsts.fold(0, |bits, first| bits | (1 << (first & 0x7f))))
    }

    const fn contains(self, byte: u8) -> bool {
        byte.is_ascii() && self.0 & (1 << (byte & 0x7f)) != 0
    }
}

/// What a secret begins after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// What stands for another character.
    Escape,
    /// A mark, or the text's beginning.
    Mark,
}

fn are_hex<const N: usize>(digits: [&u8; N]) -> bool {
    digits.iter().all(|digit| digit.is_ascii_hexdigit())
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str, ending: Ending) -> Self {
        Self {
            bytes: text.as_bytes(),
            ending,
            runs: [0; Alphabet::COUNT],
            floor: 0,
            initials: Initials::of_shapes(),
        }
    }

    pub(super) fn hits(mut self) -> Vec<Hit> {
        let mut hits = Vec::new();
        let mut at = 0;
        while at < self.bytes.len() {
            let hit = self.begins(at);
            at = match &hit {
                Some(hit) if hit.bytes.contains(&at) => {
                    self.floor = hit.bytes.end;
                    hit.bytes.end
                }
                // What a hit further on is announced by is not the hit itself.
                Some(_) | None => at + 1,
            };
            hits.extend(hit);
        }
        hits
    }

    fn begins(&mut self, at: usize) -> Option<Hit> {
        match self.byte(at)? {
            b':' => places::url_password(self, at).or_else(|| places::named(self, at)),
            b'=' | b'>' => places::named(self, at),
            b'-' => places::private_key(self, at),
            b'0'..=b'9' => {
                let left = self.left(at)?;
                cards::card(self, at, left)
            }
            letter if self.initials.contains(letter) => {
                let left = self.left(at)?;
                self.token(at, left)
            }
            _ => None,
        }
    }

    fn token(&mut self, at: usize, left: Left) -> Option<Hit> {
        let bytes = self.bytes;
        let rest = bytes.get(at..)?;
        SHAPES.iter().find_map(|shape| {
            let fits = |prefix: &&&str| rest.starts_with(prefix.as_bytes());
            let prefix = shape.prefixes.iter().find(fits)?;
            let end = self.shaped(shape, (at, at + prefix.len()))?;
            Some(Hit { detector: shape.detector, bytes: self.start(at, left)..end })
        })
    }

    /// Where a token of this shape ends that begins and whose body begins there.
    fn shaped(&mut self, shape: &Shape, (start, body_start): (usize, usize)) -> Option<usize> {
        let run = self.run(shape.body, body_start);
        if self.is_cut(run) && run - body_start < *shape.length.start() {
            return (run - body_start >= CUT_BYTES_MIN).then_some(run);
        }
        let end = self.without_stop(run);
        let body = self.bytes.get(body_start..end)?;
        let token = self.bytes.get(start..end)?;
        let ends = !self.byte(end).is_some_and(|next| next.is_ascii_alphanumeric());
        let fits = ends && shape.length.contains(&body.len());
        let proved = fits && shape.proof.holds(token, body);
        // What reaches a cut may be whole, and then proves what it is; or it may go on.
        let may_go_on = fits && self.is_cut(run) && body.len() < *shape.length.end();
        (proved || may_go_on).then_some(end)
    }

    /// The end of what is spelt so from here on.
    pub(super) fn run(&mut self, alphabet: Alphabet, from: usize) -> usize {
        let known = self.runs.get(alphabet as usize).copied().unwrap_or_default();
        if known > from {
            return known;
        }
        let rest = self.bytes.get(from..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| alphabet.contains(**byte)).count();
        if let Some(end) = self.runs.get_mut(alphabet as usize) {
            *end = from + length;
        }
        from + length
    }

    /// A sentence's end is no part of the token before it.
    fn without_stop(&self, end: usize) -> usize {
        let head = self.bytes.get(..end).unwrap_or_default();
        end - head.iter().rev().take_while(|byte| **byte == b'.').count()
    }

    /// Where a secret's hit begins that itself begins here.
    pub(super) fn start(&self, at: usize, left: Left) -> usize {
        match left {
            Left::Escape => at,
            Left::Mark => self.glued(at),
        }
    }

    /// Where what is glued to a secret on its left begins. It goes with the secret: without that,
    /// what is left could be of another one's shape.
    fn glued(&self, at: usize) -> usize {
        let before = self.bytes.get(self.floor..at).unwrap_or_default();
        at - before.iter().rev().take_while(|byte| Alphabet::Dotted.contains(**byte)).count()
    }

    /// What a secret that begins here begins after: no letter and no digit, but for one that
    /// belongs to what is written for another character, as in `\nghp_`, `%3Dghp_`, `\x00ghp_`
    /// and `\u003dghp_`.
    fn left(&self, at: usize) -> Option<Left> {
        match self.before(at) {
            [.., b'\\', b'n' | b'r' | b't'] => Some(Left::Escape),
            [.., b'%', a, b] | [.., b'\\', b'x', a, b] if are_hex([a, b]) => Some(Left::Escape),
            [.., b'\\', b'u', a, b, c, d] if are_hex([a, b, c, d]) => Some(Left::Escape),
            [] => Some(Left::Mark),
            [.., last] => (!last.is_ascii_alphanumeric()).then_some(Left::Mark),
        }
    }

    /// Whether the text was cut there.
    pub(super) fn is_cut(&self, end: usize) -> bool {
        self.ending == Ending::Cut && end == self.bytes.len()
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// What comes before.
    pub(super) fn before(&self, at: usize) -> &'t [u8] {
        self.bytes.get(..at).unwrap_or_default()
    }

    /// What comes from there on.
    pub(super) fn from(&self, at: usize) -> &'t [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }
}
