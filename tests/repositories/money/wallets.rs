//! Wallets, prices and templates.

use domain::{
    content::template::{Template, TemplateText},
    money::wallet::{Credit, Credited, LedgerKind, Wallet},
    shared::{category::Category, channel::Channel, id::Id, money::Money},
};

use futures_util::future::join_all;

use crate::{World, now};

#[tokio::test]
async fn a_wallet_opens_with_its_credit_in_the_ledger() {
    let world = World::new().await;
    let (given, nothing) = (world.organization().await, world.organization().await);

    for (organization, credit, ledger) in
        [(given.id, Money::from_cedis(10), "TRIAL_CREDIT 10000000"), (nothing.id, Money::ZERO, "")]
    {
        assert_eq!(world.wallets().find(organization).await.unwrap(), None);
        world.open_wallet(organization, credit).await;

        let wallet = world.wallets().find(organization).await.unwrap();
        assert_eq!(wallet, Some(Wallet { balance: credit, updated_at: now() }));
        for _ in 0..2 {
            let entries = "SELECT coalesce(string_agg(kind || ' ' || amount_micros, ', '), '') \
                           FROM ledger WHERE organization_id = $1";
            let entries = world.client().await.query_one(entries, &[&organization.uuid()]).await;
            assert_eq!(entries.unwrap().get::<_, &str>(0), ledger);
            world.store.enter_credits().await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_credits_of_a_reference_credit_a_wallet_once() {
    let world = World::new().await;
    let own = world.organization().await;
    world.open_wallet(own.id, Money::ZERO).await;
    let credit = |kind, reference: &str| Credit {
        id: Id::new_in(now(), own.id),
        organization: own.id,
        kind,
        reference: reference.into(),
        amount: Money::from_cedis(5),
        at: now(),
    };

    let wallets = world.wallets();
    let credits: [Credit; 64] = std::array::from_fn(|_| credit(LedgerKind::TopUp, "a"));
    let credited = join_all(credits.iter().map(|credit| wallets.credit(credit))).await;
    let new = credited.iter().filter(|it| it.as_ref().unwrap().is_new);
    assert_eq!(new.count(), 1);
    assert_eq!(
        wallets.credit(&credit(LedgerKind::ManualCredit, "a")).await.unwrap(),
        Credited { is_new: true, balance: Money::from_cedis(10) }
    );

    let ledger = "SELECT sum(amount_micros)::bigint FROM ledger WHERE organization_id = $1";
    let ledger = world.client().await.query_one(ledger, &[&own.id.uuid()]).await.unwrap();
    assert_eq!(ledger.get::<_, i64>(0), Money::from_cedis(10).micros());
    let none = Credit { organization: world.organization().await.id, ..credits[0].clone() };
    assert!(wallets.credit(&none).await.is_err());
}

#[tokio::test]
async fn only_active_prices_and_plans_are_listed() {
    let world = World::new().await;
    let own = world.organization().await;
    world
        .sql(&format!(
            "INSERT INTO pricing_rules VALUES \
                (gen_random_uuid(), '{own}', 'SMS', 'GH', 20000, true), \
                (gen_random_uuid(), '{own}', 'SMS', 'GH', 10000, false)",
            own = own.id
        ))
        .await;

    let prices = world.pricing().price_list().await.unwrap();
    let mut own_prices = prices.visible_to(own.id);
    assert!(own_prices.iter().any(|it| it.is_general()));
    own_prices.retain(|rule| rule.organization == Some(own.id));
    assert_eq!(own_prices.len(), 1);
    assert_eq!(own_prices[0].unit_price, Money::from_micros(20_000));

    let plans = world.pricing().plans().await.unwrap();
    assert!(plans.is_sorted_by_key(|plan| plan.monthly_fee));
    assert_eq!(plans[0].name, "Pay as you go");
    assert_eq!(plans[0].features[0], "All channels");
}

#[tokio::test]
async fn templates_are_found_inside_their_organization_only() {
    let world = World::new().await;
    let (own, other) = (world.organization().await, world.organization().await);
    let ids: [Id<Template>; 4] = std::array::from_fn(|_| Id::new_in(now(), own.id));
    let row = |id, organization, status| {
        format!("('{id}', '{organization}', 'x', 'SMS', 'OTP', 'S', 'B', '{status}', now())")
    };
    let rows = [
        row(ids[0], own.id, "APPROVED"),
        row(ids[1], own.id, "REJECTED"),
        row(ids[2], other.id, "APPROVED"),
    ];
    let columns = "id, organization_id, name, channel, category, subject, body, status, created_at";
    world.sql(&format!("INSERT INTO templates ({columns}) VALUES {}", rows.join(","))).await;

    let mut found = world.templates().find_all(own.id, &ids).await.unwrap();
    found.sort_by_key(|template| template.id);

    let template = |id, is_approved| TemplateText {
        id,
        channel: Channel::Sms.into(),
        category: Category::Otp,
        subject: Some("S".into()),
        body: "B".into(),
        format: None,
        vendor_template: None,
        value_rules: domain::content::template::ValueRules::default(),
        is_approved,
    };
    let mut expected = [template(ids[0], true), template(ids[1], false)];
    expected.sort_by_key(|template| template.id);
    assert_eq!(found, expected);
}
