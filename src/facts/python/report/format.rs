//! Format strings: which attributes and keys their fields reach.

/// The part of a replacement field after the name of its argument, where it reaches on: a dotted
/// or bracketed path with a private or dunder part.
pub(super) fn reaching_fields(template: &str) -> Vec<&str> {
    fields(template)
        .into_iter()
        .filter(|field| {
            let path = field.split([':', '!']).next().unwrap_or_default();
            path.split(['.', '[', ']']).skip(1).any(|part| {
                part.starts_with('_') || part.starts_with("gi_") || part.starts_with("f_")
            })
        })
        .collect()
}

/// Whether any field takes an attribute or an item of its argument.
pub(super) fn takes_members(template: &str) -> bool {
    fields(template).iter().any(|field| {
        let path = field.split([':', '!']).next().unwrap_or_default();
        path.contains(['.', '['])
    })
}

/// The texts between braces, nested ones included.
fn fields(template: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut rest = template.char_indices().peekable();
    while let Some((at, character)) = rest.next() {
        match character {
            '{' if open.is_empty() && rest.peek().is_some_and(|(_, next)| *next == '{') => {
                rest.next();
            }
            '{' => open.push(at + 1),
            '}' => {
                if let Some(start) = open.pop() {
                    found.extend(template.get(start..at));
                }
            }
            _ => {}
        }
    }
    found
}
