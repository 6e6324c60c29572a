//! Movements of the wallet, each with what it belongs to.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::money::invoice::{Invoice, InvoiceNumber};
use domain::money::{ledger, wallet::LedgerKind};
use domain::shared::id::Id;
use form_urlencoded::Serializer;

use super::{INVOICES, TOP_UPS};
use crate::formats::{Formats, Moment};
use crate::words::{InWords, Words};

/// Invoices by their numbers.
pub(super) type Invoices = BTreeMap<InvoiceNumber, Id<Invoice>>;

/// Movement in the ledger.
pub(super) struct Movement {
    pub(super) at: Moment,
    pub(super) kind: Words,
    /// Thing that it belongs to, and the address of its page; `""` if it has none.
    pub(super) subject: String,
    pub(super) href: String,
    pub(super) messages: String,
    pub(super) amount: String,
}

impl Movement {
    pub(super) fn new(movement: ledger::Movement, invoices: &Invoices, f: &Formats) -> Self {
        let messages = u64::try_from(movement.messages).unwrap_or_default();
        let (kind, at) = (movement.kind, movement.created_at);
        let reference = movement.reference.unwrap_or_else(|| "–".to_owned());
        let (subject, href) = subject((kind, reference, at), invoices, f);
        Self {
            at: f.time(at),
            kind: kind.words(),
            subject,
            href,
            messages: if messages == 0 { "–".to_owned() } else { f.count(messages) },
            amount: f.money(movement.amount),
        }
    }
}

/// Returns the thing that a movement belongs to, and the address of its page. One movement is for the
/// messages of an hour.
fn subject(
    (kind, reference, at): (LedgerKind, String, DateTime<Utc>),
    invoices: &Invoices,
    f: &Formats,
) -> (String, String) {
    let seconds = at.timestamp();
    let hour = DateTime::from_timestamp(seconds - seconds.rem_euclid(3_600), 0).unwrap_or(at);
    let end = f.field_time(hour + TimeDelta::hours(1));
    let log = |pairs: &[(&str, &str)]| {
        let query = Serializer::new(String::new()).extend_pairs(pairs).finish();
        format!("/app/messages?{query}")
    };
    match kind {
        LedgerKind::MessageDebit => {
            let from = f.field_time(hour);
            let href = log(&[("from", from.as_str()), ("to", end.as_str())]);
            ("Messages of that hour".to_owned(), href)
        }
        LedgerKind::MessageRefund => {
            ("Messages that failed".to_owned(), log(&[("status", "FAILED"), ("to", end.as_str())]))
        }
        LedgerKind::TopUp => ("The top-up".to_owned(), format!("{TOP_UPS}/{reference}")),
        LedgerKind::ManualCredit => match reference.parse::<InvoiceNumber>() {
            Ok(number) => {
                let page = invoices.get(&number).map(|id| format!("{INVOICES}/{id}"));
                (format!("Invoice {number}"), page.unwrap_or_else(|| INVOICES.to_owned()))
            }
            Err(_) => (reference, String::new()),
        },
        LedgerKind::TrialCredit | LedgerKind::Correction => (reference, String::new()),
    }
}

#[cfg(test)]
mod tests {
    use domain::identity::organization::PLATFORM;
    use domain::shared::country::Country;

    use super::*;

    #[test]
    fn a_movement_leads_to_its_messages_its_top_up_or_its_invoice() {
        let at: DateTime<Utc> = "2026-11-26T14:35:10Z".parse().unwrap();
        let f = Formats::new("Africa/Accra", Country::GH, at);
        let from = "/app/messages?from=2026-11-26T14%3A00&to=2026-11-26T15%3A00";
        let failed = "/app/messages?status=FAILED&to=2026-11-26T15%3A00";
        let invoice = Id::new_in(at, PLATFORM);
        let invoices = Invoices::from([(InvoiceNumber(8), invoice)]);
        let page = format!("{INVOICES}/{invoice}");
        for (kind, reference, text, href) in [
            (LedgerKind::MessageDebit, "–", "Messages of that hour", from),
            (LedgerKind::MessageRefund, "–", "Messages that failed", failed),
            (LedgerKind::TopUp, "topup-1", "The top-up", "/app/billing/top-ups/topup-1"),
            (LedgerKind::ManualCredit, "INV-000007", "Invoice INV-000007", INVOICES),
            (LedgerKind::ManualCredit, "INV-000008", "Invoice INV-000008", page.as_str()),
            (LedgerKind::ManualCredit, "a slip", "a slip", ""),
            (LedgerKind::TrialCredit, "–", "–", ""),
        ] {
            let expected = (text.to_owned(), href.to_owned());
            assert_eq!(subject((kind, reference.to_owned(), at), &invoices, &f), expected);
        }
    }
}
