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
    Billing,
    Team,
    Settings,
    Account,
    ApiKeys,
    Webhooks,
    Requests,
    Providers,
    Platform,
    Tenants,
    Approvals,
    Prices,
    Revenue,
    PlatformAudit,
    PaymentExceptions,
    SendingWindows,
}

/// Links under a heading.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) entries: Vec<Entry>,
}

/// Link to a part of the dashboard.
pub(crate) struct Entry {
    pub(crate) href: String,
    pub(crate) label: &'static str,
    /// True if the page that is shown belongs to it.
    pub(crate) is_current: bool,
}

/// Name of a link, the part that it leads to, its address, and what one must be allowed to follow it.
type Link = (&'static str, Place, &'static str, Permission);

const GROUPS: [(&str, &[Link]); 5] = [
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
    (
        "Organization",
        &[
            ("Money", Place::Billing, "/app/billing", Permission::Read),
            ("Team", Place::Team, "/app/team", Permission::Read),
            ("Settings", Place::Settings, "/app/settings", Permission::Read),
        ],
    ),
    (
        "Developers",
        &[
            ("API keys", Place::ApiKeys, "/app/api-keys", Permission::ReadIntegrations),
            ("Webhooks", Place::Webhooks, "/app/webhooks", Permission::ReadIntegrations),
            ("Refused calls", Place::Requests, "/app/requests", Permission::ReadIntegrations),
            ("Providers", Place::Providers, "/app/providers", Permission::Read),
        ],
    ),
];

/// Links of platform administrators.
const PLATFORM: [(&str, Place, &str); 8] = [
    ("What waits", Place::Platform, "/app/admin"),
    ("Organizations", Place::Tenants, "/app/admin/tenants"),
    ("Approvals", Place::Approvals, "/app/admin/approvals"),
    ("Prices", Place::Prices, "/app/admin/pricing"),
    ("Revenue", Place::Revenue, "/app/admin/revenue"),
    ("Audit log", Place::PlatformAudit, "/app/admin/audit"),
    ("Payment exceptions", Place::PaymentExceptions, "/app/admin/payment-exceptions"),
    ("Sending windows", Place::SendingWindows, "/app/admin/sending-windows"),
];

/// Returns the links of a platform administrator.
pub(crate) fn platform(current: Place) -> Group {
    let entry = |&(label, place, href): &(&'static str, Place, &str)| Entry {
        href: href.to_owned(),
        label,
        is_current: place == current,
    };
    Group { name: "Platform", entries: PLATFORM.iter().map(entry).collect() }
}

/// Returns the links that a caller may follow.
pub(crate) fn groups(caller: &Caller, current: Place) -> Vec<Group> {
    let entries = |links: &[Link]| -> Vec<Entry> {
        let allowed = links.iter().filter(|(.., permission)| caller.authorize(*permission).is_ok());
        let entry = |&(label, place, href, _): &Link| Entry {
            href: href.to_owned(),
            label,
            is_current: place == current,
        };
        allowed.map(entry).collect()
    };
    let groups = GROUPS.iter().map(|(name, links)| Group { name, entries: entries(links) });
    groups.filter(|group| !group.entries.is_empty()).collect()
}
