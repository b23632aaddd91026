//! The names that star imports bind, where the catalogue knows what the module holds.
//!
//! They are bound in steps of their own at the end, as by somebody else: each may be what its name
//! holds at any time, and nothing else that the name is bound to is forgotten. Must never take a
//! module for known that the catalogue does not describe.

use super::program::{BlockId, ImportRecord, Kind, Program, ScopeId, Sym};
use crate::facts::{Catalogue, Holdings, ImportForm};
use std::collections::BTreeSet;

/// Star imports of one source whose names are followed.
const STARS_MAX: usize = 8;

/// Binds the names that the source uses and that one of its star imports may bind.
pub(super) fn bind(program: &mut Program, catalogue: &Catalogue) {
    let stars: Vec<usize> = program
        .imports
        .iter()
        .enumerate()
        .filter(|(_, import)| is_known(import, program, catalogue))
        .map(|(number, _)| number)
        .take(STARS_MAX)
        .collect();
    if stars.is_empty() {
        return;
    }
    let used = used_names(program);
    for star in stars {
        let Some(import) = program.imports.get_mut(star) else { continue };
        import.known = true;
        let (module, range) = (import.module, import.range);
        let Some(holdings) = catalogue.modules.get(program.symbols.text(module)) else { continue };
        for name in &used {
            if holds(holdings, program.symbols.text(*name)) {
                let member = Kind::Member { module, name: *name };
                let value = program.push(member, range, BlockId(0));
                program.bind_unseen(*name, value, (range, BlockId(0)));
            }
        }
    }
}

fn is_known(import: &ImportRecord, program: &Program, catalogue: &Catalogue) -> bool {
    let holdings = || catalogue.modules.get(program.symbols.text(import.module));
    import.form == ImportForm::Star
        && import.scope == ScopeId(0)
        && holdings().is_some_and(|holdings| holdings.public.is_some())
}

fn used_names(program: &Program) -> BTreeSet<Sym> {
    let loaded = |kind| if let Kind::Load(name) = kind { Some(name) } else { None };
    program.ops.iter().filter_map(|op| loaded(op.kind)).collect()
}

/// Whether a module has a member of this name, be it for programs or not.
fn holds(holdings: &Holdings, name: &str) -> bool {
    let words = [Some(&holdings.modules), holdings.public.as_ref(), Some(&holdings.names)];
    words.into_iter().flatten().any(|words| words.meaning(name).is_some())
}
