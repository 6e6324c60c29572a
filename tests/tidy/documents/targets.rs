//! Targets of links: the files that exist, and the headings of pages.

use std::collections::{BTreeMap, BTreeSet};

use super::page::{Link, Page};

/// Files and headings to which links may lead.
pub(super) struct Targets<E> {
    /// Anchors of each page.
    anchors: BTreeMap<String, BTreeSet<String>>,
    exists: E,
}

impl<E: Fn(&str) -> bool> Targets<E> {
    /// Creates the targets in `pages`, and the files for which `exists` returns true.
    pub(super) fn new(pages: &[Page], exists: E) -> Self {
        let anchors = pages.iter().map(|page| (page.name.clone(), page.anchors())).collect();
        Self { anchors, exists }
    }

    /// Returns the reason why a link leads nowhere; `None` if it leads somewhere.
    pub(super) fn fault(&self, link: &Link) -> Option<String> {
        let Link { file, anchor } = link;
        if !(self.exists)(file) {
            return Some(format!("{file} is missing"));
        }
        let anchor = anchor.as_deref()?;
        let is_known = self.anchors.get(file).is_none_or(|anchors| anchors.contains(anchor));
        (!is_known).then(|| format!("{file} has no heading #{anchor}"))
    }
}
