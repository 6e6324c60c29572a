//! Links from each page to the others.

use domain::identity::{caller::Caller, permission::Permission};

/// Part of the dashboard to which a page belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Home,
    Messages,
    Send,
    Resend,
    Contacts,
    Segments,
    Suppressions,
    Templates,
    Campaigns,
    Events,
}

/// Links under a heading.
pub(crate) struct Group {
    /// The heading.
    pub(crate) name: &'static str,
    /// The links.
    pub(crate) entries: Vec<Entry>,
}

/// Link to a part of the dashboard.
pub(crate) struct Entry {
    /// Address of its first page.
    pub(crate) href: &'static str,
    /// Its name.
    pub(crate) label: &'static str,
    /// True if the page that is shown belongs to it.
    pub(crate) is_current: bool,
}

/// Name of a link, the part that it leads to, its address, and what one must be allowed to follow it.
type Link = (&'static str, Place, &'static str, Permission);

const GROUPS: [(&str, &[Link]); 3] = [
    (
        "Messages",
        &[
            ("Overview", Place::Home, "/app", Permission::Read),
            ("Send", Place::Send, "/app/send", Permission::SendMessages),
            ("Message log", Place::Messages, "/app/messages", Permission::Read),
            ("Send again", Place::Resend, "/app/resend", Permission::SendMessages),
        ],
    ),
    (
        "People",
        &[
            ("Contacts", Place::Contacts, "/app/contacts", Permission::Read),
            ("Segments", Place::Segments, "/app/segments", Permission::Read),
            ("Do not contact", Place::Suppressions, "/app/suppressions", Permission::Read),
        ],
    ),
    (
        "Texts and campaigns",
        &[
            ("Templates", Place::Templates, "/app/templates", Permission::Read),
            ("Campaigns", Place::Campaigns, "/app/campaigns", Permission::Read),
            ("Events", Place::Events, "/app/events", Permission::ReadEvents),
        ],
    ),
];

/// Returns the links that a caller may follow.
pub(crate) fn groups(caller: &Caller, current: Place) -> Vec<Group> {
    let entries = |links: &[Link]| -> Vec<Entry> {
        let allowed = links.iter().filter(|(.., permission)| caller.authorize(*permission).is_ok());
        let entry =
            |&(label, place, href, _): &Link| Entry { href, label, is_current: place == current };
        allowed.map(entry).collect()
    };
    let groups = GROUPS.iter().map(|(name, links)| Group { name, entries: entries(links) });
    groups.filter(|group| !group.entries.is_empty()).collect()
}
