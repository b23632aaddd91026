//! The files of a result: what is found in them, and which are not handed out for that.
//!
//! Nothing can be taken out of a file as it can of a text: its reader may want it whole. What an
//! obliged detector finds bars it. Must never tell a name that holds a secret.

use crate::enforce::effect::ShownFile;
use crate::enforce::findings;
use crate::policy::{Finding, YieldedFile};
use crate::redact::{Counts, Detectors, Ending, find};
use std::borrow::Cow;

/// What was found in one file.
#[derive(Debug)]
pub(super) struct Searched {
    /// In its name and its bytes.
    pub(super) found: Counts,
    in_name: Counts,
}

impl Searched {
    pub(super) fn through(file: &ShownFile<'_>) -> Self {
        let in_name: Counts = find(file.name, Ending::Whole).iter().collect();
        let mut found = in_name;
        for text in readings(file.content) {
            found.add_all(&find(&text, Ending::Whole).iter().collect());
        }
        Self { found, in_name }
    }

    fn named(&self, detectors: Detectors) -> Vec<&'static str> {
        let obliged = self.found.found().filter(|(detector, _)| detectors.contains(*detector));
        obliged.map(|(detector, _)| detector.as_str()).collect()
    }
}

/// What stands in a file, read as text. What is none is read for what stands in it in ASCII, with
/// its zeros as breaks and then without them, as text of two bytes a letter has them.
fn readings(content: &[u8]) -> Vec<Cow<'_, str>> {
    match std::str::from_utf8(content) {
        Ok(text) if !content.contains(&0) => vec![text.into()],
        Ok(_) | Err(_) => {
            let letter = |byte: &u8| if matches!(byte, 1..=127) { char::from(*byte) } else { '\n' };
            let whole: String = content.iter().map(letter).collect();
            let dense: String = content.iter().filter(|byte| **byte != 0).map(letter).collect();
            vec![whole.into(), dense.into()]
        }
    }
}

pub(super) fn yielded<'a>(files: &[ShownFile<'a>], searched: &[Searched]) -> Vec<YieldedFile<'a>> {
    let told = |(file, searched): (&ShownFile<'a>, &Searched)| YieldedFile {
        name: file.name,
        bytes: u64::try_from(file.content.len()).unwrap_or(u64::MAX),
        media_type: file.media_type,
        digest: file.digest,
        detected: searched.found,
    };
    files.iter().zip(searched).map(told).collect()
}

/// The places of the files in which one of these detectors found something, and what there is to
/// say of them.
pub(super) fn barred(
    files: &[ShownFile<'_>],
    searched: &[Searched],
    detectors: Detectors,
) -> (Vec<usize>, Vec<Finding>) {
    let named = searched.iter().map(|file| file.named(detectors));
    let barred = files.iter().zip(searched).zip(named).enumerate();
    let barred = barred.filter(|(_, (_, detectors))| !detectors.is_empty());
    barred
        .map(|(place, ((file, searched), detectors))| {
            let harmless = searched.in_name.found().next().is_none();
            let name = harmless.then_some(file.name);
            (place, findings::barred(name, &detectors.join(", ")))
        })
        .unzip()
}
