//! Example data of test calls.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;

use crate::{
    audience::{contact::Contact, suppression::SuppressionSource},
    identity::organization::Organization,
    messaging::{
        attempt::{Attempt, AttemptEnd, AttemptOutcome, AttemptState},
        delivery::Delivery,
        message::{Draft, Message},
        priority::Priority,
    },
    outreach::campaign::{Campaign, CampaignCounts, CampaignProgress, CampaignStatus},
    shared::{
        address::Address, category::Category, channel::Channel, country::Country, id::Id,
        money::Money, text_format::TextFormat,
    },
};

const RECIPIENT: &str = "+233241234567";
const PROVIDER: &str = "example";

/// Returns a fictitious message that was just delivered.
pub fn example_message(organization: Id<Organization>, now: DateTime<Utc>) -> Message {
    let created_at = now - TimeDelta::seconds(4);
    let sent_at = created_at + TimeDelta::milliseconds(350);
    let validity = TimeDelta::days(1);
    let end = AttemptEnd {
        at: sent_at,
        outcome: AttemptOutcome::Accepted,
        reference: Some("example-1".to_owned()),
        error_code: None,
        vendor_code: None,
    };
    let draft = Draft {
        channel: Channel::Sms,
        recipient: Address::stored(RECIPIENT.to_owned()),
        country: Country::GH,
        category: Category::Transactional,
        sender: None,
        subject: None,
        body: "Hello Ama, your parcel has arrived.".to_owned(),
        format: TextFormat::Text,
        is_open: false,
        masked: None,
        segments: 1,
        template: None,
        vendor_template: None,
        validity,
        retry_rules: None,
    };
    Message {
        id: Id::new_in(created_at, organization),
        organization,
        draft: Arc::new(draft),
        priority: Priority::Single,
        source: None,
        cost: Money::from_micros(35_000),
        is_sandbox: false,
        is_confidential: false,
        delivery: Delivery::Delivered { sent_at: Some(sent_at), at: now },
        provider: Some(PROVIDER.to_owned()),
        attempts: vec![Attempt {
            state: AttemptState::Ended(end),
            ..Attempt::plan(PROVIDER, created_at)
        }],
        valid_from: created_at,
        expires_at: created_at + validity,
        created_at,
    }
}

/// Returns the data of a fictitious contact who just opted out, as JSON.
pub fn example_opt_out(organization: Id<Organization>, now: DateTime<Utc>) -> String {
    let contact = Id::<Contact>::new_in(now, organization).uuid();
    let source = SuppressionSource::Stop.as_str();
    let data = json!({
        "contactId": contact, "channel": Channel::Sms.as_str(), "phone": RECIPIENT,
        "source": source,
    });
    data.to_string()
}

/// Returns the data of a fictitious campaign that was just completed, as JSON.
pub fn example_campaign(organization: Id<Organization>, now: DateTime<Utc>) -> String {
    let created_at = now - TimeDelta::hours(2);
    let campaign = Campaign {
        id: Id::new_in(created_at, organization),
        organization,
        name: "Sale at Makola".to_owned(),
        channel: Channel::Sms,
        template: None,
        subject: None,
        body: Some("Hello {{firstName}}, sale at Makola this Saturday.".to_owned()),
        format: None,
        sender: None,
        segment: None,
        scheduled_at: None,
        version: 1,
        status: CampaignStatus::Completed,
        paused_reason: None,
        created_by: Id::of(Uuid::nil()),
        authors: Vec::new(),
        created_at,
        updated_at: now,
        started_at: Some(now - TimeDelta::hours(1)),
        completed_at: Some(now),
        audience: Some(1_000),
        unreachable: 5,
    };
    let counts = CampaignCounts { queued: 0, pending: 0, sent: 10, delivered: 970, failed: 15 };
    CampaignProgress { campaign, counts }.to_json().to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::identity::organization::PLATFORM;

    #[test]
    fn examples_are_json_of_the_organization() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
        for (text, field) in
            [(example_opt_out(PLATFORM, now), "contactId"), (example_campaign(PLATFORM, now), "id")]
        {
            let data: Value = serde_json::from_str(&text).unwrap();
            assert!(data[field].as_str().unwrap().ends_with("000"), "{text}");
        }
        assert_eq!(example_message(PLATFORM, now).id.slot(), PLATFORM.slot());
    }
}
