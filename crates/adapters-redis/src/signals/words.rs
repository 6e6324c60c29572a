//! Text format of signals: a line with the name of the sender, and a line for each signal.

use ports::shared::signals::{DueWork, Signal};

const WEBHOOK_EVENTS: &str = "webhook-events ";

/// Formats signals of the instance named `sender`.
pub(super) fn write(sender: &str, signals: impl IntoIterator<Item = Signal>) -> String {
    let mut text = sender.to_owned();
    for signal in signals {
        text.push('\n');
        match signal {
            Signal::Due(DueWork::WebhookEvents(organization)) => {
                text.push_str(WEBHOOK_EVENTS);
                text.push_str(&organization.to_string());
            }
            Signal::Due(DueWork::Messages) => text.push_str("messages"),
            Signal::Due(DueWork::Campaigns) => text.push_str("campaigns"),
            Signal::Due(DueWork::Imports) => text.push_str("imports"),
            Signal::Changed(change) => text.push_str(change.as_str()),
        }
    }
    text
}

/// Parses the signals in a text, unless the instance itself sent it. Unknown signals of other versions are
/// left out.
pub(super) fn read(own_name: &str, text: &str) -> Vec<Signal> {
    let mut lines = text.lines();
    match lines.next() {
        Some(sender) if sender != own_name => lines.filter_map(signal).collect(),
        _ => Vec::new(),
    }
}

fn signal(line: &str) -> Option<Signal> {
    if let Some(organization) = line.strip_prefix(WEBHOOK_EVENTS) {
        return organization.parse().ok().map(DueWork::WebhookEvents).map(Signal::Due);
    }
    match line {
        "messages" => Some(Signal::Due(DueWork::Messages)),
        "campaigns" => Some(Signal::Due(DueWork::Campaigns)),
        "imports" => Some(Signal::Due(DueWork::Imports)),
        _ => line.parse().ok().map(Signal::Changed),
    }
}

#[cfg(test)]
mod tests {
    use ports::shared::signals::Change;

    use super::*;

    fn all() -> Vec<Signal> {
        let organization = "018f0000-0000-7000-8000-000000000abc".parse().unwrap();
        let events = DueWork::WebhookEvents(organization);
        let work = [DueWork::Messages, DueWork::Campaigns, DueWork::Imports, events];
        let changes = Change::ALL.into_iter().map(Signal::Changed);
        work.into_iter().map(Signal::Due).chain(changes).collect()
    }

    #[test]
    fn every_signal_is_read_as_it_was_written() {
        assert_eq!(read("here", &write("there", all())), all());
    }

    #[test]
    fn an_instance_ignores_its_own_signals() {
        assert_eq!(read("here", &write("here", all())), []);
    }

    #[test]
    fn skips_unknown_signals() {
        let text = "there\nwebhook-events me\n\nfuture-things\nprices\u{0}\nprices\n";
        assert_eq!(read("here", text), [Signal::Changed(Change::Prices)]);
        for text in ["", "prices", "\n", "here", "\u{fffd}\u{0}"] {
            assert_eq!(read("here", text), [], "{text:?}");
        }
    }
}
