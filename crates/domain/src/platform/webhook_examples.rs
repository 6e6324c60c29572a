//! Example data of test calls.
//!
//! ```
//! use chrono::DateTime;
//! use domain::platform::webhook_examples::example_low_wallet;
//!
//! assert!(example_low_wallet(DateTime::UNIX_EPOCH).contains("balance"));
//! ```

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;

use crate::{
    audience::{
        contact::Contact,
        import::{Import, ImportKind, ImportStatus},
        suppression::SuppressionSource,
    },
    content::template::{Template, TemplateChannel, TemplateContent, TemplateStatus, ValueRules},
    identity::organization::Organization,
    messaging::{
        attempt::{Attempt, AttemptEnd, AttemptOutcome, AttemptState},
        delivery::{Delivery, FailureCode},
        message::{Draft, Message, Metadata},
        priority::Priority,
    },
    money::{
        top_up::{PaymentMethod, TopUp, TopUpReference, TopUpStatus},
        wallet::Wallet,
    },
    outreach::campaign::{
        Campaign, CampaignCounts, CampaignProgress, CampaignStatus, FailureCount,
    },
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
        metadata: Metadata::default(),
    };
    Message {
        id: Id::new_in(created_at, organization),
        organization,
        draft: Arc::new(draft),
        priority: Priority::Single,
        source: None,
        event: None,
        contact: None,
        resent_from: None,
        scheduled_at: None,
        trace: None,
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

/// Returns the data of a fictitious campaign that just started, as JSON.
pub fn example_started_campaign(organization: Id<Organization>, now: DateTime<Utc>) -> String {
    let completed = campaign(organization, now);
    let campaign = Campaign {
        status: CampaignStatus::Sending,
        started_at: Some(now),
        completed_at: None,
        unreachable: 0,
        ..completed
    };
    CampaignProgress { campaign, counts: CampaignCounts::default() }.to_json().to_string()
}

/// Returns the data of a fictitious campaign that was just completed, as JSON.
pub fn example_campaign(organization: Id<Organization>, now: DateTime<Utc>) -> String {
    let campaign = campaign(organization, now);
    let counts = CampaignCounts {
        sent: 10,
        delivered: 970,
        failed: 15,
        failures: vec![FailureCount { code: FailureCode::Undelivered, messages: 15 }],
        cost: Money::from_micros(34_300_000),
        ..CampaignCounts::default()
    };
    CampaignProgress { campaign, counts }.to_json().to_string()
}

/// Returns the data of a fictitious import that was just completed, as JSON.
pub fn example_import(organization: Id<Organization>, now: DateTime<Utc>) -> String {
    let created_at = now - TimeDelta::minutes(1);
    let import = Import {
        id: Id::new_in(created_at, organization),
        organization,
        kind: ImportKind::Contacts,
        file_name: Some("customers.csv".to_owned()),
        status: ImportStatus::Completed,
        total_rows: 1_000,
        created: 970,
        updated: 20,
        failed: 10,
        fixed_lines: 0,
        consent_source: None,
        same_as: None,
        undo_status: None,
        undone: 0,
        undone_at: None,
        created_at,
        completed_at: Some(now),
    };
    import.to_json().to_string()
}

/// Returns the data of a fictitious template about which was just decided, as JSON.
pub fn example_template(
    organization: Id<Organization>,
    status: TemplateStatus,
    now: DateTime<Utc>,
) -> String {
    let created_at = now - TimeDelta::hours(2);
    let is_rejected = status == TemplateStatus::Rejected;
    let template = Template {
        id: Id::new_in(created_at, organization),
        organization,
        name: "Premium due".to_owned(),
        content: TemplateContent {
            channel: TemplateChannel::Messages(Channel::Sms),
            category: Category::Insurance,
            country: Country::GH,
            language: "en".to_owned(),
            subject: None,
            body: "Hello {{name}}, your premium is due.".to_owned(),
            format: None,
            variables: vec!["name".to_owned()],
            vendor_template: None,
            value_rules: ValueRules::default(),
        },
        version: 1,
        status,
        risk_score: 0,
        issues: Vec::new(),
        comment: is_rejected.then(|| "Name the insurer.".to_owned()),
        created_by: None,
        created_at,
    };
    template.to_json().to_string()
}

/// Returns the data of a fictitious wallet that just fell below its threshold, as JSON.
pub fn example_low_wallet(now: DateTime<Utc>) -> String {
    let wallet = Wallet { balance: Money::from_micros(4_200_000), updated_at: now };
    wallet.to_json_below(Money::from_cedis(5)).to_string()
}

/// Returns the data of a fictitious top-up that was just credited, as JSON.
pub fn example_top_up(organization: Id<Organization>, now: DateTime<Utc>) -> String {
    let created_at = now - TimeDelta::minutes(2);
    let top_up = TopUp {
        id: Id::new_in(created_at, organization),
        organization,
        reference: TopUpReference::new_in(organization, [0; 32]),
        amount: Money::from_cedis(50),
        method: PaymentMethod::MobileMoney,
        status: TopUpStatus::Credited,
        requested_by: Id::of(Uuid::nil()),
        created_at,
        credited_at: Some(now),
    };
    top_up.to_json().to_string()
}

fn campaign(organization: Id<Organization>, now: DateTime<Utc>) -> Campaign {
    let created_at = now - TimeDelta::hours(2);
    Campaign {
        id: Id::new_in(created_at, organization),
        organization,
        name: "Sale at Makola".to_owned(),
        channel: Channel::Sms,
        template: None,
        subject: None,
        body: Some("Hello {{firstName}}, sale at Makola this Saturday.".to_owned()),
        format: None,
        sender: None,
        metadata: Metadata::default(),
        is_sandbox: false,
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
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::identity::organization::PLATFORM;

    #[test]
    fn examples_are_json_of_the_organization() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
        for (text, field) in [
            (example_opt_out(PLATFORM, now), "contactId"),
            (example_campaign(PLATFORM, now), "id"),
            (example_started_campaign(PLATFORM, now), "id"),
            (example_import(PLATFORM, now), "id"),
            (example_template(PLATFORM, TemplateStatus::Rejected, now), "id"),
            (example_top_up(PLATFORM, now), "id"),
        ] {
            let data: Value = serde_json::from_str(&text).unwrap();
            assert!(data[field].as_str().unwrap().ends_with("000"), "{text}");
        }
        assert_eq!(example_message(PLATFORM, now).id.slot(), PLATFORM.slot());
    }
}
