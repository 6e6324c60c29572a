//! The log of changes of cached rows, and a cache that follows it.

use std::{collections::BTreeSet, sync::Arc};

use chrono::{DateTime, Utc};
use domain::{
    content::sender_name::SenderRule,
    identity::organization::Organization,
    shared::{id::Id, money::Money},
};
use ports::{
    messaging::messages::Intake,
    shared::{
        changes::{ChangeLog, Changes, LogPosition, LoggedChange},
        clock::Clock,
        nobody::Nobody,
        signals::Change,
    },
};
use usecases::{
    identity::policies::{Policies, PolicySources},
    shared::change_follower::{ChangeFollower, FollowedCache},
};

use crate::{World, messaging::intake_fixture::IntakeFixture, now};

/// Reader of the log.
struct Reader<'w> {
    world: &'w World,
    position: Option<LogPosition>,
}

impl<'w> Reader<'w> {
    async fn begin(world: &'w World) -> Self {
        let mut reader = Self { world, position: None };
        assert_eq!(reader.read().await, Changes::Unknown);
        reader
    }

    async fn read(&mut self) -> Changes {
        let read = self.world.store.read(self.position.take()).await.unwrap();
        self.position = Some(read.position);
        read.changes
    }

    /// Returns the changes since the last read.
    async fn news(&mut self) -> Vec<LoggedChange> {
        match self.read().await {
            Changes::Known(changes) => changes,
            Changes::Unknown => panic!("the log does not reach back to the last read"),
        }
    }
}

/// Clock that stands still, so that nothing cached expires.
struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> DateTime<Utc> {
        now()
    }
}

fn policy_changed(organization: Id<Organization>) -> LoggedChange {
    LoggedChange { kind: Change::Organizations, organization: Some(organization), key: None }
}

fn screen(organization: Id<Organization>) -> String {
    format!("UPDATE organizations SET is_screened = true WHERE id = '{organization}'")
}

#[tokio::test]
async fn a_change_that_commits_after_ten_others_is_reported() {
    let world = World::alone().await;
    let late = world.organization().await.id;
    let mut others = Vec::new();
    for _ in 0..10 {
        others.push(world.organization().await.id);
    }
    let mut reader = Reader::begin(&world).await;
    let client = world.client().await;
    client.batch_execute(&format!("BEGIN; {}", screen(late))).await.unwrap();

    for other in others {
        world.sql(&screen(other)).await;
        assert_eq!(reader.news().await, [policy_changed(other)]);
    }
    assert_eq!(reader.news().await, []);
    client.batch_execute("COMMIT").await.unwrap();

    assert_eq!(reader.news().await, [policy_changed(late)]);
    assert_eq!(reader.news().await, []);
}

#[tokio::test]
async fn a_cached_policy_follows_a_change_that_commits_late() {
    let world = World::alone().await;
    let (late, other) = (world.organization().await.id, world.organization().await.id);
    let store = || Arc::new(world.store.clone());
    let sources = PolicySources {
        organizations: store(),
        sender_names: store(),
        subscriptions: store(),
        traffic: store(),
    };
    let clock: Arc<dyn Clock> = Arc::new(StoppedClock);
    let policies = Policies::new(sources, SenderRule::Open, Arc::clone(&clock), Arc::new(Nobody));
    let caches: [Arc<dyn FollowedCache>; 1] = [Arc::new(policies.clone())];
    let mut follower = ChangeFollower::new(store(), clock, caches);
    let is_screened = async |organization| {
        let policy = policies.get(organization).await.unwrap().unwrap();
        policy.settings.is_screened
    };
    follower.follow().await.unwrap();
    assert_eq!((is_screened(late).await, is_screened(other).await), (false, false));

    let client = world.client().await;
    client.batch_execute(&format!("BEGIN; {}", screen(late))).await.unwrap();
    world.sql(&screen(other)).await;
    follower.follow().await.unwrap();
    assert_eq!((is_screened(late).await, is_screened(other).await), (false, true));
    client.batch_execute("COMMIT").await.unwrap();
    assert!(!is_screened(late).await, "it is cached until the log is read");
    follower.follow().await.unwrap();

    assert!(is_screened(late).await);
}

/// Writes a row into each cached table of an organization.
async fn settle(world: &World, organization: Id<Organization>) {
    let id = format!("uuid_v7_in(now(), '{organization}')");
    world
        .sql(&format!(
            "INSERT INTO api_keys (organization_id, id, hash, name, prefix, scopes, is_sandbox, \
                created_at) \
             VALUES ('{organization}', {id}, sha256('a'), 'k', 'p', '{{}}', false, now()); \
             INSERT INTO sender_names (id, organization_id, name, channel, country_code, claim, \
                status, created_at) \
             VALUES ({id}, '{organization}', 'Kente', 'SMS', 'GH', 'kente', 'PENDING', now()); \
             INSERT INTO webhook_endpoints (organization_id, id, url, secret, begins_at, created_at) \
             VALUES ('{organization}', {id}, '', '', now(), now()); \
             INSERT INTO traffic_alerts (organization_id, id, operator_range, day, found_at, codes, \
                delivered, normal_codes, normal_delivered, others_codes, others_delivered, \
                others_normal_codes, others_normal_delivered) \
             VALUES ('{organization}', {id}, 23324, now()::date, now(), 1, 1, 1, 1, 1, 1, 1, 1); \
             INSERT INTO events (organization_id, id, name, slug, channel_priority, templates, \
                is_active, version, created_at) \
             VALUES ('{organization}', {id}, 'e', 'parcel', '{{SMS}}', '{{}}', true, 1, now()); \
             INSERT INTO templates (id, organization_id, name, channel, category, body, status, \
                created_at) \
             VALUES ({id}, '{organization}', 't', 'SMS', 'OTP', 'B', 'APPROVED', now()); \
             INSERT INTO campaigns (organization_id, id, name, channel, created_by, authors, \
                created_at, updated_at) \
             VALUES ('{organization}', {id}, 'c', 'SMS', {id}, '{{}}', now(), now())"
        ))
        .await;
}

#[tokio::test]
async fn changes_of_all_cached_rows_are_reported() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    settle(&world, own).await;
    let mut reader = Reader::begin(&world).await;
    // SHA-256 of the letter.
    let hash = Some("ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
    let parcel = Some("parcel");
    let velocity = format!("UPDATE organizations SET velocity_limit = 7 WHERE id = '{own}'");

    for (statement, kind, organization, key) in [
        ("UPDATE api_keys SET expires_at = now()", Change::ApiKeys, Some(own), hash),
        ("UPDATE api_keys SET revoked_at = now()", Change::ApiKeys, Some(own), hash),
        ("DELETE FROM api_keys", Change::ApiKeys, Some(own), hash),
        (velocity.as_str(), Change::Organizations, Some(own), None),
        ("UPDATE sender_names SET status = 'APPROVED'", Change::Organizations, Some(own), None),
        ("DELETE FROM sender_names", Change::Organizations, Some(own), None),
        ("UPDATE webhook_endpoints SET is_active = false", Change::Organizations, Some(own), None),
        ("DELETE FROM webhook_endpoints", Change::Organizations, Some(own), None),
        ("UPDATE traffic_alerts SET stopped_until = now()", Change::Organizations, Some(own), None),
        ("UPDATE pricing_rules SET is_active = is_active", Change::Prices, None, None),
        ("UPDATE events SET name = 'f'", Change::Events, Some(own), parcel),
        ("DELETE FROM events", Change::Events, Some(own), parcel),
        ("UPDATE templates SET status = 'REJECTED'", Change::Events, Some(own), None),
        ("UPDATE sending_windows SET is_active = NOT is_active", Change::Holds, None, None),
        (
            "UPDATE campaigns SET status = 'PAUSED', paused_reason = 'USER'",
            Change::Holds,
            Some(own),
            None,
        ),
        ("UPDATE campaigns SET settled_at = now()", Change::Holds, Some(own), None),
        (
            "INSERT INTO provider_states (name, breaker) VALUES ('first', 'OPEN')",
            Change::Providers,
            None,
            None,
        ),
    ] {
        world.sql(statement).await;
        let news = reader.news().await;
        let expected = LoggedChange { kind, organization, key: key.map(str::to_owned) };
        assert!(!news.is_empty(), "{statement}");
        assert!(news.iter().all(|change| *change == expected), "{statement}: {news:?}");
    }

    world.sql(&format!("UPDATE organizations SET suspended_at = now() WHERE id = '{own}'")).await;
    let news = reader.news().await;
    let kinds: BTreeSet<_> = news.iter().map(|change| change.kind.as_str()).collect();
    assert_eq!(kinds, BTreeSet::from(["holds", "organizations"]));
}

#[tokio::test]
async fn nothing_that_is_written_for_each_message_is_reported() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let (world, own) = (&fixture.world, fixture.organization);
    settle(world, own).await;
    let mut reader = Reader::begin(world).await;

    let own_rows = format!("WHERE organization_id = '{own}'");
    world
        .sql(&format!(
            "UPDATE api_keys SET last_used_at = now() {own_rows}; \
             UPDATE webhook_endpoints SET lease = id, failing_since = now() {own_rows}; \
             UPDATE campaigns SET position = id, unreachable = 1, lease = id {own_rows}; \
             UPDATE traffic_alerts SET codes = 2 {own_rows}"
        ))
        .await;
    fixture.intake.accept(fixture.submission(&[fixture.message()])).await.unwrap();

    assert_eq!(reader.news().await, []);
}

#[tokio::test]
async fn anything_may_have_changed_if_the_log_does_not_reach_back() {
    let world = World::alone().await;
    let LogPosition(position) = world.store.read(None).await.unwrap().position;
    let parts: Vec<_> = position.split(' ').collect();
    let [snapshot, server, seconds] = parts[..] else { panic!("{position}") };
    let older = seconds.parse::<f64>().unwrap() - 601.0;
    let read = async |position: String| {
        world.store.read(Some(LogPosition(position))).await.unwrap().changes
    };

    for (position, expected) in [
        (position.clone(), Changes::Known(Vec::new())),
        (format!("900000000:900000000: {server} {seconds}"), Changes::Unknown),
        (format!("{snapshot} {server}0 {seconds}"), Changes::Unknown),
        (format!("{snapshot} {server} {older}"), Changes::Unknown),
    ] {
        assert_eq!(read(position.clone()).await, expected, "{position}");
    }
}

#[tokio::test]
async fn the_triggers_name_all_kinds_and_fire_for_subscriptions() {
    let world = World::new().await;
    let rows = world.client().await.query(TRIGGERS, &[]).await.unwrap();

    let mut kinds = BTreeSet::new();
    for row in &rows {
        let (name, fires_always): (String, bool) = (row.get(0), row.get(1));
        assert!(fires_always, "{name}");
        kinds.insert(row.get::<_, String>(2));
    }
    assert_eq!(kinds, Change::ALL.map(|kind| kind.as_str().to_owned()).into());
}

const TRIGGERS: &str = "\
    SELECT tgname::text, tgenabled = 'A', split_part(encode(tgargs, 'escape'), '\\000', 1) \
    FROM pg_trigger WHERE tgfoid = 'log_change'::regproc";

#[tokio::test]
async fn changes_are_deleted_after_an_hour() {
    let world = World::alone().await;
    world
        .sql(
            "INSERT INTO changes (kind, at) VALUES ('prices', now() - interval '61 minutes'), \
                ('prices', now() - interval '59 minutes')",
        )
        .await;

    world.store.maintain().await.unwrap();

    let left = "SELECT count(*) FROM changes WHERE kind = 'prices'";
    let left: i64 = world.client().await.query_one(left, &[]).await.unwrap().get(0);
    assert_eq!(left, 1);
}
