//! The journal, its folding and its posting.

use adapters_postgres::PgStore;
use chrono::TimeDelta;
use domain::{
    identity::organization::Organization,
    messaging::message::Message,
    shared::{id::Id, money::Money},
};
use futures_util::future::{join, join_all, join4, try_join};
use ports::messaging::messages::{ClaimLimits, Intake, Jobs, Submission};

use crate::{
    messaging::intake_fixture::{IntakeFixture, PRICE},
    now,
    shared::locks::failed,
};

const LINES: &str = "SELECT count(*) FROM journal";
const ROLLUPS: &str = "SELECT count(*) FROM journal_rollups";
/// A message counts for its hour and for its day.
const COUNTED: &str = "SELECT coalesce(sum(messages), 0)::bigint FROM delivery_log_counters";
const IN_ALL: &str = "SELECT coalesce(sum(messages), 0)::bigint FROM delivery_log_counts";
const SLOTTED: &str = "SELECT coalesce(sum(messages), 0)::bigint FROM delivery_log_slot_counts";
const COSTS: &str = "SELECT coalesce(sum(cost_micros), 0)::bigint FROM delivery_log_counts \
                     WHERE span = 'DAY' AND status = 'QUEUED' AND channel = 'SMS'";
/// Messages of open hours, and those of ledger entries.
const OPEN: &str = "SELECT coalesce(sum(messages), 0)::bigint FROM ledger_hours";
const ENTERED: &str = "SELECT coalesce(sum(messages), 0)::bigint FROM ledger_entries";
const PAID: &str = "SELECT coalesce(sum(messages), 0)::bigint FROM ledger \
                    WHERE kind = 'MESSAGE_DEBIT'";
/// Difference between the balances and the ledger.
const DIFFERENCE: &str = "SELECT (SELECT sum(balance_micros) FROM wallet_balances)::bigint \
                          - (SELECT sum(amount_micros) FROM ledger)::bigint";

/// Number of totals that differ from a count of the log and a sum of the ledger.
const WRONG_TOTALS: &str = "
WITH message AS (
    SELECT organization_id, created_at, channel, status, is_sandbox, segments, cost_micros
    FROM delivery_logs
), counted AS (
    SELECT organization_id, span, date_trunc(span, created_at, 'UTC') AS starts_at, channel, status,
        is_sandbox, count(*)::bigint, sum(segments)::bigint, sum(cost_micros)::bigint
    FROM message, unnest(ARRAY['HOUR', 'DAY']) AS span GROUP BY 1, 2, 3, 4, 5, 6
), counts AS (
    SELECT organization_id, span, starts_at, channel, status, is_sandbox, sum(messages)::bigint,
        sum(segments)::bigint, sum(cost_micros)::bigint
    FROM delivery_log_counts GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(messages) <> 0
), counts_of AS (
    SELECT organizations.id, span, starts_at, channel, status, is_sandbox, sum(messages)::bigint,
        sum(segments)::bigint, sum(cost_micros)::bigint
    FROM organizations CROSS JOIN LATERAL delivery_log_counts_of(organizations.id)
    GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(messages) <> 0
), slots AS (
    SELECT organization_id, starts_at, channel, sum(messages)::bigint FROM delivery_log_slot_counts
    GROUP BY 1, 2, 3 HAVING sum(messages) <> 0
), slots_of AS (
    SELECT organizations.id, starts_at, channel, sum(messages)::bigint
    FROM organizations CROSS JOIN LATERAL delivery_log_slot_counts_of(organizations.id)
    GROUP BY 1, 2, 3 HAVING sum(messages) <> 0
), slotted AS (
    SELECT organization_id, date_trunc('minute', created_at, 'UTC'), channel, count(*)::bigint
    FROM message GROUP BY 1, 2, 3
), platform AS (
    SELECT day, channel, status, is_sandbox, sum(messages)::bigint, sum(segments)::bigint,
        sum(cost_micros)::bigint
    FROM platform_counts GROUP BY 1, 2, 3, 4 HAVING sum(messages) <> 0
), over_all AS (
    SELECT (created_at AT TIME ZONE 'UTC')::date, channel, status, is_sandbox, count(*)::bigint,
        sum(segments)::bigint, sum(cost_micros)::bigint
    FROM message GROUP BY 1, 2, 3, 4
), balance AS (SELECT organization_id, balance_micros::bigint FROM wallet_balances
), balance_of AS (SELECT organizations.id, balance_micros::bigint
    FROM organizations CROSS JOIN LATERAL wallet_balance_of(organizations.id)
), book AS (
    SELECT organization_id, coalesce(sum(amount_micros), 0)::bigint
    FROM wallets LEFT JOIN ledger USING (organization_id) GROUP BY 1
)
SELECT (SELECT count(*) FROM (TABLE counted EXCEPT TABLE counts) AS wrong)
    + (SELECT count(*) FROM (TABLE counts EXCEPT TABLE counted) AS wrong)
    + (SELECT count(*) FROM (TABLE counts_of EXCEPT TABLE counted) AS wrong)
    + (SELECT count(*) FROM (TABLE counted EXCEPT TABLE counts_of) AS wrong)
    + (SELECT count(*) FROM (TABLE slots EXCEPT TABLE slotted) AS wrong)
    + (SELECT count(*) FROM (TABLE slotted EXCEPT TABLE slots) AS wrong)
    + (SELECT count(*) FROM (TABLE slotted EXCEPT TABLE slots_of) AS wrong)
    + (SELECT count(*) FROM (TABLE slots_of EXCEPT TABLE slotted) AS wrong)
    + (SELECT count(*) FROM (TABLE platform EXCEPT TABLE over_all) AS wrong)
    + (SELECT count(*) FROM (TABLE over_all EXCEPT TABLE platform) AS wrong)
    + (SELECT count(*) FROM (TABLE balance EXCEPT TABLE book) AS wrong)
    + (SELECT count(*) FROM (TABLE balance EXCEPT TABLE balance_of) AS wrong)";

/// A fixture that accepted that many messages one after the other, each with its own line.
async fn busy(messages: usize) -> IntakeFixture {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    for _ in 0..messages {
        fixture.intake.accept(fixture.submission(&[fixture.message()])).await.unwrap();
    }
    fixture
}

fn store(fixture: &IntakeFixture) -> &PgStore {
    &fixture.world.store
}

/// Moves the lines that many hours back.
async fn date_back(fixture: &IntakeFixture, hours: u8) {
    let earlier = format!("UPDATE journal SET written_at = written_at - interval '{hours} hours'");
    fixture.world.tamper(&earlier).await;
}

#[tokio::test]
async fn folding_and_posting_merge_lines_and_change_no_total() {
    let fixture = busy(5).await;
    let costs = (PRICE * 5).micros();
    // Lines, rollups, counters and open hours; then the totals shown.
    for stage in [(5, 0, 0, 0), (0, 1, 0, 0), (0, 0, 10, 5)] {
        let held = (fixture.number(LINES).await, fixture.number(ROLLUPS).await);
        assert_eq!((held.0, held.1), (stage.0, stage.1));
        assert_eq!(fixture.number(COUNTED).await, stage.2);
        assert_eq!(fixture.number(OPEN).await, stage.3);
        assert_eq!((fixture.number(IN_ALL).await, fixture.number(SLOTTED).await), (10, 5));
        assert_eq!((fixture.number(COSTS).await, fixture.number(PAID).await), (costs, 5));
        assert_eq!(fixture.number(WRONG_TOTALS).await, 0);
        match stage {
            (5, ..) => assert_eq!(store(&fixture).fold_journal(None).await.unwrap(), 5),
            _ => _ = store(&fixture).post_oldest_bucket(None).await.unwrap(),
        }
    }
    assert_eq!(store(&fixture).post_journal().await.unwrap(), 0);
}

#[tokio::test]
async fn lines_gather_until_the_oldest_is_old_enough() {
    let fixture = busy(2).await;

    let young = store(&fixture).fold_journal(Some(TimeDelta::hours(1))).await.unwrap();
    let older = "UPDATE journal SET id = uuid_v7(now() - interval '61 min') \
                 WHERE id = (SELECT max(id::text)::uuid FROM journal)";
    fixture.world.tamper(older).await;
    let old = store(&fixture).fold_journal(Some(TimeDelta::hours(1))).await.unwrap();

    assert_eq!((young, old), (0, 2));
    assert_eq!(fixture.number(WRONG_TOTALS).await, 0);
}

#[tokio::test]
async fn rollups_gather_until_the_oldest_is_old_enough() {
    let fixture = busy(1).await;
    store(&fixture).fold_journal(None).await.unwrap();

    let young = store(&fixture).post_oldest_bucket(Some(TimeDelta::hours(1))).await.unwrap();
    let older = "UPDATE journal_rollups SET written_at = now() - interval '61 min'";
    fixture.world.tamper(older).await;
    let old = store(&fixture).post_oldest_bucket(Some(TimeDelta::hours(1))).await.unwrap();

    assert_eq!((young, old), (0, 1));
    assert_eq!(fixture.number(COUNTED).await, 2);
}

#[tokio::test]
async fn later_postings_add_to_earlier_ones() {
    let fixture = busy(2).await;
    store(&fixture).post_journal().await.unwrap();
    let submission = fixture.submission(&[fixture.message(), fixture.message()]);
    fixture.intake.accept(submission).await.unwrap();

    store(&fixture).post_journal().await.unwrap();

    assert_eq!((fixture.number(COUNTED).await, fixture.number(IN_ALL).await), (8, 8));
    assert_eq!((fixture.number(OPEN).await, fixture.number(PAID).await), (4, 4));
    assert_eq!(fixture.number(WRONG_TOTALS).await, 0);
}

#[tokio::test]
async fn folding_keeps_only_the_last_state_of_a_message() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let job = fixture.claim(&[fixture.message()]).await.remove(0);
    fixture.jobs.record(failed(job)).await.unwrap();

    store(&fixture).fold_journal(None).await.unwrap();

    let states = "SELECT count(*) FROM journal_rollups CROSS JOIN UNNEST(statuses) AS status";
    assert_eq!(fixture.number(states).await, 1);
    assert_eq!(fixture.number(WRONG_TOTALS).await, 0);
}

#[tokio::test]
async fn concurrent_folding_and_posting_count_each_line_once() {
    let fixture = busy(20).await;
    let others: Vec<_> = (0..4).map(|_| PgStore::connect(&fixture.world.url, 2).unwrap()).collect();
    let accept =
        join_all((0..20).map(|_| fixture.intake.accept(fixture.submission(&[fixture.message()]))));
    let work = join_all(others.iter().map(|store| async {
        for _ in 0..5 {
            store.fold_journal(None).await.unwrap();
            store.post_oldest_bucket(None).await.unwrap();
            store.close_ledger_hours().await.unwrap();
        }
    }));

    let (accepted, _) = join(accept, work).await;
    assert!(accepted.iter().all(Result::is_ok));
    store(&fixture).post_journal().await.unwrap();

    assert_eq!((fixture.number(LINES).await, fixture.number(ROLLUPS).await), (0, 0));
    assert_eq!((fixture.number(COUNTED).await, fixture.number(PAID).await), (80, 40));
    assert_eq!(fixture.number(WRONG_TOTALS).await, 0);
}

/// Accepts messages of each organization concurrently.
async fn accept_of_each(fixture: &IntakeFixture, organizations: &[Id<Organization>], count: usize) {
    let accepted = organizations.iter().map(|&organization| {
        let message = || Message { organization, ..fixture.message() };
        let messages: Vec<_> = (0..count).map(|_| message()).collect();
        fixture.intake.accept(Submission { organization, ..fixture.submission(&messages) })
    });
    for receipt in join_all(accepted).await {
        receipt.unwrap();
    }
}

/// Lets some messages fail.
async fn fail_some(fixture: &IntakeFixture) {
    let jobs = fixture.jobs.claim(&ClaimLimits::any(10)).await.unwrap();
    for recorded in join_all(jobs.into_iter().map(|job| fixture.jobs.record(failed(job)))).await {
        recorded.unwrap();
    }
}

#[tokio::test]
async fn totals_are_exact_at_every_moment_of_a_mixed_load() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let mut organizations = vec![fixture.organization];
    for _ in 0..12 {
        let organization = fixture.world.organization().await.id;
        fixture.world.open_wallet(organization, Money::from_cedis(100)).await;
        organizations.push(organization);
    }
    for round in 0..12 {
        let (some, _) = organizations.split_at(1 + round);
        let post = async {
            for _ in 0..round % 4 {
                store(&fixture).post_oldest_bucket(None).await.unwrap();
            }
        };
        let fold = async {
            if round % 3 > 0 {
                store(&fixture).fold_journal(None).await.unwrap();
            }
        };
        join4(accept_of_each(&fixture, some, 1 + round % 3), fail_some(&fixture), fold, post).await;
        assert_eq!(fixture.number(WRONG_TOTALS).await, 0, "in round {round}");
        if round % 4 == 1 {
            date_back(&fixture, 2).await;
        }
        store(&fixture).close_ledger_hours().await.unwrap();
        assert_eq!(fixture.number(WRONG_TOTALS).await, 0, "after round {round}");
    }
    store(&fixture).post_journal().await.unwrap();
    assert_eq!(fixture.number(WRONG_TOTALS).await, 0);
    assert_eq!((fixture.number(LINES).await, fixture.number(ROLLUPS).await), (0, 0));
}

#[tokio::test]
async fn an_ended_hour_becomes_one_ledger_entry() {
    let fixture = busy(3).await;
    date_back(&fixture, 2).await;
    store(&fixture).post_journal().await.unwrap();
    let id = "SELECT ('x' || right(id::text, 3))::bit(12)::bigint FROM";
    let slot = format!("{id} organizations WHERE id = '{}'", fixture.organization);
    let slot = fixture.number(&slot).await;
    assert_eq!(fixture.number(&format!("{id} ledger_hours")).await, slot);

    assert_eq!(store(&fixture).close_ledger_hours().await.unwrap(), 1);
    assert_eq!(store(&fixture).close_ledger_hours().await.unwrap(), 0);

    assert_eq!((fixture.number(OPEN).await, fixture.number(ENTERED).await), (0, 3));
    let entry = "ledger_entries WHERE kind = 'MESSAGE_DEBIT'";
    assert_eq!(fixture.number(&format!("{id} {entry}")).await, slot);
    let strays = fixture.number("SELECT count(*) FROM ledger_entries_other").await;
    assert_eq!(fixture.number(DIFFERENCE).await, 0);
    // Later movements open the hour again.
    fixture.intake.accept(fixture.submission(&[fixture.message()])).await.unwrap();
    date_back(&fixture, 2).await;
    store(&fixture).post_journal().await.unwrap();
    assert_eq!((fixture.number(OPEN).await, fixture.number(PAID).await), (1, 4));
    assert_eq!(store(&fixture).close_ledger_hours().await.unwrap(), 1);
    assert_eq!(fixture.number(&format!("SELECT count(*) FROM {entry}")).await, 2);
    assert_eq!(fixture.number("SELECT count(*) FROM ledger_entries_other").await, strays);
    assert_eq!(fixture.number(DIFFERENCE).await, 0);
}

#[tokio::test]
async fn an_hour_that_ended_just_now_stays_open() {
    let fixture = busy(1).await;
    store(&fixture).post_journal().await.unwrap();
    let ago = "UPDATE ledger_hours SET hour = date_trunc('hour', now() - interval '10 min', 'UTC')";
    fixture.world.tamper(ago).await;

    assert_eq!(store(&fixture).close_ledger_hours().await.unwrap(), 0);
    assert_eq!(fixture.number(OPEN).await, 1);
}

#[tokio::test]
async fn messages_older_than_hourly_counts_change_their_day_only() {
    let fixture = IntakeFixture::open(Money::from_cedis(100)).await;
    let created_at = now() - TimeDelta::days(40);
    let id = Id::new_in(created_at, fixture.organization);
    let old = Message { id, created_at, ..fixture.message() };
    fixture.intake.accept(fixture.submission(&[old])).await.unwrap();
    assert_eq!((fixture.number(IN_ALL).await, fixture.number(SLOTTED).await), (1, 0));

    store(&fixture).post_journal().await.unwrap();

    assert_eq!((fixture.number(COUNTED).await, fixture.number(IN_ALL).await), (1, 1));
    assert_eq!(fixture.number("SELECT count(*) FROM delivery_log_slots").await, 0);
}

#[tokio::test]
async fn the_journal_can_be_cleaned_while_it_is_written() {
    let fixture = busy(3).await;
    store(&fixture).post_journal().await.unwrap();
    let clean = try_join(store(&fixture).clean_journal(), store(&fixture).clean_rollups());
    let accept = fixture.intake.accept(fixture.submission(&[fixture.message()]));

    let (cleaned, accepted) = join(clean, accept).await;

    cleaned.unwrap();
    accepted.unwrap();
    assert_eq!((fixture.number(LINES).await, fixture.number(IN_ALL).await), (1, 8));
}
