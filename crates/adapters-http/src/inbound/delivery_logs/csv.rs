//! Delivery logs as CSV.

use std::{borrow::Cow, error::Error as StdError, sync::Arc};

use ::csv::{Writer, WriterBuilder};
use actix_web::web::Bytes;
use chrono::{DateTime, Utc};
use domain::{delivery::Failure as DeliveryFailure, message::Message};

use crate::inbound::{error::ApiError, formats::Timestamp};

const HEADER: [&str; 21] = [
    "id",
    "internalMessageId",
    "status",
    "channel",
    "recipient",
    "cost",
    "category",
    "segments",
    "subject",
    "body",
    "countryCode",
    "provider",
    "errorCode",
    "errorMessage",
    "isSandbox",
    "createdAt",
    "sentAt",
    "deliveredAt",
    "refunded",
    "senderId",
    "templateId",
];

/// The header, as a line of text.
pub(super) fn header() -> String {
    HEADER.join(",") + "\r\n"
}

/// The header and the first rows.
pub(super) fn beginning(messages: Vec<Message>) -> Result<Bytes, ApiError> {
    let mut writer = writer();
    writer.write_record(HEADER).map_err(|error| write_failed(&error))?;
    fill(writer, messages)
}

/// Further rows.
pub(super) fn rows(messages: Vec<Message>) -> Result<Bytes, ApiError> {
    fill(writer(), messages)
}

fn writer() -> Writer<Vec<u8>> {
    WriterBuilder::new().terminator(::csv::Terminator::CRLF).from_writer(Vec::new())
}

fn fill(mut writer: Writer<Vec<u8>>, messages: Vec<Message>) -> Result<Bytes, ApiError> {
    for message in messages {
        let row = row(message);
        writer
            .write_record(row.iter().map(|cell| without_formula(cell).into_owned()))
            .map_err(|error| write_failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| write_failed(error.error()))?;
    Ok(bytes.into())
}

fn row(message: Message) -> [String; HEADER.len()] {
    let is_refunded = message.is_refunded();
    let Message { delivery, draft, .. } = message;
    let draft = Arc::unwrap_or_clone(draft);
    let failure = delivery.failure();
    [
        message.id.to_string(),
        message.id.internal(),
        delivery.status().to_string(),
        draft.channel.to_string(),
        draft.recipient.as_str().to_owned(),
        message.cost.to_number().to_string(),
        draft.category.to_string(),
        draft.segments.to_string(),
        draft.subject.unwrap_or_default(),
        draft.body,
        draft.country.to_string(),
        message.provider.unwrap_or_default(),
        failure.map(|failure| failure.code.as_str().to_owned()).unwrap_or_default(),
        failure.map(|DeliveryFailure { message, .. }| message.clone()).unwrap_or_default(),
        message.is_sandbox.to_string(),
        time_text(message.created_at),
        delivery.sent_at().map(time_text).unwrap_or_default(),
        delivery.delivered_at().map(time_text).unwrap_or_default(),
        is_refunded.to_string(),
        draft.sender.unwrap_or_default(),
        draft.template.map(|template| template.to_string()).unwrap_or_default(),
    ]
}

fn time_text(at: DateTime<Utc>) -> String {
    Timestamp::from(at).text()
}

/// The cell, so that no spreadsheet takes it for a formula. Some pass over white space before it, and
/// take the wide forms of its signs, too. A plus and digits are a phone number.
fn without_formula(cell: &str) -> Cow<'_, str> {
    const SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

    let is_phone = cell.strip_prefix('+').is_some_and(|it| it.bytes().all(|b| b.is_ascii_digit()));
    let is_formula = cell.trim_start().starts_with(SIGNS) || cell.starts_with(['\t', '\r', '\n']);
    if is_formula && !is_phone { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
}

fn write_failed(error: &dyn StdError) -> ApiError {
    tracing::error!(%error, "failed to write a delivery log as CSV");
    ApiError::Broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_looks_like_a_formula_is_made_text() {
        for cell in [
            "=1+1",
            "+1+1",
            "+A1",
            "-1",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "\n=1",
            " =1",
            "\u{3000}=1",
            "＝1",
            "＋1",
            "－1",
            "＠A1",
            "\t",
        ] {
            assert_eq!(without_formula(cell), format!("'{cell}"));
        }
        for cell in ["", "Hello =1", "0.035", "'=1", "+233241234567"] {
            assert_eq!(without_formula(cell), cell);
        }
    }
}
