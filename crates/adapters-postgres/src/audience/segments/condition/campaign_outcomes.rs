//! Conditions on what became of a campaign.
//!
//! The messages of a contact are found by `delivery_logs_campaign_contact`. If all contacts are read,
//! the planner may join them with the whole campaign. A walk looks its few contacts up: a join would
//! read the whole campaign, or the part up to them, each time, and `OFFSET 0` prevents it.

use chrono::TimeDelta;
use diesel::{pg::Pg, prelude::*, query_builder::AstPass, sql_types::Uuid as SqlUuid};
use domain::{
    audience::segment::{CampaignOutcome, CampaignRule},
    messaging::{delivery::FailureCode, message::Message},
    shared::id::Id,
};

use super::Place;

/// Maximum difference between the clocks of instances: a message is not older than its campaign by
/// more.
const CLOCKS_DIFFER: TimeDelta = TimeDelta::days(1);

/// Writes the condition that one of the outcomes is that of the contact.
pub(super) fn push<'b>(
    rule: &'b CampaignRule,
    place: Place<'b>,
    out: &mut AstPass<'_, 'b, Pg>,
) -> QueryResult<()> {
    let mut before = "(";
    for outcome in &rule.outcomes {
        out.push_sql(before);
        before = " OR ";
        match outcome {
            CampaignOutcome::Sent => push_message(rule, place, "IN ('SENT', 'DELIVERED')", out)?,
            CampaignOutcome::Failed => {
                let failed = format!("= 'FAILED' AND NOT {}", is_skipped());
                push_message(rule, place, &failed, out)?;
            }
            CampaignOutcome::Skipped => {
                push_skip(rule, place, out)?;
                out.push_sql(" OR ");
                let skipped = format!("= 'FAILED' AND {}", is_skipped());
                push_message(rule, place, &skipped, out)?;
            }
        }
    }
    out.push_sql(")");
    Ok(())
}

/// Writes the condition that the contact has a message of the campaign in such a state. Months
/// before the campaign are left out.
fn push_message<'b>(
    rule: &CampaignRule,
    place: Place<'b>,
    state: &str,
    out: &mut AstPass<'_, 'b, Pg>,
) -> QueryResult<()> {
    out.push_sql("EXISTS (SELECT FROM delivery_logs AS message WHERE message.organization_id = ");
    out.push_bind_param::<SqlUuid, _>(place.organization)?;
    let since = Id::<Message>::floor(rule.campaign.time() - CLOCKS_DIFFER);
    out.push_sql(&format!(
        " AND message.campaign_id = '{}'::uuid AND message.contact_id = contacts.id \
         AND message.id >= '{since}'::uuid AND message.status {state}{})",
        rule.campaign,
        looked_up(place)
    ));
    Ok(())
}

/// Writes the condition that the campaign passed the contact over.
fn push_skip<'b>(
    rule: &CampaignRule,
    place: Place<'b>,
    out: &mut AstPass<'_, 'b, Pg>,
) -> QueryResult<()> {
    out.push_sql("EXISTS (SELECT FROM campaign_skips AS skip WHERE skip.organization_id = ");
    out.push_bind_param::<SqlUuid, _>(place.organization)?;
    out.push_sql(&format!(
        " AND skip.campaign_id = '{}'::uuid AND skip.contact_id = contacts.id{})",
        rule.campaign,
        looked_up(place)
    ));
    Ok(())
}

/// Returns what keeps the planner from joining the contacts of a walk with all of a campaign.
fn looked_up(place: Place<'_>) -> &'static str {
    if place.is_walk { " OFFSET 0" } else { "" }
}

/// Returns the condition that a failed message counts as skipped.
fn is_skipped() -> String {
    let codes = FailureCode::ALL.into_iter().filter(|code| code.is_skip());
    let codes: Vec<_> = codes.map(|code| format!("'{}'", code.as_str())).collect();
    format!("coalesce(message.error_code, '') IN ({})", codes.join(", "))
}
