//! An invoice as a page that prints on A4. It has no script and loads nothing.

use std::{fmt::Write as _, sync::LazyLock};

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_SECURITY_POLICY, ContentType, REFERRER_POLICY},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    money::invoice::{Invoice, Statement},
    shared::money::Money,
};
use sha2::{Digest, Sha256};
use usecases::money::invoices::InvoiceSheet;

use crate::inbound::shared::html::escape;

const STYLE: &str = "\
@page { size: A4; margin: 20mm }
body { font: 11pt/1.5 sans-serif; color: #111; max-width: 170mm; margin: 10mm auto }
h1 { font-size: 18pt; margin: 0 0 6mm }
table { width: 100%; border-collapse: collapse; margin: 6mm 0 }
th, td { text-align: left; padding: 1.5mm 2mm; border-bottom: 0.2mm solid #bbb }
th.n, td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
tr { break-inside: avoid }
thead { display: table-header-group }
tr.total td { font-weight: bold; border-top: 0.4mm solid #111 }
dl { display: grid; grid-template-columns: 40mm auto; margin: 0 }
dt { color: #555 }
dd { margin: 0; overflow-wrap: anywhere }
@media print { body { margin: 0; max-width: none } }
@media (max-width: 30em) { body { margin: 4mm } th.n, td.n { white-space: normal } }
";

/// Content security policy that allows this style only.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    )
});

/// Returns the page of an invoice.
pub fn invoice_page(sheet: &InvoiceSheet) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(ContentType::html())
        .insert_header((CONTENT_SECURITY_POLICY, POLICY.as_str()))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .body(html(sheet))
}

fn html(sheet: &InvoiceSheet) -> String {
    let InvoiceSheet { invoice, organization } = sheet;
    let title = match &invoice.statement {
        Some(statement) => format!("Statement {} of {}", invoice.number, statement.month),
        None => format!("Invoice {}", invoice.number),
    };
    let table = match &invoice.statement {
        Some(statement) => statement_tables(statement),
        None => top_up_table(invoice),
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <dl>\n{}{}</dl>\n{table}</body>\n</html>\n",
        customer(organization),
        dates(invoice),
    )
}

/// Returns the customer of the invoice.
fn customer(organization: &Organization) -> String {
    let profile = &organization.profile;
    let mut rows = row("Organization", &organization.name);
    for (name, value) in [
        ("Industry", &profile.industry),
        ("Phone", &profile.business_phone),
        ("Email", &profile.business_email),
        ("Website", &profile.website),
    ] {
        if let Some(value) = value {
            rows += &row(name, value);
        }
    }
    rows
}

fn dates(invoice: &Invoice) -> String {
    let mut rows = row("Number", &invoice.number.to_string());
    rows += &row("Status", invoice.status.as_str());
    rows += &row("Issued", &day(invoice.issued_at));
    if let Some(due_at) = invoice.due_at {
        rows += &row("Due", &day(due_at));
    }
    if let (Some(paid_at), None) = (invoice.paid_at, &invoice.statement) {
        rows += &row("Paid", &day(paid_at));
    }
    rows
}

fn row(name: &str, value: &str) -> String {
    format!("<dt>{name}</dt><dd>{}</dd>\n", escape(value))
}

fn day(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d").to_string()
}

fn top_up_table(invoice: &Invoice) -> String {
    format!(
        "<table>\n<thead><tr><th>Description</th><th class=\"n\">Amount</th></tr></thead>\n<tbody>\n\
         {}{}</tbody>\n</table>\n\
         <p>Give the number {} as the reference of your payment.</p>\n",
        amount_row("Top-up of the wallet", invoice.amount),
        total_row("Total", invoice.amount),
        invoice.number,
    )
}

fn statement_tables(statement: &Statement) -> String {
    let mut messages = String::new();
    for line in &statement.lines {
        let (channel, cost) = (line.channel.as_str(), line.cost);
        let (count, segments) = (line.messages, line.segments);
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            messages,
            "<tr><td>{channel}</td><td class=\"n\">{count}</td><td class=\"n\">{segments}</td>\
             <td class=\"n\">{cost}</td></tr>"
        );
    }
    let movements = &statement.movements;
    let mut account = amount_row("Opening balance", statement.opening);
    for (name, amount) in [
        ("Trial credit", movements.trial_credits),
        ("Top-ups", movements.top_ups),
        ("Payments recorded by the platform", movements.manual_credits),
        ("Adjustments", movements.adjustments),
        ("Messages", -movements.debits),
        ("Refunds of messages that failed", movements.refunds),
    ] {
        if amount != Money::ZERO {
            account += &amount_row(name, amount);
        }
    }
    account += &total_row("Closing balance", statement.closing());
    let turn = match statement.turn_of_month() {
        Money::ZERO => String::new(),
        turn => format!(
            "<p>Messages that were accepted at midnight at the turn of the month count in one month \
             and are paid in the other: {turn}.</p>\n"
        ),
    };
    format!(
        "<table>\n<thead><tr><th>Channel</th><th class=\"n\">Messages</th>\
         <th class=\"n\">Segments</th><th class=\"n\">Cost</th></tr></thead>\n<tbody>\n\
         {messages}</tbody>\n</table>\n{turn}\
         <table>\n<thead><tr><th>Wallet</th><th class=\"n\">Amount</th></tr></thead>\n<tbody>\n\
         {account}</tbody>\n</table>\n\
         <p>Spent on messages, less refunds: {}. It was paid out of the wallet; nothing is due.</p>\n",
        statement.spent(),
    )
}

fn amount_row(name: &str, amount: Money) -> String {
    format!("<tr><td>{name}</td><td class=\"n\">{amount}</td></tr>\n")
}

fn total_row(name: &str, amount: Money) -> String {
    format!("<tr class=\"total\"><td>{name}</td><td class=\"n\">{amount}</td></tr>\n")
}

#[cfg(test)]
mod tests {
    use domain::{
        identity::organization::{Profile, Settings},
        money::invoice::{ChannelLine, InvoiceDraft, InvoiceNumber, Month, Movements},
        shared::{channel::Channel, id::Id},
    };

    use super::*;

    fn sheet(statement: Option<Statement>) -> InvoiceSheet {
        let issued_at: DateTime<Utc> = "2026-12-01T02:00:00Z".parse().unwrap();
        let id = Id::new(issued_at);
        let amount = Money::from_micros(12_345_000);
        let draft =
            InvoiceDraft { id: Id::new_in(issued_at, id), organization: id, amount, issued_at };
        let profile =
            Profile { website: Some("https://kente.example/?a&b".into()), ..Profile::default() };
        let organization = Organization {
            id,
            name: "<script>alert(\"Kente\")</script>".into(),
            profile,
            settings: Settings::default(),
            created_at: issued_at,
        };
        let invoice = Invoice { statement, ..draft.numbered(InvoiceNumber(7)) };
        InvoiceSheet { invoice, organization }
    }

    #[test]
    fn escapes_the_name_of_an_organization() {
        let html = html(&sheet(None));

        assert!(!html.contains("<script"), "{html}");
        assert!(html.contains("&lt;script&gt;alert(&quot;Kente&quot;)&lt;/script&gt;"), "{html}");
        assert!(html.contains("https://kente.example/?a&amp;b"), "{html}");
        assert!(html.contains("<td class=\"n\">GHS 12.345</td>"), "{html}");
        assert!(html.contains("<dt>Due</dt><dd>2026-12-15</dd>"), "{html}");
    }

    #[test]
    fn a_statement_shows_its_lines_and_how_the_balance_came_about() {
        let line = ChannelLine {
            channel: Channel::Sms,
            messages: 3,
            segments: 4,
            cost: Money::from_micros(140_000),
        };
        let movements = Movements {
            top_ups: Money::from_cedis(50),
            debits: Money::from_micros(140_000),
            refunds: Money::from_micros(35_000),
            ..Movements::default()
        };
        let month = Month::of("2026-11-01".parse().unwrap());
        let statement = Statement::of(month, Money::from_cedis(10), movements, vec![line]);

        let html = html(&sheet(statement));

        for shown in [
            "Statement INV-000007 of 2026-11",
            "<td>SMS</td><td class=\"n\">3</td><td class=\"n\">4</td><td class=\"n\">GHS 0.14</td>",
            "<td>Messages</td><td class=\"n\">GHS -0.14</td>",
            "<td>Closing balance</td><td class=\"n\">GHS 59.895</td>",
        ] {
            assert!(html.contains(shown), "{shown}: {html}");
        }
        assert!(!html.contains("Trial credit") && !html.contains("midnight"), "{html}");
    }
}
