//! The page where a team's people answer, by its address: the team's own, and not Regate's.
//!
//! Must never be more than a link: who may answer is decided where an answer comes in.

use super::notices::Address;
use crate::call::Text;

/// What stands for the approval's id.
const ID: &str = "{id}";

/// The address of a page, for each approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page(Text);

impl Page {
    /// An `https` address, or an `http` one of this machine, with `{id}` in it. `None` for any
    /// other.
    pub fn new(template: &str) -> Option<Self> {
        let page = Self(template.into());
        (template.contains(ID) && Address::new(&page.of("apr-0")).is_some()).then_some(page)
    }

    /// The page of this approval.
    pub fn of(&self, id: &str) -> Text {
        self.0.replace(ID, id).into()
    }
}
