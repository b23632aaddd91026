//! What the sandbox may be set to.
//!
//! Must never hold a limit of a single run: those are a profile's.

use super::Error;
use super::container::Shape;
use crate::call::Text;
use crate::limits::fair::Weights;
use crate::policy::{Caps, Profile};
use std::collections::BTreeMap;

/// Where the engine is, what it runs, and how many containers it keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The Docker endpoint: `unix:///var/run/docker.sock`.
    pub docker: Text,
    /// What the engine calls the images that profiles name.
    pub images: BTreeMap<Text, Text>,
    /// What no run has more of, whatever its profile says.
    pub ceilings: Caps,
    /// The name that tells this gateway's containers from another's.
    pub instance: Text,
    /// How long one request to the engine may take, and the start of an interpreter.
    pub engine_ms_max: u64,
    /// How many programs may run at once.
    pub runs_at_once_max: u32,
    /// How long a run may wait for its turn.
    pub wait_ms_max: u64,
    /// How many shares of the turns tenants have while runs wait; one where a tenant is not named.
    pub weights: Weights,
    /// How many containers there may be at once, those that wait for a program and those that are
    /// being made or removed included.
    pub containers_max: u32,
    /// How many of them may be in the making at once.
    pub creations_at_once_max: u32,
    /// How many wait for a program that imports nothing of `preload`, for each profile.
    pub stock_max: u32,
    /// How long a container may wait, and for how long after the last call of a kind such
    /// containers are kept.
    pub stock_ms_max: u64,
    /// Which modules some of the containers have imported beforehand.
    pub preload: Vec<Preload>,
}

/// Containers whose interpreter has imported modules before it gets its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preload {
    /// The modules, by full name, in the order in which they are imported.
    pub modules: Vec<Text>,
    /// How many of them wait, for each profile.
    pub stock_max: u32,
}

/// What the image that `sandbox/image` makes is called.
pub const IMAGE_DEFAULT: &str = "regate-sandbox:latest";

impl Default for Settings {
    fn default() -> Self {
        Self {
            docker: "unix:///var/run/docker.sock".into(),
            images: [("python".into(), IMAGE_DEFAULT.into())].into(),
            ceilings: Caps::new(),
            instance: "regate".into(),
            engine_ms_max: 10_000,
            runs_at_once_max: 8,
            wait_ms_max: 10_000,
            weights: Weights::new(),
            containers_max: 64,
            creations_at_once_max: 4,
            stock_max: 16,
            stock_ms_max: 600_000,
            preload: ["pandas", "matplotlib.pyplot", "numpy"].map(Preload::of).into(),
        }
    }
}

impl Preload {
    fn of(module: &str) -> Self {
        Self { modules: vec![module.into()], stock_max: 2 }
    }
}

impl Settings {
    /// The same with no container made before it is asked for.
    #[must_use]
    pub fn without_stock(self) -> Self {
        Self { stock_max: 0, preload: Vec::new(), ..self }
    }

    /// That of a profile's containers, with these modules imported.
    pub(super) fn shape(&self, profile: &Profile, modules: &[Text]) -> Result<Shape, Error> {
        let image = self.images.get(&profile.image);
        let image = image.ok_or_else(|| Error::Image(Text::clone(&profile.image)))?;
        Ok(Shape::new(profile, image, modules))
    }

    /// What is imported beforehand for a program that imports these modules: of the lists all of
    /// whose modules it imports, the first. Nothing else may be imported for it, since a program
    /// may ask which modules there are.
    pub(super) fn preloaded(&self, imported: &[&str]) -> &[Text] {
        let fits = |preload: &&Preload| {
            preload.modules.iter().all(|module| imported.iter().any(|name| loads(name, module)))
        };
        self.preload.iter().find(fits).map_or(&[], |preload| &preload.modules)
    }

    /// How many containers wait that have these modules imported.
    pub(super) fn in_stock_max(&self, modules: &[Text]) -> usize {
        let preload = self.preload.iter().find(|preload| *preload.modules == *modules);
        let most = match preload {
            Some(preload) => preload.stock_max,
            None if modules.is_empty() => self.stock_max,
            None => 0,
        };
        usize::try_from(most).unwrap_or(usize::MAX)
    }
}

/// Whether who imports `name` imports `module` by that: itself, or something below it.
fn loads(name: &str, module: &str) -> bool {
    name.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
