//! The pieces that programs are made of: `fixtures/reality/grammar/`.

use crate::routes::kind_of;
use regate::facts::drift::Kind;

/// All pieces.
pub(crate) struct Grammar {
    pub(crate) deeds: Vec<Deed>,
    pub(crate) texts: Vec<Template>,
    pub(crate) routes: Vec<Template>,
    pub(crate) flows: Vec<Template>,
    pub(crate) calls: Vec<Template>,
    pub(crate) places: Vec<Template>,
}

/// What a program does.
#[derive(Clone)]
pub(crate) struct Deed {
    /// Nothing where it is harmless.
    pub(crate) kind: Option<Kind>,
    pub(crate) module: String,
    pub(crate) function: String,
    pub(crate) arguments: String,
    /// What is done with the result.
    pub(crate) after: String,
    pub(crate) text: String,
}

/// Lines with holes, and the expression that they lead to.
#[derive(Clone)]
pub(crate) struct Template {
    pub(crate) name: String,
    pub(crate) lines: Vec<String>,
    pub(crate) gives: String,
    /// What it is only for: a module, or `one` argument.
    pub(crate) only: Option<String>,
}

impl Deed {
    /// Whether it is one argument and nothing else, so that it can be handed to another caller.
    pub(crate) fn is_of_one_argument(&self) -> bool {
        self.arguments == "$T" && self.after.is_empty()
    }

    /// A name for people.
    pub(crate) fn name(&self) -> String {
        format!("{}.{}({}){}", self.module, self.function, self.arguments, self.after)
    }
}

impl Grammar {
    pub(crate) fn read() -> Self {
        let grammar = Self {
            deeds: deeds(include_str!("../../fixtures/reality/grammar/deeds.txt")),
            texts: templates(include_str!("../../fixtures/reality/grammar/texts.txt")),
            routes: templates(include_str!("../../fixtures/reality/grammar/routes.txt")),
            flows: templates(include_str!("../../fixtures/reality/grammar/flows.txt")),
            calls: templates(include_str!("../../fixtures/reality/grammar/calls.txt")),
            places: templates(include_str!("../../fixtures/reality/grammar/places.txt")),
        };
        assert!(grammar.deeds.iter().any(|deed| deed.kind.is_none()), "there are twins");
        grammar
    }
}

fn deeds(text: &str) -> Vec<Deed> {
    text.lines().filter(|line| !line.starts_with('#')).map(deed).collect()
}

fn deed(line: &str) -> Deed {
    let columns: Vec<&str> = line.split('|').map(str::trim).collect();
    let [head, arguments, after, text] = columns[..] else { panic!("not four columns: {line}") };
    let [kind, module, function] = head.split(' ').collect::<Vec<_>>()[..] else {
        panic!("not a kind, a module and a function: {head}")
    };
    Deed {
        kind: (kind != "none").then(|| kind_of(kind)),
        module: module.to_owned(),
        function: function.to_owned(),
        arguments: arguments.to_owned(),
        after: after.to_owned(),
        text: text.to_owned(),
    }
}

fn templates(text: &str) -> Vec<Template> {
    let mut templates: Vec<Template> = Vec::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("## ") {
            let (name, only) = match head.strip_suffix(']').and_then(|head| head.split_once(" [")) {
                Some((name, only)) => (name, Some(only.to_owned())),
                None => (head, None),
            };
            let name = name.to_owned();
            templates.push(Template { name, lines: Vec::new(), gives: String::new(), only });
        } else if let Some(template) = templates.last_mut() {
            match line.strip_prefix("=> ") {
                Some(gives) => gives.clone_into(&mut template.gives),
                None => template.lines.push(line.to_owned()),
            }
        }
    }
    templates
}
