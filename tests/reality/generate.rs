//! Puts pieces of the grammar together. The same seed makes the same programs.

use crate::grammar::{Deed, Grammar, Template};
use regate::facts::drift::Kind;
use std::collections::BTreeMap;

/// One program.
pub(crate) struct Program {
    /// The names of its pieces.
    pub(crate) shape: String,
    /// What it does; nothing where it is harmless.
    pub(crate) kind: Option<Kind>,
    pub(crate) code: String,
}

/// The pieces of one program.
struct Choice<'grammar> {
    deed: &'grammar Deed,
    text: &'grammar Template,
    route: &'grammar Template,
    flows: Vec<&'grammar Template>,
    call: &'grammar Template,
    place: &'grammar Template,
}

/// Each piece in the plainest company: a harmful program and a harmless twin.
pub(crate) fn one_by_one(grammar: &Grammar) -> Vec<Program> {
    let company = Company::of(grammar);
    let mut choices: Vec<Choice<'_>> =
        grammar.deeds.iter().map(|deed| company.plain(deed)).collect();
    choices.extend(grammar.texts.iter().flat_map(|text| company.of_text(text)));
    choices.extend(grammar.routes.iter().flat_map(|route| company.of_route(route)));
    choices.extend(grammar.flows.iter().flat_map(|flow| company.of_flow(flow)));
    choices.extend(grammar.calls.iter().flat_map(|call| company.of_call(call)));
    choices.extend(grammar.places.iter().flat_map(|place| company.of_place(place)));
    choices.iter().map(compose).collect()
}

/// The pieces that in the plainest company leave nothing unknown: a gap would forgive whatever
/// stands beside it.
pub(crate) fn understood(grammar: &Grammar, is_complete: impl Fn(&str) -> bool) -> Grammar {
    let company = Company::of(grammar);
    let all = |choices: Vec<Choice<'_>>| {
        choices.iter().map(compose).all(|program| is_complete(&program.code))
    };
    let kept = |templates: &[Template], keep: &dyn Fn(&Template) -> bool| {
        templates.iter().filter(|one| keep(one)).cloned().collect()
    };
    Grammar {
        deeds: grammar.deeds.clone(),
        texts: kept(&grammar.texts, &|text| all(company.of_text(text))),
        routes: kept(&grammar.routes, &|route| all(company.of_route(route))),
        flows: kept(&grammar.flows, &|flow| all(company.of_flow(flow))),
        calls: kept(&grammar.calls, &|call| all(company.of_call(call))),
        places: kept(&grammar.places, &|place| all(company.of_place(place))),
    }
}

/// The plainest company: what a piece is tried with.
struct Company<'grammar> {
    grammar: &'grammar Grammar,
    system: &'grammar Deed,
    open: &'grammar Deed,
    /// The harmless twins.
    read: &'grammar Deed,
    sorted: &'grammar Deed,
    dumps: &'grammar Deed,
}

impl<'grammar> Company<'grammar> {
    fn of(grammar: &'grammar Grammar) -> Self {
        let deed = |kind, function: &str| {
            let mut found = grammar.deeds.iter().filter(|one| one.kind == kind);
            found.find(|one| one.function == function && one.arguments == "$T").unwrap()
        };
        Self {
            grammar,
            system: deed(Some(Kind::Process), "system"),
            open: deed(Some(Kind::Read), "open"),
            read: deed(None, "open"),
            sorted: deed(None, "sorted"),
            dumps: grammar.deeds.iter().find(|one| one.function == "dumps").unwrap(),
        }
    }

    fn plain(&self, deed: &'grammar Deed) -> Choice<'grammar> {
        Choice {
            deed,
            text: &self.grammar.texts[0],
            route: plain_route(self.grammar, deed),
            flows: Vec::new(),
            call: &self.grammar.calls[0],
            place: &self.grammar.places[0],
        }
    }

    fn of_text<'all>(&'all self, text: &'all Template) -> Vec<Choice<'all>> {
        [self.open, self.read].map(|deed| Choice { text, ..self.plain(deed) }).into()
    }

    fn of_route<'all>(&'all self, route: &'all Template) -> Vec<Choice<'all>> {
        let deeds = [self.system, self.open, self.dumps, self.read].into_iter();
        let fitting = deeds.filter(|deed| fits(route, deed));
        fitting.map(|deed| Choice { route, ..self.plain(deed) }).collect()
    }

    fn of_flow<'all>(&'all self, flow: &'all Template) -> Vec<Choice<'all>> {
        let with = |deed| Choice { flows: vec![flow], ..self.plain(deed) };
        [self.system, self.sorted].map(with).into()
    }

    fn of_call<'all>(&'all self, call: &'all Template) -> Vec<Choice<'all>> {
        [self.system, self.sorted].map(|deed| Choice { call, ..self.plain(deed) }).into()
    }

    fn of_place<'all>(&'all self, place: &'all Template) -> Vec<Choice<'all>> {
        [self.system, self.open, self.read].map(|deed| Choice { place, ..self.plain(deed) }).into()
    }
}

/// So many programs of random pieces, every third of them harmless.
pub(crate) fn random(grammar: &Grammar, seed: u64, count: usize) -> Vec<Program> {
    let mut dice = Dice(seed);
    let (harmless, harmful): (Vec<&Deed>, Vec<&Deed>) =
        grammar.deeds.iter().partition(|deed| deed.kind.is_none());
    let third = |index: usize| if index % 3 == 2 { &harmless } else { &harmful };
    (0..count).map(|index| compose(&choose(grammar, &mut dice, third(index)))).collect()
}

fn choose<'grammar>(
    grammar: &'grammar Grammar,
    dice: &mut Dice,
    deeds: &[&'grammar Deed],
) -> Choice<'grammar> {
    let deed = *dice.pick(deeds);
    let routes: Vec<&Template> = grammar.routes.iter().filter(|route| fits(route, deed)).collect();
    let calls = grammar.calls.iter();
    let calls: Vec<&Template> =
        calls.filter(|call| call.only.is_none() || deed.is_of_one_argument()).collect();
    let is_plain = dice.below(3) == 0;
    Choice {
        deed,
        text: dice.pick(&grammar.texts),
        route: if is_plain { plain_route(grammar, deed) } else { dice.pick::<&Template>(&routes) },
        flows: (0..dice.below(3)).map(|_| dice.pick(&grammar.flows)).collect(),
        call: dice.pick::<&Template>(&calls),
        place: dice.pick(&grammar.places),
    }
}

fn fits(route: &Template, deed: &Deed) -> bool {
    route.only.as_ref().is_none_or(|only| *only == deed.module)
}

/// An import, or for a builtin its name.
fn plain_route<'grammar>(grammar: &'grammar Grammar, deed: &Deed) -> &'grammar Template {
    let own =
        |route: &&Template| route.only.as_ref() == Some(&deed.module) && route.lines.is_empty();
    grammar.routes.iter().find(own).unwrap_or(&grammar.routes[0])
}

/// Writes the program out.
fn compose(choice: &Choice<'_>) -> Program {
    let mut draft = Draft::default();
    let text = draft.add(choice.text, text_holes(&choice.deed.text));
    let mut function = draft.add(choice.route, route_holes(choice.deed));
    for flow in &choice.flows {
        function = draft.add(flow, holes([("E", function)]));
    }
    let arguments = choice.deed.arguments.replace("$T", &text);
    let call = format!("{function}({arguments}){}", choice.deed.after.replace("$T", &text));
    draft.add(choice.call, holes([("C", call), ("E", function), ("X", arguments)]));
    let flows = choice.flows.iter().map(|flow| flow.name.as_str()).collect::<Vec<_>>().join(" + ");
    let Choice { deed, text, route, call, place, .. } = choice;
    let shape = format!(
        "deed {} | text {} | route {} | flows {flows} | call {} | place {}",
        deed.name(),
        text.name,
        route.name,
        call.name,
        place.name
    );
    Program { shape, kind: deed.kind, code: draft.stand(place) }
}

/// A program in the making.
#[derive(Default)]
struct Draft {
    top: Vec<String>,
    body: Vec<String>,
    names: usize,
}

type Holes = BTreeMap<&'static str, String>;

fn holes<const N: usize>(holes: [(&'static str, String); N]) -> Holes {
    BTreeMap::from(holes)
}

impl Draft {
    /// Adds the lines of a template, and answers the expression that it gives.
    fn add(&mut self, template: &Template, mut holes: Holes) -> String {
        for line in &template.lines {
            let line = self.fill(line, &mut holes);
            match line.strip_prefix('^') {
                Some(line) => self.top.push(line.to_owned()),
                None => self.body.push(line),
            }
        }
        self.fill(&template.gives, &mut holes)
    }

    /// Fills the holes of a line: `$` and a small letter is a name that nothing else has, `$` and
    /// a word in capitals is what stands in `holes`, `$$` is a `$`.
    fn fill(&mut self, line: &str, holes: &mut Holes) -> String {
        let mut pieces = line.split('$');
        let mut filled = pieces.next().unwrap().to_owned();
        while let Some(piece) = pieces.next() {
            if piece.is_empty() {
                filled.push('$');
                filled.push_str(pieces.next().unwrap());
                continue;
            }
            let capitals = |one: char| one.is_ascii_uppercase() || one.is_ascii_digit();
            let small = piece.starts_with(|first: char| first.is_ascii_lowercase());
            let end = if small { 1 } else { piece.find(|c| !capitals(c)).unwrap_or(piece.len()) };
            let (hole, rest) = piece.split_at(end);
            if small {
                filled.push_str(&self.name(hole, holes));
            } else {
                filled.push_str(holes.get(hole).unwrap_or_else(|| panic!("no ${hole}: {line}")));
            }
            filled.push_str(rest);
        }
        filled
    }

    /// The name that a small letter stands for in one template.
    fn name(&mut self, letter: &str, holes: &mut Holes) -> String {
        const LETTERS: [&str; 4] = ["a", "b", "c", "d"];
        let letter = LETTERS.into_iter().find(|known| *known == letter).unwrap();
        let names = &mut self.names;
        let name = holes.entry(letter).or_insert_with(|| {
            *names += 1;
            format!("{letter}{names}")
        });
        name.clone()
    }

    /// The whole program, its body where the place says.
    fn stand(mut self, place: &Template) -> String {
        let body = std::mem::take(&mut self.body);
        let mut lines = std::mem::take(&mut self.top);
        let mut names = Holes::new();
        for line in &place.lines {
            match line.strip_suffix("$BODY") {
                Some(indent) => lines.extend(body.iter().map(|line| format!("{indent}{line}"))),
                None => lines.push(self.fill(line, &mut names)),
            }
        }
        lines.push(String::new());
        lines.join("\n")
    }
}

fn route_holes(deed: &Deed) -> Holes {
    let (first, second) = deed.function.split_at(deed.function.len() / 2);
    holes([
        ("M", deed.module.clone()),
        ("A", deed.function.clone()),
        ("A1", first.to_owned()),
        ("A2", second.to_owned()),
        ("AR", deed.function.chars().rev().collect()),
    ])
}

/// The text and its pieces, as Python writes them.
fn text_holes(text: &str) -> Holes {
    let (first, second) = text.split_at(text.len() / 2);
    let characters: Vec<String> = text.chars().map(|one| literal(&one.to_string())).collect();
    let numbers: Vec<String> = text.bytes().map(|one| one.to_string()).collect();
    let reversed: String = text.chars().rev().collect();
    let swap = |one: char| {
        if one.is_ascii_lowercase() { one.to_ascii_uppercase() } else { one.to_ascii_lowercase() }
    };
    let swapped: String = text.chars().map(swap).collect();
    holes([
        ("T", literal(text)),
        ("A", literal(first)),
        ("B", literal(second)),
        ("R", literal(&reversed)),
        ("S", literal(&format!("{first}#{second}"))),
        ("W", literal(&swapped)),
        ("CHARS", characters.join(", ")),
        ("ORDS", numbers.join(", ")),
        ("HEX", text.bytes().map(|one| format!("{one:02x}")).collect()),
        ("B64", base64(text.as_bytes())),
    ])
}

fn literal(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |bits: u32| char::from(DIGITS[(bits & 63) as usize]);
    let group = |three: &[u8]| {
        let bits = three.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - three.len()));
        let digits = [18, 12, 6, 0].map(|shift| digit(bits >> shift));
        let told: String = digits[..=three.len()].iter().collect();
        format!("{told:=<4}")
    };
    bytes.chunks(3).map(group).collect()
}

/// `SplitMix64`: numbers that look random, the same ones for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.roll() % u64::try_from(end).unwrap()).unwrap()
    }

    fn pick<'all, T>(&mut self, all: &'all [T]) -> &'all T {
        &all[self.below(all.len())]
    }
}
