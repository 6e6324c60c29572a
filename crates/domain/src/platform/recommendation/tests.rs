//! Tests that each kind of recommendation appears and disappears.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::*;
use crate::{
    identity::organization::PLATFORM,
    outreach::event::FallbackRules,
    webhooks::webhook::{
        Deactivation, WebhookEndpointRequest, WebhookEndpointUpdate, WebhookSecret,
    },
};

const NOW: DateTime<Utc> = DateTime::from_timestamp(1_795_000_000, 0).unwrap();

fn today() -> NaiveDate {
    NOW.date_naive()
}

/// Returns a count of messages of today.
fn count(channel: Channel, status: Status, messages: u64) -> Count {
    let cost = Money::from_micros(35_000 * i64::try_from(messages).unwrap());
    Count { since: today(), channel, status, messages, segments: messages, cost }
}

fn message(status: Status) -> NewMessage {
    NewMessage {
        channel: Channel::Sms,
        recipient: Address::stored("+233241234567".into()),
        template: None,
        is_of_campaign: false,
        status,
        failure: None,
        segments: 1,
        cost: Money::from_micros(35_000),
        long_text: None,
    }
}

fn failed(code: FailureCode) -> NewMessage {
    NewMessage { failure: Some(code), ..message(Status::Failed) }
}

/// Returns the facts of an organization without problems: of 2,000 messages 1,000 are known.
fn facts() -> Facts {
    Facts {
        now: NOW,
        counts: vec![count(Channel::Sms, Status::Delivered, 2_000)],
        newest: vec![message(Status::Delivered); 1_000],
        balance: Money::from_cedis(1_000),
        api_keys: Vec::new(),
        events: Vec::new(),
        webhook_endpoints: Vec::new(),
    }
}

/// Returns facts whose newest messages begin with these.
fn with_newest(messages: Vec<NewMessage>) -> Facts {
    let mut facts = facts();
    facts.newest.splice(..messages.len(), messages);
    facts
}

#[track_caller]
fn only(facts: &Facts, code: RecommendationCode) -> Recommendation {
    let [found] = recommend(facts).try_into().unwrap();
    let found: Recommendation = found;
    assert_eq!(found.code, code);
    found
}

#[track_caller]
fn assert_nothing(facts: &Facts) {
    assert_eq!(recommend(facts), []);
}

fn is(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9
}

#[test]
fn a_healthy_or_idle_organization_gets_no_recommendations() {
    assert_nothing(&facts());
    let nothing = Facts { counts: Vec::new(), newest: Vec::new(), balance: Money::ZERO, ..facts() };
    assert_nothing(&nothing);
}

#[test]
fn a_wallet_that_lasts_less_than_a_week_is_reported() {
    // GHS 70 in seven days are 10 a day.
    let with = |balance| Facts { balance: Money::from_cedis(balance), ..facts() };

    let found = only(&with(39), RecommendationCode::WalletRunsDry);
    assert!(is(found.value, 3.0) && found.messages_at_stake == 2_000 * 27 / 30, "{found:?}");
    assert!(found.message.contains("GHS 70.00") && found.message.contains("GHS 39.00"));
    assert!(is(only(&with(0), RecommendationCode::WalletRunsDry).value, 0.0));
    assert_nothing(&with(70));
}

#[test]
fn old_or_refunded_spending_empties_no_wallet() {
    let mut facts = Facts { balance: Money::from_cedis(1), ..facts() };
    facts.counts[0].since = first_of(today(), 8);
    assert_nothing(&facts);
    facts.counts[0].since = first_of(today(), 7);
    only(&facts, RecommendationCode::WalletRunsDry);
    facts.counts[0].status = Status::Failed;
    assert_nothing(&facts);
}

#[test]
fn a_channel_that_delivers_less_than_another_is_reported() {
    let rates = |sms: u64, whatsapp: u64, each: u64| {
        let mut facts = facts();
        facts.counts = vec![
            count(Channel::Sms, Status::Delivered, sms),
            count(Channel::Sms, Status::Failed, each - sms),
            count(Channel::WhatsApp, Status::Delivered, whatsapp),
            count(Channel::WhatsApp, Status::Failed, each - whatsapp),
            count(Channel::Sms, Status::Queued, 1_000),
        ];
        facts
    };

    let found = only(&rates(140, 190, 200), RecommendationCode::WorseChannel);
    assert!(is(found.value, 0.7) && found.messages_at_stake == 50, "{found:?}");
    assert!(found.title == "SMS delivers less than WHATSAPP" && found.message.contains("95.0 %"));
    only(&rates(190, 140, 200), RecommendationCode::WorseChannel);
    assert_nothing(&rates(172, 190, 200));
    // So few messages prove nothing.
    assert_nothing(&rates(50, 90, 99));
}

fn event(channels: &[Channel]) -> Event {
    Event {
        id: Id::new_in(NOW, PLATFORM),
        organization: PLATFORM,
        name: "Parcel".into(),
        slug: "parcel".into(),
        description: None,
        channel_priority: channels.to_vec(),
        template: Some(template()),
        templates: BTreeMap::new(),
        retry_rules: None,
        fallback_rules: None,
        sender: None,
        country: None,
        is_active: true,
        version: 1,
        created_at: NOW,
    }
}

fn template() -> Id<Template> {
    "019a5b8e-6c2f-7d10-a4c3-e5f708192000".parse().unwrap()
}

/// Returns facts in which a missing route made ten of twenty messages of the event fail.
fn with_failing_event(event: Event) -> Facts {
    let of_event = |message| NewMessage { template: Some(template()), ..message };
    let mut messages = vec![of_event(message(Status::Delivered)); 10];
    messages.extend(vec![of_event(failed(FailureCode::NoRoute)); 10]);
    Facts { events: vec![event], ..with_newest(messages) }
}

#[test]
fn a_failing_event_without_a_fallback_is_reported() {
    let found =
        only(&with_failing_event(event(&[Channel::Sms])), RecommendationCode::EventWithoutFallback);
    assert!(is(found.value, 10.0) && found.messages_at_stake == 20, "{found:?}");
    assert!(found.message.contains("Of its 20 messages among the newest ones 10 failed"));

    assert_nothing(&with_failing_event(event(&[Channel::Sms, Channel::Email])));
    let rules = FallbackRules::parse(serde_json::json!({"channels": ["EMAIL"]})).unwrap();
    let with_fallback = Event { fallback_rules: Some(rules), ..event(&[Channel::Sms]) };
    assert_nothing(&with_failing_event(with_fallback));
    assert_nothing(&with_failing_event(Event { is_active: false, ..event(&[Channel::Sms]) }));
}

#[test]
fn messages_of_campaigns_or_other_channels_do_not_count_for_an_event() {
    let change = |change: fn(&mut NewMessage)| {
        let mut facts = with_failing_event(event(&[Channel::Sms]));
        facts.newest.iter_mut().for_each(change);
        facts
    };
    assert_nothing(&change(|message| message.is_of_campaign = true));
    assert_nothing(&change(|message| message.channel = Channel::Voice));
    assert_nothing(&change(|message| message.template = None));
}

fn key(name: &str, days_left: i64) -> ApiKey {
    ApiKey {
        id: Id::new_in(NOW, PLATFORM),
        organization: PLATFORM,
        name: name.into(),
        prefix: "ak_live_1234".into(),
        scopes: Vec::new(),
        is_sandbox: false,
        expires_at: Some(NOW + TimeDelta::days(days_left)),
        last_used_at: Some(NOW),
        created_at: NOW,
        created_by: None,
    }
}

#[test]
fn an_api_key_is_reported_in_the_fortnight_before_it_expires() {
    let with = |days_left| Facts { api_keys: vec![key("shop", days_left)], ..facts() };

    let found = only(&with(14), RecommendationCode::ApiKeyExpires);
    assert!(is(found.value, 14.0) && found.messages_at_stake == 2_000 * 16 / 30, "{found:?}");
    assert_eq!(found.title, "API key shop expires in 14 days");
    assert_nothing(&with(15));
    assert_nothing(&with(0));
    let lasting = ApiKey { expires_at: None, ..key("shop", 1) };
    assert_nothing(&Facts { api_keys: vec![lasting], ..facts() });
}

#[test]
fn live_keys_are_reported_first_and_unused_ones_matter_least() {
    let sandbox = ApiKey { is_sandbox: true, ..key("tests", 1) };
    let facts = |keys| Facts { api_keys: keys, ..facts() };

    let found = recommend(&facts(vec![sandbox.clone(), key("shop", 9), key("till", 8)]));
    assert_eq!(found[0].title, "API key till expires in 8 days");
    assert_eq!(found[0].messages_at_stake, 2_000 * 22 / 30 / 2);
    let unused = ApiKey { last_used_at: None, ..key("old", 1) };
    for idle in [sandbox, unused] {
        assert_eq!(recommend(&facts(vec![idle]))[0].messages_at_stake, 0);
    }
}

#[test]
fn unreachable_recipients_are_reported_without_their_addresses() {
    let mut messages = vec![failed(FailureCode::Undelivered); 3];
    for message in &mut messages {
        message.recipient = Address::stored("+233209999999".into());
    }

    let found = only(&with_newest(messages.clone()), RecommendationCode::UnreachableRecipients);
    assert!(is(found.value, 1.0) && found.messages_at_stake == 6, "{found:?}");
    assert!(!found.message.contains("9999999"));
    // One message arrived, may have arrived, or was held back because the recipient is suppressed.
    for settled in [
        message(Status::Delivered),
        message(Status::Sent),
        failed(FailureCode::RecipientSuppressed),
    ] {
        let mut messages = messages.clone();
        messages.push(NewMessage { recipient: messages[0].recipient.clone(), ..settled });
        assert_nothing(&with_newest(messages));
    }
    // Two failures are a coincidence, and an unavailable provider is not the recipient's fault.
    assert_nothing(&with_newest(messages[1..].to_vec()));
    for message in &mut messages {
        message.failure = Some(FailureCode::Expired);
    }
    assert_nothing(&with_newest(messages));
}

/// Returns an SMS of 150 plain characters followed by `others`.
fn long(others: &str) -> NewMessage {
    let text = "a".repeat(150) + others;
    let segments = crate::shared::sms::segment(&text).segments;
    let cost = Money::from_micros(35_000) * segments;
    NewMessage { segments, cost, long_text: Some(text), ..message(Status::Delivered) }
}

#[test]
fn expensive_characters_are_reported_with_their_cost() {
    let found = only(&with_newest(vec![long("“x”"); 5]), RecommendationCode::CostlyCharacters);
    assert!(is(found.value, 0.35) && found.messages_at_stake == 20, "{found:?}");
    assert!(found.message.contains("5 of the newest 1000 messages needed 10 segments more"));
    assert!(found.message.contains("“ (U+201C), ” (U+201D)"), "{}", found.message);
    assert!(found.message.contains("GHS 0.35"));
    let invisible =
        only(&with_newest(vec![long("\u{a0}"); 5]), RecommendationCode::CostlyCharacters);
    assert!(invisible.message.contains(": U+00A0."), "{}", invisible.message);
}

#[test]
fn necessary_unpaid_or_forgotten_characters_are_not_reported() {
    let five = |message: NewMessage| with_newest(vec![message; 5]);
    assert_nothing(&five(long("")));
    assert_nothing(&five(long("жизнь это")));
    assert_nothing(&five(NewMessage { status: Status::Failed, ..long("“x”") }));
    assert_nothing(&five(NewMessage { cost: Money::ZERO, ..long("“x”") }));
    assert_nothing(&five(NewMessage { long_text: Some(String::new()), ..long("“x”") }));
    assert_nothing(&with_newest(vec![long("“x”"); 4]));
}

fn webhook(failing_since: Option<DateTime<Utc>>) -> WebhookEndpoint {
    let url = "https://hooks.kente.example/secret/path".to_owned();
    let request = WebhookEndpointRequest { url, events: None };
    let endpoint = request.endpoint(PLATFORM, WebhookSecret::new(&[0; 32]), NOW);
    WebhookEndpoint { failing_since, ..endpoint }
}

#[test]
fn a_webhook_that_fails_for_an_hour_is_reported_by_host_until_a_success() {
    let with = |webhook| Facts { webhook_endpoints: vec![webhook], ..facts() };
    let since = |hours| Some(NOW - TimeDelta::hours(hours));

    let found = only(&with(webhook(since(72))), RecommendationCode::WebhookFails);
    assert!(is(found.value, 72.0) && found.messages_at_stake == 200, "{found:?}");
    assert!(found.message.contains("hooks.kente.example have failed for 3 days"), "{found:?}");
    assert!(!found.message.contains("secret"), "{}", found.message);
    only(&with(webhook(since(1))), RecommendationCode::WebhookFails);
    assert_nothing(&with(webhook(Some(NOW - TimeDelta::minutes(59)))));
    assert_nothing(&with(webhook(None)));
}

#[test]
fn a_webhook_deactivated_by_the_service_is_reported_until_a_user_acts() {
    let gone = WebhookEndpoint {
        is_active: false,
        deactivation: Some(Deactivation::Gone),
        ..webhook(Some(NOW))
    };
    let with = |webhook| Facts { webhook_endpoints: vec![webhook], ..facts() };

    let found = only(&with(gone.clone()), RecommendationCode::WebhookFails);
    assert!(found.message.contains("because it answered 410"), "{}", found.message);
    assert_nothing(&with(WebhookEndpointUpdate::deactivation().apply(&gone)));
}

#[test]
fn the_four_largest_recommendations_are_given_in_descending_order() {
    let mut facts = with_failing_event(event(&[Channel::Sms]));
    facts.balance = Money::from_cedis(1);
    facts.api_keys = vec![key("shop", 7)];
    facts.newest.splice(500..505, vec![long("“x”"); 5]);
    facts.newest.splice(600..603, vec![failed(FailureCode::Undelivered); 3]);
    for message in &mut facts.newest[600..603] {
        message.recipient = Address::stored("+233209999999".into());
    }

    let found = recommend(&facts);

    let codes: Vec<_> = found.iter().map(|it| it.code.as_str()).collect();
    let most_valuable =
        ["WALLET_RUNS_DRY", "API_KEY_EXPIRES", "EVENT_WITHOUT_FALLBACK", "COSTLY_CHARACTERS"];
    assert_eq!(codes, most_valuable);
    assert!(found.is_sorted_by(|one, next| one.messages_at_stake >= next.messages_at_stake));
}
