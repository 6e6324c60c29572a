//! Invoices in answers.

use domain::{
    money::invoice::{ChannelLine, Invoice, Statement},
    shared::money::CURRENCY,
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{InvoiceStatusName, KindName};
use crate::inbound::shared::formats::{ChannelName, Timestamp};

/// An invoice.
#[derive(Serialize, ToSchema)]
#[schema(as = Invoice)]
#[serde(rename_all = "camelCase")]
pub(super) struct InvoiceView {
    id: Uuid,
    /// Number of the invoice. The numbers of an organization begin with 1 and have no gaps.
    #[schema(example = "INV-000001")]
    number: String,
    #[schema(value_type = KindName)]
    kind: &'static str,
    #[schema(value_type = InvoiceStatusName)]
    status: &'static str,
    /// Amount to pay; for a statement, the cost of messages less refunds.
    #[schema(example = 50.0)]
    amount: f64,
    #[schema(example = "GHS")]
    currency: &'static str,
    issued_at: Timestamp,
    /// Time by which it is to be paid; null for a statement.
    due_at: Option<Timestamp>,
    paid_at: Option<Timestamp>,
}

/// Invoice with all its details.
#[derive(Serialize, ToSchema)]
#[schema(as = InvoiceDetails)]
#[serde(rename_all = "camelCase")]
pub(super) struct InvoiceDetailView {
    #[serde(flatten)]
    invoice: InvoiceView,
    /// Details of a statement; null for other invoices.
    statement: Option<StatementView>,
}

/// Movements of a wallet within a month. `openingBalance`, all credits and `refunds`, less
/// `debits`, are `closingBalance`.
#[derive(Serialize, ToSchema)]
#[schema(as = Statement)]
#[serde(rename_all = "camelCase")]
struct StatementView {
    /// The month, in UTC.
    #[schema(example = "2026-11")]
    month: String,
    /// Balance at the beginning of the month.
    opening_balance: f64,
    trial_credits: f64,
    /// Payments through the gateway.
    top_ups: f64,
    /// Payments that platform administrators recorded.
    manual_credits: f64,
    /// All other changes of the balance.
    adjustments: f64,
    /// Payments for messages.
    debits: f64,
    /// Refunds of messages that failed.
    refunds: f64,
    /// Balance at the end of the month.
    closing_balance: f64,
    /// Difference between `debits` and the costs of `lines`: messages that were accepted at
    /// midnight of the first or the last day count in one month and may be paid in the other.
    turn_of_month: f64,
    /// Messages that were accepted.
    lines: Vec<ChannelLineView>,
}

/// The messages of one channel.
#[derive(Serialize, ToSchema)]
#[schema(as = StatementLine)]
#[serde(rename_all = "camelCase")]
struct ChannelLineView {
    #[schema(value_type = ChannelName)]
    channel: &'static str,
    messages: i64,
    segments: i64,
    cost: f64,
}

impl From<Invoice> for InvoiceView {
    fn from(invoice: Invoice) -> Self {
        Self {
            id: invoice.id.uuid(),
            number: invoice.number.to_string(),
            kind: invoice.kind().as_str(),
            status: invoice.status.as_str(),
            amount: invoice.amount.to_number(),
            currency: CURRENCY,
            issued_at: invoice.issued_at.into(),
            due_at: invoice.due_at.map(Timestamp::from),
            paid_at: invoice.paid_at.map(Timestamp::from),
        }
    }
}

impl From<Invoice> for InvoiceDetailView {
    fn from(invoice: Invoice) -> Self {
        let statement = invoice.statement.as_ref().map(StatementView::from);
        Self { invoice: invoice.into(), statement }
    }
}

impl From<&Statement> for StatementView {
    fn from(statement: &Statement) -> Self {
        let movements = &statement.movements;
        Self {
            month: statement.month.to_string(),
            opening_balance: statement.opening.to_number(),
            trial_credits: movements.trial_credits.to_number(),
            top_ups: movements.top_ups.to_number(),
            manual_credits: movements.manual_credits.to_number(),
            adjustments: movements.adjustments.to_number(),
            debits: movements.debits.to_number(),
            refunds: movements.refunds.to_number(),
            closing_balance: statement.closing().to_number(),
            turn_of_month: statement.turn_of_month().to_number(),
            lines: statement.lines.iter().map(ChannelLineView::from).collect(),
        }
    }
}

impl From<&ChannelLine> for ChannelLineView {
    fn from(line: &ChannelLine) -> Self {
        Self {
            channel: line.channel.as_str(),
            messages: line.messages,
            segments: line.segments,
            cost: line.cost.to_number(),
        }
    }
}
