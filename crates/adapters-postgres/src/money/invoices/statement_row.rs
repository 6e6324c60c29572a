//! Statements as stored: amounts in micros.

use chrono::NaiveDate;
use domain::{
    money::invoice::{ChannelLine, Month, Movements, Statement},
    shared::money::Money,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StatementRow {
    opening: i64,
    trial_credits: i64,
    top_ups: i64,
    manual_credits: i64,
    adjustments: i64,
    debits: i64,
    refunds: i64,
    lines: Vec<LineRow>,
}

#[derive(Debug, Serialize, Deserialize)]
struct LineRow {
    channel: String,
    messages: i64,
    segments: i64,
    cost: i64,
}

impl From<&Statement> for StatementRow {
    fn from(statement: &Statement) -> Self {
        let movements = &statement.movements;
        let line = |line: &ChannelLine| LineRow {
            channel: line.channel.as_str().to_owned(),
            messages: line.messages,
            segments: line.segments,
            cost: line.cost.micros(),
        };
        Self {
            opening: statement.opening.micros(),
            trial_credits: movements.trial_credits.micros(),
            top_ups: movements.top_ups.micros(),
            manual_credits: movements.manual_credits.micros(),
            adjustments: movements.adjustments.micros(),
            debits: movements.debits.micros(),
            refunds: movements.refunds.micros(),
            lines: statement.lines.iter().map(line).collect(),
        }
    }
}

/// Reads a statement; `None` if the JSON is not one.
pub(super) fn read(month: NaiveDate, json: Value) -> Option<Statement> {
    let row: StatementRow = serde_json::from_value(json).ok()?;
    let line = |line: LineRow| {
        Some(ChannelLine {
            channel: line.channel.parse().ok()?,
            messages: line.messages,
            segments: line.segments,
            cost: Money::from_micros(line.cost),
        })
    };
    Some(Statement {
        month: Month::of(month),
        opening: Money::from_micros(row.opening),
        movements: Movements {
            trial_credits: Money::from_micros(row.trial_credits),
            top_ups: Money::from_micros(row.top_ups),
            manual_credits: Money::from_micros(row.manual_credits),
            adjustments: Money::from_micros(row.adjustments),
            debits: Money::from_micros(row.debits),
            refunds: Money::from_micros(row.refunds),
        },
        lines: row.lines.into_iter().map(line).collect::<Option<_>>()?,
    })
}
