//! The strict reading of what policy answered.
//!
//! Must never guess: what is not of the one form that is read is malformed, and no permit.

use super::engine::Document;
use super::{Caps, Confinement, Finding, FindingSpan, Limit, Obligations, Severity};
use crate::call::Text;
use std::collections::BTreeSet;

/// The most characters of a message or a remedy; more is cut.
const PROSE_CHARACTERS_MAX: usize = 1_000;
/// The most bytes of a name in an obligation.
const NAME_BYTES_MAX: usize = 256;
/// The most names in one obligation.
const NAMES_MAX: usize = 100;

/// What the policy text wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It may happen.
    Permit,
    /// A person has to say.
    Hold,
    /// It may not happen.
    Deny,
}

/// A verdict of the one form that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    /// What policy wants.
    pub(super) effect: Effect,
    /// Why; sorted by rule, then place.
    pub(super) findings: Vec<Finding>,
    /// What must be done with the call.
    pub(super) obligations: Obligations,
}

/// What a verdict may hold.
#[derive(Debug)]
pub(super) struct Bounds<'a> {
    /// The ids of the bundle's rules: nobody else finds anything.
    pub(super) rules: &'a BTreeSet<Text>,
    /// The most findings.
    pub(super) findings_max: usize,
}

/// Why a verdict cannot be read; for the bundle's author, not for callers.
pub(super) type Malformed = &'static str;

/// Reads a verdict.
pub(super) fn read(document: &Document, bounds: &Bounds<'_>) -> Result<Verdict, Malformed> {
    let [effect, findings, obligations] = members(document, ["effect", "findings", "obligations"])?;
    let effect = read_effect(&required(effect)?)?;
    Ok(Verdict {
        effect,
        findings: read_findings(&required(findings)?, effect, bounds)?,
        obligations: read_obligations(&required(obligations)?)?,
    })
}

/// The members of these names; any other name is refused.
fn members<const N: usize>(
    document: &Document,
    names: [&str; N],
) -> Result<[Option<Document>; N], Malformed> {
    let mut found = [const { None }; N];
    for (name, member) in document.members().ok_or("an object is expected")? {
        let slot = names
            .iter()
            .zip(&mut found)
            .find_map(|(known, slot)| (**known == *name).then_some(slot))
            .ok_or("a key is not known")?;
        *slot = Some(member);
    }
    Ok(found)
}

fn required(member: Option<Document>) -> Result<Document, Malformed> {
    member.ok_or("a key is missing")
}

fn text(document: &Document) -> Result<&Text, Malformed> {
    document.text().ok_or("a text is expected")
}

fn read_effect(document: &Document) -> Result<Effect, Malformed> {
    match &**text(document)? {
        "permit" => Ok(Effect::Permit),
        "hold" => Ok(Effect::Hold),
        "deny" => Ok(Effect::Deny),
        _ => Err("the effect is not known"),
    }
}

/// A denial with more findings than are kept is still that denial, with the worst of them; a
/// permit or a hold with as many is not to be trusted.
fn read_findings(
    document: &Document,
    effect: Effect,
    bounds: &Bounds<'_>,
) -> Result<Vec<Finding>, Malformed> {
    let items = document.items().ok_or("a list of findings is expected")?;
    if items.len() > bounds.findings_max && effect != Effect::Deny {
        return Err("there are too many findings");
    }
    let mut findings =
        items.iter().map(|item| read_finding(item, bounds)).collect::<Result<Vec<_>, _>>()?;
    findings.sort();
    if findings.len() > bounds.findings_max {
        findings.sort_by_key(|finding| finding.severity);
        findings.truncate(bounds.findings_max);
        findings.sort();
    }
    Ok(findings)
}

fn read_finding(document: &Document, bounds: &Bounds<'_>) -> Result<Finding, Malformed> {
    let [rule, span, message, severity, remedy] =
        members(document, ["rule", "span", "message", "severity", "remedy"])?;
    let rule = required(rule)?;
    Ok(Finding {
        rule: bounds
            .rules
            .get(text(&rule)?)
            .cloned()
            .ok_or("a finding names no rule of the bundle")?,
        span: match span {
            Some(span) if !span.is_null() => Some(read_span(&span)?),
            Some(_) | None => None,
        },
        message: prose(&required(message)?)?,
        severity: read_severity(&required(severity)?)?,
        remedy: prose(&required(remedy)?)?,
    })
}

fn read_severity(document: &Document) -> Result<Severity, Malformed> {
    match &**text(document)? {
        "critical" => Ok(Severity::Critical),
        "high" => Ok(Severity::High),
        "medium" => Ok(Severity::Medium),
        "low" => Ok(Severity::Low),
        _ => Err("the severity is not known"),
    }
}

/// A rule hands on the span of a fact, which has the byte range as well.
fn read_span(document: &Document) -> Result<FindingSpan, Malformed> {
    let [line, column, end_line, end_column, _byte] =
        members(document, ["line", "column", "end_line", "end_column", "byte"])?;
    let number =
        |member: Option<Document>| required(member)?.whole().ok_or("a span holds whole numbers");
    Ok(FindingSpan {
        line: number(line)?,
        column: number(column)?,
        end_line: number(end_line)?,
        end_column: number(end_column)?,
    })
}

fn prose(document: &Document) -> Result<Text, Malformed> {
    let text = text(document)?;
    match text.char_indices().nth(PROSE_CHARACTERS_MAX) {
        None => Ok(text.clone()),
        Some((end, _)) => Ok(format!("{}…", text.get(..end).unwrap_or_default()).into()),
    }
}

fn read_obligations(document: &Document) -> Result<Obligations, Malformed> {
    let [sandbox, connect, labels, redact, approvers] =
        members(document, ["sandbox", "connect", "labels", "redact", "approvers"])?;
    Ok(Obligations {
        sandbox: sandbox.as_ref().map(read_confinement).transpose()?.flatten(),
        connect: names(connect)?,
        labels: names(labels)?,
        redact: names(redact)?,
        approvers: names(approvers)?,
    })
}

/// What rules want of the sandbox, one of them or all: the name of a profile, or an object that
/// makes limits of one smaller, of that which another names where it names none. Of each limit
/// the smallest counts, and two profiles contradict each other.
fn read_confinement(document: &Document) -> Result<Option<Box<Confinement>>, Malformed> {
    let each = document.items().unwrap_or_else(|| vec![document.clone()]);
    let (mut profile, mut caps) = (None, Caps::new());
    for one in &each {
        let named = read_wanted(one, &mut caps)?;
        match (&profile, named) {
            (Some(known), Some(named)) if *known != named => {
                return Err("two profiles are obliged");
            }
            (_, Some(named)) => profile = Some(named),
            (_, None) => {}
        }
    }
    match profile {
        Some(profile) => Ok(Some(Box::new(Confinement { profile, caps }))),
        None if each.is_empty() => Ok(None),
        None => Err("a key is missing"),
    }
}

/// The profile that one of them names, if it does; its limits are added to the others.
fn read_wanted(document: &Document, caps: &mut Caps) -> Result<Option<Text>, Malformed> {
    let Some(members) = document.members() else {
        return name(document).map(Some);
    };
    let mut profile = None;
    for (key, member) in members {
        if &*key == "profile" {
            profile = Some(name(&member)?);
        } else {
            let limit = Limit::named(&key).ok_or("a key is not known")?;
            let wanted = member.count().ok_or("a limit is a whole number")?;
            let smallest = caps.entry(limit).or_insert(wanted);
            *smallest = wanted.min(*smallest);
        }
    }
    Ok(profile)
}

fn names(member: Option<Document>) -> Result<Vec<Text>, Malformed> {
    let Some(member) = member else {
        return Ok(Vec::new());
    };
    let items = member.items().ok_or("a list of names is expected")?;
    if items.len() > NAMES_MAX {
        return Err("an obligation holds too many names");
    }
    let sorted = items.iter().map(name).collect::<Result<BTreeSet<_>, _>>()?;
    Ok(sorted.into_iter().collect())
}

fn name(document: &Document) -> Result<Text, Malformed> {
    let text = text(document)?;
    if text.is_empty() || text.len() > NAME_BYTES_MAX {
        return Err("a name in an obligation is empty or too long");
    }
    Ok(text.clone())
}
