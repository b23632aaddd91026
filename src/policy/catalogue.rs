//! The strict reading of `data/capabilities.json` and `image/python.json` of a bundle.
//!
//! An unknown key, an unknown word or a name that is told twice is an error. Must never fill in
//! what the data leaves out.

use crate::call::Text;
use crate::facts::{
    Catalogue, DynamicKind, Entry, Handled, Holdings, Makes, Method, Parameter, ResourceKind,
    Runtime, Slots, Switch, Words,
};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::marker::PhantomData;

/// Reads what names mean, and what the image holds.
///
/// # Errors
/// Where a text is no JSON, has an unknown key or word, lacks a reason, tells a name twice, or
/// where they describe different interpreters.
pub(super) fn read(text: &str, image: &str) -> Result<Catalogue, String> {
    let data: Data = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let described: Image = serde_json::from_str(image).map_err(|error| error.to_string())?;
    if data.runtime != described.runtime {
        return Err("the image has another interpreter than the catalogue".to_owned());
    }
    let mut catalogue = Catalogue {
        digest: digest([text, image]),
        runtime: Runtime { name: data.runtime.name.into(), version: data.runtime.version.into() },
        names: HashMap::new(),
        prefixes: HashMap::new(),
        methods: HashMap::new(),
        method_roots: HashSet::new(),
        attributes: HashMap::new(),
        reexports: HashMap::new(),
        modules: holdings(described.modules)?,
        handled: Handled::default(),
    };
    reasoned(&data.reason)?;
    let groups = groups(&data.groups)?;
    for (name, group) in data.names.0 {
        let entry = find(&groups, &group)?.entry.clone();
        put(&mut catalogue.names, &name, entry)?;
    }
    for (prefix, group) in data.prefixes.0 {
        let entry = find(&groups, &group)?.entry.clone();
        put(&mut catalogue.prefixes, &prefix, entry)?;
    }
    catalogue.methods = methods(&data.methods, &groups)?;
    catalogue.attributes = methods(&data.attributes, &groups)?;
    let of = catalogue.methods.values().flatten().flat_map(|method| method.of.iter());
    catalogue.method_roots = of.map(Text::clone).collect();
    for group in data.reexports {
        reasoned(&group.reason)?;
        for (attribute, module) in group.modules.0 {
            put(&mut catalogue.reexports, &attribute, module.into())?;
        }
    }
    Ok(catalogue)
}

/// Each text is preceded by its length, so that no two pairs have one digest.
pub(super) fn digest(texts: [&str; 2]) -> Text {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex().as_str().into()
}

fn holdings(modules: Pairs<HoldingsData>) -> Result<HashMap<Text, Holdings>, String> {
    let mut holdings = HashMap::with_capacity(modules.0.len());
    for (name, data) in modules.0 {
        let held = Holdings {
            modules: Words::new(data.modules),
            public: data.public.map(Words::new),
            names: Words::new(data.names),
        };
        put(&mut holdings, &name, held)?;
    }
    Ok(holdings)
}

/// What `regate catalogue generate` writes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Image {
    runtime: RuntimeData,
    modules: Pairs<HoldingsData>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HoldingsData {
    #[serde(default)]
    modules: String,
    public: Option<String>,
    #[serde(default)]
    names: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    reason: String,
    runtime: RuntimeData,
    groups: Pairs<Group>,
    names: Pairs<String>,
    prefixes: Pairs<String>,
    methods: Pairs<String>,
    /// A bundle may leave them out.
    #[serde(default)]
    attributes: Pairs<String>,
    reexports: Vec<Reexports>,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct RuntimeData {
    name: String,
    version: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    reason: String,
    #[serde(default)]
    capabilities: Vec<String>,
    dynamic: Option<String>,
    makes: Option<MakesData>,
    mode: Option<SlotsData>,
    dispatch: Option<SlotsData>,
    #[serde(default)]
    switches: Vec<SwitchData>,
    #[serde(default)]
    parameters: Vec<ParameterData>,
    #[serde(default)]
    of: Vec<String>,
    positional: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum MakesData {
    Path,
    Handle,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SlotsData {
    position: Option<u32>,
    keyword: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SwitchData {
    position: Option<u32>,
    keyword: Option<String>,
    capabilities: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParameterData {
    kind: String,
    op: String,
    position: Option<u32>,
    keyword: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reexports {
    reason: String,
    modules: Pairs<String>,
}

/// The members of an object in their order, each of them even where a key stands twice.
pub(super) struct Pairs<V>(pub(super) Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Pairs<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor(PhantomData))
    }
}

impl<V> Default for Pairs<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

struct PairsVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for PairsVisitor<V> {
    type Value = Pairs<V>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

pub(super) fn reasoned(reason: &str) -> Result<(), String> {
    if reason.trim().is_empty() {
        return Err("a group of the catalogue has no reason".to_owned());
    }
    Ok(())
}

pub(super) fn put<V>(map: &mut HashMap<Text, V>, name: &str, value: V) -> Result<(), String> {
    match map.insert(name.into(), value) {
        None => Ok(()),
        Some(_) => Err(format!("`{name}` is told twice")),
    }
}

/// A group with what it says read.
struct Meant<'data> {
    entry: Entry,
    group: &'data Group,
}

fn groups(data: &Pairs<Group>) -> Result<HashMap<&str, Meant<'_>>, String> {
    let mut groups = HashMap::new();
    for (id, group) in &data.0 {
        reasoned(&group.reason)?;
        let entry = entry(group)?;
        if groups.insert(id.as_str(), Meant { entry, group }).is_some() {
            return Err(format!("the group `{id}` is told twice"));
        }
    }
    Ok(groups)
}

fn find<'map, 'data>(
    groups: &'map HashMap<&str, Meant<'data>>,
    id: &str,
) -> Result<&'map Meant<'data>, String> {
    groups.get(id).ok_or_else(|| format!("there is no group `{id}`"))
}

/// Methods by the last part of their names, in the order of the data.
fn methods(
    data: &Pairs<String>,
    groups: &HashMap<&str, Meant<'_>>,
) -> Result<HashMap<Text, Vec<Method>>, String> {
    let mut methods: HashMap<Text, Vec<Method>> = HashMap::new();
    for (name, id) in &data.0 {
        let meant = find(groups, id)?;
        if meant.group.of.is_empty() {
            return Err(format!("of which modules' objects `{name}` is a method is not said"));
        }
        let word = name.rsplit('.').next().unwrap_or_default();
        methods.entry(word.into()).or_default().push(Method {
            name: name.as_str().into(),
            of: meant.group.of.iter().map(|root| root.as_str().into()).collect(),
            positional: meant.group.positional,
            entry: meant.entry.clone(),
        });
    }
    Ok(methods)
}

fn entry(group: &Group) -> Result<Entry, String> {
    Ok(Entry {
        capabilities: sorted(&group.capabilities),
        dynamic: group.dynamic.as_deref().map(dynamic).transpose()?,
        parameters: group.parameters.iter().map(parameter).collect::<Result<_, _>>()?,
        mode: group.mode.as_ref().map(slots),
        dispatch: group.dispatch.as_ref().map(slots),
        switches: group.switches.iter().map(switch).collect(),
        makes: group.makes.as_ref().map(|makes| match makes {
            MakesData::Path => Makes::Path,
            MakesData::Handle => Makes::Handle,
        }),
    })
}

fn slots(data: &SlotsData) -> Slots {
    Slots { position: data.position, keyword: data.keyword.as_deref().map(Text::from) }
}

fn switch(data: &SwitchData) -> Switch {
    Switch {
        slots: Slots { position: data.position, keyword: data.keyword.as_deref().map(Text::from) },
        capabilities: sorted(&data.capabilities),
    }
}

fn sorted(names: &[String]) -> Vec<Text> {
    let mut names: Vec<Text> = names.iter().map(|name| name.as_str().into()).collect();
    names.sort();
    names
}

fn dynamic(word: &str) -> Result<DynamicKind, String> {
    DynamicKind::ALL
        .iter()
        .find(|kind| kind.as_str() == word)
        .copied()
        .ok_or_else(|| format!("`{word}` is no way of making code"))
}

fn parameter(data: &ParameterData) -> Result<Parameter, String> {
    let kind = ResourceKind::ALL
        .iter()
        .find(|kind| kind.as_str() == data.kind)
        .copied()
        .ok_or_else(|| format!("`{}` is no kind of resource", data.kind))?;
    Ok(Parameter {
        position: data.position,
        keyword: data.keyword.as_deref().map(Text::from),
        kind,
        op: data.op.as_str().into(),
    })
}
