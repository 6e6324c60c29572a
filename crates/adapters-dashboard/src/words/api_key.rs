//! API keys: their modes and rights, and statuses of refused calls.

use domain::identity::scope::Scope;

use super::Words;

/// Statuses with which calls are refused, each with its name.
pub(crate) const REFUSALS: [(u16, &str); 10] = [
    (400, "400: not understood"),
    (402, "402: not enough money"),
    (403, "403: not allowed"),
    (404, "404: not found"),
    (409, "409: not possible now"),
    (413, "413: too large"),
    (415, "415: not JSON"),
    (429, "429: too many calls"),
    (500, "500: a fault of ours"),
    (503, "503: not available"),
];

pub(crate) const fn key_mode(is_sandbox: bool) -> Words {
    if is_sandbox {
        Words::neutral("Sandbox", "Tests: messages reach nobody, and cost nothing.")
    } else {
        Words::good("Live", "In earnest: messages reach people, and are paid for.")
    }
}

/// Returns the name of the right that a scope gives.
pub(crate) const fn right(scope: Scope) -> &'static str {
    match scope {
        Scope::MessagesSend => "Send messages",
        Scope::MessagesRead => "See single messages",
        Scope::EventsRead => "See events",
        Scope::EventsTrigger => "Say that an event happened",
        Scope::ContactsRead => "See contacts",
        Scope::ContactsWrite => "Change contacts",
        Scope::SegmentsRead => "See segments",
        Scope::SegmentsWrite => "Change segments",
        Scope::TemplatesRead => "See templates",
        Scope::TemplatesWrite => "Change templates",
        Scope::SuppressionsRead => "See who must not be contacted",
        Scope::SuppressionsWrite => "Change who must not be contacted",
        Scope::CampaignsRead => "See campaigns",
        Scope::CampaignsWrite => "Change and send campaigns",
        Scope::EventsWrite => "Change events",
        Scope::WebhooksRead => "See webhooks",
        Scope::WebhooksWrite => "Change webhooks",
        Scope::AnalyticsRead => "See figures",
        Scope::BillingRead => "See the wallet, prices and invoices",
        Scope::DeliveryLogsRead => "See the message log",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn rights_have_distinct_names() {
        let names: BTreeSet<_> = Scope::ALL.map(right).into();
        assert_eq!(names.len(), Scope::ALL.len());
    }
}
