//! Changes of prices and plans, and what is kept of what held before.

use chrono::TimeDelta;
use domain::{
    channel::Channel,
    country::Country,
    id::Id,
    money::Money,
    page::Page,
    pricing::{Plan, PricingFilter, PricingRule},
};
use ports::{
    pricing::{PLAN_TAKEN, PRICING_RULE_TAKEN},
    store::StoreError,
};

use super::{World, now};

fn page() -> Page {
    Page::of_short_list(None, None).unwrap()
}

#[track_caller]
fn assert_taken<T: std::fmt::Debug>(result: Result<T, StoreError>, expected: &str) {
    let Err(StoreError::Conflict { constraint }) = result else { panic!("{result:?}") };
    assert_eq!(constraint, expected);
}

#[tokio::test]
async fn a_price_takes_the_place_of_another_and_what_held_before_is_kept() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let rule = |micros| PricingRule {
        id: Id::new(now()),
        organization: Some(organization),
        channel: Channel::Sms,
        country: Some(Country::GH),
        unit_price: Money::from_micros(micros),
    };
    let (first, second) = (rule(10), rule(20));
    let later = now() + TimeDelta::hours(1);
    let pricing = world.pricing();
    let before = pricing.version().await.unwrap();

    assert!(pricing.begin_rule(&first, None, now()).await.unwrap());
    assert_taken(pricing.begin_rule(&rule(30), None, now()).await, PRICING_RULE_TAKEN);
    assert!(pricing.begin_rule(&second, Some(first.id), later).await.unwrap());
    // Whoever comes too late changes nothing.
    assert!(!pricing.begin_rule(&rule(30), Some(first.id), later).await.unwrap());
    assert!(!pricing.end_rule(first.id, later).await.unwrap());

    let list = pricing.price_list().await.unwrap();
    let price = list.unit_price(organization, Channel::Sms, Country::GH);
    assert_eq!(price, Some(second.unit_price));
    assert_eq!(list.version(), pricing.version().await.unwrap());
    assert!(list.version() > before, "a version grows");
    let own = PricingFilter { organization: Some(organization), ..PricingFilter::default() };
    let listed = pricing.rules_page(&own, page()).await.unwrap();
    let shown: Vec<_> = listed.items.iter().map(|it| (it.value.id, it.ended_at)).collect();
    assert_eq!(shown, [(second.id, None), (first.id, Some(later))]);
    let ended = PricingFilter { is_active: Some(false), ..own };
    assert_eq!(pricing.rules_page(&ended, page()).await.unwrap().total, 1);
    let email = PricingFilter { channel: Some(Channel::Email), ..own };
    assert_eq!(pricing.rules_page(&email, page()).await.unwrap().total, 0);

    assert!(pricing.end_rule(second.id, later).await.unwrap());
    let found = pricing.find_rule(second.id).await.unwrap().unwrap();
    assert_eq!((found.value, found.ended_at), (second, Some(later)));
    assert!(pricing.version().await.unwrap() > list.version());
}

#[tokio::test]
async fn of_plans_with_one_name_one_can_be_booked() {
    let world = World::alone().await;
    let plan = |cedis| Plan {
        id: Id::new(now()),
        name: "Harmattan".into(),
        monthly_fee: Money::from_cedis(cedis),
        included_messages: 5,
        features: vec!["Campaigns".into()],
    };
    let (first, second) = (plan(1), plan(2));
    let pricing = world.pricing();

    assert!(pricing.begin_plan(&first, None, now()).await.unwrap());
    assert_taken(pricing.begin_plan(&second, None, now()).await, PLAN_TAKEN);
    assert!(pricing.begin_plan(&second, Some(first.id), now()).await.unwrap());
    assert!(!pricing.begin_plan(&plan(3), Some(first.id), now()).await.unwrap());

    assert!(pricing.plans().await.unwrap().contains(&second));
    let ended = pricing.plans_page(Some(false), page()).await.unwrap();
    assert_eq!((ended.total, ended.items[0].value.id), (1, first.id));
    assert!(pricing.end_plan(second.id, now()).await.unwrap());
    assert!(!pricing.plans().await.unwrap().iter().any(|plan| plan.name == "Harmattan"));
    let found = pricing.find_plan(second.id).await.unwrap().unwrap();
    assert_eq!((found.value, found.ended_at), (second, Some(now())));
}
