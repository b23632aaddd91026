//! Which statements never go on to what follows them.
//!
//! Must never take a statement for one that leaves where that is not sure: then a function may
//! end without giving anything back.

use crate::facts::python::syntax::kinds::{Field, Syntax};
use crate::facts::python::syntax::walk::{Frame, Item};

/// Whether a statement with these children leaves the function that it stands in. What `with`
/// enters may swallow what is raised, and so may a loop that does not run leave nothing.
pub(in crate::facts::python::syntax) fn leaves(frame: &Frame, children: &[Item]) -> bool {
    let branch = |field| children.iter().find(move |child| child.field == field);
    let clauses = |syntax| children.iter().filter(move |child| child.syntax == syntax);
    match frame.syntax {
        Syntax::ReturnStatement | Syntax::RaiseStatement => true,
        Syntax::Block
        | Syntax::FinallyClause
        | Syntax::ElseClause
        | Syntax::ExceptClause
        | Syntax::ExceptGroupClause => children.iter().any(|child| child.leaves),
        Syntax::ElifClause => branch(Field::Consequence).is_some_and(|body| body.leaves),
        Syntax::IfStatement => {
            branch(Field::Consequence).is_some_and(|body| body.leaves)
                && clauses(Syntax::ElifClause).all(|clause| clause.leaves)
                && clauses(Syntax::ElseClause).any(|clause| clause.leaves)
        }
        Syntax::TryStatement => {
            let body = branch(Field::Body).is_some_and(|body| body.leaves)
                || clauses(Syntax::ElseClause).any(|clause| clause.leaves);
            let handlers =
                || clauses(Syntax::ExceptClause).chain(clauses(Syntax::ExceptGroupClause));
            clauses(Syntax::FinallyClause).any(|clause| clause.leaves)
                || (body && handlers().all(|handler| handler.leaves))
        }
        // Without `break` it goes on for ever, or leaves.
        Syntax::WhileStatement => {
            let condition = branch(Field::Condition).map(|condition| condition.syntax);
            condition == Some(Syntax::True) && frame.seen == 0
        }
        _ => false,
    }
}
