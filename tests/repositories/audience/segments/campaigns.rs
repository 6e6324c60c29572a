//! Rules about what became of campaigns.

use domain::{
    audience::segment::Rules,
    identity::organization::Organization,
    messaging::message::{CampaignId, Message},
    shared::id::Id,
};
use ports::{audience::segments::SegmentRepository, messaging::messages::Intake};
use serde_json::{Value, json};

use crate::{
    messaging::intake_fixture::{IntakeFixture, PRICE},
    now,
};

/// Makes a message one of a campaign to a contact, in that state.
async fn change(
    fixture: &IntakeFixture,
    message: &Message,
    contact: &str,
    campaign: CampaignId,
    state: &str,
) {
    fixture
        .world
        .sql(&format!(
            "UPDATE delivery_logs SET campaign_id = '{campaign}', contact_id = '{contact}', {state} \
             WHERE id = '{}'",
            message.id
        ))
        .await;
}

async fn names(fixture: &IntakeFixture, campaign: CampaignId, outcome: Value) -> Vec<String> {
    let rules = json!({"campaign": {"id": campaign.to_string(), "outcome": outcome}});
    named(fixture, fixture.organization, rules).await
}

/// Returns the tags of the contacts that match, in the order of the alphabet.
async fn named(
    fixture: &IntakeFixture,
    organization: Id<Organization>,
    rules: Value,
) -> Vec<String> {
    let rules = Rules::parse(rules).unwrap();
    let preview = fixture.world.segments().preview(organization, &rules).await.unwrap();
    assert_eq!(preview.count, preview.sample.len() as u64);
    let mut tags: Vec<_> = preview.sample.iter().map(|contact| contact.tags[0].clone()).collect();
    tags.sort();
    tags
}

#[tokio::test]
async fn contacts_are_found_by_what_became_of_a_campaign() {
    let fixture = IntakeFixture::open(PRICE * 10).await;
    let (organization, campaign) =
        (fixture.organization, CampaignId::new_in(now(), fixture.organization));
    let failed = "status = 'FAILED', failed_at = now(), error_message = ''";
    let states = [
        ("queued", "error_code = NULL".to_owned()),
        ("sent", "status = 'SENT', sent_at = now()".to_owned()),
        ("failed", format!("{failed}, error_code = 'UNDELIVERED'")),
        ("suppressed", format!("{failed}, error_code = 'RECIPIENT_SUPPRESSED'")),
        ("incomplete", format!("{failed}, error_code = 'MISSING_VARIABLE'")),
    ];
    let messages: Vec<_> = states.iter().map(|_| fixture.message()).collect();
    fixture.intake.accept(fixture.submission(&messages)).await.unwrap();
    for ((tag, state), message) in states.iter().zip(&messages) {
        let contact = fixture.world.tagged(organization, tag).await.id.to_string();
        change(&fixture, message, &contact, campaign, state).await;
    }
    let passed_over = fixture.world.tagged(organization, "passed over").await.id;
    fixture.world.tagged(organization, "of no campaign").await;
    fixture
        .world
        .sql(&format!(
            "INSERT INTO campaign_skips (organization_id, campaign_id, contact_id, reason) \
             VALUES ('{organization}', '{campaign}', '{passed_over}', 'NO_ADDRESS')"
        ))
        .await;

    assert_eq!(names(&fixture, campaign, json!("SENT")).await, ["sent"]);
    assert_eq!(names(&fixture, campaign, json!("FAILED")).await, ["failed"]);
    let skipped = ["incomplete", "passed over", "suppressed"];
    assert_eq!(names(&fixture, campaign, json!("SKIPPED")).await, skipped);
    let both = names(&fixture, campaign, json!(["FAILED", "SENT"])).await;
    assert_eq!(both, ["failed", "sent"]);
    let all = json!(["SENT", "FAILED", "SKIPPED"]);
    let others = json!({
        "not": {"campaign": {"id": campaign.to_string(), "outcome": all}},
    });
    assert_eq!(named(&fixture, organization, others.clone()).await, ["of no campaign", "queued"]);
    let another = CampaignId::new_in(now(), organization);
    assert!(names(&fixture, another, json!(["SENT", "SKIPPED"])).await.is_empty());

    let known = fixture.world.segments().unknown_campaigns(organization, &[campaign]).await;
    assert_eq!(known.unwrap(), [campaign], "no campaign has this identifier");
}

#[tokio::test]
async fn segments_about_a_campaign_are_counted_with_others() {
    let fixture = IntakeFixture::open(PRICE).await;
    let (organization, campaign) =
        (fixture.organization, CampaignId::new_in(now(), fixture.organization));
    let message = fixture.message();
    fixture.intake.accept(fixture.submission(std::slice::from_ref(&message))).await.unwrap();
    let contact = fixture.world.tagged(organization, "vip").await.id.to_string();
    let sent = "status = 'SENT', sent_at = now()";
    change(&fixture, &message, &contact, campaign, sent).await;
    let segments = fixture.world.segments();
    let sent = json!({"campaign": {"id": campaign.to_string(), "outcome": "SENT"}});
    for rules in [sent.clone(), json!({"not": sent}), json!({"tags": "vip"})] {
        super::insert(&segments, &super::segment(organization, rules, true)).await;
    }

    let mut counts = super::counts(&segments, organization).await;
    counts.sort_unstable();
    assert_eq!(counts, [0, 1, 1]);
}

#[tokio::test]
async fn the_attributes_of_contacts_are_named() {
    let fixture = IntakeFixture::open(PRICE).await;
    let organization = fixture.organization;
    let contact = fixture.world.tagged(organization, "vip").await.id;
    fixture
        .world
        .sql(&format!(
            "UPDATE contacts SET attributes = '{{\"town\": \"Ho\"}}' WHERE id = '{contact}'"
        ))
        .await;

    let names = fixture.world.segments().attribute_names(organization).await.unwrap();

    assert_eq!(names, ["town"]);
}
