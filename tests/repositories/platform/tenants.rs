//! Organizations as platform administrators see them.

use domain::{
    identity::organization::{Organization, PLATFORM, Role},
    messaging::message::Message,
    money::revenue::Takings,
    platform::tenant::TenantFilter,
    shared::{
        channel::Channel,
        id::Id,
        money::Money,
        page::{Page, Paged},
    },
};
use ports::{
    messaging::messages::{Intake, Jobs},
    platform::tenants::TenantRepository,
};

use crate::{
    World,
    messaging::intake_fixture::{IntakeFixture, PRICE},
    now,
    shared::locks::failed,
};

async fn page(world: &World, filter: &TenantFilter, number: i64) -> Paged<Organization> {
    let page = Page::new(Some(number), Some(2)).unwrap();
    world.store.page(filter, page).await.unwrap()
}

fn ids(found: &Paged<Organization>) -> Vec<Id<Organization>> {
    found.items.iter().map(|organization| organization.id).collect()
}

#[tokio::test]
async fn organizations_are_listed_newest_first_without_the_platform() {
    let world = World::alone().await;
    let mut founded = Vec::new();
    for _ in 0..5 {
        founded.push(world.organization().await.id);
    }
    founded.sort_by(|a, b| b.cmp(a));
    let all = TenantFilter::default();

    let mut listed = Vec::new();
    for number in 1..=4 {
        let found = page(&world, &all, number).await;
        assert_eq!((found.total, found.is_lower_bound), (5, false));
        listed.extend(ids(&found));
    }

    assert_eq!(listed, founded);
}

#[tokio::test]
async fn organizations_are_found_by_name_and_suspension() {
    let world = World::alone().await;
    let (kente, other) = (world.organization().await, world.organization().await);
    let rename = |id, name| format!("UPDATE organizations SET name = '{name}' WHERE id = '{id}'");
    world.sql(&rename(kente.id, "Kente 100% Ltd")).await;
    world
        .sql(&format!("UPDATE organizations SET suspended_at = now() WHERE id = '{}'", other.id))
        .await;
    let search = |text: &str| TenantFilter { search: Some(text.into()), is_suspended: None };
    let suspended = |is_suspended| TenantFilter { search: None, is_suspended: Some(is_suspended) };

    for (filter, expected) in [
        (search("ENTE"), vec![kente.id]),
        (search("0% l"), vec![kente.id]),
        (search("1%0"), vec![]),
        (suspended(true), vec![other.id]),
        (suspended(false), vec![kente.id]),
        (TenantFilter { is_suspended: Some(true), ..search("kente") }, vec![]),
    ] {
        let found = page(&world, &filter, 1).await;
        assert_eq!((ids(&found), found.total), (expected.clone(), expected.len() as u64));
    }
    assert_eq!(world.organizations().suspended().await.unwrap(), [other.id]);
}

#[tokio::test]
async fn members_and_balances_cover_the_given_organizations_only() {
    let fixture = IntakeFixture::open(Money::from_cedis(1)).await;
    let (own, world) = (fixture.organization, &fixture.world);
    let (other, poor) = (world.organization().await.id, world.organization().await.id);
    world.open_wallet(other, Money::from_cedis(5)).await;
    for role in [Role::Owner, Role::Viewer] {
        let mut transaction = world.begin().await;
        transaction.put_member(own, world.user().await.id, role, now()).await.unwrap();
        transaction.commit().await.unwrap();
    }
    // A refund that is not yet posted to the wallet.
    let job = fixture.claim(&[fixture.message()]).await.remove(0);
    fixture.jobs.record(failed(job)).await.unwrap();

    let members = world.store.members(&[own, poor]).await.unwrap();
    let balances = world.store.balances(&[own, poor]).await.unwrap();

    assert_eq!(members.into_iter().collect::<Vec<_>>(), [(own, 2)]);
    assert_eq!(balances.into_iter().collect::<Vec<_>>(), [(own, Money::from_cedis(1))]);
    assert_eq!(world.store.wallet_balances().await.unwrap(), Money::from_cedis(6));
}

/// Payments for messages less refunds, by the ledger.
const LEDGER: &str = "SELECT -sum(amount_micros)::bigint FROM ledger \
                      WHERE kind IN ('MESSAGE_DEBIT', 'MESSAGE_REFUND')";

#[tokio::test]
async fn revenue_equals_the_ledger_before_and_after_posting() {
    let fixture = IntakeFixture::open(Money::from_cedis(9)).await;
    let rehearsal = Message { is_sandbox: true, cost: Money::ZERO, ..fixture.message() };
    let own_mail = Message { cost: Money::ZERO, ..IntakeFixture::message_of(PLATFORM) };
    let paid = [fixture.message(), fixture.message(), fixture.message()];
    let jobs = fixture.claim(&paid).await;
    for job in jobs.into_iter().take(1) {
        fixture.jobs.record(failed(job)).await.unwrap();
    }
    fixture.intake.accept(fixture.submission(&[rehearsal])).await.unwrap();
    let mut mail = fixture.submission(&[own_mail]);
    mail.organization = PLATFORM;
    fixture.intake.accept(mail).await.unwrap();

    let store = &fixture.world.store;
    for stage in 0..3 {
        let lines = store.revenue().await.unwrap();
        let (sms, others): (Vec<_>, Vec<_>) =
            lines.into_iter().partition(|line| line.channel == Channel::Sms);
        assert!(others.iter().all(|line| line.taken == Takings::default()), "{others:?}");
        assert_eq!(sms.len(), 1, "{sms:?}");
        assert_eq!(sms[0].taken, Takings { messages: 3, revenue: PRICE * 2 }, "{stage}");
        assert_eq!(sms[0].day, now().date_naive());
        assert_eq!(fixture.number(LEDGER).await, (PRICE * 2).micros());
        let balances = store.wallet_balances().await.unwrap();
        assert_eq!(balances, Money::from_cedis(9) - PRICE * 2, "{stage}");
        match stage {
            0 => _ = store.fold_journal(None).await.unwrap(),
            _ => _ = store.post_journal().await.unwrap(),
        }
    }
}
