//! From the files of a bundle to what decides: layout, metadata, data, lint, one evaluation.
//!
//! Must never load a part of a bundle: it loads whole or not at all.

mod events;
mod layout;
mod limits;
mod metadata;
mod profiles;

use super::engine::Engine;
use super::verdict::{self, Bounds};
use super::{BundleError, BundleFile, Profile, RuleInfo, Settings};
use super::{catalogue, document, handling};
use crate::call::Text;
use crate::facts::Catalogue;
use crate::facts::drift::Table;
use layout::Place;
use limits::Limits;
use std::collections::{BTreeMap, BTreeSet};

/// The one rule that is asked for.
pub(super) const VERDICT: &str = "data.regate.main.verdict";

/// The data of which Regate itself reads something.
const CATALOGUE: &str = "data/capabilities.json";
const IMAGE: &str = "image/python.json";
/// It may be left out.
const HANDLING: &str = "data/handling.json";
/// It may be left out: then nothing that programs do is observed.
const EVENTS: &str = "image/python_events.json";
/// So may it.
const LIMITS: &str = "data/limits.json";
const PROFILES: &str = "data/sandbox.json";

/// A bundle that loaded.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) digest: Text,
    pub(super) engine: Engine,
    pub(super) rules: Vec<RuleInfo>,
    pub(super) rule_ids: BTreeSet<Text>,
    pub(super) catalogue: Catalogue,
    pub(super) profiles: BTreeMap<Text, Profile>,
    pub(super) events: Option<Table>,
    /// What the table tells the observer.
    pub(super) watch: String,
    pub(super) limits: Limits,
}

/// A file with what its path makes of it.
struct Placed<'a> {
    file: &'a BundleFile,
    place: Place,
}

/// Loads a bundle.
pub(super) fn load(files: &[BundleFile], settings: &Settings) -> Result<Loaded, BundleError> {
    let placed = placed(files)?;
    let rules = rules(&placed)?;
    let events = optional(&placed, EVENTS).map(events::read).transpose();
    let events = events.map_err(in_file(EVENTS))?;
    let mut loaded = Loaded {
        digest: digest(&placed),
        engine: engine(&placed, settings.evaluation_ms_max)?,
        rule_ids: rules.iter().map(|rule| rule.id.clone()).collect(),
        rules,
        catalogue: catalogue(&placed)?,
        profiles: profiles::read(required(&placed, PROFILES)?).map_err(in_file(PROFILES))?,
        watch: events.as_ref().map(Table::watch).unwrap_or_default(),
        events,
        limits: limits(&placed)?,
    };
    answer_once(&mut loaded, settings)?;
    Ok(loaded)
}

fn catalogue(placed: &[Placed<'_>]) -> Result<Catalogue, BundleError> {
    let (names, image) = (required(placed, CATALOGUE)?, required(placed, IMAGE)?);
    let mut catalogue = catalogue::read(names, image)
        .map_err(|error| BundleError(format!("{CATALOGUE}, {IMAGE}: {error}")))?;
    if let Some(text) = optional(placed, HANDLING) {
        handling::read_into(&mut catalogue, text).map_err(in_file(HANDLING))?;
    }
    Ok(catalogue)
}

/// Without the file a bundle bounds nothing.
fn limits(placed: &[Placed<'_>]) -> Result<Limits, BundleError> {
    let read = optional(placed, LIMITS).map(limits::read).transpose().map_err(in_file(LIMITS))?;
    Ok(read.unwrap_or_default())
}

/// How long one test of a bundle may take. Tests run on busy machines, and nobody waits for a
/// decision on them.
const TEST_MS_MAX: u64 = 30_000;

/// The files' tests, with all else that they need, in an engine of their own; and the paths of
/// the tests with their packages.
pub(super) fn tests(files: &[BundleFile]) -> Result<(Engine, Vec<(String, String)>), BundleError> {
    let placed = placed(files)?;
    let mut engine = engine(&placed, TEST_MS_MAX)?;
    let mut tests = Vec::new();
    for Placed { file, place } in &placed {
        if *place == Place::Test {
            engine.add_policy(&file.path, &file.text).map_err(BundleError)?;
            tests.push((file.path.clone(), layout::package(&file.path)));
        }
    }
    Ok((engine, tests))
}

fn in_file(path: &str) -> impl Fn(String) -> BundleError {
    move |error| BundleError(format!("{path}: {error}"))
}

/// Every file with its place, sorted by path.
fn placed(files: &[BundleFile]) -> Result<Vec<Placed<'_>>, BundleError> {
    let mut placed = files
        .iter()
        .map(|file| {
            let place = layout::place(&file.path)?;
            Ok(Placed { file, place })
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(BundleError)?;
    placed.sort_by(|left, right| left.file.path.cmp(&right.file.path));
    let twice = placed.windows(2).find_map(|pair| match pair {
        [first, second] if first.file.path == second.file.path => Some(&first.file.path),
        _ => None,
    });
    match twice {
        Some(path) => Err(BundleError(format!("{path}: the bundle has this file twice"))),
        None => Ok(placed),
    }
}

/// Each text is preceded by its length, so that no two bundles have one digest.
fn digest(placed: &[Placed<'_>]) -> Text {
    let mut hasher = blake3::Hasher::new();
    for text in placed.iter().flat_map(|each| [&each.file.path, &each.file.text]) {
        hasher.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex().as_str().into()
}

fn rules(placed: &[Placed<'_>]) -> Result<Vec<RuleInfo>, BundleError> {
    placed
        .iter()
        .filter_map(|Placed { file, place }| match place {
            Place::Rule(id) => Some(metadata::read(id, &file.path, &file.text)),
            Place::Shared | Place::Test | Place::Data(_) | Place::Image | Place::Prose => None,
        })
        .collect::<Result<_, _>>()
        .map_err(BundleError)
}

fn engine(placed: &[Placed<'_>], evaluation_ms_max: u64) -> Result<Engine, BundleError> {
    let mut engine = Engine::new(evaluation_ms_max);
    let mut packages = Vec::new();
    for Placed { file, place } in placed {
        match place {
            Place::Shared | Place::Rule(_) => {
                engine.add_policy(&file.path, &file.text).map_err(BundleError)?;
                packages.push(layout::package(&file.path));
            }
            Place::Data(name) => engine.add_data(name, &file.text).map_err(in_file(&file.path))?,
            Place::Test | Place::Image | Place::Prose => {}
        }
    }
    engine.lint(&packages, &document::specimen()).map_err(BundleError)?;
    Ok(engine)
}

fn optional<'a>(placed: &[Placed<'a>], path: &str) -> Option<&'a str> {
    placed.iter().find(|each| each.file.path == path).map(|each| each.file.text.as_str())
}

fn required<'a>(placed: &[Placed<'a>], path: &str) -> Result<&'a str, BundleError> {
    optional(placed, path).ok_or_else(|| BundleError(format!("{path}: the bundle lacks this file")))
}

/// A bundle that gives no proper answer to a call with one of everything is refused.
fn answer_once(loaded: &mut Loaded, settings: &Settings) -> Result<(), BundleError> {
    let bounds = Bounds { rules: &loaded.rule_ids, findings_max: settings.findings_max };
    let specimens =
        [document::specimen_of_result(), document::specimen_of_connection(), document::specimen()];
    for specimen in specimens {
        let answer = loaded.engine.prepare(VERDICT, specimen).map_err(BundleError)?;
        verdict::read(&answer, &bounds)
            .map_err(|error| BundleError(format!("main.rego: the verdict is not read: {error}")))?;
    }
    Ok(())
}
